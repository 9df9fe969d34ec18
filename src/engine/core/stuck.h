/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that wait in the kernel, perhaps for another thread of the program: in a system call, or
 * in a page fault that the other thread resolves (userfaultfd, a file system that the program
 * serves). These functions detect a waiting thread, and call it out of a page fault.
 */
#ifndef DWELL_ENGINE_CORE_STUCK_H
#define DWELL_ENGINE_CORE_STUCK_H

#include "engine/core/state.h"

#define STUCK_SOMEWHERE UINT64_MAX /* in translated code, at a place that cannot be read */

/*
 * Look at t once; one thread at a time may do so. True: t sleeps, and has used no processor time
 * during the last `looks` looks. *pc: the place of its page fault, or 0 if it sleeps elsewhere.
 * Always false without /proc.
 */
bool stuck_look(struct thread *t, uint32_t looks, uint64_t *pc);

/* Has t been killed with its process, which is another than the caller's? */
bool stuck_is_gone(const struct thread *t);

/*
 * t sleeps in a page fault of translated code at pc: make it leave the code before that
 * instruction. t runs the instruction again in its next turn.
 */
void stuck_call_out(struct thread *t, uint64_t pc);
/* In the signal handler: was t called out at pc? True once for each call. */
bool stuck_is_called_at(struct thread *t, uint64_t pc);
/* Wait for a late call that is still under way, as it must not interrupt a system call. */
void stuck_await_call(struct thread *t);

#endif
