/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads: their memory, their start, their end, and forks. */
#ifndef DWELL_ENGINE_RUN_THREADS_H
#define DWELL_ENGINE_RUN_THREADS_H

#include "engine/core/state.h"

/* A struct thread with its stacks, not yet listed; NULL when out of memory. */
struct thread *thread_new(struct process *p);
void thread_list(struct thread *t);
/* In a forked child: t is the only thread. */
void threads_forked(struct thread *t);

/* From glue.S: a new thread's first steps, on its own engine stack. */
void threads_begin(struct thread *t);

/*
 * Before any system call: prepare one that makes a thread, before the scheduler's order is checked.
 */
void threads_before_call(struct thread *t, long nr, const long args[6]);
/* The target's clone, clone3, fork, vfork, exit. Return the system call's result. */
long threads_clone(struct thread *t, const long args[6]);
long threads_clone3(struct thread *t, const long args[6]);
long threads_fork(struct thread *t, bool vfork);
__attribute__((noreturn)) void threads_exit(struct thread *t, long status);
__attribute__((noreturn)) void threads_exit_group(struct thread *t, long status);

#endif
