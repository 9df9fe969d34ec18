/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The question to a view: the part of the run, the caches, the order, and the number of rows. The
 * command line sets it once; each member means the same in every view. A view does not change it,
 * so that several threads may serve their own queries.
 */
#ifndef DWELL_QUERY_QUERY_H
#define DWELL_QUERY_QUERY_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define QUERY_ANY	   (-1) /* processes and threads: none is named; equals STORE_NONE */
#define QUERY_MOST_METRICS 64

/* In the order of enum model_policy. */
enum query_policy {
	QUERY_RANDOM = 0,
	QUERY_LRU = 1,
};

/* The order of rows of samples, highest first. */
enum query_order {
	QUERY_BY_COST,	 /* what misses wait; the default, unless a size is asked for */
	QUERY_BY_MISSES, /* then the default */
	QUERY_BY_RATIO,	 /* misses per access */
	QUERY_BY_ACCESSES,
	QUERY_BY_SAMPLES,
	QUERY_ORDERS
};

/* Texts are borrowed, for example from the program's arguments. */
struct query {
	int64_t process; /* its number in the run; QUERY_ANY: chosen by the view */
	int64_t thread;	 /* index in the process; QUERY_ANY: all */
	enum query_policy policy;
	uint64_t size_bytes; /* cache size to rank by; 0: the profile's default */
	bool is_by_cost;     /* the view chose the size: rows are in the order of their cost */
	uint64_t ways;	     /* lines in a set; 0: fully associative */
	uint64_t line_bytes; /* of a cache line; 0: as recorded */
	const char *machine; /* name, or list of cache sizes; NULL: the machine that recorded */
	const char *metrics[QUERY_MOST_METRICS]; /* events, "NAME" or "NAME = FORMULA" */
	size_t metric_count;			 /* 0: all */
	const char *sort;    /* the event, or the column, to sort by; NULL: the first one */
	bool is_sort_usual;  /* views without the column may ignore `sort` */
	uint64_t limit;	     /* rows of text; 0: the view's default */
	uint64_t file_limit; /* rows of CSV and JSON; see query_file_rows */
	bool has_focus, has_ignore;
	regex_t focus, ignore; /* valid if has_focus, has_ignore; see query_shows */
};

/* Set all defaults. Release with query_release. */
void query_init(struct query *q);
void query_release(struct query *q);

/*
 * Show only rows that match the extended regular expression, or hide them. A later call replaces
 * it. Returns 0, or -1 with *err set.
 */
int query_set_focus(struct query *q, const char *expression, struct err *err);
int query_set_ignore(struct query *q, const char *expression, struct err *err);

/*
 * The order that `sort` names. Returns 0, or -1 with *err set if rows of samples have no such
 * column.
 */
int query_order(const struct query *q, enum query_order *order, struct err *err);

/* The same for rows that have another order without `sort`. */
int query_order_or(const struct query *q, enum query_order usual, enum query_order *order,
		   struct err *err);

/* Tell whether it has a focus or an ignore expression. */
bool query_filters(const struct query *q);

/* The number of rows of CSV and JSON; 0: all. Of NULL, too. */
static inline uint64_t query_file_rows(const struct query *q)
{
	return q != NULL ? q->file_limit : 0;
}

/* The same query for another cache; *q keeps its memory. */
struct query query_at(const struct query *q, uint64_t size_bytes);

/*
 * Tell whether to show a row with these names: function, source file, object file, data. NULL:
 * none.
 */
bool query_shows(const struct query *q, const char *const *names, size_t count);

/* The two halves of it: whether its focus matches (always, without one), or what it ignores. */
bool query_focuses(const struct query *q, const char *const *names, size_t count);
bool query_ignores(const struct query *q, const char *const *names, size_t count);

#endif
