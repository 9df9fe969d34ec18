/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recent changes of blocks; see block_log.h. */
#include "engine/data/block_log.h"

bool block_log_has_room(const struct block_log *l, uint32_t more)
{
	return l->count + more <= BLOCK_LOG_MOST;
}

void block_log_add(struct block_log *l, uint64_t at, const struct block_info *b, bool came)
{
	uint32_t i = l->count++;

	for (; i > 0 && l->change[i - 1].at > at; i--)
		l->change[i] = l->change[i - 1];
	l->change[i] = (struct block_change){at, *b, came};
}

bool block_log_find(const struct block_log *l, uint64_t address, uint64_t at, bool found,
		    struct block_info *b)
{
	for (uint32_t i = l->count; i > 0 && l->change[i - 1].at > at; i--) {
		const struct block_change *c = &l->change[i - 1];

		if (address - c->block.start >= c->block.size)
			continue;
		found = !c->came;
		*b = c->block;
	}
	return found;
}
