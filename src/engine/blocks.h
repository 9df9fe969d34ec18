/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The blocks of memory that the target holds: found by their first address, to
 * be freed, and by any address inside, for samples.
 *
 * A hash of the first addresses leads to a block. Blocks do not overlap, so the
 * one that holds an address is the last one that begins at or below it; bitmaps
 * of beginnings find that one: a bit per 16 bytes in a leaf per page, 256 leaves
 * to a megabyte, and bits of bits over the megabytes.
 *
 * Nothing here touches the target. The caller holds a lock.
 */
#ifndef DWELL_ENGINE_BLOCKS_H
#define DWELL_ENGINE_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

struct block_info {
	uint64_t start, size; /* bytes */
	uint32_t site;
	uint16_t serial; /* differs from that of the block that was there before */
};

/* Reserve address space, without using any. 0, or -1. */
int blocks_init(void);

/* One of the below is about to be asked for start: what it reads first comes to the cache. */
void blocks_prefetch(uint64_t start);

/*
 * A block is there now. When one that began at the same address was still known it is
 * replaced, and *old holds it. Returns whether it was replaced. When memory runs out the
 * block is not kept.
 */
bool blocks_insert(uint64_t start, uint64_t size, uint32_t site, struct block_info *old);

/* Take out the block that begins at start; false: there is none. */
bool blocks_remove(uint64_t start, struct block_info *old);

/* The block that begins at start; false: there is none. */
bool blocks_get(uint64_t start, struct block_info *b);

/* The block that holds address; false: none does. */
bool blocks_find(uint64_t address, struct block_info *b);

/* The last block that begins in [start, end); false: none does. */
bool blocks_last_in(uint64_t start, uint64_t end, struct block_info *b);

uint64_t blocks_count(void);

#endif
