/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What longer lines bring (StatCache, sections 5.1 and 5.2): the miss ratio for each line size
 * in caches of some sizes, and how much of the lines fetched is used.
 */
#ifndef DWELL_ESTIMATE_SPATIAL_H
#define DWELL_ESTIMATE_SPATIAL_H

#include "estimate/subset.h"

#define SPATIAL_FIRST 4	 /* bytes; the smallest line */
#define SPATIAL_LINES 11 /* up to 4096 */
#define SPATIAL_SIZES 8	 /* caches, at most */

/* Bytes of the k-th line size. */
static inline uint32_t spatial_line(size_t k)
{
	return SPATIAL_FIRST << k;
}

struct spatial {
	const struct query *query;
	uint64_t sizes[SPATIAL_SIZES]; /* of caches, bytes */
	size_t size_count;
	uint32_t small_line; /* that spatial use compares with */
	const char *part;    /* of the accesses, a name of part_kind; NULL: all of the process */
	enum subset_kind part_kind;
	char *note;	/* about the part, or NULL */
	size_t samples; /* at the line size that has fewest */
	/* Line SPATIAL_FIRST << k in cache i; known = false where the cache holds no such line. */
	struct model_ratio ratios[SPATIAL_LINES][SPATIAL_SIZES];
	double touches[SPATIAL_LINES]; /* lines that an access touches on average */
};

/*
 * query, sizes, size_count, small_line (a line size) and the part are set; computes the rest.
 * Release with spatial_release.
 */
int spatial_compute(const struct profile *p, struct spatial *s, struct err *err);
void spatial_release(struct spatial *s);

/*
 * (1 - R / R_small) / (1 - B_small / B), R being the lines fetched per access: 1 when they fall as
 * lines grow, 0 when lines do not matter, below when long ones hurt. NAN where it is not defined.
 * Section 5.2; there no access touches more than one line.
 */
double spatial_use(const struct spatial *s, size_t line, size_t size);

/* Bytes fetched per access. */
double spatial_traffic(const struct spatial *s, size_t line, size_t size);

/*
 * The share of what is fetched in lines of that size that the program asks for: the bytes
 * that a cache of as many bytes fetches in lines of 4, of those in lines of this size, at most 1.
 */
double spatial_used(const struct spatial *s, size_t line, size_t size);

/*
 * The same share for the lines that p is about in a cache of size_bytes, NAN where the profile
 * cannot tell: *used. Returns 0, or -1 when memory runs out or the profile cannot be read.
 */
int spatial_used_of(const struct profile *p, const struct query *q, double *used, struct err *err);

#endif
