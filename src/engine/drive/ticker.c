/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Timers of threads; see ticker.h. */
#define _GNU_SOURCE
#include "engine/drive/ticker.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "channel/sys.h"
#include "engine/codecache/poll.h"
#include "engine/core/lock.h"
#include "engine/core/util.h"

#define NOTIFY_THREAD 4 /* SIGEV_THREAD_ID of the kernel */

/* The kernel's struct sigevent. */
struct kernel_sigevent {
	uint64_t value;
	int32_t signal, notify, tid;
	int32_t pad[11];
};

int ticker_create(const struct thread *t, int32_t *id, const void *name)
{
	struct kernel_sigevent e = {.value = (uint64_t)(uintptr_t)name,
				    .signal = TICK_SIGNAL,
				    .notify = NOTIFY_THREAD,
				    .tid = (int32_t)t->tid};

	return sys3(SYS_timer_create, CLOCK_MONOTONIC, &e, id) != 0 ? -1 : 0;
}

static int create(struct thread *t)
{
	if (ticker_create(t, &t->timer, t) != 0)
		return -1;
	t->has_timer = true;
	return 0;
}

/* Guards creation, setting and deletion of timers, so that `stopped` holds for all. */
static uint32_t lock;
static bool stopped;

int ticker_arm(struct thread *t, uint64_t ns)
{
	struct itimerspec when = {
		.it_value = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)}};
	int r = 0;

	lock_take(&lock);
	if (!stopped) {
		if (!t->has_timer && create(t) != 0)
			r = -1;
		else if (sys4(SYS_timer_settime, t->timer, 0, &when, 0) != 0)
			r = -1;
	}
	lock_drop(&lock);
	return r;
}

void ticker_end(struct thread *t)
{
	if (!t->has_timer)
		return;
	t->has_timer = false;
	sys1(SYS_timer_delete, t->timer);
}

void ticker_stop_all(struct thread *t)
{
	if (t->process->borrowed_memory) /* a vfork child: these are its parent's */
		return;
	lock_take(&lock);
	stopped = true;
	lock_take(&engine.world_lock);
	for (struct thread *o = engine.threads; o; o = o->next_thread)
		if (o->process == t->process)
			ticker_end(o);
	lock_drop(&engine.world_lock);
	lock_drop(&lock);
}

void ticker_go_on(struct thread *t)
{
	if (t->process->borrowed_memory)
		return;
	stopped = false;
	lock_take(&engine.world_lock);
	for (struct thread *o = engine.threads; o; o = o->next_thread)
		if (o->process == t->process) {
			o->tick_due = true;
			poll_call(o);
		}
	lock_drop(&engine.world_lock);
}

void ticker_forked(void)
{
	lock = 0;
	stopped = false;
}

/* May others send this thread a TICK_SIGNAL that it must answer while it sleeps? */
static bool expects_real(const struct thread *t)
{
	return engine.threads->next_thread || t->process->actions[TICK_SIGNAL].handler > 1;
}

bool ticker_blocks(const struct thread *t)
{
	return t->has_timer && !expects_real(t);
}

bool ticker_hold_briefly(void)
{
	uint64_t tick = TICK_BIT, before = 0;

	sys4(SYS_rt_sigprocmask, SIG_BLOCK, &tick, &before, 8);
	return !(before & TICK_BIT);
}

enum ticker_hold ticker_hold(struct thread *t)
{
	const struct itimerspec never = {0};
	uint64_t tick = TICK_BIT;

	if (!t->has_timer)
		return TICKS_FREE;
	if (ticker_blocks(t)) {
		sys4(SYS_rt_sigprocmask, SIG_BLOCK, &tick, 0, 8);
		return TICKS_BLOCKED;
	}
	/* a pending tick is delivered before this returns, or never: see ticker_let_go */
	sys4(SYS_timer_settime, t->timer, 0, &never, t->tick_left);
	return TICKS_STOPPED;
}

void ticker_let_go(struct thread *t, enum ticker_hold how)
{
	uint64_t tick = TICK_BIT;

	if (how == TICKS_BLOCKED)
		sys4(SYS_rt_sigprocmask, SIG_UNBLOCK, &tick, 0, 8);
	else if (how == TICKS_STOPPED && t->has_timer && (t->tick_left[2] || t->tick_left[3]))
		sys4(SYS_timer_settime, t->timer, 0, t->tick_left, 0);
	else if (how == TICKS_STOPPED && t->variant != VARIANT_STREAM)
		t->tick_due = true;
}

bool ticker_sent(const struct thread *t, const siginfo_t *info)
{
	return info->si_signo == TICK_SIGNAL && info->si_code == SI_TIMER &&
	       info->si_value.sival_ptr == t;
}

/*
 * System calls that never end early because of a signal. Calls that reach a file system or a driver
 * may: one outside the kernel sees the signal, and answers as it likes.
 */
static const uint16_t quick[] = {
	SYS_munmap,
	SYS_mprotect,
	SYS_mincore,
	SYS_brk,
	SYS_getcwd,
	SYS_dup,
	SYS_uname,
	SYS_sysinfo,
	SYS_getpid,
	SYS_gettid,
	SYS_getppid,
	SYS_getuid,
	SYS_geteuid,
	SYS_getgid,
	SYS_getegid,
	SYS_getpgrp,
	SYS_getrlimit,
	SYS_prlimit64,
	SYS_getrusage,
	SYS_times,
	SYS_time,
	SYS_gettimeofday,
	SYS_clock_gettime,
	SYS_clock_getres,
	SYS_getcpu,
	SYS_sched_yield,
	SYS_sched_getaffinity,
	SYS_set_tid_address,
	SYS_set_robust_list,
	SYS_arch_prctl,
	SYS_timer_settime,
	SYS_setitimer,
	SYS_alarm,
	SYS_epoll_ctl,
	SYS_pipe2,
};

static bool futex_sleeps(long op)
{
	switch (op & FUTEX_CMD_MASK) {
	case FUTEX_WAKE:
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
	case FUTEX_WAKE_OP:
	case FUTEX_WAKE_BITSET:
		return false;
	default:
		return true;
	}
}

bool ticker_could_interrupt(long nr, const long args[6])
{
	static uint64_t is_quick[8]; /* filled at the first call; filling it twice does no harm */

	if (!is_quick[SYS_getpid / 64])
		for (uint32_t i = 0; i < sizeof quick / sizeof *quick; i++)
			__atomic_fetch_or(&is_quick[quick[i] / 64], 1ull << quick[i] % 64,
					  __ATOMIC_RELAXED);
	if (nr == SYS_futex)
		return futex_sleeps(args[1]);
	if (nr == SYS_fcntl)
		return args[1] > F_SETFL;
	if (nr == SYS_lseek)
		return args[2] != SEEK_SET && args[2] != SEEK_CUR;
	if (nr == SYS_mmap)
		return !(args[3] & MAP_ANONYMOUS);
	if (nr == SYS_madvise)
		return args[2] != MADV_DONTNEED && args[2] != MADV_FREE && args[2] != MADV_HUGEPAGE;
	return (uint64_t)nr >= 512 || !(is_quick[nr / 64] >> nr % 64 & 1);
}
