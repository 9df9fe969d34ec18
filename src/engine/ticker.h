/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A timer per thread that brings it to the dispatcher when a time has passed:
 * how the sampler finds the beginning of a window without counting on the way.
 *
 * Its signal must not be seen to interrupt anything, so it stays blocked
 * around system calls that may sleep. The C libraries keep the number for
 * themselves and never block it for long; a real one, which does not come from
 * our timer, reaches the target.
 */
#ifndef DWELL_ENGINE_TICKER_H
#define DWELL_ENGINE_TICKER_H

#include "engine/state.h"

#define TICK_SIGNAL 33
#define TICK_BIT (1ull << (TICK_SIGNAL - 1))

/* Call this thread after `ns` nanoseconds. Returns -1 where the kernel has no timer for us. */
int ticker_arm(struct thread *t, uint64_t ns);
/* The thread ends, or is profiled no more: no tick comes after this. */
void ticker_end(struct thread *t);
/* Is it the timer of t that sent this? */
bool ticker_sent(const struct thread *t, const siginfo_t *info);
/* May the system call sleep and then end early because of a signal? */
bool ticker_could_interrupt(long nr, const long args[6]);

#endif
