/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The watches of a thread, beside its buffer (buffers.h), whose rules hold here: of many threads
 * only those have some that run in a window. The lock of collect.h guards them.
 */
#ifndef DWELL_ENGINE_SAMPLE_WATCH_SETS_H
#define DWELL_ENGINE_SAMPLE_WATCH_SETS_H

#include "engine/core/state.h"

/* Make t's, of lines of 1 << line_shift bytes, unless it has some. False: out of memory. */
bool watch_sets_need(struct thread *t, uint32_t line_shift);
/* Return t's, if its buffer was returned. No window is open that t has joined. */
void watch_sets_park(struct thread *t);
/* Return t's. */
void watch_sets_release(struct thread *t);
/* In a forked child: memory of other threads is not there. */
void watch_sets_forked(void);

#endif
