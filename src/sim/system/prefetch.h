/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stride prefetcher's memory: a reference prediction table (Chen and Baer, 1995). For each
 * instruction it has the address of its last access and the stride from the previous one. Two equal
 * strides in a row predict the next address.
 */
#ifndef DWELL_SIM_SYSTEM_PREFETCH_H
#define DWELL_SIM_SYSTEM_PREFETCH_H

#include <stdint.h>

#include "sim/base/memory.h"

#define SIM_STRIDES 256u /* entries, by the low bits of the tag */

struct sim_stride {
	uint64_t address; /* of the last access */
	int64_t bytes;	  /* stride from the previous access */
	uint32_t tag;
	uint32_t repeats; /* number of repetitions of the stride */
};

struct sim_strides {
	const struct sim_memory *memory; /* NULL: not in use */
	struct sim_stride *items;
};

/* Returns 0, or -1 without memory; call sim_strides_release in both cases. */
int sim_strides_init(struct sim_strides *s, const struct sim_memory *memory);
void sim_strides_release(struct sim_strides *s);

/*
 * Learn from an access. Returns an address in the predicted line, or the given address without a
 * prediction. The predicted line is one stride away; if that is still the same line, it is the next
 * line in the stride's direction.
 */
uint64_t sim_strides_learn(struct sim_strides *s, uint32_t tag, uint64_t address,
			   unsigned line_shift);

#endif
