/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For the filter variant: which accesses of a segment are checked together, and the time of each.
 *
 * A run is a sequence of accesses relative to one value of one register, all within the bytes of a
 * line. (Known moves of the stack pointer are allowed.) If the addresses are aligned, all bytes lie
 * on the line of the lowest one or that of the highest one. So if these two lines are in the cache,
 * all accesses hit, and only the times of the two lines change. The two are never in one set, so
 * one time suffices. If one is missing, or an address is unaligned, the accesses are checked one by
 * one.
 *
 * One time also suffices for neighbouring accesses whose lines are the same or in different sets.
 *
 * Where each access needs a time of its own (filter_conflicts.h) there are no runs.
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_RUNS_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_RUNS_H

#include "engine/decode/decode.h"

#define FILTER_RUN_LEAST     3u /* accesses: checking two one by one costs no more */
#define FILTER_MOST_INSNS    40u
#define FILTER_MOST_ACCESSES (FILTER_MOST_INSNS * MAX_MEM_OPS)

struct filter_run {
	uint8_t first, members; /* first access, by its number in the segment; number of accesses */
	uint8_t size;		/* of the largest access */
	bool dirties;		/* both lines; with marks_stores only */
	bool low_is_last;	/* with tells_pages: its low line is younger, if they are two */
	/*
	 * The run begins elsewhere, and if the high line is missing, it matters that the low one
	 * has not been touched yet: the page of either may leave the TLB then; and an inclusive
	 * level may take the low line out before it is dirty.
	 */
	bool low_waits;
	/*
	 * the lowest and the highest byte, relative to the base register before the first access's
	 * instruction
	 */
	int64_t low, high;
};

struct filter_plan {
	uint32_t runs; /* in order of their accesses */
	struct filter_run run[FILTER_MOST_ACCESSES / FILTER_RUN_LEAST];
	/* by access: half ticks of the clock since the segment's beginning */
	uint8_t time[FILTER_MOST_ACCESSES];
	/* by access: how far the stack pointer has moved before it */
	int64_t moved[FILTER_MOST_ACCESSES];
};

struct filter_rules {
	/* the distance of two neighbouring lines of a set; 0: each access needs its own time */
	uint64_t set_bytes;
	bool splits_lines; /* a run ends where code is fetched from another line */
	/*
	 * Code marks lines that are stored to. A run of loads and stores is possible if its lowest
	 * and its highest byte are stored to: then both lines are.
	 */
	bool marks_stores;
	/*
	 * Accesses to two pages, the higher one first, have different times. A run ends with its
	 * lowest or highest byte, so that it is known which line is younger.
	 */
	bool tells_pages;
	bool splits_insns; /* of several accesses of an instruction none is a member */
	bool one_by_one;   /* there are no runs */
	bool stores_leave; /* no store is a member */
};

/* Plan the accesses of in[0..n). */
void filter_plan_accesses(struct filter_plan *p, const struct insn *in, uint32_t n,
			  const struct filter_rules *rules);

#endif
