/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals of the kinds that faults raise (SIGSEGV and the like) but that somebody sent, as by
 * raise(). The engine cannot block these kinds in the kernel while code runs: its own faults use
 * them. It holds those that the target blocks here until the target unblocks them. Around each
 * system call that may wait or read pending signals, the kernel blocks what the target blocks,
 * and gets the held signals.
 *
 * Like the kernel, hold one signal of a kind for each thread, and one for the process.
 */
#ifndef DWELL_ENGINE_RUN_HELD_H
#define DWELL_ENGINE_RUN_HELD_H

#include "engine/core/state.h"

/*
 * Hold a signal that arrived; called by signal handlers only. For a signal sent to the process the
 * thread calls held_share soon after.
 */
void held_keep(struct thread *t, int signal, const siginfo_t *info, bool to_thread);
/* Does the target block this signal, of a fault's kind, for the thread? */
bool held_is_blocked(const struct thread *t, int signal);
/*
 * The thread, which blocks the signal, sends it to its process, as kill does. The kernel could give
 * it to another thread, and it would be nowhere until that one's handler runs.
 */
void held_send(struct thread *t, int signal);
/* Send the thread the next held signal that it no longer blocks, unless another is noted. */
void held_release(struct thread *t);
/* The held kinds that the target ignores: they interrupt no system call. */
uint64_t held_ignored(const struct process *p);
/*
 * Around a system call that may wait or read pending signals: have the kernel block what the
 * target blocks or ignores, and give it the held signals. held_block returns the mask that
 * held_unblock must unblock; held_unblock returns the call's result, or RESTART_CALL.
 */
uint64_t held_block(struct thread *t, long nr);
long held_unblock(struct thread *t, long nr, uint64_t blocked, long result);
/* Call the threads that can take signals held for the process; each takes its own. */
void held_share(struct thread *t);
/* Is this signal a call by held_share? */
bool held_is_kick(const struct thread *t, const siginfo_t *info);
/*
 * Handle a call by held_share: take the process's next signal that the thread does not block, or
 * return 0. Signals that the interrupted system call waits for go to the kernel.
 */
int held_take(struct thread *t, siginfo_t *info);
/* Drop the held ones of a signal that the target ignores from now on. */
void held_forget(const struct thread *t, int signal);
/* Before exec, with the target's mask set in the kernel: give it the held signals as pending. */
void held_give_back(struct thread *t);
/* Is a signal held for the thread or its process? */
bool held_is_any(const struct thread *t);
/* Clear in a child: it has no signals pending. */
void held_none(struct held_signals *h);

#endif
