/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reference for sampled curves: fully associative caches of several sizes
 * with random replacement, simulated exactly and side by side.
 *
 * An access that straddles lines touches each of them, lowest first; it is a
 * miss when any of them misses. Stores and loads are alike; a miss always fills.
 */
#ifndef DWELL_TESTS_RANDOM_CACHE_H
#define DWELL_TESTS_RANDOM_CACHE_H

#include <stddef.h>
#include <stdint.h>

#define RANDOM_CACHE_MAX_SIZES 32

struct random_caches;

struct random_cache_counts {
	uint64_t accesses;
	uint64_t references;			      /* lines touched, summed over the accesses */
	uint64_t distinct_lines;		      /* ever touched */
	uint64_t misses[RANDOM_CACHE_MAX_SIZES];      /* of accesses */
	uint64_t line_misses[RANDOM_CACHE_MAX_SIZES]; /* of references */
};

/* NULL when memory ran out. Sizes are multiples of line_bytes, a power of two. */
struct random_caches *random_caches_new(const uint64_t *size_bytes, size_t count,
					uint32_t line_bytes, uint64_t seed);
void random_caches_free(struct random_caches *c);

/* One access of `bytes` (0 counts as 1). Returns 0, or -1 when memory ran out. */
int random_caches_access(struct random_caches *c, uint64_t address, uint32_t bytes);

const struct random_cache_counts *random_caches_counts(const struct random_caches *c);

#endif
