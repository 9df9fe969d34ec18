/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rests from signals. To deliver one takes the engine longer than the kernel, perhaps longer than
 * the period of the program's timer: then each handler would return into the next one, and the
 * program would not get on. So where the time since the last signal was shorter than what this one
 * took, the kernel holds back asynchronous signals for as long again: when a handler begins, and
 * when it returns. A timer of the thread ends the rest, and so does a system call that might wait:
 * the call is made first, and the timer calls it off.
 */
#ifndef DWELL_ENGINE_RUN_REST_H
#define DWELL_ENGINE_RUN_REST_H

#include "engine/core/state.h"

/* An asynchronous signal is noted. */
void rest_noted(struct thread *t, const siginfo_t *info);
/* Signals are about to be let in. Should a rest begin, or go on, instead? */
bool rest_is_due(struct thread *t);
/* The kernel holds them back from here on: the timer starts, unless the rest goes on. */
void rest_begin(struct thread *t);
/* Its handler is about to return, and has returned. */
void rest_handler_returns(struct thread *t);
void rest_handler_returned(struct thread *t);
/* Is it the timer that ends the rest of t? */
bool rest_timer_sent(const struct thread *t, const siginfo_t *info);
/*
 * Behind a system call that began inside a rest: its result, or RESTART_CALL. Signals are let in.
 */
long rest_end_by_call(struct thread *t, long nr, long result);
/* The rest is over, if there is one, and its timer gone. */
void rest_drop(struct thread *t);
/* Has a thread of t's process rested? */
bool rest_has_timers(const struct thread *t);
/* No rest begins any more; t's ends at once, others' by their timers. Then there are no timers. */
void rest_end_all(struct thread *t);
/* Is the call one that the kernel begins anew behind the handler of the signal that is noted? */
bool rest_restarts(const struct thread *t, long nr);
/* In a forked child, which has no timers. */
void rest_forked(struct thread *t);

#endif
