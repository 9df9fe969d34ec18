/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The use of the lines in a cache. */
#include "sim/cache/line_use.h"

#include <stddef.h>

#include "sim/base/bits.h"

#define PARTS_SHIFT 6 /* a word has one bit for each part */

int sim_line_use_init(struct sim_line_use *u, uint64_t lines, unsigned line_shift,
		      const struct sim_memory *memory)
{
	unsigned parts_shift = line_shift < PARTS_SHIFT ? line_shift : PARTS_SHIFT;

	/* One more record: a line is filled before another one is evicted. */
	*u = (struct sim_line_use){.memory = memory,
				   .shift = line_shift,
				   .part_shift = line_shift - parts_shift,
				   .all_parts = ~(uint64_t)0 >> (64 - (1u << parts_shift)),
				   .room = lines + 1,
				   .free_count = lines + 1};
	u->records = sim_take(memory, u->room * sizeof(*u->records));
	u->free = sim_take(memory, u->room * sizeof(*u->free));
	if (u->records == NULL || u->free == NULL)
		return -1;
	for (uint64_t i = 0; i < u->room; i++)
		u->free[i] = (uint32_t)(u->room - 1 - i);
	return sim_index_init(&u->index, u->room, memory);
}

void sim_line_use_release(struct sim_line_use *u)
{
	if (u->memory == NULL)
		return;
	sim_give(u->memory, u->records, u->room * sizeof(*u->records));
	sim_give(u->memory, u->free, u->room * sizeof(*u->free));
	sim_index_release(&u->index);
	*u = (struct sim_line_use){0};
}

void sim_line_use_begin(struct sim_line_use *u, uint64_t line, uint32_t tag)
{
	uint32_t place = u->free[--u->free_count];

	u->records[place] = (struct sim_line_record){.tag = tag};
	sim_index_add(&u->index, line, place);
}

struct sim_line_record sim_line_use_end(struct sim_line_use *u, uint64_t line)
{
	uint32_t place = sim_index_remove(&u->index, line);

	if (place == SIM_NO_PLACE)
		return (struct sim_line_record){0};
	u->free[u->free_count++] = place;
	return u->records[place];
}

struct sim_line_record *sim_line_use_find(struct sim_line_use *u, uint64_t line)
{
	uint32_t place = sim_index_find(&u->index, line);

	return place != SIM_NO_PLACE ? &u->records[place] : NULL;
}

/* The parts of the line that contain bytes first .. last, one bit each. */
static uint64_t parts_of(const struct sim_line_use *u, uint64_t line, uint64_t first, uint64_t last)
{
	uint64_t start = line << u->shift, end = start + ((uint64_t)1 << u->shift) - 1;
	uint64_t low = first > start ? (first - start) >> u->part_shift : 0;
	uint64_t high = ((last < end ? last : end) - start) >> u->part_shift;

	return ~(uint64_t)0 >> (63 - (high - low)) << low;
}

void sim_line_use_touch(struct sim_line_use *u, uint64_t line, uint64_t first, uint64_t last)
{
	struct sim_line_record *r = sim_line_use_find(u, line);

	if (r == NULL)
		return;
	r->touched |= parts_of(u, line, first, last);
	r->uses += r->uses < UINT32_MAX;
}

uint64_t sim_line_access_cost(const struct sim_line_record *r)
{
	return 1000 / (r->uses > 0 ? r->uses : 1);
}

uint64_t sim_line_bytes_lost(const struct sim_line_use *u, const struct sim_line_record *r)
{
	return (uint64_t)sim_count_bits(u->all_parts & ~r->touched) << u->part_shift;
}
