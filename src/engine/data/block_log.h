/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks that came and went while accesses wait in a thread's stream buffer. These are looked at
 * later, by when the blocks are others: the log says which one held an address when the access was
 * made. Without it the buffer would be looked through at each allocation, which took longer than
 * all else that allocations cost.
 */
#ifndef DWELL_ENGINE_DATA_BLOCK_LOG_H
#define DWELL_ENGINE_DATA_BLOCK_LOG_H

#include "engine/data/blocks.h"

#define BLOCK_LOG_MOST 128u

struct block_change {
	uint64_t at; /* accesses that the thread had made */
	struct block_info block;
	bool came; /* else it went */
};

struct block_log {
	uint32_t count;
	struct block_change change[BLOCK_LOG_MOST]; /* the oldest first */
};

/* Is there room for so many more? */
bool block_log_has_room(const struct block_log *l, uint32_t more);
void block_log_add(struct block_log *l, uint64_t at, const struct block_info *b, bool came);

/*
 * The block that held address when the thread had made `at` accesses, in *b. `found`: *b is the one
 * that holds it now. False: none held it.
 */
bool block_log_find(const struct block_log *l, uint64_t address, uint64_t at, bool found,
		    struct block_info *b);

#endif
