/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The threads of a simulated process take turns: only the one that holds the turn runs translated
 * code. It hands it on when its buffer is full, or it has run so many blocks (filter_scheduler.h),
 * and somebody waits, and while it is in a system call that may wait for others. So the order in
 * which threads use the simulated caches depends on the program alone, as far as the program itself
 * does not depend on time.
 *
 * Who waits is served in the order of arrival. A thread that has woken others by a futex, or has
 * made one, waits until these have arrived before it goes on.
 *
 * Whoever waits looks at times whether the one whose turn it is waits in the kernel. That one may
 * wait for a thread that waits for its turn: so the turn goes on to the next.
 *
 * Nobody takes turns where nothing is simulated, in a process with one thread, or in a vfork child.
 */
#ifndef DWELL_ENGINE_SIMULATE_SCHEDULER_H
#define DWELL_ENGINE_SIMULATE_SCHEDULER_H

#include "engine/core/state.h"

/* Before t runs code: wait for its turn. True: it had to wait, and things may have changed. */
bool scheduler_take(struct thread *t);
/* t will not run code for a while, if ever. */
void scheduler_drop(struct thread *t);
/*
 * t's turn is over: if others wait, the next one has it, and t is to call scheduler_take; else
 * false.
 */
bool scheduler_pass(struct thread *t);

/*
 * In the filter variant, from code: t has run as many blocks as a turn has. If others wait, the
 * dispatcher is called, to pass the turn.
 */
void scheduler_end_turn(struct thread *t);

/* t makes a system call: let others run if it may wait. */
void scheduler_before_call(struct thread *t, long nr, const long args[6]);
/* It has, with that result: those that it woke or made are to arrive first. */
void scheduler_after_call(struct thread *t, long nr, const long args[6], long result);

/*
 * From here on t does nothing that others must not see half done, and may wait for one of them: if
 * it does, its turn is taken away. False: it is in such a stretch already, or it is not its turn.
 */
bool scheduler_enter_call(struct thread *t);
/* Is it its turn? */
bool scheduler_is_held_by(const struct thread *t);
/*
 * The end of that, if it was begun: t has its turn. True: it was taken, and things may have
 * changed.
 */
bool scheduler_leave_call(struct thread *t);

/* In a forked child, t is alone. */
void scheduler_forked(void);

#endif
