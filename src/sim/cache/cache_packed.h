/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LRU and FIFO in sets of up to 16 ways: entries never move, and a word holds their order. So each
 * use takes the same few dozen instructions wherever the line is, with one data-dependent branch.
 *
 * A set has 3 + ways words:
 *
 *   order     the ways by age, four bits each, the youngest in the lowest
 *   parts[2]  for each way, eight bits of its line's number, by which it is found
 *   entries[]
 *
 * Free ways are the oldest.
 */
#ifndef DWELL_SIM_CACHE_CACHE_PACKED_H
#define DWELL_SIM_CACHE_CACHE_PACKED_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/cache/cache.h"

#define SIM_PACKED_HEAD 3 /* words before the entries */
#define SIM_BYTES_1	0x0101010101010101u
#define SIM_NIBBLES_1	0x1111111111111111u

static inline uint64_t *sim_packed_set(const struct sim_cache *c, uint64_t set)
{
	return c->entries + set * (SIM_PACKED_HEAD + c->ways);
}

/* A hash of 8 bits that differs for neighbouring lines of a set, and for distant ones. */
static inline uint64_t sim_packed_part(const struct sim_cache *c, uint64_t line)
{
	uint64_t high = line >> c->part_shift;

	return (high ^ high >> 8 ^ high >> 16) & 0xff;
}

/*
 * Bytes of `word` that may equal `part`, as bits 7, 15, ...: all equal ones, and possibly some
 * above the first equal one.
 */
static inline uint64_t sim_packed_equal(uint64_t word, uint64_t part)
{
	uint64_t x = word ^ part * SIM_BYTES_1;

	return (x - SIM_BYTES_1) & ~x & SIM_BYTES_1 << 7;
}

/* The way of the line, or -1. */
static inline int sim_packed_find(const struct sim_cache *c, const uint64_t *set, uint64_t line)
{
	uint64_t part = sim_packed_part(c, line);
	/* Ways 0 to 7 at bits 0, 8, ...; 8 to 15 at bits 1, 9, ... */
	uint64_t may = sim_packed_equal(set[1], part) >> 7;

	if (c->ways > 8)
		may |= sim_packed_equal(set[2], part) >> 6;
	for (may &= c->part_mask; may != 0; may &= may - 1) {
		unsigned bit = (unsigned)__builtin_ctzll(may);
		unsigned way = bit / 8 + bit % 8 * 8;

		if (sim_entry_is(set[SIM_PACKED_HEAD + way], line))
			return (int)way;
	}
	return -1;
}

/* The order after one of its ways became the youngest. */
static inline uint64_t sim_packed_to_front(uint64_t order, unsigned way)
{
	uint64_t x = order ^ way * SIM_NIBBLES_1;
	/* The lowest set bit marks the way's nibble. */
	uint64_t found = (x - SIM_NIBBLES_1) & ~x & SIM_NIBBLES_1 << 3;
	uint64_t younger = (found ^ (found - 1)); /* the nibbles up to it */

	return (order & ~younger) | (order << 4 & younger) | way;
}

/* Register a hit. */
static inline void sim_packed_use(uint64_t *set, unsigned way)
{
	set[0] = sim_packed_to_front(set[0], way);
}

/* Replace the oldest entry, and return it. */
static inline uint64_t sim_packed_replace(struct sim_cache *c, uint64_t *set, uint64_t entry)
{
	unsigned way = set[0] >> c->oldest_shift & 15, shift = way % 8 * 8;
	uint64_t part = sim_packed_part(c, sim_entry_line(entry));
	uint64_t victim = set[SIM_PACKED_HEAD + way], *parts = &set[1 + way / 8];

	*parts = (*parts & ~((uint64_t)0xff << shift)) | part << shift;
	set[SIM_PACKED_HEAD + way] = entry;
	set[0] = sim_packed_to_front(set[0], way);
	return victim;
}

/* Like sim_by_age_reference. */
static inline bool sim_packed_reference(struct sim_cache *c, uint64_t number, uint64_t line)
{
	uint64_t *set = sim_packed_set(c, number);
	int way = sim_packed_find(c, set, line);

	if (way < 0) {
		sim_packed_replace(c, set, sim_entry_of(line, 0));
		return true;
	}
	sim_packed_use(set, (unsigned)way);
	return false;
}

#endif
