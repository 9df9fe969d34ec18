/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads in the filter variant: one at a time has all of it (filter.h), the one whose turn it is
 * (scheduler.h). What is handed on with the turn is the clock; the records of calls
 * (filter_calls.h) are followed before that.
 *
 * A turn ends after so many blocks of code (T_TURN), wherever these are entered: each loop goes
 * through the beginning of one. So it ends at the same place whenever the program does the same.
 * Code counts them once there has been a second thread: all that was translated before is made anew
 * then.
 *
 * Whoever wants to know what the threads have done, under the lock of collect.h, must be the one
 * whose turn it is, unless it is nobody's or no thread can run: that one changes counters as it
 * runs.
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_TURNS_H
#define DWELL_ENGINE_SIMULATE_FILTER_TURNS_H

#include "engine/core/state.h"

/* Some 50,000 accesses, as many as the buffer of the stream variant takes. */
#define FILTER_TURN_BLOCKS 16384u

/* Has there been a second thread? Under the translate lock where code is made. */
extern bool filter_has_scheduler;
/* t, alone until now, is about to make a thread: the code that counts no blocks is given up. */
void filter_scheduler_begin(struct thread *t);

/*
 * t is about to run code in the filter variant; nobody else does. Takes the lock of collect.h when
 * the turn was not its own before.
 */
void filter_turn_enter(struct thread *t);
/*
 * It will not, for now: all it has done is told. Nothing if it is not its turn. Takes the lock of
 * collect.h.
 */
void filter_turn_leave(struct thread *t);
/* Is it the turn of another thread than this one? Under the lock of collect.h. */
bool filter_turn_is_anothers(void);
/* Is it this one's? No lock. */
bool filter_turn_is_own(void);
/* In a forked child, where t is the only thread. */
void filter_scheduler_forked(struct thread *t);

#endif
