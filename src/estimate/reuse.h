/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data reuse (section 3.10 of Berg and Hagersten 2005): the code that touches lines again, and the
 * code that touched them before. Would the data survive in the cache from there to here?
 */
#ifndef DWELL_ESTIMATE_REUSE_H
#define DWELL_ESTIMATE_REUSE_H

#include "estimate/code.h"
#include "estimate/hot.h"
#include "estimate/shares.h"

#define REUSE_BINS 65 /* distance 0, and an octave each: 1, 2-3, 4-7, ... */

/* Strings are the profile's; without a file, line is 0. */
struct reuse_place {
	const char *function, *file;
	uint32_t line;
};

/* Reuses of one kind. All shares are of the accesses of the process. */
struct reuse_cost {
	struct share_part all;
	double temporal; /* accesses that touch some of the bytes again; the others are spatial */
	double far;	 /* accesses; of the reuses that no window is long enough to see */
	uint64_t samples;
};

struct reuse_row {
	struct reuse_place from, to;
	struct reuse_cost cost;
};

/* Accesses by the distance of the reuse. The far ones lie beyond what was seen. */
struct reuse_bin {
	double temporal, spatial;
};

struct reuse {
	const struct profile *profile;
	const struct query *query;
	const char *argument;	/* NULL: the whole program */
	struct code code;	/* of the argument */
	struct reuse_row *rows; /* most misses first; of one piece of code: most reuses first */
	size_t count;
	struct reuse_cost total;
	struct share_part unresolved; /* what the code touched first, or is not known of */
	double ratio;		      /* the miss ratio of the whole process */
	struct reuse_bin bins[REUSE_BINS], far;
	double resolution; /* accesses; reuses up to here were seen */
};

/*
 * The reuses of the code that `argument` names: FILE:LINE, FILE or FUNCTION; NULL: of all code.
 * Rows are pairs of places; for one piece of code, places it has its data from. An argument that
 * fits no reuse is an error that names what does. Release with reuse_release.
 */
int reuse_init(struct reuse *r, const struct profile *p, const struct query *q,
	       const char *argument, struct err *err);
void reuse_release(struct reuse *r);

/*
 * The rows of the reuses that the code makes; `code` NULL: of all code, by pairs. As reuse_init,
 * for shares that the caller has. Sets rows, count, total and bins of *r, and leaves count 0 where
 * there are none.
 */
int reuse_collect(struct reuse *r, const struct profile *p, const struct shares *shares,
		  const struct code *code, struct err *err);

/* Is the data from the line itself? */
bool reuse_is_self(const struct reuse_row *row);

/* The least distance of a bin, and the largest. */
uint64_t reuse_bin_low(unsigned bin);
uint64_t reuse_bin_high(unsigned bin);

/* Mean P(miss) of the reuses. */
double reuse_miss_ratio(const struct reuse_cost *cost);

#endif
