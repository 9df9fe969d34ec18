/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LRU and FIFO in long sets: a set is a ring of its places by age, and of its head, between the
 * youngest and the oldest. Free places are the oldest.
 */
#include <stddef.h>

#include "sim/cache/cache_kinds.h"

static uint64_t ring_bytes(const struct sim_cache *c)
{
	return (c->sets * c->ways + c->sets) * sizeof(*c->older);
}

static uint32_t head_of(const struct sim_cache *c, uint64_t set)
{
	return (uint32_t)(c->sets * c->ways + set);
}

static void unlink_place(struct sim_cache *c, uint32_t place)
{
	c->older[c->younger[place]] = c->older[place];
	c->younger[c->older[place]] = c->younger[place];
}

/* Link a place after a younger one. */
static void link_after(struct sim_cache *c, uint32_t place, uint32_t younger)
{
	uint32_t older = c->older[younger];

	c->younger[place] = younger;
	c->older[place] = older;
	c->older[younger] = place;
	c->younger[older] = place;
}

static int init(struct sim_cache *c)
{
	c->older = sim_take(c->memory, ring_bytes(c));
	c->younger = sim_take(c->memory, ring_bytes(c));
	if (sim_cache_take_entries(c) != 0 || c->older == NULL || c->younger == NULL ||
	    sim_index_init(&c->index, c->sets * c->ways, c->memory) != 0)
		return -1;
	for (uint64_t set = 0; set < c->sets; set++) {
		uint32_t head = head_of(c, set);

		c->older[head] = c->younger[head] = head;
		for (uint32_t way = 0; way < c->ways; way++)
			link_after(c, (uint32_t)(set * c->ways + way), head);
	}
	return 0;
}

static void release(struct sim_cache *c)
{
	sim_cache_give_entries(c);
	sim_give(c->memory, c->older, ring_bytes(c));
	sim_give(c->memory, c->younger, ring_bytes(c));
	sim_index_release(&c->index);
}

static uint64_t *find(struct sim_cache *c, uint64_t set, uint64_t line)
{
	uint32_t place = sim_index_find(&c->index, line);

	(void)set;
	return place != SIM_NO_PLACE ? &c->entries[place] : NULL;
}

static void use(struct sim_cache *c, uint64_t set, uint64_t *entry)
{
	uint32_t place = (uint32_t)(entry - c->entries);

	if (c->replacement == SIM_REPLACE_LRU) {
		unlink_place(c, place);
		link_after(c, place, head_of(c, set));
	}
}

static uint64_t insert(struct sim_cache *c, uint64_t set, uint64_t entry)
{
	uint32_t head = head_of(c, set), place = c->younger[head];
	uint64_t victim = c->entries[place];

	if (victim != SIM_NO_LINE)
		sim_index_remove(&c->index, sim_entry_line(victim));
	sim_index_add(&c->index, sim_entry_line(entry), place);
	c->entries[place] = entry;
	unlink_place(c, place);
	link_after(c, place, head);
	return victim;
}

static void remove_entry(struct sim_cache *c, uint64_t set, uint64_t *entry)
{
	uint32_t place = (uint32_t)(entry - c->entries);

	sim_index_remove(&c->index, sim_entry_line(*entry));
	*entry = SIM_NO_LINE;
	unlink_place(c, place);
	link_after(c, place, c->younger[head_of(c, set)]);
}

const struct sim_cache_kind sim_cache_by_list = {init, release, find, use, insert, remove_entry};
