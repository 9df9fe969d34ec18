/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child that stops its own program's threads; see own_tracer.h. */
#include "engine/run/own_tracer.h"

#include <linux/futex.h>
#include <linux/sched.h>

#include "channel/sys.h"
#include "engine/core/proc.h"
#include "engine/core/util.h"
#include "engine/run/syscalls/syscalls.h"

#define LOOK_NS	   50000
#define MOST_LOOKS 2000u     /* 0.1 s */
#define SLEEP_NS   20000000u /* of one sched_yield: programs may wait for less than the end */

bool own_tracer_is_made(uint64_t flags)
{
	return (flags & (CLONE_UNTRACED | CLONE_VFORK | CLONE_SIGHAND)) == CLONE_UNTRACED;
}

static bool is_asleep(uint32_t tid)
{
	char path[PROC_PATH_BYTES], text[64];

	proc_path(path, tid, "stat");
	proc_read(path, text, sizeof text);
	return proc_state_in(text) != 'R';
}

void own_tracer_begin(struct thread *maker, uint64_t flags)
{
	static const struct timespec pause = {0, LOOK_NS};
	const uint32_t own = (uint32_t)sys0(SYS_gettid);

	if (flags & CLONE_CHILD_CLEARTID)
		return; /* the kernel clears a word of the program's instead, and only that */
	/* The kernel clears the word when the child ends, and wakes a thread that sleeps there. */
	sys1(SYS_set_tid_address, &maker->own_tracer);
	__atomic_store_n(&maker->own_tracer, own, __ATOMIC_RELEASE);
	for (uint32_t i = 0; i < MOST_LOOKS && !native_is_on(maker); i++) {
		if (__atomic_load_n(&maker->sleeps_for_tracer, __ATOMIC_ACQUIRE) &&
		    is_asleep(maker->tid))
			return;
		sys2(SYS_nanosleep, &pause, 0);
	}
}

long own_tracer_yield(struct thread *t, long nr, const long args[6])
{
	const uint32_t child = __atomic_load_n(&t->own_tracer, __ATOMIC_ACQUIRE);
	const struct timespec most = {0, SLEEP_NS};
	const long sleep[6] = {(long)&t->own_tracer, FUTEX_WAIT, child, (long)&most};
	long r;

	if (!child)
		return syscalls_pass(t, nr, args);
	__atomic_store_n(&t->sleeps_for_tracer, true, __ATOMIC_RELEASE);
	r = syscalls_pass(t, SYS_futex, sleep);
	__atomic_store_n(&t->sleeps_for_tracer, false, __ATOMIC_RELEASE);
	return r == RESTART_CALL ? r : 0;
}
