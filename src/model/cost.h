/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of the levels of a hierarchy: misses of a level that the next one serves, times what
 * such a miss waits. First touches, which miss in caches of any size, are apart. It is an order,
 * not a time: misses overlap, and prefetchers fetch ahead.
 */
#ifndef DWELL_MODEL_COST_H
#define DWELL_MODEL_COST_H

#include <stddef.h>
#include <stdint.h>

#define COST_LEVELS 6

/*
 * Cycles an instruction from which misses are worth a look: what takes 2.5 instructions a cycle
 * becomes a fifth faster without them.
 */
#define COST_MATTERS 0.1
#define COST_SURE    0.5 /* of that: what is surely there, where the estimate is above it */

struct cost_level {
	const char *name;
	uint64_t size_bytes;
	double ratio, low, high;	  /* misses per access; equal where they are counted */
	double miss_cycles;		  /* that a miss waits for the next level; ascending */
	double least_cycles, most_cycles; /* its bounds; 0: as it is */
	double cycles; /* per instruction, of misses that the next level serves */
	/* of those and of all larger levels; and its least and most */
	double beyond, least_beyond, most_beyond;
};

enum cost_verdict {
	COST_LITTLE,  /* surely below COST_MATTERS */
	COST_REUSES,  /* above it */
	COST_FIRST,   /* first touches are above it, and surely cost more than all reuses */
	COST_UNKNOWN, /* the interval is too wide to say */
};

struct cost {
	struct cost_level levels[COST_LEVELS]; /* the smallest first */
	size_t count;
	double instructions; /* per access */
	/* First touches per access, and their bounds where misses are known better than they. */
	double cold, cold_low, cold_high;

	size_t focus;	    /* the level that costs most; `count`: there are no misses */
	double cold_cycles; /* that first touches wait, per instruction */
	enum cost_verdict verdict;
};

/*
 * From levels with the members up to miss_cycles, `instructions` and `cold` set: all the others.
 * Without levels there is no cost.
 */
void cost_solve(struct cost *c);

/* The smallest level beyond which surely no misses matter; `count`: there is none. */
size_t cost_fits(const struct cost *c);

#endif
