/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The blocks of memory that the target holds: found by their first address, to
 * be freed, and by any address inside, for samples.
 *
 * Each page in which blocks begin has a leaf: a bit for every 8 bytes that says whether one does,
 * and beside it what the block is. 256 leaves belong to a megabyte, and bits of bits lie over the
 * megabytes. Blocks do not overlap, so the one that holds an address is the last one that begins at
 * or below it. What programs allocate side by side stands side by side here too, in half as many
 * bytes at most. Of blocks that begin in the same 8 bytes the last one that came is known.
 *
 * Nothing here touches the target. The caller holds a lock.
 */
#ifndef DWELL_ENGINE_DATA_BLOCKS_H
#define DWELL_ENGINE_DATA_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

struct block_info {
	uint64_t start, size; /* bytes */
	uint32_t site;
	bool marked; /* by blocks_mark */
};

/* Reserve address space, without using any. 0, or -1. */
int blocks_init(void);

/* One of the below is about to be asked for start: what it reads first comes to the cache. */
void blocks_prefetch(uint64_t start);

/*
 * A block is there now. True: another one was in its way, whose end nobody saw; it is gone now,
 * *old tells of it, and the new one is not there yet: call again. Without memory for it a block is
 * not kept.
 */
bool blocks_insert(uint64_t start, uint64_t size, uint32_t site, struct block_info *old);

/* Take out the block that begins at start; false: there is none. */
bool blocks_remove(uint64_t start, struct block_info *old);

/*
 * Mark the block that begins at start, so that it differs from a later one. False: there is none.
 */
bool blocks_mark(uint64_t start);

/* The block that begins at start; false: there is none. */
bool blocks_get(uint64_t start, struct block_info *b);

/* The block that holds address; false: none does. */
bool blocks_find(uint64_t address, struct block_info *b);

/* The last block that begins in [start, end); false: none does. */
bool blocks_last_in(uint64_t start, uint64_t end, struct block_info *b);

uint64_t blocks_count(void);

#endif
