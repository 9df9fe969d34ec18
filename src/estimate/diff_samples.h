/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two sampled profiles side by side: miss ratios with their intervals, and the misses of code. A
 * difference is significant if the two 95 % intervals do not overlap.
 */
#ifndef DWELL_ESTIMATE_DIFF_SAMPLES_H
#define DWELL_ESTIMATE_DIFF_SAMPLES_H

#include "base/condition.h"
#include "estimate/data.h"

struct diff_cache {
	const char *name;    /* "L2", or NULL for a requested size */
	uint64_t size_bytes; /* the same for both */
	struct model_ratio a, b;
	bool is_outside; /* the intervals do not overlap */
};

struct diff_hot_row {
	const struct hot_row *shown; /* B's, or A's if B has none */
	struct hot_cost a, b;
	struct model_ratio ratio_a, ratio_b; /* misses per access of the code itself */
	bool is_outside;		     /* these intervals do not overlap */
};

struct diff_samples {
	const char *path_a, *path_b;
	const struct profile *a, *b;
	struct query query; /* with the cache size for the rows; borrows its memory */
	struct diff_cache caches[PROFILE_CACHES + 1];
	size_t cache_count;
	enum hot_by by;
	enum data_by sites_by;	    /* tells blocks apart */
	struct data data_a, data_b; /* by data: what the rows point into */
	struct hot hot_a, hot_b;
	struct diff_hot_row *rows; /* largest change of misses per access of the program first */
	size_t count;
};

/*
 * Rows are for the query's cache, by default one that both profiles resolve. The caches of A's
 * machine are used for both. The profiles must outlive *d. Release with diff_samples_release.
 */
int diff_samples_init(struct diff_samples *d, const struct profile *a, const struct profile *b,
		      const struct query *q, enum hot_by by, enum data_by sites_by,
		      struct err *err);
void diff_samples_release(struct diff_samples *d);

/*
 * Evaluate a condition on a miss ratio: "L2 > +5%". A condition on a change holds only if the
 * intervals do not overlap.
 */
int diff_samples_check(const struct diff_samples *d, struct condition *c, struct err *err);

#endif
