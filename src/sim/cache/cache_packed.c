/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Caches with packed orders; see cache_packed.h. */
#include "sim/cache/cache_packed.h"

#include <stddef.h>

#include "sim/cache/cache_kinds.h"

/* After the last set there is space for eight entries, as eight may be read at once. */
static uint64_t table_bytes(const struct sim_cache *c)
{
	return (c->sets * (SIM_PACKED_HEAD + c->ways) + 8) * sizeof(*c->entries);
}

static int init(struct sim_cache *c)
{
	uint64_t order = 0;

	c->entries = sim_take(c->memory, table_bytes(c));
	if (c->entries == NULL)
		return -1;
	c->part_shift = 63 - (unsigned)__builtin_clzll(c->sets);
	c->oldest_shift = 4 * (c->ways - 1);
	for (unsigned way = 0; way < c->ways; way++) {
		c->part_mask |= (uint64_t)1 << (way % 8 * 8 + way / 8);
		order = order << 4 | way; /* way 0 is the oldest: filled first */
	}
	for (uint64_t number = 0; number < c->sets; number++) {
		uint64_t *set = sim_packed_set(c, number);

		set[0] = order;
		for (unsigned way = 0; way < c->ways; way++)
			set[SIM_PACKED_HEAD + way] = SIM_NO_LINE;
	}
	return 0;
}

static void release(struct sim_cache *c)
{
	sim_give(c->memory, c->entries, table_bytes(c));
}

static uint64_t *find(struct sim_cache *c, uint64_t number, uint64_t line)
{
	uint64_t *set = sim_packed_set(c, number);
	int way = sim_packed_find(c, set, line);

	return way >= 0 ? &set[SIM_PACKED_HEAD + way] : NULL;
}

static unsigned way_of(const uint64_t *set, const uint64_t *entry)
{
	return (unsigned)(entry - set - SIM_PACKED_HEAD);
}

static void use(struct sim_cache *c, uint64_t number, uint64_t *entry)
{
	uint64_t *set = sim_packed_set(c, number);

	if (c->replacement == SIM_REPLACE_LRU)
		sim_packed_use(set, way_of(set, entry));
}

static uint64_t insert(struct sim_cache *c, uint64_t number, uint64_t entry)
{
	return sim_packed_replace(c, sim_packed_set(c, number), entry);
}

/* The way becomes the oldest: make it the youngest, then age it past all others. */
static void remove_entry(struct sim_cache *c, uint64_t number, uint64_t *entry)
{
	uint64_t *set = sim_packed_set(c, number), way = way_of(set, entry);
	uint64_t order = sim_packed_to_front(set[0], (unsigned)way);

	*entry = SIM_NO_LINE;
	set[0] = order >> 4 | way << c->oldest_shift;
}

const struct sim_cache_kind sim_cache_packed = {init, release, find, use, insert, remove_entry};
