/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first view of a profile: what ran, its cost, its misses, and their places. */
#ifndef DWELL_ESTIMATE_SUMMARY_H
#define DWELL_ESTIMATE_SUMMARY_H

#include "estimate/data.h"
#include "estimate/hot.h"
#include "estimate/order.h"
#include "estimate/own_callers.h"

struct summary {
	const struct profile *profile;
	const struct query *query;
	enum model_policy policy;
	uint64_t
		/* cache by which functions, lines and data structures are ranked */
		size_bytes;
	struct hot functions, lines;
	struct own_callers callers; /* of functions */
	struct order order;	    /* of the lines */
	struct data data;
	/*
	 * Shares of the accesses: reuses of some of the same bytes, of other bytes of the line, and
	 * first touches. The rest are reuses whose last touch is in a gap between windows.
	 */
	double temporal, spatial, cold;
	double used; /* share of the bytes fetched into that cache that are used; NAN: unknown */
};

/* Release with summary_release; the profile must outlive it. */
int summary_init(struct summary *s, const struct profile *p, const struct query *q,
		 struct err *err);
void summary_release(struct summary *s);

/* Costs of the run, as shares of its time; negative: unknown. */
struct summary_overhead {
	double translate, scan, collector;
};

void summary_overhead(const struct profile *p, struct summary_overhead *out);

#endif
