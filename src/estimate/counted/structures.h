/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Misses by data structure, as a simulation has counted them (DTrack, 4.1). */
#ifndef DWELL_ESTIMATE_COUNTED_STRUCTURES_H
#define DWELL_ESTIMATE_COUNTED_STRUCTURES_H

#include "estimate/counted/counted.h"
#include "estimate/counted/forms.h"
#include "estimate/counted/references.h"

#define STRUCTURES_LEVELS 5 /* L1 of data or code, L2, L3, L4, LL */

struct structures_row {
	const struct data_row *data;
	struct counted_misses misses[STRUCTURES_LEVELS]; /* in the order of the levels */
	double cost;					 /* share of what all misses cost */
	double sure; /* cycles, by lower bounds: for the order of estimates */
	struct references_sum sum;
	struct references_count references; /* hits too; 0 of fetches */
	struct model_ratio ratio;	    /* first-level misses per reference */
	struct store_pattern pattern;	    /* sums of windows */
	enum form form;
};

struct structures {
	struct counted names;
	struct references references;
	const char *levels[STRUCTURES_LEVELS]; /* those that missed; "L1" and "LL" always */
	size_t level_count;
	uint64_t totals[STRUCTURES_LEVELS]; /* misses of the process */
	struct structures_row *rows;	    /* in the query's order; those that the query shows */
	size_t count;
};

/*
 * The data structures of a profile that was opened for its bins, which must outlive them. `by`
 * tells blocks apart, `word` chooses as in counted_init. The query's order is "cost", the default,
 * or one of the levels. Release with structures_release. Returns -1 with *err: memory ran out,
 * there is no such order, or no row has the name.
 */
int structures_init(struct structures *s, const struct profile *p, const struct query *q,
		    enum data_by by, const char *word, struct err *err);
void structures_release(struct structures *s);

/* The number of the level with misses of this cache, "L1d" or "LL"; SIZE_MAX: there is none. */
size_t structures_level(const struct structures *s, const char *cache);

#endif
