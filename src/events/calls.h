/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calls of an event profile and their costs: trees of callers and callees.
 *
 * What a call costs is measured. Of a longer chain of calls it is known only where contexts were
 * kept, or where a function is called in one way only; elsewhere it is estimated: the callers of a
 * function share what its calls cost in proportion to what their own calls of it cost (as gprof and
 * KCachegrind do).
 */
#ifndef DWELL_EVENTS_CALLS_H
#define DWELL_EVENTS_CALLS_H

#include "events/event_columns.h"
#include "events/event_rows.h"

#define CALLS_NONE SIZE_MAX

struct calls {
	const struct event_profile *p;
	const struct event_columns *columns;
	struct event_rows functions; /* a row for each */
	struct event_rows nodes;     /* in the order of nodes */
	/*
	 * Indices of arcs by their callers and callees: those of node i are [first[i], first[i +
	 * 1]).
	 */
	size_t *out, *out_first, *in, *in_first;
	double total; /* of the event to sort by */
};

/* Release with calls_release; the profile and the columns must outlive it. */
int calls_init(struct calls *c, const struct event_profile *p, const struct event_columns *columns,
	       struct err *err);
void calls_release(struct calls *c);

/*
 * The rows of c->functions that a user means: by the whole name, without arguments, or by its end
 * behind "::". The caller frees the array. No match is an error that names similar functions.
 */
int calls_find(const struct calls *c, const char *name, size_t **rows, size_t *count,
	       struct err *err);

/* Functions that nobody calls, the most costly first: where a tree without a name begins. */
int calls_find_roots(const struct calls *c, size_t **rows, size_t *count, struct err *err);

/*
 * A function in a tree: in the order of printing, each below the one that it calls or is called by.
 */
struct call_item {
	size_t row;	/* of functions */
	size_t parent;	/* item, or CALLS_NONE */
	unsigned depth; /* 0: where the tree begins */
	double cost;	/* inclusive, of the event to sort by */
	double calls;
	bool is_estimate;
	bool is_recursive;		    /* it is on the way to itself: the tree ends here */
	uint64_t values[STORE_MAX_COLUMNS]; /* of depth 0 and 1: all events, inclusive */
};

struct call_tree {
	const struct calls *calls;
	bool is_up; /* to callers */
	struct call_item *items;
	size_t count, room;
	bool is_cut; /* it has more items than this holds */
};

/*
 * The function's callers (or callees) up to `depth`, as far as each costs at least `threshold`, a
 * fraction of the whole. Release with call_tree_release.
 */
int call_tree_init(struct call_tree *t, const struct calls *c, size_t row, bool is_up,
		   unsigned depth, double threshold, struct err *err);
void call_tree_release(struct call_tree *t);

/* A call between two functions, from wherever in the first one. */
struct call_pair {
	size_t from, to; /* rows of functions; from: CALLS_NONE where nothing calls */
	uint64_t calls;
	double cost;
	uint64_t values[STORE_MAX_COLUMNS];
};

/* All pairs, the most costly first; the caller frees them. */
int calls_pairs(const struct calls *c, struct call_pair **pairs, size_t *count, struct err *err);

#endif
