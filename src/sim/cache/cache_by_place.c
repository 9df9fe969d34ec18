/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random, PLRU and SRRIP: entries never move. The lowest free place is filled first. */
#include <stddef.h>

#include "sim/base/bits.h"
#include "sim/cache/cache_kinds.h"

static bool has_index(const struct sim_cache *c)
{
	return c->ways > SIM_SHORT_SET;
}

static int init(struct sim_cache *c)
{
	uint64_t lines = c->sets * c->ways;

	c->filled = sim_take(c->memory, c->sets * sizeof(*c->filled));
	if (c->replacement == SIM_REPLACE_PLRU)
		c->trees = sim_take(c->memory, c->sets * sizeof(*c->trees));
	if (sim_cache_take_entries(c) != 0 || c->filled == NULL ||
	    (c->replacement == SIM_REPLACE_PLRU && c->trees == NULL))
		return -1;
	return has_index(c) ? sim_index_init(&c->index, lines, c->memory) : 0;
}

static void release(struct sim_cache *c)
{
	sim_cache_give_entries(c);
	sim_give(c->memory, c->filled, c->sets * sizeof(*c->filled));
	sim_give(c->memory, c->trees, c->sets * sizeof(*c->trees));
	sim_index_release(&c->index);
}

static uint64_t *find(struct sim_cache *c, uint64_t set, uint64_t line)
{
	uint64_t *entry = c->entries + set * c->ways, *end = entry + c->ways;

	if (has_index(c)) {
		uint32_t place = sim_index_find(&c->index, line);

		return place != SIM_NO_PLACE ? &c->entries[place] : NULL;
	}
	for (; entry < end; entry++)
		if (sim_entry_is(*entry, line) && *entry != SIM_NO_LINE)
			return entry;
	return NULL;
}

/* ---- The choice of a victim ---- */

/*
 * The nodes of a tree with `ways` leaves are bits 1 to ways - 1 of a word. The children of node n
 * are 2n and 2n + 1. A set bit means that the older half has the higher ways.
 */
static void turn_tree(struct sim_cache *c, uint64_t set, uint32_t way)
{
	uint32_t node = c->ways + way;

	for (; node > 1; node /= 2) {
		uint64_t bit = (uint64_t)1 << (node / 2);

		if (node % 2 == 0)
			c->trees[set] |= bit;
		else
			c->trees[set] &= ~bit;
	}
}

static uint32_t tree_victim(const struct sim_cache *c, uint64_t set)
{
	uint32_t node = 1;

	while (node < c->ways)
		node = node * 2 + (c->trees[set] >> node & 1);
	return node - c->ways;
}

/*
 * The first entry that is expected back last. If there is none, all entries age until there is one.
 */
static uint32_t rrip_victim(struct sim_cache *c, uint64_t set)
{
	uint64_t *entries = c->entries + set * c->ways;
	uint32_t victim = 0;
	unsigned oldest;

	for (uint32_t way = 1; way < c->ways; way++)
		if (sim_entry_rrpv(entries[way]) > sim_entry_rrpv(entries[victim]))
			victim = way;
	oldest = sim_entry_rrpv(entries[victim]);
	for (uint32_t way = 0; way < c->ways && oldest < SIM_RRPV_MAX; way++)
		entries[way] = sim_entry_later(entries[way], SIM_RRPV_MAX - oldest);
	return victim;
}

static uint32_t free_way(const struct sim_cache *c, uint64_t set)
{
	const uint64_t *entries = c->entries + set * c->ways;
	uint32_t way = c->has_holes ? 0 : c->filled[set];

	while (entries[way] != SIM_NO_LINE)
		way++;
	return way;
}

static uint32_t choose_way(struct sim_cache *c, uint64_t set)
{
	if (c->filled[set] < c->ways)
		return free_way(c, set);
	if (c->replacement == SIM_REPLACE_PLRU)
		return tree_victim(c, set);
	if (c->replacement == SIM_REPLACE_SRRIP)
		return rrip_victim(c, set);
	return (uint32_t)sim_random_below(&c->random, c->ways);
}

/* ---- */

static void use(struct sim_cache *c, uint64_t set, uint64_t *entry)
{
	if (c->replacement == SIM_REPLACE_PLRU)
		turn_tree(c, set, (uint32_t)(entry - c->entries - set * c->ways));
}

static uint64_t insert(struct sim_cache *c, uint64_t set, uint64_t entry)
{
	uint32_t way = choose_way(c, set);
	uint64_t place = set * c->ways + way, victim = c->entries[place];

	if (victim == SIM_NO_LINE)
		c->filled[set]++;
	if (has_index(c)) {
		if (victim != SIM_NO_LINE)
			sim_index_remove(&c->index, sim_entry_line(victim));
		sim_index_add(&c->index, sim_entry_line(entry), (uint32_t)place);
	}
	if (c->replacement == SIM_REPLACE_PLRU)
		turn_tree(c, set, way);
	c->entries[place] = entry;
	return victim;
}

static void remove_entry(struct sim_cache *c, uint64_t set, uint64_t *entry)
{
	if (has_index(c))
		sim_index_remove(&c->index, sim_entry_line(*entry));
	*entry = SIM_NO_LINE;
	c->filled[set]--;
	c->has_holes = true;
}

const struct sim_cache_kind sim_cache_by_place = {init, release, find, use, insert, remove_entry};
