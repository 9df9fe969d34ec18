/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of code or data with their share of the misses: columns that several views show. */
#ifndef DWELL_ANSWER_COST_COLUMNS_H
#define DWELL_ANSWER_COST_COLUMNS_H

#include "answer/rows.h"
#include "estimate/hot.h"

/* Members that are not set are missing. Rows of other tables may begin with it. */
struct cost_row {
	const char *kind; /* section of the view */
	const char *name;
	const char *function, *file;
	uint32_t line;	/* 0: missing */
	unsigned depth; /* in a tree: indents the name */
	const char *source;
	const struct hot_cost *cost, *whole; /* misses are a share of `whole` */
	const struct model_ratio *ratio;     /* for the interval */
};

enum cost_column {
	COST_KIND,
	COST_NAME,
	COST_FUNCTION,
	COST_FILE,
	COST_LINE,
	COST_LINE_OR_0,
	COST_NUMBER,
	COST_PLACE,
	COST_CALLERS,
	COST_PATH,
	COST_SOURCE,
	COST_MISSES,	 /* of reuses */
	COST_ALL_MISSES, /* including first touches */
	COST_COLD,
	COST_CYCLES, /* what the misses of all levels wait, as a share of that of the whole */
	COST_RATIO,
	COST_LOW,
	COST_HIGH,
	COST_INTERVAL,
	COST_ACCESSES,
	COST_SAMPLES,
	COST_COLUMNS
};

extern const struct column cost_columns[COST_COLUMNS];

#define COST(column) (&cost_columns[COST_##column])

/* These columns in JSON's order. */
#define COST_SHARES \
	COST(CYCLES), COST(MISSES), COST(COLD), COST(RATIO), COST(ACCESSES), COST(SAMPLES)

/* The same in tables of files. */
#define COST_SHARES_SHOWN                                                              \
	{COST(CYCLES)}, {COST(MISSES)}, {COST(COLD)}, {COST(RATIO)}, {COST(ACCESSES)}, \
	{                                                                              \
		COST(SAMPLES)                                                          \
	}

struct cost_row cost_row_of(const struct hot *h, size_t i);

/*
 * Which rows a table of text shows, in their order: at most `most`. Rows whose misses read 0.00 %
 * rest on a handful of samples, of the loader for example, so they are left out; unless the query
 * asks for a number of rows or another order than by misses, or the first row is one of them.
 */
struct cost_limit {
	const struct hot_cost *whole; /* misses are a share of it */
	size_t most;
	bool is_by_cost;    /* what costs something is no such row */
	bool keeps_all;	    /* also those that read 0.00 % */
	size_t shown, left; /* rows so far */
};

struct cost_limit cost_limit_of(const struct query *q, const struct hot_cost *whole, size_t most);

/* Count the next row; tell whether to show it. */
bool cost_limit_shows(struct cost_limit *l, const struct hot_cost *cost);

/* The miss ratio of a cache, or for a size. */
struct ratio_row {
	const char *name; /* of the cache or the curve */
	uint64_t size_bytes;
	const struct model_ratio *ratio;
	double instructions;		/* per access; for the next */
	const struct cost_level *level; /* of caches with a cost */
};

/* That of a level; `ratio` is room for its miss ratio. */
struct ratio_row ratio_row_of(const struct cost *c, size_t level, struct model_ratio *ratio);

enum ratio_column {
	RATIO_NAME,
	RATIO_CURVE,
	RATIO_SIZE,
	RATIO_MISSES,
	RATIO_LOW,
	RATIO_HIGH,
	RATIO_INTERVAL,
	RATIO_PER_THOUSAND, /* misses in 1,000 instructions */
	RATIO_CYCLES,	    /* that misses which the next level serves wait, per instruction */
	RATIO_COLUMNS
};

extern const struct column ratio_columns[RATIO_COLUMNS];

/*
 * What all miss ratios of a view assume of the cache, for CSV and JSON: its replacement policy, and
 * its ways, missing where it is fully associative. The columns say it of any row.
 */
struct assumed {
	struct column policy, ways;
};

struct assumed assumed_of(enum model_policy policy, uint64_t ways);
struct assumed assumed_by(const struct query *q);

#define ASSUMED(a) &(a).policy, &(a).ways

/* Add them to the columns of CSV; they outlive the rows. */
void assumed_show(const struct assumed *a, struct rows *r);

/* Add what the query assumes to an object. */
void assumed_json(const struct query *q, json_t *object);

#define RATIO(column) (&ratio_columns[RATIO_##column])
#define RATIO_LIMITS  RATIO(MISSES), RATIO(LOW), RATIO(HIGH)

#endif
