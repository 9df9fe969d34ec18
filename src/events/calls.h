/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calls of an event profile and their costs: trees of callers and callees.
 *
 * The cost of a single call is measured. The cost of a longer chain is known only where contexts
 * were recorded, or where each function has one caller. Elsewhere it is estimated: the callers of a
 * function share the cost of its calls in proportion to the cost of their own calls of it, as in
 * gprof and KCachegrind.
 */
#ifndef DWELL_EVENTS_CALLS_H
#define DWELL_EVENTS_CALLS_H

#include "events/event_columns.h"
#include "events/event_rows.h"
#include "query/query.h"

#define CALLS_NONE SIZE_MAX

struct calls {
	const struct event_profile *p;
	const struct event_columns *columns;
	struct event_rows functions; /* a row for each function */
	struct event_rows nodes;     /* a row for each node, in the same order */
	/* Indices of arcs by caller and callee: those of node i are at [first[i], first[i + 1]). */
	size_t *out, *out_first, *in, *in_first;
	double total; /* of the event to sort by */
};

/* Release with calls_release; the profile and the columns must outlive it. */
int calls_init(struct calls *c, const struct event_profile *p, const struct event_columns *columns,
	       struct err *err);
void calls_release(struct calls *c);

/*
 * The rows of c->functions that a user's name may mean: the whole name, without arguments, or its
 * end after "::". The caller frees the array. If none matches, the error names similar functions.
 */
int calls_find(const struct calls *c, const char *name, size_t **rows, size_t *count,
	       struct err *err);

/*
 * Functions without callers, highest cost first: the roots of a tree without a name. The caller
 * frees the array.
 */
int calls_find_roots(const struct calls *c, size_t **rows, size_t *count, struct err *err);

/* A function in a tree, in the order of output: each is below its caller or callee. */
struct call_item {
	size_t row;	/* row of functions */
	size_t parent;	/* index of an item, or CALLS_NONE */
	unsigned depth; /* 0: the root */
	double cost;	/* inclusive cost, of the event to sort by */
	double calls;
	bool is_estimate;
	bool is_recursive;		    /* is among its own ancestors: the tree ends here */
	bool is_hidden, is_focused;	    /* set by call_tree_choose */
	uint64_t values[STORE_MAX_COLUMNS]; /* inclusive counts of all events, at depth 0 and 1 */
};

struct call_tree {
	const struct calls *calls;
	bool is_up; /* the tree leads to callers */
	struct call_item *items;
	size_t count, room;
	bool is_cut; /* the tree has more items than are kept */
};

/*
 * The tree of the function's callers (or callees) up to `depth`. Each costs at least `threshold`, a
 * fraction of the whole. Release with call_tree_release.
 */
int call_tree_init(struct call_tree *t, const struct calls *c, size_t row, bool is_up,
		   unsigned depth, double threshold, struct err *err);
void call_tree_release(struct call_tree *t);

/* All calls from one function to another. */
struct call_pair {
	size_t from, to; /* rows of functions; from: CALLS_NONE for no caller */
	uint64_t calls;
	double cost;
	uint64_t values[STORE_MAX_COLUMNS];
};

/* All pairs, highest cost first; the caller frees the array. */
int calls_pairs(const struct calls *c, struct call_pair **pairs, size_t *count, struct err *err);

/*
 * Keep the pairs that the query shows, by the names of both functions and the files of the callee.
 * NULL: all. Returns how many are left.
 */
size_t call_pairs_choose(const struct calls *c, struct call_pair *pairs, size_t count,
			 const struct query *q);

/*
 * Hide the items that the query does not show: those that it ignores, with all below; and with a
 * focus, those without a match among them, their ancestors, and what is below. NULL: show all.
 */
void call_tree_choose(struct call_tree *t, const struct query *q);

#endif
