/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Miss-ratio curves, of a process or a part of it. */
#ifndef DWELL_ESTIMATE_CURVE_H
#define DWELL_ESTIMATE_CURVE_H

#include "profile/profile.h"

#define CURVE_MOST 12 /* curves shown together */

struct curve_point {
	uint64_t size_bytes;
	struct model_ratio ratio;
	uint64_t misses; /* of an exact curve */
};

struct curve {
	const struct profile *profile; /* must outlive the curve */
	char *label;		       /* the part or process; NULL: a whole process */
	struct curve_point *points;
	size_t count;
	struct curve_point caches[PROFILE_CACHES]; /* of the machine; size 0: unknown */
	uint64_t samples;			   /* used samples; all accesses if exact */
	bool is_exact;	 /* every access was simulated, so there is no interval; but see one_in */
	uint64_t one_in; /* more than 1: only accesses to one in so many lines */
	uint32_t line_bytes;
	uint64_t lines; /* for an exact curve: the footprint */
	enum model_policy policy;
	uint64_t ways;		   /* lines of a set; 0: fully associative */
	const struct query *query; /* NULL for an exact curve */
};

/*
 * Compute points from low to high, both included, `per_octave` for each doubling, in whole sets of
 * the query's ways (0: fully associative, in whole lines). Release with curve_release.
 */
int curve_compute(const struct profile *p, const struct query *q, uint64_t low, uint64_t high,
		  unsigned per_octave, struct curve *out, struct err *err);
/* The selection among a profile's exact curves. */
struct curve_choice {
	bool has_policy;
	enum model_policy policy;
	uint32_t line_bytes; /* 0: all */
	uint64_t low, high;  /* bytes */
};

/*
 * The exact curves of p, at most `room`, into out[]; release each. Returns 0, or -1 with *err if
 * there are none, or more.
 */
int curve_exact(const struct profile *p, const struct curve_choice *choice, struct curve *out,
		size_t room, size_t *count, struct err *err);
void curve_release(struct curve *c);

#endif
