/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals that somebody has sent of the kinds that faults have, as by raise(SIGSEGV). The engine
 * cannot block these kinds in the kernel while code runs, as its own faults are of them. So what
 * the target blocks is kept here, until the target wants it; around each system call that may wait
 * or look at what is pending the kernel blocks the kinds that the target does, and gets what is
 * kept.
 *
 * The kernel holds one signal of a kind for each thread, and one for the process; so do we.
 */
#ifndef DWELL_ENGINE_RUN_HELD_H
#define DWELL_ENGINE_RUN_HELD_H

#include "engine/core/state.h"

/*
 * Keep a signal that came. Only a signal handler calls this. One that was sent to the process makes
 * the thread call held_share soon.
 */
void held_keep(struct thread *t, int signal, const siginfo_t *info, bool to_thread);
/* The next signal that the thread does not block any more comes again, if no other is noted. */
void held_release(struct thread *t);
/* Of these kinds, those that the target ignores: they interrupt nothing. */
uint64_t held_ignored(const struct process *p);
/*
 * Around a system call that may wait or look at what is pending: the kernel blocks what the target
 * blocks or ignores, and gets what is kept. held_block says what held_unblock has to take back;
 * that returns the call's result, or RESTART_CALL.
 */
uint64_t held_block(struct thread *t, long nr);
long held_unblock(struct thread *t, long nr, uint64_t blocked, long result);
/* Call threads that want signals which were sent to the process: they take them themselves. */
void held_share(struct thread *t);
/* Is this signal such a call? */
bool held_is_kick(const struct thread *t, const siginfo_t *info);
/*
 * The handler of one: the process's next signal that the thread does not block, or 0. A call that
 * looks gets the others.
 */
int held_take(struct thread *t, siginfo_t *info);
/* The target ignores the signal from now on: none is pending. */
void held_forget(const struct thread *t, int signal);
/* Before exec, with the kernel's mask the target's: pending signals stay so. */
void held_give_back(struct thread *t);
/* Is anything kept, for the thread or its process? */
bool held_is_any(const struct thread *t);
/* In a child, which has no signals pending. */
void held_none(struct held_signals *h);

#endif
