/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which call paths the misses of one cache size belong to: a tree of functions, each with those
 * that called it below. Inlined functions count as called.
 */
#ifndef DWELL_ESTIMATE_PATHS_H
#define DWELL_ESTIMATE_PATHS_H

#include "estimate/code.h"
#include "estimate/hot.h"

/* The code at one location, called by one path. */
struct paths_cost {
	size_t location;      /* of p->locations; location_count: missing in the profile */
	int64_t path;	      /* 0: not known */
	struct hot_cost cost; /* lines watched on and met again count as samples, too */
};

/*
 * Shares of the accesses, the misses and the samples of the process, each pair of location and path
 * once: *costs is the caller's, free(). Accesses whose reuse was not seen belong to the paths on
 * which samples of the same code saw none.
 */
int paths_costs(const struct profile *p, const struct query *q, struct paths_cost **costs,
		size_t *count, struct err *err);

#define PATHS_NONE SIZE_MAX

/* A function; its parent is one that it calls. */
struct paths_node {
	const char *function;	   /* the profile's */
	size_t parent;		   /* PATHS_NONE: the access is in the function itself */
	size_t first_caller, next; /* of its callers; of those of its parent; most misses first */
	struct hot_cost all;	   /* callers included */
	struct hot_cost own;	   /* of paths that are known no farther than here */
};

struct paths {
	const struct profile *profile;
	const struct query *query;
	enum query_order order;
	const char *name; /* asked for, the caller's; or NULL */
	struct code code; /* of that name */
	struct paths_node *items;
	size_t count, room;
	size_t first;	       /* of the functions with accesses of their own, most misses first */
	struct hot_cost total; /* of the process */
	double with_path;      /* share of the samples shown whose caller is known */
};

/*
 * For a cache of size_bytes. With a name only the paths to this function
 * (or file): what was inlined into it counts as its own. A name that no sample is in is an error
 * that says what is near. Release with paths_release.
 */
int paths_init(struct paths *t, const struct profile *p, const struct query *q, const char *name,
	       struct err *err);
void paths_release(struct paths *t);

#endif
