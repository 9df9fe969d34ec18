/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the samples of a profile stand for: each access of the run touches a line again, or is the
 * first to touch it, or nothing is known of it. All views that rank code start from here.
 */
#ifndef DWELL_ESTIMATE_SHARES_H
#define DWELL_ESTIMATE_SHARES_H

#include "profile/profile.h"

/* Shares of all accesses of the process. */
struct share_part {
	double accesses;
	double misses;
};

/* A line touched again: from a sample, or from a line watched on and met in a later window. */
struct share_reuse {
	size_t begin, end; /* of p->locations; location_count: missing in the profile */
	int64_t path;	   /* of calls to the end; 0: not known */
	uint64_t distance; /* accesses; of a far one at most, the touches before it were not seen */
	struct share_part is; /* as many reuses as it stands for */
	bool far;	      /* it stands for reuses that no window is long enough to see */
	bool temporal;	      /* some of the bytes are those of the touch before; else: spatial */
};

/*
 * Over all reuses and locations, the accesses add up to 1 and the misses to the miss ratio.
 * Release with shares_release.
 */
struct shares {
	struct share_reuse *reuses;
	size_t count;
	/*
	 * By location, and at the end one that is missing: first touches, where it can be told who
	 * made them, or who arrived as the footprint grew; else what was not resolved, where its
	 * line was touched last.
	 */
	struct share_part *unresolved;
	uint64_t *samples;     /* by location: of the reuse, or of the sampled access without one */
	struct share_part far; /* the part of the reuses that are far */
	struct model_share
		*parts; /* of each sample, as the model shares misses out: nothing is far */
};

/*
 * Share out the accesses and the misses in a cache of size_bytes (StatCache, section 3.8 of Berg
 * and Hagersten 2005). Returns 0, or -1 when memory runs out; *s owns nothing then.
 */
int shares_init(struct shares *s, const struct profile *p, const struct query *q, struct err *err);
void shares_release(struct shares *s);

#endif
