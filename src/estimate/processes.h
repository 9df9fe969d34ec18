/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All processes of a run, with their miss ratios in the machine's caches. */
#ifndef DWELL_ESTIMATE_PROCESSES_H
#define DWELL_ESTIMATE_PROCESSES_H

#include "profile/profile.h"

struct processes_row {
	const struct store_process *process;
	double share;				   /* of the run's accesses */
	struct model_ratio ratios[PROFILE_CACHES]; /* unknown if the cache's size is */
	double rank;				   /* the figure that rows are sorted by */
	bool is_unreadable;			   /* its misses are unknown */
};

struct processes {
	struct profile_cache caches[PROFILE_CACHES];
	enum query_order order;	    /* by accesses, if the query does not say */
	uint64_t ranked_bytes;	    /* of the cache whose misses decide the order; 0: none does */
	struct processes_row *rows; /* in this order, most first */
	size_t count;
	const struct query *query;
};

/*
 * Rows and strings point into `run`, a profile opened for any process, which must outlive them.
 * Release with processes_release.
 */
int processes_init(struct processes *s, const struct profile *run, const struct query *q,
		   struct err *err);
void processes_release(struct processes *s);

#endif
