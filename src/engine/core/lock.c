/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks; see lock.h. */
#include "engine/core/lock.h"

#include <linux/futex.h>

#include "channel/sys.h"
#include "engine/core/proc.h"
#include "engine/core/state.h"
#include "engine/core/util.h"

/* A lock's value: the tid of its owner, or UNKNOWN; and whether a thread sleeps. */
#define SLEEPS	0x80000000u
#define UNKNOWN 1u

static bool owners;

void lock_begin_owners(void)
{
	__atomic_store_n(&owners, true, __ATOMIC_RELAXED);
}

void lock_end_owners(void)
{
	__atomic_store_n(&owners, false, __ATOMIC_RELAXED);
}

uint32_t lock_value(void)
{
	const struct thread *t;

	if (!__atomic_load_n(&owners, __ATOMIC_RELAXED))
		return UNKNOWN;
	t = thread_self();
	/* in another namespace of processes a tid means another thread */
	return t->pid && t->tid ? t->tid : UNKNOWN;
}

bool lock_is_lost(uint32_t value)
{
	const uint32_t tid = value & ~SLEEPS;

	return tid > UNKNOWN && lock_value() != UNKNOWN && proc_is_gone(tid);
}

static bool change(uint32_t *lock, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(lock, &from, to, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* Sleeps until the lock may be free. True: it was of a dead owner, and is the caller's now. */
static bool wait_for(uint32_t *lock, uint32_t value, uint32_t mine)
{
	if ((value & ~SLEEPS) == UNKNOWN) {
		futex_wait(lock, value);
		return false;
	}
	futex_wait_ns(lock, value, LOCK_LOOK_NS);
	return __atomic_load_n(lock, __ATOMIC_RELAXED) == value && lock_is_lost(value) &&
	       change(lock, value, mine);
}

void lock_take(uint32_t *lock)
{
	const uint32_t mine = lock_value();

	if (change(lock, 0, mine))
		return;
	for (int spin = 0; spin < 100; spin++) {
		__builtin_ia32_pause();
		if (change(lock, 0, mine))
			return;
	}
	/* Others may sleep from here on: whoever takes the lock in this loop wakes one of them. */
	while (!change(lock, 0, mine | SLEEPS)) {
		const uint32_t seen = __atomic_load_n(lock, __ATOMIC_RELAXED);

		if (!seen || (!(seen & SLEEPS) && !change(lock, seen, seen | SLEEPS)))
			continue;
		if (wait_for(lock, seen | SLEEPS, mine | SLEEPS))
			return;
	}
}

void lock_drop(uint32_t *lock)
{
	if (__atomic_exchange_n(lock, 0, __ATOMIC_RELEASE) & SLEEPS)
		sys3(SYS_futex, lock, FUTEX_WAKE, 1);
}
