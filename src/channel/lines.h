/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The accesses to a sample of lines, chosen by a hash; a part of channel.h, which includes it. */
#ifndef DWELL_CHANNEL_LINES_H
#define DWELL_CHANNEL_LINES_H

#include "channel/channel.h"

/*
 * `count` entries follow (STREAM_ENTRY): the accesses to lines of the sample, in program order.
 * `accesses`: all accesses of the process since the last such record, and up to this one's last
 * entry; 0: they are in a later record.
 */
struct record_lines {
	struct record_header h;
	uint32_t thread, count;
	uint64_t accesses;
};

/*
 * Stack distances of accesses chosen at random, each of which stands for `weight` accesses; `count`
 * entries follow: LINES_PROBE(lines, group, is_known). is_known: the other lines touched since the
 * line's last touch; else at least so many were. Level 0: of all lines; level 1: accesses and
 * distances within a sample of one in LINES_LEVEL_ONE_IN lines, if config.lines_one_in is larger.
 * group: from 0 to LINES_GROUPS - 1; at level 1 a part of the sample's lines, else by turns.
 */
struct record_probes {
	struct record_header h;
	uint32_t count, weight;
	uint32_t level, reserved;
};

#define LINES_LEVELS	   2u
#define LINES_LEVEL_ONE_IN 32u

#define LINES_PROBE(lines, group, is_known) \
	((uint64_t)(lines) << 8 | (uint64_t)(group) << 1 | (is_known))
#define LINES_GROUPS 16u
/* Lines up to which probes look: the caches that they know. */
#define LINES_PROBED 1024u

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

_Static_assert(sizeof(struct record_lines) == 24, "layout of record_lines");
_Static_assert(sizeof(struct record_probes) == 24, "layout of record_probes");

#endif
