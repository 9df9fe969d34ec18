/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The misses in a cache of one size by code: function, file or line. */
#ifndef DWELL_ESTIMATE_HOT_H
#define DWELL_ESTIMATE_HOT_H

#include "profile/profile.h"

/*
 * The costs of a piece of code or of data, as shares of all accesses of the process. Over all rows,
 * accesses add up to 1, and misses and cold together to the miss ratio.
 */
struct hot_cost {
	double accesses;
	double misses; /* of reuses */
	double cold;   /* misses that are first touches */
	double cycles; /* that misses of all levels wait; see profile_cost */
	uint64_t samples;
};

struct hot_row {
	const char *function; /* NULL in rows by file; of data its name */
	const char *file;     /* or NULL: no line information */
	const char *module;   /* path of the file that has the code; or NULL */
	uint32_t line;	      /* in rows by line; else 0 */
	struct hot_cost cost;
};

enum hot_by {
	HOT_FUNCTION,
	HOT_FILE,
	HOT_LINE,
	HOT_DATA, /* only of differences: data structures, each by its name */
};

/* The profile owns the strings. */
struct hot {
	struct hot_row *rows; /* in the query's order: most misses first */
	size_t count;
	struct hot_cost total;
	double ratio; /* the miss ratio of the process: total.misses + total.cold */
};

/* The cost of one of the profile's ends with this share. */
struct hot_cost hot_cost_of(const struct profile_end *e, const struct profile_share *share);

/*
 * The cost of each of p->locations in the query's cache, followed by that of ends without a
 * location. The caller frees it; NULL on failure.
 */
struct hot_cost *hot_costs(const struct profile *p, const struct query *q, struct err *err);

/* The same for the shares of p->ends. */
struct hot_cost *hot_costs_of(const struct profile *p, const struct profile_share *shares,
			      struct err *err);

/*
 * The rows of code with accesses, from hot_costs, that the query shows. Release with hot_release.
 */
int hot_rows(const struct profile *p, const struct query *q, const struct hot_cost *costs,
	     enum hot_by by, struct hot *out, struct err *err);
void hot_release(struct hot *h);

/* The row of a location, or of a missing one (NULL), with this cost. */
struct hot_row hot_row_of(const struct store_location *l, enum hot_by by,
			  const struct hot_cost *cost);

/* Sort rows by file, function and line, and merge equal ones. Returns the number of rows. */
size_t hot_merge(struct hot_row *rows, size_t count);

/* Compare rows by file, function and line: 0 for the same code. */
int hot_compare_keys(const struct hot_row *x, const struct hot_row *y);

/* The value by which rows are ordered, largest first. */
double hot_figure(enum query_order order, const struct hot_cost *cost);

void hot_add(struct hot_cost *to, const struct hot_cost *cost);

/* Misses per access, at most 1; 0 without accesses. */
double hot_miss_ratio(const struct hot_cost *cost);

/* `part` as a fraction of the whole's misses, in [0, 1]; 0 if there are none. */
double hot_share(double part, const struct hot_cost *whole);

#endif
