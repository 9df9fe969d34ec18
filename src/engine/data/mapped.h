/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What alloc.c and mapped.c tell each other. The caller holds the lock of alloc.c, but for
 * alloc_call_goes_on.
 */
#ifndef DWELL_ENGINE_DATA_MAPPED_H
#define DWELL_ENGINE_DATA_MAPPED_H

#include "engine/core/state.h"

/* Is it the site of memory that allocators have got? The size of that is not counted. */
bool mapped_is_allocators(uint32_t site);

/* Blocks that begin in [start, end) are gone. */
void alloc_drop_blocks(const struct thread *t, uint64_t start, uint64_t end);
/* Does the thread, with its stack pointer at sp, run a function that allocates a block? */
bool alloc_call_goes_on(const struct thread *t, uint64_t sp);

#endif
