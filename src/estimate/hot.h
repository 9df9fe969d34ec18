/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which code the misses of one cache size belong to: by function, file or line. */
#ifndef DWELL_ESTIMATE_HOT_H
#define DWELL_ESTIMATE_HOT_H

#include "estimate/shares.h"

/* The row of all that no reuse was seen of, in every view. */
#define HOT_UNRESOLVED "[not resolved / cold]"

/*
 * The part of a piece of code, as shares of all accesses of the process: the
 * reuses that it makes, near and far, and what stands in shares.h as unresolved,
 * whose misses are kept apart.
 * Summed over all rows, accesses is 1, and misses and unresolved together are
 * the miss ratio.
 */
struct hot_cost {
	double accesses;
	double misses;
	double unresolved;
	uint64_t samples;
};

struct hot_row {
	const char *function; /* NULL in rows by file */
	const char *file;     /* or NULL: no line information */
	uint32_t line;	      /* in rows by line; else 0 */
	struct hot_cost cost;
};

enum hot_by {
	HOT_FUNCTION,
	HOT_FILE,
	HOT_LINE,
};

/* Strings are the profile's. */
struct hot {
	struct hot_row *rows; /* in the query's order: most misses, resolved and not, first */
	size_t count;
	struct hot_cost total;
	double ratio; /* the miss ratio of the process: total.misses + total.unresolved */
};

/*
 * The cost of each of p->locations in the query's cache, and one more at the
 * end: samples whose location is missing. The caller's, free(); NULL on failure.
 */
struct hot_cost *hot_costs(const struct profile *p, const struct query *q, struct err *err);

/* The same, for shares that the caller has. */
struct hot_cost *hot_costs_of(const struct profile *p, const struct shares *shares,
			      struct err *err);

/*
 * Rows that the query shows of the code that made accesses, from hot_costs. Release with
 * hot_release.
 */
int hot_rows(const struct profile *p, const struct query *q, const struct hot_cost *costs,
	     enum hot_by by, struct hot *out, struct err *err);
void hot_release(struct hot *h);

/* The row of one location, or of one that is missing (NULL), with this cost. */
struct hot_row hot_row_of(const struct store_location *l, enum hot_by by,
			  const struct hot_cost *cost);

/* Sort rows by file, function and line, and sum up equal ones. Returns how many are left. */
size_t hot_merge(struct hot_row *rows, size_t count);

/* Order of two rows by file, function and line: 0 for rows of the same code. */
int hot_compare_keys(const struct hot_row *x, const struct hot_row *y);

/* What rows are ordered by: the larger ones come first. */
double hot_figure(enum query_order order, const struct hot_cost *cost);

void hot_add(struct hot_cost *to, const struct hot_cost *cost);

/* Misses per access of the code, those not resolved included, at most 1; 0 without accesses. */
double hot_miss_ratio(const struct hot_cost *cost);

/* `part` of the whole's misses, in [0, 1]; 0 when there are none. */
double hot_share(double part, const struct hot_cost *whole);

#endif
