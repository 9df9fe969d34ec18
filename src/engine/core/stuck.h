/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that wait in the kernel, perhaps for another thread of the program: in a page fault that
 * the other one resolves (userfaultfd, a file system that the program itself serves), or in a call.
 * Who needs them to go on can see that they wait, and call one out of a page fault.
 */
#ifndef DWELL_ENGINE_CORE_STUCK_H
#define DWELL_ENGINE_CORE_STUCK_H

#include "engine/core/state.h"

/*
 * One look at t, by one thread at a time. True: it has used no processor time between this look and
 * `looks` looks before, and sleeps. *pc: where it is, if it sleeps in a page fault, or else 0.
 * Without /proc nobody is seen to be stuck.
 */
bool stuck_look(struct thread *t, uint32_t looks, uint64_t *pc);

/*
 * t sleeps in a page fault of translated code at pc: it shall leave the code in front of that
 * instruction, which it tries again when it has its next turn.
 */
void stuck_call_out(struct thread *t, uint64_t pc);
/* In the signal handler: was t called out of this place? Only once. */
bool stuck_is_called_at(struct thread *t, uint64_t pc);
/* A call that came too late is on its way still: it must not interrupt a system call. */
void stuck_await_call(struct thread *t);

#endif
