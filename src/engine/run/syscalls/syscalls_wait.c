/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls that wait with their own mask, wait for signals, read pending ones, or send. */
#include <errno.h>

#include "channel/sys.h"
#include "engine/core/util.h"
#include "engine/drive/ticker.h"
#include "engine/run/held.h"
#include "engine/run/syscalls/syscalls.h"

/*
 * Calls that wait under another mask, to which *mask_at points: a handler that runs meanwhile
 * inherits that mask. The engine's timer stays blocked.
 */
static long with_mask(struct thread *t, long nr, long args[6], long *mask_at)
{
	uint64_t mask, mine;
	long r;

	if (*mask_at && engine_copy(&mask, (void *)*mask_at, 8) == 0) {
		t->saved_suspend_mask = mask;
		t->have_suspend_mask = true;
		mine = mask | (ticker_blocks(t) && !t->resting ? TICK_BIT : 0) |
		       held_ignored(t->process);
		*mask_at = (long)&mine;
	}
	r = syscalls_pass(t, nr, args);
	if (!t->pending || r != -EINTR)
		t->have_suspend_mask = false;
	return r;
}

static long with_mask_in(struct thread *t, long nr, const long a[6], uint32_t at)
{
	long args[6] = {a[0], a[1], a[2], a[3], a[4], a[5]};

	return with_mask(t, nr, args, &args[at]);
}

long syscalls_sigsuspend(struct thread *t, long nr, const long a[6])
{
	return with_mask_in(t, nr, a, 0);
}

long syscalls_ppoll(struct thread *t, long nr, const long a[6])
{
	return with_mask_in(t, nr, a, 3);
}

long syscalls_epoll_pwait(struct thread *t, long nr, const long a[6])
{
	return with_mask_in(t, nr, a, 4);
}

long syscalls_pselect(struct thread *t, long nr, const long a[6])
{
	long pair[2], args[6] = {a[0], a[1], a[2], a[3], a[4], a[5]};

	if (!a[5] || engine_copy(pair, (void *)a[5], sizeof pair) != 0)
		return syscalls_pass(t, nr, a);
	args[5] = (long)pair;
	return with_mask(t, nr, args, &pair[0]);
}

/*
 * Flags of io_uring_enter: its argument is a struct that begins with a mask; its argument is
 * registered.
 */
#define RING_LONG_ARG	(1 << 3)
#define RING_REGISTERED (1 << 6)

long syscalls_io_uring_enter(struct thread *t, long nr, const long a[6])
{
	struct {
		long mask;
		long rest[2];
	} arg = {0};
	long args[6] = {a[0], a[1], a[2], a[3], a[4], a[5]};

	if (!(a[3] & RING_LONG_ARG))
		return with_mask(t, nr, args, &args[4]);
	if ((a[3] & RING_REGISTERED) || a[5] != sizeof arg ||
	    engine_copy(&arg, (void *)a[4], sizeof arg) != 0)
		return syscalls_pass(t, nr, a);
	args[4] = (long)&arg;
	return with_mask(t, nr, args, &arg.mask);
}

/* Waiting for signals by number: the timer's signal is not the target's. */
long syscalls_sigtimedwait(struct thread *t, long nr, const long a[6])
{
	long args[6] = {a[0], a[1], a[2], a[3], a[4], a[5]};
	uint64_t set;

	if (t->has_timer && engine_copy(&set, (void *)a[0], 8) == 0) {
		set &= ~TICK_BIT;
		args[0] = (long)&set;
	}
	return syscalls_pass(t, nr, args);
}

/*
 * During a rest the kernel also blocks signals that the target does not: natively they are not
 * pending.
 */
long syscalls_sigpending(struct thread *t, long nr, const long a[6])
{
	const uint64_t bytes = (uint64_t)a[1];
	long r = syscalls_pass(t, nr, a);
	uint64_t set = 0;

	if (r != 0 || bytes > sizeof set || engine_copy(&set, (void *)a[0], bytes) != 0)
		return r;
	set &= t->mask;
	return engine_copy((void *)a[0], &set, bytes) != 0 ? -EFAULT : 0;
}

/* A signal that a thread blocks and sends to its process is pending as soon as the call ends. */
long syscalls_kill(struct thread *t, long nr, const long a[6])
{
	const int signal = (int)a[1];

	if (engine.quiet || (int)a[0] != sys0(SYS_getpid) || !held_is_blocked(t, signal))
		return syscalls_pass(t, nr, a);
	held_send(t, signal);
	return 0;
}
