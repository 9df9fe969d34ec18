/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Caches that keep entries by age; see cache_by_age.h. Free places are at the end. */
#include "sim/cache/cache_by_age.h"

#include <stddef.h>

#include "sim/cache/cache_kinds.h"

static uint64_t *find(struct sim_cache *c, uint64_t set, uint64_t line)
{
	uint64_t *entry = c->entries + set * c->ways, *end = entry + c->ways;

	for (; entry < end; entry++)
		if (sim_entry_is(*entry, line))
			return entry;
	return NULL;
}

/* Put an entry in front. The entries up to `last` move one place, and `last` is returned. */
static uint64_t put_first(uint64_t *entry, const uint64_t *last, uint64_t first)
{
	uint64_t moved = first;

	for (; entry <= last; entry++) {
		uint64_t next = *entry;

		*entry = moved;
		moved = next;
	}
	return moved;
}

static void use(struct sim_cache *c, uint64_t set, uint64_t *entry)
{
	if (c->replacement == SIM_REPLACE_LRU)
		put_first(c->entries + set * c->ways, entry, *entry);
}

static uint64_t insert(struct sim_cache *c, uint64_t set, uint64_t entry)
{
	uint64_t *first = c->entries + set * c->ways;

	return put_first(first, first + c->ways - 1, entry);
}

static void remove_entry(struct sim_cache *c, uint64_t set, uint64_t *entry)
{
	const uint64_t *last = c->entries + (set + 1) * c->ways - 1;

	for (; entry < last; entry++)
		entry[0] = entry[1];
	*entry = SIM_NO_LINE;
}

const struct sim_cache_kind sim_cache_by_age = {
	sim_cache_take_entries, sim_cache_give_entries, find, use, insert, remove_entry};
