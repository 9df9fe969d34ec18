/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sent signals of the kinds that faults raise; see held.h. */
#include "engine/run/held.h"

#include <errno.h>

#include "channel/sys.h"
#include "engine/codecache/poll.h"
#include "engine/core/lock.h"
#include "engine/core/util.h"
#include "engine/drive/ticker.h"
#include "engine/run/rest.h"
#include "engine/run/signals.h"

/* States of a place count up, so that a reader sees whether it has changed meanwhile. */
#define IS_EMPTY(state) (((state)&3) == 0)
#define IS_FULL(state)	(((state)&3) == 2)

static const uint8_t kinds[HELD_KINDS] = {SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV};

static uint64_t bit(int signal)
{
	return 1ull << (signal - 1);
}

static struct held_signal *place_of(struct held_signals *h, int signal)
{
	uint32_t i = 0;

	while (kinds[i] != signal)
		i++;
	return &h->of[i];
}

static void put(struct held_signal *h, const siginfo_t *info)
{
	uint32_t state = __atomic_load_n(&h->state, __ATOMIC_RELAXED);

	/* Like the kernel, drop a second one. */
	if (!IS_EMPTY(state) || !__atomic_compare_exchange_n(&h->state, &state, state + 1, 0,
							     __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return;
	h->info = *info;
	__atomic_store_n(&h->state, state + 2, __ATOMIC_SEQ_CST);
}

static bool take(struct held_signal *h, siginfo_t *info)
{
	uint32_t state = __atomic_load_n(&h->state, __ATOMIC_SEQ_CST);

	if (!IS_FULL(state))
		return false;
	*info = h->info;
	return __atomic_compare_exchange_n(&h->state, &state, state + 2, 0, __ATOMIC_SEQ_CST,
					   __ATOMIC_RELAXED);
}

static bool is_full(const struct held_signal *h)
{
	return IS_FULL(__atomic_load_n(&h->state, __ATOMIC_SEQ_CST));
}

/* To the thread itself: the kernel lets no other thread send a signal that kill sent. */
static void send(struct thread *t, const siginfo_t *info)
{
	siginfo_t copy = *info;

	engine_let_in(SYS_rt_tgsigqueueinfo, sys0(SYS_getpid), t->tid, info->si_signo, (long)&copy);
}

void held_keep(struct thread *t, int signal, const siginfo_t *info, bool to_thread)
{
	/*
	 * The kernel does not say whether it was sent to the thread or the process; guess by the
	 * codes that kill, sigqueue and timers write.
	 */
	if (to_thread || info->si_code == SI_TKILL || info->si_code > 0) {
		put(place_of(&t->held_signals, signal), info);
		return;
	}
	put(place_of(&t->process->held_signals, signal), info);
	t->shares_signals = true;
	poll_call(t);
}

bool held_is_blocked(const struct thread *t, int signal)
{
	return signal > 0 && signal <= 64 && (t->mask & SYNC_SIGNALS & bit(signal));
}

void held_send(struct thread *t, int signal)
{
	siginfo_t info = {.si_signo = signal, .si_code = SI_USER};

	info.si_pid = (pid_t)sys0(SYS_getpid);
	info.si_uid = (uid_t)sys0(SYS_getuid);
	send(t, &info);
}

void held_release(struct thread *t)
{
	siginfo_t info;

	for (uint32_t i = 0; i < HELD_KINDS && !t->pending; i++) {
		if (t->mask & bit(kinds[i]))
			continue;
		if (take(&t->held_signals.of[i], &info) ||
		    take(&t->process->held_signals.of[i], &info))
			send(t, &info);
	}
}

uint64_t held_ignored(const struct process *p)
{
	uint64_t mask = 0;

	for (uint32_t i = 0; i < HELD_KINDS; i++)
		if (p->actions[kinds[i]].handler == HANDLER_IGNORE)
			mask |= bit(kinds[i]);
	return mask;
}

/* Calls that may find a pending signal: by a set of signals, a mask, or a descriptor. */
static const uint16_t lookers[] = {
	SYS_rt_sigpending, SYS_rt_sigtimedwait, SYS_rt_sigsuspend,
	SYS_read,	   SYS_readv,		SYS_poll,
	SYS_ppoll,	   SYS_select,		SYS_pselect6,
	SYS_epoll_wait,	   SYS_epoll_pwait,	SYS_epoll_pwait2,
	SYS_io_getevents,  SYS_io_pgetevents,	SYS_io_uring_enter,
};

static bool looks(long nr)
{
	for (uint32_t i = 0; i < sizeof lookers / sizeof *lookers; i++)
		if (lookers[i] == nr)
			return true;
	return false;
}

/* Send the held signals of `blocked`, which the kernel blocks, so that calls find them pending. */
static void show(struct thread *t, uint64_t blocked)
{
	siginfo_t info;

	for (uint32_t i = 0; i < HELD_KINDS; i++) {
		if (!(blocked & bit(kinds[i])))
			continue;
		if (take(&t->held_signals.of[i], &info) ||
		    take(&t->process->held_signals.of[i], &info))
			send(t, &info);
	}
}

uint64_t held_block(struct thread *t, long nr)
{
	/* A seccomp filter may forbid the engine's own call. */
	uint64_t blocked = engine.quiet ? 0 : (t->mask & SYNC_SIGNALS) | held_ignored(t->process);

	t->kicked = false;
	if (!blocked)
		return 0;
	engine_let_in(SYS_rt_sigprocmask, SIG_BLOCK, (long)&blocked, 0, 8);
	if (looks(nr)) {
		/* Before held signals are read: for later ones another thread calls this one. */
		__atomic_store_n(&t->looks_for, blocked, __ATOMIC_SEQ_CST);
		show(t, blocked);
	}
	return blocked;
}

long held_unblock(struct thread *t, long nr, uint64_t blocked, long result)
{
	/*
	 * Restart the call if the engine interrupted it, or another thread took the signal that
	 * woke this one; also if the kernel would have restarted it after the signal itself.
	 */
	if (result == -EINTR &&
	    (t->pending ? t->kicked && rest_restarts(t, nr) : t->kicked || t->looks_for != 0))
		result = RESTART_CALL;
	if (!blocked)
		return result;
	__atomic_store_n(&t->looks_for, 0, __ATOMIC_SEQ_CST);
	engine_let_in(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&blocked, 0, 8);
	return result;
}

/* The thread to take the signal: one that does not block it, or else one that waits for it. */
static struct thread *taker(const struct thread *t, int signal)
{
	struct thread *found = 0;

	for (struct thread *o = engine.threads; o; o = o->next_thread) {
		if (o->process != t->process || o == t || !o->tid)
			continue;
		if (!(o->mask & bit(signal)))
			return o;
		if (__atomic_load_n(&o->looks_for, __ATOMIC_SEQ_CST) & bit(signal))
			found = o;
	}
	return found;
}

/* Make a thread check the process's held signals; interrupts its system call, if any. */
static void kick(struct thread *o)
{
	siginfo_t info = {.si_signo = TICK_SIGNAL, .si_code = SI_QUEUE};

	info.si_value.sival_ptr = o;
	sys4(SYS_rt_tgsigqueueinfo, sys0(SYS_getpid), o->tid, TICK_SIGNAL, &info);
}

bool held_is_kick(const struct thread *t, const siginfo_t *info)
{
	return info->si_signo == TICK_SIGNAL && info->si_code == SI_QUEUE &&
	       info->si_value.sival_ptr == t;
}

int held_take(struct thread *t, siginfo_t *info)
{
	/* The thread may be about to wait, or wait already. */
	t->kicked = true;
	show(t, t->looks_for);
	for (uint32_t i = 0; i < HELD_KINDS && !t->pending; i++)
		if (!(t->mask & bit(kinds[i])) && take(&t->process->held_signals.of[i], info))
			return kinds[i];
	return 0;
}

void held_share(struct thread *t)
{
	t->shares_signals = false;
	held_release(t);
	for (uint32_t i = 0; i < HELD_KINDS; i++) {
		struct thread *o;

		if (!is_full(&t->process->held_signals.of[i]))
			continue;
		lock_take(&engine.world_lock);
		o = taker(t, kinds[i]);
		if (o)
			kick(o);
		lock_drop(&engine.world_lock);
	}
}

static void forget(struct held_signal *h)
{
	siginfo_t info;

	take(h, &info);
}

void held_forget(const struct thread *t, int signal)
{
	forget(place_of(&t->process->held_signals, signal));
	lock_take(&engine.world_lock);
	for (struct thread *o = engine.threads; o; o = o->next_thread)
		if (o->process == t->process)
			forget(place_of(&o->held_signals, signal));
	lock_drop(&engine.world_lock);
}

void held_give_back(struct thread *t)
{
	const long pid = sys0(SYS_getpid);
	siginfo_t info;

	for (uint32_t i = 0; i < HELD_KINDS; i++) {
		if (take(&t->held_signals.of[i], &info))
			send(t, &info);
		/* The kernel lets only the first thread send a signal that kill sent. */
		if (take(&t->process->held_signals.of[i], &info) &&
		    sys3(SYS_rt_sigqueueinfo, pid, kinds[i], &info) != 0)
			send(t, &info);
	}
}

bool held_is_any(const struct thread *t)
{
	uint32_t any = 0;

	for (uint32_t i = 0; i < HELD_KINDS; i++)
		any |= t->held_signals.of[i].state | t->process->held_signals.of[i].state;
	return any != 0;
}

void held_none(struct held_signals *h)
{
	memset(h, 0, sizeof *h);
}
