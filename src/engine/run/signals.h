/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals. The engine owns the kernel's handlers; the target's live in
 * struct process. A signal is noted when it arrives and delivered by the
 * dispatcher, where the thread's state is exactly the machine's. Until then all
 * further asynchronous signals stay blocked, so that at most one is noted.
 * Faults are delivered with the state at the faulting instruction.
 */
#ifndef DWELL_ENGINE_RUN_SIGNALS_H
#define DWELL_ENGINE_RUN_SIGNALS_H

#include "engine/core/state.h"

/* Faults of the target that the engine must see first: never really blocked. */
#define SYNC_SIGNALS                                                           \
	(1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) | 1ull << (SIGILL - 1) | \
	 1ull << (SIGFPE - 1) | 1ull << (SIGTRAP - 1))

/* Flags that a program can set by loading them all. */
#define USER_EFLAGS 0x50dd5ull

#define TRAP_PAGE 14u /* the processor's number of a page fault */

#define HANDLER_DEFAULT 0ull
#define HANDLER_IGNORE	1ull

/* Start-up: take over the handlers and the signal mask that exec left. */
void signals_init(struct thread *t);
/* In a new process: handlers become the default action, as by CLONE_CLEAR_SIGHAND. */
void signals_clear(struct process *p);
/* The kernel's alternate stack of a new thread. */
void signals_thread_start(struct thread *t);

/* Raise a fault of the instruction at t->rip that the engine itself detected. */
void signals_raise_fault(struct thread *t, int signal, int code, uint64_t address);
/* Build the frame of t->pending and point t->rip at the handler. */
void signals_deliver(struct thread *t);

/* The target's system calls. */
uint64_t signals_kernel_mask(const struct thread *t); /* what the kernel blocks for it */
long signals_action(struct thread *t, int signal, uint64_t act, uint64_t old, uint64_t set_bytes);
long signals_mask(struct thread *t, int how, uint64_t set, uint64_t old, uint64_t set_bytes);
void signals_return(struct thread *t);
/* Set the dispositions and mask that exec passes on; and restore the engine's if exec failed. */
void signals_before_exec(struct thread *t);
void signals_after_failed_exec(struct thread *t);
/* Block everything in the kernel (thread creation, exit); and back to the target's mask. */
void signals_block_all(void);
void signals_unblock(struct thread *t);

#endif
