/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two sampled profiles side by side: what their misses cost, the misses in each cache, and those of
 * code. Misses are numbers, as one run may make fewer accesses than the other; ratios are beside
 * them. A difference is significant if the two 95 % intervals do not overlap.
 */
#ifndef DWELL_ESTIMATE_DIFF_SAMPLES_H
#define DWELL_ESTIMATE_DIFF_SAMPLES_H

#include "base/condition.h"
#include "estimate/data.h"

struct diff_cache {
	const char *name;    /* "L2", or NULL for a requested size */
	uint64_t size_bytes; /* the same for both */
	struct model_ratio a, b;
	double misses_a, misses_b;
	bool is_outside; /* the intervals of misses do not overlap */
};

/* What all misses cost, in cycles; see model/cost.h. */
struct diff_cost {
	double cycles, low, high;
};

struct diff_hot_row {
	const struct hot_row *shown;	     /* B's, or A's if B has none */
	struct hot_cost a, b;		     /* in accesses of the runs, and their cycles */
	struct model_ratio ratio_a, ratio_b; /* misses per access of the code itself */
	bool is_outside;		     /* the intervals of misses do not overlap */
};

struct diff_samples {
	const char *path_a, *path_b;
	const struct profile *a, *b;
	struct diff_cost cost_a, cost_b;
	bool has_cost;	    /* the caches of the machine are known */
	struct query query; /* with the cache size for the rows; borrows its memory */
	struct diff_cache caches[PROFILE_CACHES + 1];
	size_t cache_count;
	enum hot_by by;
	enum data_by sites_by;	    /* tells blocks apart */
	struct data data_a, data_b; /* by data: what the rows point into */
	struct hot hot_a, hot_b;
	struct diff_hot_row *rows; /* largest change of cost, or of misses, first */
	size_t count;
};

/*
 * Rows are for the query's cache, by default that whose misses cost most in both runs. Both are
 * asked about the same caches: profile_take_caches. The profiles must outlive *d. Release with
 * diff_samples_release.
 */
int diff_samples_init(struct diff_samples *d, const struct profile *a, const struct profile *b,
		      const struct query *q, enum hot_by by, enum data_by sites_by,
		      struct err *err);
void diff_samples_release(struct diff_samples *d);

/*
 * Evaluate a condition on the misses of a cache, "L2 > +5%", or on what all misses cost, "cost >
 * 0%". A condition on a change holds only if the intervals do not overlap.
 */
int diff_samples_check(const struct diff_samples *d, struct condition *c, struct err *err);

#endif
