/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact miss-ratio curves of fully associative caches with one line size: LRU by stack distances,
 * for all sizes in one pass; and random replacement, with a simulation for each size.
 *
 * Rules. An access touches each line that contains one of its bytes, lowest first, and is a miss if
 * one of them misses. Loads and stores are alike. A miss always fills; a first touch is a miss. The
 * caches begin empty.
 */
#ifndef DWELL_SIM_CURVE_CURVE_H
#define DWELL_SIM_CURVE_CURVE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/memory.h"
#include "sim/curve/lru_stack.h"
#include "sim/curve/random_cache.h"

enum sim_policy {
	SIM_RANDOM = 0,
	SIM_LRU = 1,
	SIM_POLICIES,
};

struct sim_curve_config {
	uint32_t line_bytes;	     /* a power of two */
	const uint64_t *size_lines;  /* ascending, in lines, at least 1; copied */
	unsigned size_count;	     /* at most SIM_RANDOM_MAX_SIZES with random replacement */
	bool policies[SIM_POLICIES]; /* which to simulate */
	uint64_t seed;		     /* of random replacement */
};

/* Of a policy: misses[k] in the cache of size k. */
struct sim_misses {
	uint64_t *accesses; /* accesses that missed */
	uint64_t *touches;  /* touches of lines that missed */
};

struct sim_curve {
	const struct sim_memory *memory;
	bool policies[SIM_POLICIES];
	unsigned line_shift;
	unsigned size_count;
	uint64_t *size_lines;
	unsigned octave[64];			/* the first size of at least 2^i lines */
	uint64_t *storage;			/* size_lines and the counts */
	struct sim_misses misses[SIM_POLICIES]; /* LRU: see sim_curve_sum */
	uint64_t accesses, touches;
	uint64_t first_accesses; /* accesses that touched a line for the first time */
	struct sim_lru lru;
	struct sim_random random;
	bool is_summed;
};

/* The outcome of one access. */
struct sim_outcome {
	bool is_first;	 /* it touched a line for the first time */
	unsigned lru;	 /* it missed in caches of sizes below this index */
	uint64_t random; /* one bit for each size in which it missed */
};

/* Returns 0, or -1 without memory; call sim_curve_release in both cases. */
int sim_curve_init(struct sim_curve *c, const struct sim_curve_config *config,
		   const struct sim_memory *memory);
void sim_curve_release(struct sim_curve *c);

/* One access of `bytes` (0 counts as 1) at an address below 2^62. */
struct sim_outcome sim_curve_access(struct sim_curve *c, uint64_t address, uint32_t bytes);

/* Prefetch data for an access; call it some accesses earlier. */
void sim_curve_prefetch(const struct sim_curve *c, uint64_t address);

/* The end: afterwards c->misses holds the misses of all policies, and no access may follow. */
void sim_curve_sum(struct sim_curve *c);

/* Tell whether memory ran out: then the counts are invalid. */
bool sim_curve_failed(const struct sim_curve *c);

#endif
