/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The blocks of memory that the target holds: found by their first address, to
 * be freed, and by any address inside, for samples.
 *
 * Each page in which blocks begin has a leaf: for every 8 bytes a bit, set if a block begins there,
 * and a slot that describes it. A megabyte has 256 leaves; a tree of bitmaps covers the megabytes.
 * Blocks do not overlap: the one that holds an address is the last that begins at or below it.
 * Neighbours in memory are neighbours here too, in at most half as many bytes. Of blocks that begin
 * in the same 8 bytes only the newest is known.
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

/* Reserve address space, without touching any. Returns 0 or -1. */
int blocks_init(void);

/* Prefetch what the functions below read first for start. */
void blocks_prefetch(uint64_t start);

/*
 * Insert a block. True: an old block, whose end nobody saw, was in the way. It is removed and
 * described in *old, but the new one is not inserted yet: call again. Out of memory: the block is
 * dropped.
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
