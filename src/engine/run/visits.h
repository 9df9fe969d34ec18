/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that one process of a run writes into another, by process_vm_writev or /proc/PID/mem. The
 * writer first asks the other process's engine to stop relying on unchanged code.
 *
 * Each process has a mailbox, a page at the same address in all. It tells the writer where to put
 * its request. The kernel allows this write if it allows the write to code.
 *
 * Threads of the other process that wait in system calls, or are stopped, need not answer. They
 * see the request (engine_hold) before they run code again. Only threads that run code are sent a
 * signal, that of their timer; it interrupts no system call of theirs.
 */
#ifndef DWELL_ENGINE_RUN_VISITS_H
#define DWELL_ENGINE_RUN_VISITS_H

#include "engine/core/state.h"

/* What other processes may do to code after a request. */
enum visit_level {
	VISIT_NONE,
	VISIT_WRITABLE, /* write where the program may: no page is write-protected any more */
	VISIT_ALL,	/* write to each page: all code verifies itself */
};

/* Start-up: after pages_init, and before any other low table is mapped. */
void visits_begin(void);
/* Withdraw the mailbox: the process runs without the engine from here on. */
void visits_end(void);

/* Is there a request that no thread has answered yet? */
static inline bool visits_are_asked(void)
{
	return __atomic_load_n(&engine_hold.asked, __ATOMIC_SEQ_CST) != 0;
}

/* Answer a request, if there is one. Called in the dispatcher, without a lock. */
void visits_answer(struct thread *t);

/*
 * Before the program writes anywhere in the memory of process or thread `pid`. Returns when none
 * of its threads runs code that was translated before, or after a time limit.
 */
void visits_ask_all(const struct thread *t, uint64_t pid);

/* Handler of process_vm_writev. */
long visits_writev(struct thread *t, long nr, const long args[6]);

#endif
