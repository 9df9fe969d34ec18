/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How bins.c counts, for code that counts very often (filter_notes.c). A miss reads and writes one
 * line of its bin, and an entry each of the missing line and of the evicted one.
 *
 * Most misses of a bin in a level have the same evictor as one of the last few. Misses with one
 * evictor make a run, which is counted by cause and by pair of groups when it ends. In its first
 * level a bin has several runs at a time: the one that began first ends for a new one.
 *
 * Locks are as in bins.h.
 */
#ifndef DWELL_ENGINE_SIMULATE_WHOSE_COUNTS_H
#define DWELL_ENGINE_SIMULATE_WHOSE_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "channel/bin.h"
#include "engine/core/util.h"
#include "engine/simulate/observe/places.h"
#include "engine/simulate/observe/range.h"
#include "sim/cache/entry.h"

/*
 * The last evictor of each line, in two caches, as an access that misses in one often misses in the
 * next: a directory of leaves, by line. Only evicted lines take memory.
 */
#define LEAF_SHIFT   14u /* log2 of the lines of a leaf: a megabyte of memory */
#define LEAF_LINES   (1u << LEAF_SHIFT)
#define ADDRESS_BITS 47u

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
#define FIRST_RUNS 3u /* at a time, in the first level */

struct bin {
	struct bin_range range; /* of the whole run */
	uint32_t group;
	bool has_moved; /* its range has changed since it was sent */
	bool is_code;	/* its first level is that of code */
	uint16_t wait;	/* misses before the next one whose place is kept */
	struct bin_run first[FIRST_RUNS], second;
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct bin) == 64, "a cache line");

struct counts_tables {
	struct bin *bins;				/* by number */
	struct evictors evictors[(BIN_CACHES + 1) / 2]; /* of two caches each */
	uint64_t directory_mask;			/* of the number of a leaf */
};
extern struct counts_tables counts_tables;

/* ---- Evictors ---- */

/* Reserve address space for the evictors in a cache, after directory_mask is set; false: none. */
bool counts_start_evictors(enum bin_cache cache);

static inline struct evictors *counts_evictors(enum bin_cache cache)
{
	return &counts_tables.evictors[cache / 2];
}

static inline uint32_t *counts_leaf(enum bin_cache cache, uint64_t line)
{
	return (uint32_t *)(void *)counts_evictors(cache)->directory.base +
	       (line >> LEAF_SHIFT & counts_tables.directory_mask);
}

/* Where the line's evictor stands: to be read, as it may be in the empty leaf. */
static inline uint32_t *counts_evictor(enum bin_cache cache, uint64_t line)
{
	const uint64_t leaf = *counts_leaf(cache, line);
	const uint64_t at = leaf << LEAF_SHIFT | (line & (LEAF_LINES - 1));

	return (uint32_t *)(void *)counts_evictors(cache)->leaves.base + (2 * at + cache % 2);
}

/* The same, to be written, where the leaf may be missing. NULL: memory has run out. */
uint32_t *counts_new_evictor(enum bin_cache cache, uint64_t line);

/* The same for a line that is being evicted. */
static inline uint32_t *counts_victim(enum bin_cache cache, uint64_t line)
{
	return *counts_leaf(cache, line) ? counts_evictor(cache, line)
					 : counts_new_evictor(cache, line);
}

/* ---- Misses ---- */

/* Count a run of the bin's first level, and begin one of the evictor. */
struct bin_run *counts_begin_first(struct bin *b, uint32_t evictor);
/* The same of the second level. */
void counts_begin_second(struct bin *b, uint32_t evictor);

/* Misses of the bin in each level, on a line that the evictor (0: none) has evicted before. */
static inline void counts_miss_first(struct bin *b, uint32_t evictor)
{
	/* not by branches: which of the runs goes on is not predictable */
	const uint32_t which =
		(b->first[1].evictor == evictor) | (uint32_t)(b->first[2].evictor == evictor) << 1;
	struct bin_run *run = &b->first[which - (which == 3)];

	if (run->evictor != evictor || run->misses >= DUE_COUNT)
		run = counts_begin_first(b, evictor);
	run->misses++;
}

static inline void counts_miss_second(struct bin *b, uint32_t evictor)
{
	if (b->second.evictor != evictor || b->second.misses >= DUE_COUNT)
		counts_begin_second(b, evictor);
	b->second.misses++;
}

/* Its range has changed, perhaps; the offset is one of those that are kept. */
void counts_stretch(struct bin *b, uint64_t offset);
void counts_keep(struct bin *b, uint64_t offset);

/* At the offset in its data structure. */
static inline void counts_missed_at(struct bin *b, uint64_t offset)
{
	const struct bin_range *r = &b->range;
	const uint64_t above = offset - r->low;

	if (above > r->high - r->low || r->step & (r->step - 1) || above & (r->step - 1))
		counts_stretch(b, offset);
	if (b->wait-- == 0)
		counts_keep(b, offset);
}

#endif
