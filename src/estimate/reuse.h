/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data reuse (section 3.10 of Berg and Hagersten 2005): the code that touches lines again, and the
 * code that touched them before. It shows between which places data must survive in the cache.
 */
#ifndef DWELL_ESTIMATE_REUSE_H
#define DWELL_ESTIMATE_REUSE_H

#include "estimate/code.h"
#include "estimate/hot.h"

#define REUSE_BINS 65 /* distance 0, then octaves: 1, 2-3, 4-7, ... */

/* The profile owns the strings; without a file, line is 0. */
struct reuse_place {
	const char *function, *file;
	uint32_t line;
};

/* Reuses of one kind, as shares of the accesses of the process. */
struct reuse_cost {
	double accesses, misses;
	double temporal; /* accesses that touch some of the same bytes; the others are spatial */
	double far;	 /* accesses, of far reuses */
	uint64_t samples;
};

struct reuse_row {
	struct reuse_place from, to;
	struct reuse_cost cost;
};

/* Accesses by reuse distance. */
struct reuse_bin {
	double temporal, spatial;
};

struct reuse {
	const struct profile *profile;
	const struct query *query;
	const char *argument;	/* NULL: the whole program */
	struct code code;	/* of the argument */
	struct reuse_row *rows; /* most misses first; for one piece of code, most reuses first */
	size_t count;
	struct reuse_cost total;
	double cold, cold_misses; /* shares of the accesses: first touches */
	double ratio;		  /* the miss ratio of the whole process */
	struct reuse_bin bins[REUSE_BINS], beyond;
	double resolution; /* accesses; of reuses beyond, other touches in between were not seen */
};

/*
 * The reuses of the code that `argument` names: FILE:LINE, FILE or FUNCTION; NULL: all code. Rows
 * are pairs of places; for one piece of code, the places where its data was touched before. Fails,
 * with similar names, if the argument has no reuses. Release with reuse_release.
 */
int reuse_init(struct reuse *r, const struct profile *p, const struct query *q,
	       const char *argument, struct err *err);
void reuse_release(struct reuse *r);

/*
 * The rows of the code's reuses; `code` NULL: of all code, by pairs. Like reuse_init, but for the
 * shares of p->ends. Sets all but the argument and its code; count is 0 if there are none.
 */
int reuse_collect(struct reuse *r, const struct profile *p, const struct profile_share *shares,
		  const struct code *code, struct err *err);

/* Tell whether the data comes from the line itself. */
bool reuse_is_self(const struct reuse_row *row);

/* The smallest and largest distance of a bin. */
uint64_t reuse_bin_low(unsigned bin);
uint64_t reuse_bin_high(unsigned bin);

/* Mean miss probability of the reuses. */
double reuse_miss_ratio(const struct reuse_cost *cost);

#endif
