/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The effect of longer lines (StatCache, sections 5.1 and 5.2): the miss ratio for each line size
 * in caches of some sizes, and how much of fetched lines is used.
 */
#ifndef DWELL_ESTIMATE_SPATIAL_H
#define DWELL_ESTIMATE_SPATIAL_H

#include "estimate/subset.h"

#define SPATIAL_FIRST 4	 /* bytes: the shortest line */
#define SPATIAL_LINES 11 /* up to 4096 */
#define SPATIAL_SIZES 8	 /* caches, at most */

/* Bytes of the k-th line size. */
static inline uint32_t spatial_line(size_t k)
{
	return SPATIAL_FIRST << k;
}

struct spatial {
	const struct query *query;
	uint64_t sizes[SPATIAL_SIZES]; /* of caches, in bytes */
	size_t size_count;
	uint32_t small_line; /* the line size that spatial use compares with */
	const char *part;    /* a part's name, of kind part_kind; NULL: the whole process */
	enum subset_kind part_kind;
	char *note;	/* a note about the part, or NULL */
	size_t samples; /* at the line size with the fewest */
	/*
	 * Line SPATIAL_FIRST << k in cache i; known = false if the cache cannot hold such a line.
	 */
	struct model_ratio ratios[SPATIAL_LINES][SPATIAL_SIZES];
	double touches[SPATIAL_LINES]; /* average number of lines that an access touches */
};

/*
 * Set query, sizes, size_count, small_line (a line size) and the part before; computes the rest.
 * Release with spatial_release.
 */
int spatial_compute(const struct profile *p, struct spatial *s, struct err *err);
void spatial_release(struct spatial *s);

/*
 * (1 - R / R_small) / (1 - B_small / B), where R is the number of lines fetched per access: 1 if it
 * falls as lines grow, 0 if line size does not matter, negative if long lines hurt. NAN if
 * undefined. Section 5.2; there no access touches more than one line.
 */
double spatial_use(const struct spatial *s, size_t line, size_t size);

/* Bytes fetched per access. */
double spatial_traffic(const struct spatial *s, size_t line, size_t size);

/*
 * The share of the bytes fetched in lines of this size that the program uses: bytes that a cache of
 * the same size fetches in lines of 4, divided by those in lines of this size, at most 1.
 */
double spatial_used(const struct spatial *s, size_t line, size_t size);

/*
 * The same for p's line size in a cache of size_bytes: *used, NAN if the profile does not have it.
 * Returns 0, or -1 when memory runs out or the profile cannot be read.
 */
int spatial_used_of(const struct profile *p, const struct query *q, double *used, struct err *err);

#endif
