/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which lines of 64 bytes are far lines (far_lines.h): all whose slot in the filter of watches.h
 * belongs to a unit. Units are aligned runs of slots, of four kinds, so that lines of up to 4096
 * bytes are seen whole. Each kind has 1/128 of the slots, one unit in each block of equal size, so
 * that a walk through an array meets as many as it should.
 *
 *   kind                  slots  units  sees lines of up to
 *   FAR_SINGLE                1    256     64 bytes
 *   FAR_PAIR                  2    128    128
 *   FAR_EIGHT                 8     32    512
 *   FAR_PAGE                 64      4   4096
 *
 * All units count alike, whatever their size: each tells of all lines, and the mean is taken. Lines
 * of a page are mostly in use together, so that a count of lines would rest on the four pages: the
 * share of far touches was off by 35 % instead of 5 % in a program with 150 KB.
 *
 * Units are given up, never taken back: where there are too many lines, or too many accesses to a
 * unit. The others then stand for more. Pure.
 */
#ifndef DWELL_ENGINE_SAMPLE_FAR_UNITS_H
#define DWELL_ENGINE_SAMPLE_FAR_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "channel/channel.h"
#include "engine/core/layout.h"

enum far_kind { FAR_SINGLE, FAR_PAIR, FAR_EIGHT, FAR_PAGE, FAR_KINDS };

#define FAR_UNITS   420u
#define FAR_NO_UNIT UINT16_MAX
/* Index of the line sizes that matter in CHANNEL_FAR_SIZES. */
#define FAR_SIZE_32   3u
#define FAR_SIZE_64   4u
#define FAR_SIZE_4096 10u

struct far_units {
	uint16_t slot[FAR_UNITS]; /* the first one */
	bool given_up[FAR_UNITS];
	uint32_t left[FAR_KINDS];    /* units */
	uint32_t touches[FAR_UNITS]; /* in this window */
	/* of the regions of memory that fall on each slot once, one in 1 << this is watched */
	uint32_t regions_log2;
	uint64_t region_seed;
	/*
	 * Lines that a far line in a unit of the kind stands for, at each size, in units of 1 /
	 * CHANNEL_FAR_ONE; and neighbours that two neighbours in one unit stand for. 0: the kind
	 * does not see them.
	 */
	uint64_t weight[FAR_KINDS][CHANNEL_FAR_SIZES], of_two[FAR_KINDS][CHANNEL_FAR_SIZES];
};

/* log2 of the slots of a unit of the kind, and of the largest line that it sees. */
static inline uint32_t far_slots_log2(enum far_kind kind)
{
	return kind == FAR_PAGE ? 6 : kind == FAR_EIGHT ? 3 : kind == FAR_PAIR;
}

static inline enum far_kind far_kind_of(uint32_t unit)
{
	return unit < 256 ? FAR_SINGLE : unit < 384 ? FAR_PAIR : unit < 416 ? FAR_EIGHT : FAR_PAGE;
}

/* Choose the units anew. */
void far_units_choose(struct far_units *u, uint64_t *rng);
/* The unit of a line, or FAR_NO_UNIT. */
uint16_t far_units_find(const struct far_units *u, uint64_t line);
/* Half of each kind that has enough is given up; where none has, half of the regions instead. */
void far_units_halve(struct far_units *u, uint64_t *rng);
/*
 * A window of n accesses is over: gives up the busiest units where all have too many accesses.
 * Returns whether it did.
 */
bool far_units_end_window(struct far_units *u, uint64_t n);
/*
 * The slots of all units, and the other ones just before them, from which an access may reach them.
 */
void far_units_bits(const struct far_units *u, uint64_t far[WATCH_SLOTS / 64],
		    uint64_t before[WATCH_SLOTS / 64]);

#endif
