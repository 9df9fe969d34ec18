/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Misses by function and data structure, with their causes, as a simulation has counted them
 * (MemSpy, section 3). The causes are those of engine/simulate/whose/bins.h.
 */
#ifndef DWELL_ESTIMATE_COUNTED_BINS_H
#define DWELL_ESTIMATE_COUNTED_BINS_H

#include "base/arena.h"
#include "estimate/data.h"

/*
 * Cycles that an access waits for the cache below the first level, and for memory. They are rough:
 * the order of rows wants them. As in KCachegrind's estimate.
 */
#define BINS_CYCLES_FIRST 10
#define BINS_CYCLES_LAST  100

/* Misses in a cache. */
struct bins_misses {
	uint64_t all;
	uint64_t cold;	  /* on lines that were never in the cache before */
	uint64_t by_self; /* on lines that accesses to the same data structure evicted */
};

struct bins_row {
	const char *function; /* "[unknown]" without a name */
	const char *file;     /* of the function's code, or NULL */
	const char *data;     /* as data_row.name; "[code]" of fetches */
	struct bins_misses first, last;
	double stall; /* share of all cycles that accesses wait */
};

/* Misses on lines that were evicted before. */
struct bins_eviction {
	const char *cache; /* "L1d", "L1i", "LL" */
	const char *function, *data;
	const char *evictor_function, *evictor_data; /* NULL: none, the misses are cold */
	uint64_t misses;
	double share; /* of all misses in the cache */
};

/* What tells evictions apart. */
enum bins_by { BINS_BY_DATA, BINS_BY_FUNCTION, BINS_BY_BOTH };

struct bins {
	const struct query *query;
	struct data data;
	struct bins_row *rows; /* most stall first; those that the query shows */
	size_t count;
	uint64_t first, last;		 /* misses of the process */
	struct bins_eviction *evictions; /* by cache, most misses first */
	size_t eviction_count;
};

/*
 * The bins of a profile that profile_open_bins has opened, which must outlive them. Release with
 * bins_release. Returns -1 with *err when memory runs out.
 */
int bins_init(struct bins *b, const struct profile *p, const struct query *q, enum bins_by by,
	      struct err *err);
void bins_release(struct bins *b);

#endif
