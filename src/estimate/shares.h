/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The meaning of a profile's samples: each access of the run touches a line again, or is the first
 * to touch it, or is unresolved. All views that rank code use it.
 */
#ifndef DWELL_ESTIMATE_SHARES_H
#define DWELL_ESTIMATE_SHARES_H

#include "profile/profile.h"

/* Shares of all accesses of the process. */
struct share_part {
	double accesses;
	double misses;
};

/* A line touched again: from a sample, or from a long watch that was touched in a later window. */
struct share_reuse {
	size_t begin, end;    /* indexes of p->locations; location_count: missing */
	int64_t path;	      /* call path of the end; 0: unknown */
	uint64_t distance;    /* accesses; an upper bound for far ones: touches may be unseen */
	struct share_part is; /* the reuses that it represents */
	bool far;	      /* represents reuses longer than any window */
	bool temporal;	      /* touches some of the same bytes as before; otherwise spatial */
};

/*
 * Over all reuses and locations, accesses add up to 1, and misses to the miss ratio. Release with
 * shares_release.
 */
struct shares {
	struct share_reuse *reuses;
	size_t count;
	/*
	 * By location, with a missing one at the end. First touches, at the code that made them, if
	 * known, or that made window first touches as the footprint grew. Otherwise unresolved
	 * accesses, at the last touch of their line.
	 */
	struct share_part *unresolved;
	uint64_t *samples;     /* by location: reuses, or sampled accesses without one */
	struct share_part far; /* the far reuses' part */
	struct model_share
		*parts; /* of each sample, as the model attributes misses, without far reuses */
};

/*
 * Attribute the accesses and the misses in the query's cache (StatCache, section 3.8 of Berg and
 * Hagersten 2005). Returns 0, or -1 when memory runs out; then *s owns nothing.
 */
int shares_init(struct shares *s, const struct profile *p, const struct query *q, struct err *err);
void shares_release(struct shares *s);

#endif
