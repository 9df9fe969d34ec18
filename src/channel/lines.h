/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The accesses to a sample of lines, chosen by a hash; a part of channel.h, which includes it. */
#ifndef DWELL_CHANNEL_LINES_H
#define DWELL_CHANNEL_LINES_H

#include "channel/channel.h"

/*
 * `count` entries follow (STREAM_ENTRY): the accesses to lines of the sample, in program order.
 * `accesses`: all accesses of the process since the last such record, and up to this one's last
 * entry; 0: they are in a later record. `touched`: of LINES_TOUCHED_BITS bits, those that are set
 * by the lines that the process has touched so far; level_touched: by lines of the sample of one in
 * LINES_LEVEL_ONE_IN (or config.lines_one_in, if that is less). first_touches: accesses so far that
 * have set one.
 */
struct record_lines {
	struct record_header h;
	uint32_t thread, count;
	uint64_t accesses;
	uint64_t touched, level_touched, first_touches;
};

#define LINES_TOUCHED_BITS ((uint64_t)1 << 24)

/*
 * Stack distances of accesses chosen at random, each of which stands for `weight` accesses; `count`
 * entries follow: LINES_PROBE(lines, group, what). LINES_FOUND: the other lines touched since the
 * line's last touch; LINES_ENDED: at least so many were. Level 0: of all lines; level 1: accesses
 * and distances within a sample of one in LINES_LEVEL_ONE_IN lines, if config.lines_one_in is
 * larger. group: from 0 to LINES_GROUPS - 1; of level 1's lines a part of these, else by turns.
 *
 * LINES_JOINED: of the accesses known to be so far, some that have ended go on, those to lines of
 * level 1; they stand for the others from here on. LINES_MANY: one stands for LINES_LEVEL_ONE_IN.
 */
#define LINES_ENDED  0u
#define LINES_FOUND  1u
#define LINES_JOINED 2u
#define LINES_MANY   4u /* or-ed with one of these */

struct record_probes {
	struct record_header h;
	uint32_t count, weight;
	uint32_t level, reserved;
};

#define LINES_LEVELS	   2u
#define LINES_LEVEL_ONE_IN 32u

#define LINES_PROBE(lines, group, what) ((uint64_t)(lines) << 8 | (uint64_t)(group) << 3 | (what))
#define LINES_PROBE_LINES(entry)	((entry) >> 8)
#define LINES_PROBE_GROUP(entry)	((entry) >> 3 & (LINES_GROUPS - 1))
#define LINES_PROBE_WHAT(entry)		((entry)&3)
#define LINES_GROUPS			16u
/* Lines up to which probes look: the caches that they know. */
#define LINES_PROBED 1024u
/* Lines at which one in two ends, by lot. What ends elsewhere has met all that is known. */
#define LINES_LOTS_1 64u
#define LINES_LOTS_2 256u

#define LINES_FIRST_FACTOR  0x85ebca6bu
#define LINES_SECOND_FACTOR 0xc2b2ae35u

/*
 * The hash of a line's number, by which the sample is chosen: strided programs must not miss or
 * fill it. Only the high bits are good. Lines that are 2^32 apart have the same.
 */
static inline uint32_t lines_hash(uint64_t line, uint32_t seed)
{
	uint32_t x = (uint32_t)line ^ seed;

	x *= LINES_FIRST_FACTOR;
	x ^= x >> 13;
	return x * LINES_SECOND_FACTOR;
}

/* Lines whose hash is below this are the sample of one in `one_in` lines. */
static inline uint64_t lines_threshold(uint64_t one_in)
{
	return ((uint64_t)1 << 32) / one_in;
}

_Static_assert(sizeof(struct record_lines) == 48, "layout of record_lines");
_Static_assert(sizeof(struct record_probes) == 24, "layout of record_probes");

#endif
