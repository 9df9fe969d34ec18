/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact curves, and costs by data: misses of fully associative caches, with every access of a
 * process simulated. The costs by code of the same run are an event profile (events.h).
 *
 * Ownership and errors as in store.h and store_read.h.
 */
#ifndef DWELL_STORE_CURVES_H
#define DWELL_STORE_CURVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/store_read.h"

/* A point of a curve. */
struct store_curve {
	int64_t process_id;
	uint32_t line_bytes;
	const char *policy; /* "lru", "random" */
	uint64_t size_bytes;
	uint64_t accesses; /* of the process */
	uint64_t misses;
	uint64_t low, high; /* interval of 95 % of the misses; both are misses if exact */
	uint64_t lines;	    /* footprint of the process */
};

/*
 * Accesses to the blocks of a site, or at an address, in a cache of exact_size_bytes (table meta).
 */
struct store_data_cost {
	int64_t process_id;
	int64_t site_id;  /* STORE_NONE: to no known block */
	uint64_t address; /* within a variable, or of a line of memory; 0: anywhere */
	int64_t image;	  /* of the file whose data lay there; 0: no file's */
	uint64_t accesses;
	uint64_t first_touches; /* accesses that touched a line for the first time */
	/* STORE_NONE: not simulated. */
	int64_t lru_misses, random_misses;
};

int store_put_curve(struct store *s, const struct store_curve *c, struct err *err);
int store_put_data_cost(struct store *s, const struct store_data_cost *d, struct err *err);

/* Sorted by process, line size, policy ("lru" first) and cache size, ascending. */
int store_read_curves(struct store *s, int64_t process, struct store_curve **items, size_t *count,
		      struct err *err);
/* Sorted by process, then in the order of writing. */
int store_read_data_costs(struct store *s, int64_t process, struct store_data_cost **items,
			  size_t *count, struct err *err);

/* Tell whether the profile has exact curves. */
bool store_has_curves(struct store *s);

#endif
