/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread's buffer of stream entries, and the watches for which it is scanned. The lock of
 * collect.h guards them.
 *
 * A few threads keep theirs. Of many threads only those do that run in a window. The others return
 * a buffer at a system call, as most of them sleep in one; and watches when the window is over.
 * Their far lines are forgotten then, and the next touch of each is a first one.
 */
#ifndef DWELL_ENGINE_SAMPLE_BUFFERS_H
#define DWELL_ENGINE_SAMPLE_BUFFERS_H

#include "engine/core/state.h"

/* Entries of a buffer: 512 KB. */
#define BUFFER_ENTRIES 65536u

/*
 * Make t's buffer unless it has one; with has_windows also its watches, of lines of 1 << line_shift
 * bytes. Takes the lock. False: out of memory.
 */
bool buffers_need(struct thread *t, bool has_windows, uint32_t line_shift);
/*
 * Return t's buffer, which is empty, if there are many threads. t is outside of the code cache, and
 * needs a buffer before it enters again, see collect_is_armed. Takes the lock.
 */
void buffers_park(struct thread *t);
/* Return t's watches, if its buffer was returned. No window is open that t has joined. */
void buffers_park_watches(struct thread *t);
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
