/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The threads of a simulated process take turns: only the thread that holds the turn runs
 * translated code. It passes the turn if others wait and its buffer is full, or it has run the
 * blocks of a turn (filter_scheduler.h). It drops the turn during system calls that may wait for
 * others. So the order of accesses depends on the program alone, as far as the program does not
 * depend on time.
 *
 * Waiting threads are served in order of arrival. A thread that has woken others by a futex, or has
 * made one, waits until these have arrived before it continues.
 *
 * The holder may wait in the kernel for a thread that waits for its turn. So waiting threads check
 * the holder from time to time; if it sleeps, the next one gets the turn.
 *
 * Nobody takes turns where nothing is simulated, in a process with one thread, or in a vfork child.
 */
#ifndef DWELL_ENGINE_SIMULATE_SCHEDULER_H
#define DWELL_ENGINE_SIMULATE_SCHEDULER_H

#include "engine/core/state.h"

/*
 * Before t runs code: wait for the turn. True: it had to wait, and state may have changed
 * meanwhile.
 */
bool scheduler_take(struct thread *t);
/* Give up the turn, if t holds it: t will not run code for a while, or never again. */
void scheduler_drop(struct thread *t);
/*
 * t's turn is over. True: another thread has the turn now, and t must call scheduler_take. False:
 * nobody waits.
 */
bool scheduler_pass(struct thread *t);

/*
 * Called by translated code of the filter variant, when t has run the blocks of a turn. If others
 * wait, it makes t enter the dispatcher, which passes the turn.
 */
void scheduler_end_turn(struct thread *t);

/* Before a system call of t: let others run if it may wait. */
void scheduler_before_call(struct thread *t, long nr, const long args[6]);
/* After it: wait for the threads that it woke or made. */
void scheduler_after_call(struct thread *t, long nr, const long args[6], long result);

/*
 * From here on t changes no shared state, and may wait for another thread: if it does, it may lose
 * its turn. False: it already is in such a call, or does not hold the turn.
 */
bool scheduler_enter_call(struct thread *t);
/* Does t hold the turn? */
bool scheduler_is_held_by(const struct thread *t);
/*
 * The end of it, if scheduler_enter_call returned true: t holds the turn again. True: it had lost
 * it, and state may have changed meanwhile.
 */
bool scheduler_leave_call(struct thread *t);

/* In a forked child, whose only thread has called fork. */
void scheduler_forked(void);

#endif
