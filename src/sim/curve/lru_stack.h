/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stack distances: for each touch of a line, the number of distinct other lines touched since the
 * touch before (Mattson, Gecsei, Slutz, Traiger, 1970). A fully associative LRU cache of L lines
 * misses exactly where the distance is L or more, so that one pass answers all sizes.
 *
 * Memory grows with the number of distinct lines, 33 to 66 bytes for each (half as much again while
 * the table grows), not with the length of the run: time is counted in slots, which are
 * numbered anew when they run out.
 */
#ifndef DWELL_SIM_CURVE_LRU_STACK_H
#define DWELL_SIM_CURVE_LRU_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/memory.h"

#define SIM_FIRST_TOUCH UINT64_MAX /* a distance: farther than any */

struct sim_lru_line {
	uint64_t key;  /* the line's number + 1; 0: a free place */
	uint64_t time; /* slot of its last touch */
};

struct sim_lru {
	const struct sim_memory *memory;
	struct sim_lru_line *table; /* by hash, linear probing, at most half full */
	uint64_t places;
	uint64_t lines;	 /* distinct, so far */
	uint64_t *live;	 /* a bit per slot: it is the last touch of some line */
	uint32_t *tree;	 /* Fenwick's, over the live bits of the words that time has passed */
	uint64_t slots;	 /* a multiple of 64 */
	uint64_t now;	 /* the next slot */
	uint64_t newest; /* key of the line that was touched last */
	bool failed;	 /* memory ran out: distances mean nothing any more */
};

/* Returns 0, or -1 when memory ran out; s wants sim_lru_release in both cases. */
int sim_lru_init(struct sim_lru *s, const struct sim_memory *memory);
void sim_lru_release(struct sim_lru *s);

/* Touch a line (a number below 2^63). Returns the stack distance, or SIM_FIRST_TOUCH. */
uint64_t sim_lru_touch(struct sim_lru *s, uint64_t line);

/* Prefetch the line's entry; call it some touches before its own. */
void sim_lru_prefetch(const struct sim_lru *s, uint64_t line);

#endif
