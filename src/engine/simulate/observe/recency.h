/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fully associative LRU cache beside a first level, which finds its conflict misses (bins.h).
 *
 * Code writes the time to a stamp where it hits in the first level, and does nothing else. So this
 * cache reads the stamps of lines that the first level has; of others it keeps the last time. Lines
 * are sorted by their last use now and then. Then those whose time has not changed are evicted, in
 * this order: all others are newer. When none is left, each line was used or evicted since, so they
 * are sorted once for as many accesses, at least.
 *
 * It can miss a line that the first level has, as its sets differ. Code must not hit such a line:
 * recency_use says which it is.
 *
 * All times of use differ. Locks are as in bins.h.
 */
#ifndef DWELL_ENGINE_SIMULATE_WHOSE_RECENCY_H
#define DWELL_ENGINE_SIMULATE_WHOSE_RECENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/index.h"

struct recency_line {
	uint64_t line;	       /* its number */
	const uint64_t *stamp; /* in the first level; NULL: it is not there */
	uint64_t used;	       /* then: when it was used last */
};

struct recency_item {
	uint64_t used; /* the line's last use when they were sorted */
	uint32_t place;
};

struct recency {
	struct recency_line *lines;
	struct recency_item *sorted, *spare; /* each of `most` */
	struct sim_index index;		     /* line -> place among `lines` */
	const uint64_t *stamps;		     /* those of the first level */
	uint32_t *places;		     /* by stamp: place of its line, plus 1; 0: not here */
	uint32_t count, most;
	uint32_t next; /* of `sorted` */
};

/*
 * An empty cache of `most` lines, beside a first level of so many stamps, from pages of the engine.
 * Returns 0, or -1 without memory.
 */
int recency_init(struct recency *r, uint32_t most, const uint64_t *stamps, uint64_t stamp_count);

/*
 * The line is used: its stamp in the first level gets the time as soon as this returns. Returns
 * whether the cache had it. If not, *out is the stamp of the line that it has evicted, if the first
 * level has that, or NULL.
 */
bool recency_use(struct recency *r, uint64_t line, const uint64_t *stamp, const uint64_t **out);

/* The first level evicts the line of the stamp, which still says when it was used last. */
void recency_leave(struct recency *r, const uint64_t *stamp);

/* Does the cache have the line of the stamp? */
static inline bool recency_holds(const struct recency *r, const uint64_t *stamp)
{
	return r->places[stamp - r->stamps] != 0;
}

#endif
