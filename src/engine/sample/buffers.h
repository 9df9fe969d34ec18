/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread's buffer of stream entries, and the watches that it is looked through for. The lock of
 * collect.h guards them.
 *
 * A few threads keep theirs. Of a crowd only those do that run in a window: a buffer goes back
 * where the thread makes a system call, as most threads of a crowd sleep in one, and watches go
 * back when the window is over and nothing is followed.
 */
#ifndef DWELL_ENGINE_SAMPLE_BUFFERS_H
#define DWELL_ENGINE_SAMPLE_BUFFERS_H

#include "engine/core/state.h"

/* Entries of a buffer. 512 KB: the second cache holds them, and a window fills it once or twice. */
#define BUFFER_ENTRIES 65536u

/*
 * Make t's buffer unless it has one; and its watches, of lines of 1 << line_shift bytes, if windows
 * are wanted. Takes the lock. False when out of memory.
 */
bool buffers_need(struct thread *t, bool has_windows, uint32_t line_shift);
/*
 * t's buffer is empty, and t outside of the cache: before it goes in again it needs one, see
 * collect_is_armed. Takes the lock. Unless the threads are a crowd this does nothing.
 */
void buffers_park(struct thread *t);
/* No window is open that t has seen. The same of its watches, if its buffer is gone. */
void buffers_park_watches(struct thread *t);
/* There is no memory for it. One of a crowd is left out until the window is over; else all ends. */
void buffers_do_without(struct thread *t);
/* t ends. */
void buffers_release(struct thread *t);
/* In a forked child: whatever the parent was doing with them. */
void buffers_forked(void);

/*
 * Begin anew. `left`: accesses that the open window still has, or 0. Where it ends before the
 * buffer would be full, so much of it is left as the rest will need and a little more: what is
 * written behind the window's end is for nothing, and the next window may begin there.
 */
void buffers_empty(struct thread *t, uint64_t left);

/* t's buffer holds n accesses: how much room do they take? */
void buffers_look_at_room(struct thread *t, uint64_t n);

/* Does a fault at this address mean that the buffer is full? No lock. */
bool buffers_is_full(const struct thread *t, uint64_t address);

#endif
