/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A naive reference for misses by data structure: the rules of engine/simulate/observe/bins.h, said
 * once more in the plainest way. Each cache is an array that is searched linearly, and beside it
 * stands another one, the fully associative cache; the last evictor of each line and each count is
 * a node of a binary tree of the C library.
 */
#ifndef DWELL_TESTS_WHOSE_NAIVE_BINS_H
#define DWELL_TESTS_WHOSE_NAIVE_BINS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/geometry.h"

/* As enum bin_cache numbers them: levels from the top, and the first level of code. */
#define NAIVE_FIRST_CODE SIM_MAX_LEVELS
#define NAIVE_CACHES	 (SIM_MAX_LEVELS + 1)

enum naive_kind { NAIVE_FETCH, NAIVE_LOAD, NAIVE_STORE };

struct naive_access {
	enum naive_kind kind;
	uint64_t pc, function, structure;
	uint64_t address;
	uint32_t bytes;
};

/* A count: misses of a bin, or of a function and structure with their evictor. */
struct naive_count {
	struct {
		uint64_t cache, where, structure; /* where: pc of a bin, function of an eviction */
		uint64_t evictor, evictor_structure; /* of an eviction */
		uint64_t is_eviction;
	} key;
	uint64_t missed, cold, by_self, conflicts; /* evictions: missed and conflicts alone */
};

struct naive_bins;

/* Plain caches: neither prefetchers nor inclusion. Ends the program if memory runs out. */
struct naive_bins *naive_bins_new(const struct sim_geometry *g);
void naive_bins_free(struct naive_bins *n);

void naive_bins_access(struct naive_bins *n, const struct naive_access *a);

/* All counts, in the order of their keys. */
void naive_bins_each(const struct naive_bins *n,
		     void (*each)(const struct naive_count *c, void *context), void *context);

#endif
