/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rests from signals; see rest.h. */
#include "engine/run/rest.h"

#include <errno.h>
#include <time.h>

#include "channel/sys.h"
#include "engine/core/lock.h"
#include "engine/core/util.h"
#include "engine/drive/ticker.h"
#include "engine/run/signals.h"

#define LEAST_NS     20000u
#define MOST_NS	     20000000u
#define MOST_DOUBLED 10u
#define MOST_LOOKS   1000u /* a millisecond apart: far longer than any rest */

static bool is_over; /* for all threads */

/* Progress of the signal that was noted last. */
enum { SERVED, NOTED, IN_HANDLER, UNBLOCKED };

void rest_noted(struct thread *t, const siginfo_t *info)
{
	/* Signals from the process itself, or from its filter, come no faster than it runs. */
	const bool own = info->si_code <= 0 ? info->si_code != SI_TIMER &&
						      (uint32_t)info->si_pid == t->process->pid
					    : info->si_signo == SIGSYS;

	t->signal_at = cycles();
	t->calm = t->signal_at - t->signal_end;
	t->handlers++;
	t->signal_stage = own ? SERVED : NOTED;
}

void rest_begin(struct thread *t)
{
	const uint64_t ns = t->rest_ns;
	struct itimerspec when = {.it_value = {0, (long)ns}};

	t->rest_ns = 0;
	if (!ns) /* the rest has begun already */
		return;
	t->resting = true;
	if (!t->has_rest_timer)
		t->has_rest_timer = ticker_create(t, &t->rest_timer, &t->resting) == 0;
	if (!t->has_rest_timer || sys4(SYS_timer_settime, t->rest_timer, 0, &when, 0) != 0)
		t->resting = false;
}

bool rest_is_due(struct thread *t)
{
	uint64_t took, ns;

	if (t->signal_stage != NOTED && t->signal_stage != IN_HANDLER)
		return t->resting;
	if (t->signal_stage == IN_HANDLER)
		t->handlers = 0;
	t->signal_stage++;
	t->signal_end = cycles();
	if (t->resting)
		return true;
	took = t->signal_end - t->signal_at;
	if (t->calm >= took || is_over || t->process->borrowed_memory)
		return false;
	/*
	 * Assumes a clock of 2 GHz: faster ones rest longer. Doubles with each signal whose handler
	 * does not return.
	 */
	ns = took / 2 << (t->handlers < MOST_DOUBLED ? t->handlers : MOST_DOUBLED);
	t->rest_ns = ns < LEAST_NS ? LEAST_NS : ns > MOST_NS ? MOST_NS : ns;
	return true;
}

void rest_handler_returns(struct thread *t)
{
	t->handlers = 0;
	if (t->signal_stage != SERVED)
		t->signal_stage = IN_HANDLER;
}

void rest_handler_returned(struct thread *t)
{
	if (t->signal_stage == UNBLOCKED) /* else the next signal has arrived */
		t->signal_stage = SERVED;
}

bool rest_timer_sent(const struct thread *t, const siginfo_t *info)
{
	return info->si_signo == TICK_SIGNAL && info->si_code == SI_TIMER &&
	       info->si_value.sival_ptr == &t->resting;
}

/* Calls that the kernel restarts after a handler with SA_RESTART. */
static const uint16_t restarted[] = {
	SYS_read,    SYS_readv,	 SYS_write,   SYS_writev,  SYS_open,	 SYS_openat,	SYS_wait4,
	SYS_waitid,  SYS_accept, SYS_accept4, SYS_connect, SYS_recvfrom, SYS_recvmsg,	SYS_sendto,
	SYS_sendmsg, SYS_flock,	 SYS_fcntl,   SYS_ioctl,   SYS_futex,	 SYS_getrandom,
};

bool rest_restarts(const struct thread *t, long nr)
{
	if (!(t->process->actions[t->pending].flags & SA_RESTART))
		return false;
	for (uint32_t i = 0; i < sizeof restarted / sizeof *restarted; i++)
		if (restarted[i] == nr)
			return true;
	return false;
}

long rest_end_by_call(struct thread *t, long nr, long result)
{
	const struct itimerspec never = {0};

	if (t->resting) {
		sys4(SYS_timer_settime, t->rest_timer, 0, &never, 0);
		t->resting = false;
		signals_unblock(t);
	}
	/* The rest's timer may have interrupted the call: hide that from the program. */
	if (result == -EINTR && (!t->pending || rest_restarts(t, nr)))
		return RESTART_CALL;
	return result;
}

void rest_drop(struct thread *t)
{
	t->resting = false;
	if (t->has_rest_timer)
		sys1(SYS_timer_delete, t->rest_timer);
	t->has_rest_timer = false;
}

bool rest_has_timers(const struct thread *t)
{
	bool found = false;

	lock_take(&engine.world_lock);
	for (struct thread *o = engine.threads; o && !found; o = o->next_thread)
		found = o->process == t->process && o->has_rest_timer;
	lock_drop(&engine.world_lock);
	return found;
}

static bool others_rest(const struct thread *t)
{
	bool found = false;

	lock_take(&engine.world_lock);
	for (struct thread *o = engine.threads; o && !found; o = o->next_thread)
		found = o != t && o->process == t->process &&
			__atomic_load_n(&o->resting, __ATOMIC_SEQ_CST);
	lock_drop(&engine.world_lock);
	return found;
}

void rest_end_all(struct thread *t)
{
	const struct timespec pause = {0, 1000000};

	__atomic_store_n(&is_over, true, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < MOST_LOOKS && others_rest(t); i++)
		sys2(SYS_nanosleep, &pause, 0);
	lock_take(&engine.world_lock);
	for (struct thread *o = engine.threads; o; o = o->next_thread)
		if (o->process == t->process)
			rest_drop(o);
	lock_drop(&engine.world_lock);
	signals_unblock(t);
}

void rest_forked(struct thread *t)
{
	t->resting = t->has_rest_timer = false;
}
