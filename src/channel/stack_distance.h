/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RECORD_STACK_DISTANCE: the stack distances of some samples, counted in the sample's own thread,
 * for the lines of 1 << k bytes around one byte, k from STACK_FIRST on.
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
	 * mask, bit i: the line of 1 << (STACK_FIRST + i) bytes was touched again in the window
	 */
	uint32_t sizes;
	uint64_t position; /* accesses of the process at the sampled access */
	/* reuse distance: accesses of the thread strictly between; 0 without a reuse */
	uint64_t distance[STACK_SIZES];
	/*
	 * other lines of this size touched between; very large numbers are off by some hundredths
	 */
	uint64_t lines[STACK_SIZES];
};

_Static_assert(sizeof(struct record_stack_distance) == 24 + 16 * STACK_SIZES,
	       "layout of record_stack_distance");

#endif
