/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stack distances: for each touch of a line, the number of distinct other lines touched since its
 * previous touch (Mattson, Gecsei, Slutz, Traiger, 1970). A fully associative LRU cache of L lines
 * misses exactly if the distance is at least L, so one pass answers all sizes.
 *
 * Memory grows with the number of distinct lines, 33 to 66 bytes each (half as much again while the
 * table grows), not with the length of the run: slots of time are renumbered when they run out.
 */
#ifndef DWELL_SIM_CURVE_LRU_STACK_H
#define DWELL_SIM_CURVE_LRU_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/memory.h"

#define SIM_FIRST_TOUCH UINT64_MAX /* a distance larger than any other */

struct sim_lru_line {
	uint64_t key;  /* line's number + 1; 0: free */
	uint64_t time; /* slot of its last touch */
};

struct sim_lru {
	const struct sim_memory *memory;
	struct sim_lru_line *table; /* by hash, linear probing, at most half full */
	uint64_t places;
	uint64_t lines;	 /* distinct lines so far */
	uint64_t *live;	 /* a bit per slot: it is some line's last touch */
	uint32_t *tree;	 /* Fenwick tree over the live bits of all closed words */
	uint64_t slots;	 /* a multiple of 64 */
	uint64_t now;	 /* the next slot */
	uint64_t newest; /* key of the last touched line */
	bool failed;	 /* memory ran out: distances are invalid */
};

/* Returns 0, or -1 when memory ran out; release s in both cases. */
int sim_lru_init(struct sim_lru *s, const struct sim_memory *memory);
void sim_lru_release(struct sim_lru *s);

/* Touch a line (a number below 2^63). Returns the stack distance, or SIM_FIRST_TOUCH. */
uint64_t sim_lru_touch(struct sim_lru *s, uint64_t line);

/*
 * Forget all lines for which `is_kept` is false: as if they had never been touched. Sets s->failed
 * when memory ran out.
 */
void sim_lru_keep(struct sim_lru *s, bool (*is_kept)(void *context, uint64_t line), void *context);

/* Prefetch the line's entry; call it some touches earlier. */
void sim_lru_prefetch(const struct sim_lru *s, uint64_t line);

#endif
