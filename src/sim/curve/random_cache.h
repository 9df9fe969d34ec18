/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fully associative caches of several sizes with random replacement, simulated exactly, side by
 * side. Misses fill a cache until it is full, then replace a random line, each with the same
 * probability (StatCache's cache, Berg and Hagersten 2005). Loads and stores are alike.
 */
#ifndef DWELL_SIM_CURVE_RANDOM_CACHE_H
#define DWELL_SIM_CURVE_RANDOM_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/memory.h"

#define SIM_RANDOM_MAX_SIZES 64

struct sim_random_line {
	uint64_t number;
	uint64_t present; /* bit i: it is in cache i */
};

struct sim_random_members {
	uint32_t *items; /* indices into lines */
	uint64_t room;	 /* items with memory */
	uint64_t used;
	uint64_t lines; /* size of the cache */
};

struct sim_random {
	const struct sim_memory *memory;
	struct sim_random_members caches[SIM_RANDOM_MAX_SIZES];
	unsigned count;
	uint64_t all;	/* bits of all caches */
	uint64_t state; /* of the random numbers */
	struct sim_random_line *lines;
	uint64_t line_room, line_count;
	uint32_t *table; /* index + 1 of lines, by hash, at most half full */
	uint64_t places;
	uint64_t newest; /* the last touched line: it is in all caches */
	bool failed;	 /* memory ran out */
};

/*
 * Caches of size_lines[0..count-1] lines each, at least 1; count is at most SIM_RANDOM_MAX_SIZES.
 * Returns 0, or -1 when memory ran out; release r in both cases.
 */
int sim_random_init(struct sim_random *r, const uint64_t *size_lines, unsigned count, uint64_t seed,
		    const struct sim_memory *memory);
void sim_random_release(struct sim_random *r);

/* Touch a line (a number below 2^63). Returns one bit for each cache that missed. */
uint64_t sim_random_touch(struct sim_random *r, uint64_t line);

/* Prefetch the line's entry; call it some touches earlier. */
void sim_random_prefetch(const struct sim_random *r, uint64_t line);

#endif
