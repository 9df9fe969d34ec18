/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One cache: the lines that it holds, and the choice of the line to evict. It does not know the
 * caches above and below it.
 *
 * A line is a number (address / line size) below SIM_ENTRY_LINES (entry.h).
 *
 * Four kinds of sets, each with all operations:
 *   packed    LRU, FIFO with up to SIM_SHORT_WAYS ways in small caches: see cache_packed.h
 *   by age    the same in caches of more than SIM_SMALL lines: see cache_by_age.h
 *   by list   LRU, FIFO with more ways: places in a doubly linked list, found by an index
 *   by place  random, PLRU, SRRIP: entries never move; with more than SIM_SHORT_SET ways they are
 *             found by an index
 */
#ifndef DWELL_SIM_CACHE_CACHE_H
#define DWELL_SIM_CACHE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/geometry.h"
#include "sim/base/index.h"
#include "sim/base/memory.h"
#include "sim/cache/entry.h"

#define SIM_SHORT_WAYS 16u
#define SIM_SMALL      2048u
#define SIM_SHORT_SET  32u /* up to this many ways are searched linearly */

struct sim_cache_kind;

/* When a store to a line is a no-op access. */
enum sim_noop_stores {
	SIM_STORES_AS_LOADS,   /* when a load is */
	SIM_STORES_ONCE_DIRTY, /* when a load is, and the line is dirty */
	SIM_STORES_NEVER,
};

struct sim_cache {
	const struct sim_memory *memory;
	const struct sim_cache_kind *kind;
	uint64_t *entries;  /* [set * ways + way]; SIM_NO_LINE: free */
	uint64_t set_mask;  /* sets - 1 if that is a power of two */
	uint64_t set_magic; /* otherwise 2^64 / sets, rounded up; see sim_cache_set */
	uint64_t sets;
	uint32_t ways;
	unsigned shift; /* line = address >> shift */
	enum sim_replacement replacement;
	bool is_by_age; /* kind is sim_cache_by_age */
	/*
	 * The filter: for each set, the line whose next load, or store, would be a no-op access;
	 * SIM_NO_LINE: none. Both are NULL unless sim_cache_watch was called.
	 */
	uint64_t *noop_loads, *noop_stores;
	enum sim_noop_stores stores;
	/* Packed. */
	uint64_t part_mask;    /* bits of the existing ways, in the order of sim_packed_find */
	unsigned part_shift;   /* lowest bit of a line's part */
	unsigned oldest_shift; /* position of the oldest way in an order */
	/* By list, or by place with many ways. */
	struct sim_index index;	   /* line -> place */
	uint32_t *younger, *older; /* by place: the list of a set; its ends are at places + set */
	/* By place. */
	uint32_t *filled; /* by set: number of entries in use */
	bool has_holes;	  /* an entry was removed: free places may precede filled ones */
	uint64_t *trees;  /* PLRU */
	uint64_t random;  /* state of the random numbers */
};

/* g has passed sim_geometry_check. Returns 0, or -1 without memory; release c in both cases. */
int sim_cache_init(struct sim_cache *c, const struct sim_cache_geometry *g,
		   const struct sim_memory *memory);
void sim_cache_release(struct sim_cache *c);

/* Maintain the tables of the filter. Returns 0, or -1 when memory ran out. */
int sim_cache_watch(struct sim_cache *c, enum sim_noop_stores stores);

/* line % sets. The product is exact for lines below 2^42 and up to 2^22 sets. */
static inline uint64_t sim_cache_set(const struct sim_cache *c, uint64_t line)
{
	uint64_t times;

	if (c->set_magic == 0)
		return line & c->set_mask;
	if (line >> 42 != 0)
		return line % c->sets;
	times = (uint64_t)((unsigned __int128)line * c->set_magic >> 64);
	return line - times * c->sets;
}

/* Use a line, and add flags. Returns its previous entry, or SIM_NO_LINE for a miss. */
uint64_t sim_cache_use(struct sim_cache *c, uint64_t line, unsigned flags);

/* Insert a line that is not in the cache. Returns the evicted entry, or SIM_NO_LINE. */
uint64_t sim_cache_insert(struct sim_cache *c, uint64_t line, unsigned flags);

/* Remove a line. Returns its entry, or SIM_NO_LINE if it was not in the cache. */
uint64_t sim_cache_remove(struct sim_cache *c, uint64_t line);

/* Add flags to a line without using it. Returns its previous entry, or SIM_NO_LINE. */
uint64_t sim_cache_mark(struct sim_cache *c, uint64_t line, unsigned flags);

bool sim_cache_holds(struct sim_cache *c, uint64_t line);

/* The set of the line is about to be looked at: prefetch it. */
void sim_cache_ask(const struct sim_cache *c, uint64_t line);

#endif
