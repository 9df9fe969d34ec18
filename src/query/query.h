/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a view shows: which part of the run, in which caches, in which order, and how many rows. The
 * command line fills it once; each member means the same in every view. A query is constant while a
 * view works, so that several threads may serve queries of their own.
 */
#ifndef DWELL_QUERY_QUERY_H
#define DWELL_QUERY_QUERY_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define QUERY_ANY	   (-1) /* of processes and threads: none is named; equals STORE_NONE */
#define QUERY_MOST_METRICS 64

/* In the order of enum model_policy. */
enum query_policy {
	QUERY_RANDOM = 0,
	QUERY_LRU = 1,
};

/* What rows of samples are ordered by, most first. */
enum query_order {
	QUERY_BY_MISSES, /* the default */
	QUERY_BY_RATIO,	 /* misses per access */
	QUERY_BY_ACCESSES,
	QUERY_BY_SAMPLES,
	QUERY_ORDERS
};

/* Texts are borrowed, from the arguments of the program for instance. */
struct query {
	int64_t process; /* order number in the run; QUERY_ANY: the choice of the view */
	int64_t thread;	 /* index in the process; QUERY_ANY: all */
	enum query_policy policy;
	uint64_t size_bytes; /* of the cache that ranks; 0: the default of the profile */
	uint64_t ways;	     /* lines in a set; 0: fully associative */
	uint64_t line_bytes; /* of a cache line; 0: as recorded */
	const char *machine; /* its caches: a name or a list of sizes; NULL: those that recorded */
	const char *metrics[QUERY_MOST_METRICS]; /* events, "NAME" or "NAME = FORMULA" */
	size_t metric_count;			 /* 0: all */
	const char *sort;   /* the event, or the column, to sort by; NULL: the first one */
	bool is_sort_usual; /* of views that have the column; others leave it out */
	uint64_t limit;	    /* rows of the text; 0: the default of the view */
	bool has_focus, has_ignore;
	regex_t focus, ignore; /* where has_focus and has_ignore; see query_shows */
};

/* Set all defaults. Release with query_release. */
void query_init(struct query *q);
void query_release(struct query *q);

/*
 * Show only rows that match, or none that match: an extended regular expression. Another call
 * replaces it. Returns 0, or -1 with *err set.
 */
int query_set_focus(struct query *q, const char *expression, struct err *err);
int query_set_ignore(struct query *q, const char *expression, struct err *err);

/*
 * The order that `sort` asks for. Returns 0, or -1 with *err set: rows of samples lack the column.
 */
int query_order(const struct query *q, enum query_order *order, struct err *err);

/* Whether it has a focus or an ignore expression. */
bool query_filters(const struct query *q);

/* The same question about another cache; what it owns stays with *q. */
struct query query_at(const struct query *q, uint64_t size_bytes);

/*
 * Whether to show a row that has these names: of function, source file, object file, data. NULL: it
 * has none.
 */
bool query_shows(const struct query *q, const char *const *names, size_t count);

#endif
