/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads in the filter variant: one at a time runs, the one that holds the turn (scheduler.h). The
 * turn passes the clock on; before that the graph is told of its calls (filter_calls.h).
 *
 * A turn ends after filter_turn_blocks blocks, counted where blocks are entered (T_TURN): each loop
 * goes through such an entry. So turns end at the same places in two equal runs. Code counts blocks
 * only once there was a second thread; all older code is then translated anew.
 *
 * The thread that holds the turn changes counters as it runs. So only that thread may read them,
 * under the lock of collect.h, unless nobody holds the turn or no thread can run.
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_SCHEDULER_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_SCHEDULER_H

#include "engine/core/state.h"

/* Some 50,000 accesses, like a buffer of the stream variant. */
#define FILTER_TURN_BLOCKS 16384u
/* Code stops in front of the last block of a turn; threads that take turns must get on. */
#define FILTER_LEAST_TURN 50u

/* The blocks of a turn; set before code runs. */
extern uint32_t filter_turn_blocks;

/* t, alone until now, is about to make a thread: drop all code that counts no blocks. */
void filter_scheduler_begin(struct thread *t);

/*
 * t is about to run code in the filter variant; no other thread does. Takes the lock of collect.h
 * if t did not have the turn before.
 */
void filter_turn_enter(struct thread *t);
/*
 * t stops for now: report its records. Does nothing if t does not have the turn. Takes the lock of
 * collect.h.
 */
void filter_turn_leave(struct thread *t);
/* Does another thread have the turn? Under the lock of collect.h. */
bool filter_turn_is_anothers(void);
/* The thread that has it, if not t, does not exist here or any more: nobody has it. */
void filter_turn_is_lost(struct thread *t);

#endif
