/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The misses in a cache of one size by call path: a tree of functions, each with its callers below.
 * Inlined functions count as called.
 */
#ifndef DWELL_ESTIMATE_PATHS_H
#define DWELL_ESTIMATE_PATHS_H

#include "estimate/code.h"
#include "estimate/hot.h"

/* The code of one location on one call path. */
struct paths_cost {
	size_t location;      /* index in p->locations; location_count: missing */
	int64_t path;	      /* 0: unknown */
	struct hot_cost cost; /* far reuses also count as samples */
};

/*
 * Shares of the accesses, misses and samples of the process, for each pair of location and path. A
 * location's share without a path is divided among its paths. The caller frees *costs.
 */
int paths_costs(const struct profile *p, const struct query *q, struct paths_cost **costs,
		size_t *count, struct err *err);
/* The same for the shares of p->ends. */
int paths_costs_of(const struct profile *p, const struct profile_share *shares,
		   struct paths_cost **costs, size_t *count, struct err *err);

#define PATHS_NONE SIZE_MAX

/* A function; its parent is a function that it calls. */
struct paths_node {
	const char *function;	   /* the profile's */
	size_t parent;		   /* PATHS_NONE: the function makes the accesses itself */
	size_t first_caller, next; /* of its callers; of its parent's; most misses first */
	struct hot_cost all;	   /* including callers */
	struct hot_cost own;	   /* of paths that end here */
};

struct paths {
	const struct profile *profile;
	const struct query *query;
	enum query_order order;
	const char *name; /* the requested name, owned by the caller; or NULL */
	struct code code; /* of that name */
	struct paths_node *items;
	size_t count, room;
	size_t first;	       /* first function with its own accesses, most misses first */
	struct hot_cost total; /* of the process */
	double with_path;      /* share of the samples shown with a known caller */
};

/*
 * For the query's cache. With a name, only paths to this function or file; code inlined into it
 * counts as its own. Fails, with similar names, if the name has no samples. Release with
 * paths_release.
 */
int paths_init(struct paths *t, const struct profile *p, const struct query *q, const char *name,
	       struct err *err);
void paths_release(struct paths *t);

#endif
