/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For the filter variant: which accesses of a segment can be looked at together, and when each
 * happens.
 *
 * A run is of accesses that follow each other, relative to one register with one value (the stack
 * pointer may be moved by numbers that are known), all within the bytes of a line. If their
 * addresses are aligned no byte of them lies elsewhere than on the line of the lowest one and on
 * that of the highest one. So if these two lines are in the cache all accesses of the run hit, and
 * nothing but the time of the two changes; they are never of one set, so that one time will do. If
 * they are not, or something is not aligned, the accesses are looked at one by one.
 *
 * One time will do as well for neighbours whose lines are not of one set, or are the same one.
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_RUNS_H
#define DWELL_ENGINE_SIMULATE_FILTER_RUNS_H

#include "engine/decode/decode.h"

#define FILTER_RUN_LEAST     3u /* accesses: looking at two alone costs as much */
#define FILTER_MOST_INSNS    40u
#define FILTER_MOST_ACCESSES (FILTER_MOST_INSNS * MAX_MEM_OPS)

struct filter_run {
	uint8_t first, members; /* accesses, by their number in the segment */
	uint8_t size;		/* of the largest of them */
	/*
	 * From the base register in front of the first one's instruction: the lowest and the
	 * highest byte.
	 */
	int64_t low, high;
};

struct filter_plan {
	uint32_t runs; /* in the order of their accesses */
	struct filter_run run[FILTER_MOST_ACCESSES / FILTER_RUN_LEAST];
	/* of each access: ticks of the clock since the segment began */
	uint8_t time[FILTER_MOST_ACCESSES];
	/* what the stack pointer has been moved by up to there */
	int64_t moved[FILTER_MOST_ACCESSES];
};

/*
 * Of in[0..n). set_bytes: between the first bytes of two neighbouring lines of a set. splits_lines:
 * a run must not go on where code is fetched from another line.
 */
void filter_plan_accesses(struct filter_plan *p, const struct insn *in, uint32_t n,
			  uint64_t set_bytes, bool splits_lines);

#endif
