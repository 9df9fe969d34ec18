/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A timer per thread that brings it to the dispatcher when a time has passed:
 * how the sampler finds the beginning of a window without counting on the way.
 *
 * Its signal must not be seen to interrupt anything: around system calls that
 * may sleep it is blocked, or, where a real one might come, the timer is
 * stopped. The C libraries keep the number for themselves: they ask all threads
 * with it to change their user, or to end, and wait for the answer. A real one,
 * which does not come from our timer, reaches the target.
 */
#ifndef DWELL_ENGINE_SAMPLE_TICKER_H
#define DWELL_ENGINE_SAMPLE_TICKER_H

#include <stdbool.h>

#include "engine/core/state.h"

/*
 * A timer that sends the thread a TICK_SIGNAL with the address `name`. 0, or -1 where the kernel
 * has none.
 */
int ticker_create(const struct thread *t, int32_t *id, const void *name);
/* Call this thread after `ns` nanoseconds. Returns -1 where the kernel has no timer for us. */
int ticker_arm(struct thread *t, uint64_t ns);
/* The thread ends, or is profiled no more: no tick comes after this. */
void ticker_end(struct thread *t);
/*
 * Before exec: the timers of all threads of the process end, and no new ones
 * begin until ticker_go_on. A tick that finds the default action would kill.
 */
void ticker_stop_all(struct thread *t);
void ticker_go_on(struct thread *t);
/* In a forked child, which has no timers. */
void ticker_forked(void);

/* How ticks are kept off while a system call may sleep. */
enum ticker_hold { TICKS_FREE, TICKS_BLOCKED, TICKS_STOPPED };
enum ticker_hold ticker_hold(struct thread *t);
/*
 * Around a system call that does not wait for anything: real ones, too, come behind it. True if
 * that is to end by ticker_let_go(t, TICKS_BLOCKED).
 */
bool ticker_hold_briefly(void);
/* Will it block them? Then a mask that the kernel is given for the call has to, too. */
bool ticker_blocks(const struct thread *t);
void ticker_let_go(struct thread *t, enum ticker_hold how);
/* Is it the timer of t that sent this? */
bool ticker_sent(const struct thread *t, const siginfo_t *info);
/* May the system call sleep and then end early because of a signal? */
bool ticker_could_interrupt(long nr, const long args[6]);

#endif
