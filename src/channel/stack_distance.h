/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RECORD_STACK_DISTANCE: of some samples the lines are counted that their thread touches until it
 * comes back: their stack distance, for lines of 1 << k bytes with k from STACK_FIRST on, all of
 * which hold one byte.
 */
#ifndef DWELL_CHANNEL_STACK_DISTANCE_H
#define DWELL_CHANNEL_STACK_DISTANCE_H

#include "channel/channel.h"

#define STACK_FIRST 5u
#define STACK_SIZES 8u
#define STACK_ALL   ((1u << STACK_SIZES) - 1)

struct record_stack_distance {
	struct record_header h;
	uint32_t window; /* of the sample */
	/*
	 * mask: bit i if the line of 1 << (STACK_FIRST + i) bytes was touched again within the
	 * window
	 */
	uint32_t sizes;
	uint64_t position; /* accesses of the process at the sampled access */
	/* accesses of the thread strictly between; 0 where it was not */
	uint64_t distance[STACK_SIZES];
	/*
	 * of that size, that these touch: other ones; some hundredths off where they are very many
	 */
	uint64_t lines[STACK_SIZES];
};

_Static_assert(sizeof(struct record_stack_distance) == 24 + 16 * STACK_SIZES,
	       "layout of record_stack_distance");

#endif
