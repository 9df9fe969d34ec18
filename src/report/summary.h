/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first view of a profile: what ran, what it cost, how it misses, and where. */
#ifndef DWELL_REPORT_SUMMARY_H
#define DWELL_REPORT_SUMMARY_H

#include "report/data.h"
#include "report/hot.h"
#include "report/order.h"
#include "report/table.h"

struct summary {
	const struct profile *profile;
	uint64_t size_bytes; /* of the cache that functions, lines and data structures are ranked at */
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
int summary_init(struct summary *s, const struct profile *p, uint64_t size_bytes, struct err *err);
void summary_release(struct summary *s);

/* `rows`: how many functions, lines and data structures to show. */
int summary_text(const struct summary *s, size_t rows, const struct display *d, struct text *out,
		 struct err *err);

/* Sections by their first column: process, count, cache, reuse, function, line, object. All rows. */
void summary_csv(const struct summary *s, struct text *out);
int summary_json(const struct summary *s, struct text *out, struct err *err);

/* Share of the accesses that are first touches or not resolved. */
double summary_not_reused(const struct summary *s);

/* What the run cost, as shares of its time; below 0: the profile does not tell. */
struct summary_overhead {
	double translate, scan, collector;
};

void summary_overhead(const struct profile *p, struct summary_overhead *out);

/* Name of one of the machine's caches with that size, or NULL. */
const char *summary_cache_name(const struct profile *p, uint64_t size_bytes);

#endif
