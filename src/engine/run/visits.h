/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that one process of a run writes into another: by process_vm_writev, or through
 * /proc/PID/mem. The one that writes asks the other's engine first not to rely on code any more.
 *
 * Each process has a mailbox, a page at the same address in all. The writer finds there where to
 * put its question, and the kernel lets it: whom it may not write to it cannot ask.
 *
 * Threads of the other process that wait in system calls, or are stopped, need not answer. Before
 * they run code again they see that they were asked (engine_hold). Only those that run code are
 * called, by the signal of their timer; they are in no system call that it could interrupt.
 */
#ifndef DWELL_ENGINE_RUN_VISITS_H
#define DWELL_ENGINE_RUN_VISITS_H

#include "engine/core/state.h"

/* What others may do to code from here on. */
enum visit_level {
	VISIT_NONE,
	VISIT_WRITABLE, /* write where the program may: no page is write-protected any more */
	VISIT_ALL,	/* write to each page: all code verifies itself */
};

/* Start-up: after pages_init, and before any other of the low tables. */
void visits_begin(void);
/* The process runs without the engine from here on. */
void visits_end(void);

/* Has another process asked, and has nobody answered yet? */
static inline bool visits_are_asked(void)
{
	return __atomic_load_n(&engine_hold.asked, __ATOMIC_SEQ_CST) != 0;
}

/* In the dispatcher, without a lock: do what was asked for, if anything was. */
void visits_answer(struct thread *t);

/*
 * The program is going to write to all of the memory of this process, or thread. Returns when no
 * thread of it runs code that was translated before, or after some time.
 */
void visits_ask_all(const struct thread *t, uint64_t pid);

/* process_vm_writev */
long visits_writev(struct thread *t, long nr, const long args[6]);

#endif
