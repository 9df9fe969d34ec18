/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first view of a profile: what ran, what it cost, how it misses, and where. */
#ifndef DWELL_ESTIMATE_SUMMARY_H
#define DWELL_ESTIMATE_SUMMARY_H

#include "estimate/data.h"
#include "estimate/hot.h"
#include "estimate/order.h"

struct summary {
	const struct profile *profile;
	const struct query *query;
	enum model_policy policy;
	uint64_t
		/* of the cache that functions, lines and data structures are ranked at */
		size_bytes;
	struct hot functions, lines;
	struct order order; /* of the lines */
	struct data data;
	/*
	 * Shares of the accesses: of the reuses that touch some of the bytes again, of those that
	 * touch other bytes of the line; the others are first touches or not resolved.
	 */
	double temporal, spatial;
	double used; /* of the bytes fetched into that cache, the share asked for; NAN: not known */
};

/* Release with summary_release; the profile must outlive it. */
int summary_init(struct summary *s, const struct profile *p, const struct query *q,
		 struct err *err);
void summary_release(struct summary *s);

/* Share of the accesses that are first touches or not resolved. */
double summary_not_reused(const struct summary *s);

/* What the run cost, as shares of its time; below 0: the profile does not tell. */
struct summary_overhead {
	double translate, scan, collector;
};

void summary_overhead(const struct profile *p, struct summary_overhead *out);

#endif
