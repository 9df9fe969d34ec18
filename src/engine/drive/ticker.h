/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A timer for each thread that brings it to the dispatcher after some time. So the sampler finds
 * the beginning of a window without checks on the way.
 *
 * The target must not see that its signal interrupts anything. Around system calls that may sleep
 * it is blocked, or the timer is stopped if a real one might come. The C libraries reserve the
 * signal: they send it to all threads to change their user or end them, and wait for the answer. A
 * real one, not sent by the engine's timer, reaches the target.
 */
#ifndef DWELL_ENGINE_DRIVE_TICKER_H
#define DWELL_ENGINE_DRIVE_TICKER_H

#include <stdbool.h>

#include "engine/core/state.h"

/*
 * Create a timer that sends the thread TICK_SIGNAL with the value `name`. Returns 0, or -1 if the
 * kernel refuses.
 */
int ticker_create(const struct thread *t, int32_t *id, const void *name);
/* Call this thread after `ns` nanoseconds. Returns -1 if the kernel gives no timer. */
int ticker_arm(struct thread *t, uint64_t ns);
/* The thread ends, or is no longer profiled: no tick comes after this. */
void ticker_end(struct thread *t);
/*
 * Before exec: end the timers of all threads of the process; no new ones begin until ticker_go_on.
 * A tick that finds the default action would kill the new program.
 */
void ticker_stop_all(struct thread *t);
void ticker_go_on(struct thread *t);
/* In a forked child, which has no timers. */
void ticker_forked(void);

/* How ticks are held back while a system call may sleep. */
enum ticker_hold { TICKS_FREE, TICKS_BLOCKED, TICKS_STOPPED };
enum ticker_hold ticker_hold(struct thread *t);
/*
 * Block ticks around a system call that never waits; real signals, too, are delivered after it.
 * True: end this by ticker_let_go(t, TICKS_BLOCKED).
 */
bool ticker_hold_briefly(void);
/* Will ticker_hold block ticks? Then a signal mask passed to the call must, too. */
bool ticker_blocks(const struct thread *t);
void ticker_let_go(struct thread *t, enum ticker_hold how);
/* Did t's timer send this signal? */
bool ticker_sent(const struct thread *t, const siginfo_t *info);
/* May the system call sleep and then end early because of a signal? */
bool ticker_could_interrupt(long nr, const long args[6]);

#endif
