/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How bins.c counts, for code that counts very often (filter_notes.c). A miss reads and writes one
 * line of its bin, and an entry each of the missing line and of the evicted one.
 *
 * Most misses of a bin in a level have the same evictor as the one before. Such misses make a run,
 * which is counted by cause and by pair of groups when it ends.
 *
 * Locks are as in bins.h.
 */
#ifndef DWELL_ENGINE_SIMULATE_WHOSE_COUNTS_H
#define DWELL_ENGINE_SIMULATE_WHOSE_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "channel/bin.h"
#include "engine/core/util.h"
#include "engine/simulate/whose/range.h"
#include "sim/cache/entry.h"

/*
 * The last evictor of each line, in two caches, as an access that misses in one often misses in the
 * next: a directory of leaves, by line. Only evicted lines take memory.
 */
#define LEAF_SHIFT 14u /* log2 of the lines of a leaf: a megabyte of memory */
#define LEAF_LINES (1u << LEAF_SHIFT)
#define LINE_BITS  43u /* of lines of 16 bytes */
#define DIRECTORY  (1ull << (LINE_BITS - LEAF_SHIFT))

struct evictors {
	struct grow directory; /* uint32_t: number of a leaf; 0: one that stays empty */
	struct grow leaves;    /* for each line two uint32_t: groups; 0: it was never evicted */
};

/* Counts of a level since they were sent; `missed` below 2^32, as it makes a report due earlier. */
struct level_counts {
	uint32_t missed, cold, by_self, conflicts;
};
#define DUE_COUNT (1u << 31)

/* Misses with one evictor, 0 if they are cold, that are not counted yet. */
struct bin_run {
	uint32_t evictor, misses;
};

#define RUN_LEVELS 2u /* the first levels, which count in runs */

struct bin {
	struct bin_range range; /* of the whole run */
	uint32_t group;
	bool has_moved; /* its range has changed since it was sent */
	bool is_code;	/* its first level is that of code */
	struct bin_run runs[RUN_LEVELS];
	struct level_counts first; /* of the first level */
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct bin) == 64, "a cache line");

struct counts_tables {
	struct bin *bins;				/* by number */
	struct evictors evictors[(BIN_CACHES + 1) / 2]; /* of two caches each */
};
extern struct counts_tables counts_tables;

/* ---- Evictors ---- */

static inline struct evictors *counts_evictors(enum bin_cache cache)
{
	return &counts_tables.evictors[cache / 2];
}

static inline uint32_t *counts_leaf(enum bin_cache cache, uint64_t line)
{
	return (uint32_t *)(void *)counts_evictors(cache)->directory.base +
	       (line >> LEAF_SHIFT & (DIRECTORY - 1));
}

/* Where the line's evictor stands: to be read, as it may be in the empty leaf. */
static inline uint32_t *counts_evictor(enum bin_cache cache, uint64_t line)
{
	const uint64_t leaf = *counts_leaf(cache, line);
	const uint64_t at = leaf << LEAF_SHIFT | (line & (LEAF_LINES - 1));

	return (uint32_t *)(void *)counts_evictors(cache)->leaves.base + (2 * at + cache % 2);
}

/* The same, to be written. NULL: memory has run out. */
uint32_t *counts_new_evictor(enum bin_cache cache, uint64_t line);

static inline void counts_prefetch(enum bin_cache cache, uint64_t line)
{
	__builtin_prefetch(counts_evictor(cache, line), 1);
}

/* ---- Misses ---- */

/* Count the run, and begin one of the evictor. */
void counts_end_run(struct bin *b, uint32_t level, uint32_t evictor);

/* A miss of the bin on a line that the evictor (0: none) has evicted before. */
static inline void counts_miss(struct bin *b, uint32_t level, uint32_t evictor)
{
	struct bin_run *run = &b->runs[level];

	if (run->evictor != evictor || run->misses >= DUE_COUNT)
		counts_end_run(b, level, evictor);
	run->misses++;
}

/* At the offset in its data structure. */
static inline void counts_missed_at(struct bin *b, uint64_t offset)
{
	const struct bin_range *r = &b->range;
	const uint64_t above = offset - r->low;

	if (above > r->high - r->low || r->step & (r->step - 1) || above & (r->step - 1))
		b->has_moved |= range_add(&b->range, offset);
}

/*
 * A miss of the bin has brought the line to a level, one of the first ones, in the place of
 * `victim` (SIM_NO_LINE: it was free). Not in a stretch, nor in a call that allocates.
 */
static inline void counts_replaced(struct bin *b, enum bin_cache cache, uint32_t level,
				   uint64_t line, uint64_t victim)
{
	uint32_t *place;

	counts_miss(b, level, *counts_evictor(cache, line));
	if (victim == SIM_NO_LINE)
		return;
	place = *counts_leaf(cache, victim) ? counts_evictor(cache, victim)
					    : counts_new_evictor(cache, victim);
	if (place)
		*place = b->group;
}

#endif
