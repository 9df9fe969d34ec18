/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stride prefetcher's memory: a reference prediction table (Chen and Baer, 1995) that knows, of
 * each instruction, the address of its last access and the stride to the one before. Two
 * strides alike in a row, and the next address is foretold.
 */
#ifndef DWELL_SIM_SYSTEM_PREFETCH_H
#define DWELL_SIM_SYSTEM_PREFETCH_H

#include <stdint.h>

#include "sim/base/memory.h"

#define SIM_STRIDES 256u /* instructions remembered, by the low bits of their tag */

struct sim_stride {
	uint64_t address; /* of the last access */
	int64_t bytes;	  /* from the one before */
	uint32_t tag;
	uint32_t repeats; /* that the stride was the same */
};

struct sim_strides {
	const struct sim_memory *memory; /* NULL: not in use */
	struct sim_stride *items;
};

/* Returns 0, or -1 when memory ran out; s wants sim_strides_release in both cases. */
int sim_strides_init(struct sim_strides *s, const struct sim_memory *memory);
void sim_strides_release(struct sim_strides *s);

/*
 * Learn from an access. Returns an address in the line wanted next, or the address given where
 * nothing is foretold: one stride on, and where that is still in the same line, the line beside it
 * in the direction of the stride.
 */
uint64_t sim_strides_learn(struct sim_strides *s, uint32_t tag, uint64_t address,
			   unsigned line_shift);

#endif
