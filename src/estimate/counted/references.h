/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * References of data structures in a simulation, hits too. The run has counted those of each
 * instruction, but by data structure it has seen only some of them, in windows, unless it was asked
 * to count them all; see engine/simulate/observe/references.h.
 *
 * The estimate is stratified: a reference that was seen stands for its part of all references of
 * its stratum (Cochran 1977, 5A.9, poststratification). A stratum is an instruction that was seen
 * often enough; else what is left of its function; else what is left of the program.
 *
 * The interval has 95 %, by a jackknife that leaves out one group of windows at a time. That knows
 * nothing of what no window saw. So it takes the place of the variance in Wilson's interval (1927),
 * for the number of windows that saw some of the rows: a window is a cluster, seen as a whole. A
 * bin that missed, but was never seen, has at most Wilson's upper limit of 0 in n windows of its
 * function.
 */
#ifndef DWELL_ESTIMATE_COUNTED_REFERENCES_H
#define DWELL_ESTIMATE_COUNTED_REFERENCES_H

#include "profile/profile.h"

struct references_stratum;

struct references {
	const struct profile *profile;
	struct references_stratum *strata;
	size_t stratum_count;
	uint32_t *stratum_of; /* by row of the profile's references */
	double *rest_of; /* by row: what instructions of its function did that were seldom seen */
	double *unseen_most; /* by instruction: references of its function to data never seen */
	unsigned groups;     /* of windows, with at least one window */
	unsigned group[STORE_WINDOW_GROUPS];
	double seen_one_in; /* references of the run for each that was seen; 0: none was */
	uint64_t all;	    /* references that were simulated */
	double scale;	    /* those of the run for each of them */
	uint64_t unseen;    /* of the run, of unknown structures */
	bool are_exact;	    /* all were counted by structure */
	bool are_counted;   /* some were; else counts are NAN */
};

/* References of some rows. All zero: of none. */
struct references_sum {
	uint64_t counted; /* exactly */
	double seen;
	double estimated;		     /* beside the exact ones */
	double without[STORE_WINDOW_GROUPS]; /* the same without a group of windows */
	bool has_estimate;
	uint32_t groups;    /* that have seen it, a bit for each */
	double available;   /* references of the strata, to whatever data */
	double rest;	    /* beside these, of a function, to data that may be the same */
	double unseen_most; /* the most references, if it was never seen */
};

/* 95 % interval; equal if exact. */
struct references_count {
	double value, low, high;
};

/*
 * For a profile that was opened for its bins, which must outlive it. Release with
 * references_release. Returns -1 with *err when memory runs out.
 */
int references_init(struct references *r, const struct profile *p, struct err *err);
void references_release(struct references *r);

/* Add row `row` of the profile's references. */
void references_add(const struct references *r, size_t row, struct references_sum *to);
/* A row holds misses of the instruction at `location`. */
void references_add_missing(const struct references *r, int64_t location,
			    struct references_sum *to);
void references_add_sum(struct references_sum *to, const struct references_sum *more);
/* `least`: references that are known to have happened, such as the misses. */
struct references_count references_count(const struct references *r, const struct references_sum *s,
					 uint64_t least);
/* Misses for each reference; not known of no references. */
struct model_ratio references_ratio(const struct references_count *c, uint64_t misses);

#endif
