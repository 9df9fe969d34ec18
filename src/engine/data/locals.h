/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each thread's copies of the thread-local variables of files. Most lie at a fixed place below the
 * thread pointer; those of files that are loaded later are blocks that the dynamic linker allocates
 * when a thread first uses them. The caller holds the lock of alloc.c.
 */
#ifndef DWELL_ENGINE_DATA_LOCALS_H
#define DWELL_ENGINE_DATA_LOCALS_H

#include "engine/core/state.h"

/* False: no address space. */
bool locals_init(void);

/* How many bytes below a thread's pointer the copies at fixed places take. */
uint64_t locals_bytes(void);
/*
 * A thread's pointer is `tls`: keep its copies at fixed places, from `low` on, and tell the
 * collector. `added`, or NULL, is called for each that is new.
 */
void locals_of_thread(struct thread *t, uint64_t tls, uint64_t low,
		      void (*added)(struct thread *t, uint64_t start, uint64_t end));
/*
 * Files that are loaded later may get a fixed place, too: has that happened since the last call?
 * Then the threads' pointers are *tls, the first for *at 0.
 */
bool locals_have_changed(void);
bool locals_next_thread(uint64_t *at, uint64_t *tls);

/*
 * A call by the dynamic linker that returns to `back`, with the stack pointer and rbp of then, has
 * got a block of so many bytes. True: it is a copy; the collector is told.
 */
bool locals_are_block(struct process *p, uint64_t start, uint64_t bytes, uint64_t back,
		      uint64_t rsp, uint64_t rbp);

/* The memory has another owner. */
void locals_forget(uint64_t start, uint64_t end);

struct locals_place {
	uint64_t start, end; /* of the copy */
	uint64_t key;	     /* of the file's code, see modules_local_variable */
};

/* The copy that holds the address. */
bool locals_find(uint64_t address, struct locals_place *place);

#endif
