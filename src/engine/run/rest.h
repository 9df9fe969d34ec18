/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rests from signals. The engine delivers a signal more slowly than the kernel, perhaps more
 * slowly than the program's timer fires. Each handler would then return into the next one, and the
 * program would make no progress. So if a signal took longer than the time since the previous one,
 * the kernel blocks asynchronous signals for about as long again. A rest begins when a handler
 * begins or returns. A timer of the thread ends it, and interrupts a system call that waits.
 */
#ifndef DWELL_ENGINE_RUN_REST_H
#define DWELL_ENGINE_RUN_REST_H

#include "engine/core/state.h"

/* Record the time of an asynchronous signal that is being noted. */
void rest_noted(struct thread *t, const siginfo_t *info);
/* Should a rest begin or continue, instead of letting signals in? */
bool rest_is_due(struct thread *t);
/* Start the timer of a new rest; the kernel blocks asynchronous signals from here on. */
void rest_begin(struct thread *t);
/* The noted signal's handler is about to return; has returned. */
void rest_handler_returns(struct thread *t);
void rest_handler_returned(struct thread *t);
/* Did the timer that ends t's rest send this signal? */
bool rest_timer_sent(const struct thread *t, const siginfo_t *info);
/*
 * End the rest after a system call that began in it. Returns the call's result, or RESTART_CALL.
 */
long rest_end_by_call(struct thread *t, long nr, long result);
/* End t's rest, if any, and delete its timer. */
void rest_drop(struct thread *t);
/* Has a thread of t's process rested? */
bool rest_has_timers(const struct thread *t);
/*
 * Allow no more rests: end t's at once, wait until the timers have ended the others', and delete
 * all timers.
 */
void rest_end_all(struct thread *t);
/* Does the kernel restart the call after the noted signal's handler? */
bool rest_restarts(const struct thread *t, long nr);
/* Reset in a forked child: it inherits no timers. */
void rest_forked(struct thread *t);

#endif
