/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread's buffer of stream entries. The lock of collect.h guards it.
 *
 * A few threads keep theirs. Of many threads only those do that run in a window. The others return
 * a buffer at a system call, as most of them sleep in one; and watches when the window is over.
 * Their far lines are forgotten then, and the next touch of each is a first one.
 */
#ifndef DWELL_ENGINE_DRIVE_BUFFERS_H
#define DWELL_ENGINE_DRIVE_BUFFERS_H

#include "engine/core/state.h"

/* Entries of a buffer: 512 KB. */
#define BUFFER_ENTRIES 65536u

/*
 * Make t's buffer, and what the run mode needs beside it (run_mode.h), unless t has them. Takes the
 * lock. False: out of memory.
 */
bool buffers_need(struct thread *t);
/* Are there so many threads that each returns what it does not need? */
bool buffers_are_shared(const struct thread *t);
/*
 * Return t's buffer, which is empty, if there are many threads. t is outside of the code cache, and
 * needs a buffer before it enters again, see collect_is_armed. Takes the lock.
 */
void buffers_park(struct thread *t);
/*
 * There is no memory for t's buffer. One of many threads is left out until the window is over; else
 * profiling ends.
 */
void buffers_do_without(struct thread *t);
/* Memory for BUFFER_ENTRIES that no thread uses; NULL: none. Needs the lock. */
uint64_t *buffers_get(void);
/*
 * Give t this memory for its buffer. Returns the old one, with the entries from its beginning on;
 * the caller empties the buffer. Needs the lock.
 */
uint64_t *buffers_swap(struct thread *t, uint64_t *memory);
/* t ends: return both. */
void buffers_release(struct thread *t);
/* In a forked child: forget the unused ones, which the parent may have been changing. */
void buffers_forked(void);

/*
 * Empty the buffer. `left`: accesses left of the open window, or 0. If the window ends before the
 * buffer would be full, only a part is used, somewhat more than the window needs. Entries behind
 * the window's end are wasted, and the next window may begin there.
 */
void buffers_empty(struct thread *t, uint64_t left);

/* t's buffer holds n accesses: note how many entries they take. */
void buffers_look_at_room(struct thread *t, uint64_t n);

/* Does a fault at this address mean that the buffer is full? No lock. */
bool buffers_is_full(const struct thread *t, uint64_t address);

#endif
