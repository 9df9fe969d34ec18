/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks that came and went while accesses wait in a thread's stream buffer. The engine looks at
 * the accesses later, when the blocks have changed; the log tells which block held an address at
 * the time of the access. Without it the engine would have to drain the buffer at each allocation,
 * which cost more than all other work on allocations.
 */
#ifndef DWELL_ENGINE_DATA_BLOCK_LOG_H
#define DWELL_ENGINE_DATA_BLOCK_LOG_H

#include "engine/data/blocks.h"

#define BLOCK_LOG_MOST 128u

struct block_change {
	uint64_t at; /* the thread's count of accesses at the change */
	struct block_info block;
	bool came; /* else it went */
};

struct block_log {
	uint32_t count;
	struct block_change change[BLOCK_LOG_MOST]; /* the oldest first */
};

/* Is there room for `more` changes? */
bool block_log_has_room(const struct block_log *l, uint32_t more);
/* Most changes are the last so far; a block that was made in a call came when the call began. */
void block_log_add(struct block_log *l, uint64_t at, const struct block_info *b, bool came);

/*
 * Set *b to the block that held address when the thread had made `at` accesses. `found`: *b is the
 * block that holds it now. False: no block held it.
 */
bool block_log_find(const struct block_log *l, uint64_t address, uint64_t at, bool found,
		    struct block_info *b);

#endif
