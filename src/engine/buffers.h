/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread's buffer of stream entries, and the watches that it is looked through for. The sampler's lock
 * guards them.
 */
#ifndef DWELL_ENGINE_BUFFERS_H
#define DWELL_ENGINE_BUFFERS_H

#include "engine/state.h"

/* Entries of a buffer. 512 KB: the second cache holds them, and a window fills it once or twice. */
#define BUFFER_ENTRIES 65536u

/*
 * Make t's buffer unless it has one; and its watches, of lines of 1 << line_shift bytes, if windows
 * are wanted. False when out of memory.
 */
bool buffers_need(struct thread *t, bool has_windows, uint32_t line_shift);

/*
 * Begin anew. `left`: accesses that the open window still has, or 0. Where it ends before the buffer would
 * be full, so much of it is left as the rest will need and a little more: what is written behind the
 * window's end is for nothing, and the next window may begin there.
 */
void buffers_empty(struct thread *t, uint64_t left);

/* t's buffer holds n accesses: how much room do they take? */
void buffers_look_at_room(struct thread *t, uint64_t n);

/* Does a fault at this address mean that the buffer is full? No lock. */
bool buffers_is_full(const struct thread *t, uint64_t address);

#endif
