/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LRU and FIFO in large caches with short sets: the entries of a set lie in the order of their age,
 * the youngest first, so that a use most often touches one line of this processor's memory where
 * packed sets touch two. That is worth more than the instructions it takes to move entries, once a
 * simulated cache does not fit into this processor's own first level: a hit in an LL of 32 MB took
 * 16 ns against 32.
 */
#ifndef DWELL_SIM_CACHE_CACHE_BY_AGE_H
#define DWELL_SIM_CACHE_CACHE_BY_AGE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/cache/cache.h"

/*
 * Only for LRU without flags, and the filter's tables are the caller's: use the line, or put it in.
 * Returns whether it missed. One pass moves each entry one place on until the line is found.
 */
static inline bool sim_by_age_reference(struct sim_cache *c, uint64_t set, uint64_t line)
{
	uint64_t *entry = c->entries + set * c->ways, *end = entry + c->ways;
	uint64_t key = sim_entry_of(line, 0), moved = *entry;

	if (moved == key)
		return false;
	*entry++ = key;
	for (; entry < end; entry++) {
		uint64_t next = *entry;

		*entry = moved;
		if (next == key)
			return false;
		moved = next;
	}
	return true;
}

#endif
