/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by all kinds of caches: their memory, and the tables of the filter. */
#include "sim/cache/cache.h"

#include <stddef.h>

#include "sim/cache/cache_kinds.h"
#include "sim/cache/cache_packed.h"

#define RRPV_NEW 2u /* a new line is expected back late, but not last */

static const struct sim_cache_kind *choose_kind(const struct sim_cache *c, bool is_packed)
{
	if (c->replacement != SIM_REPLACE_LRU && c->replacement != SIM_REPLACE_FIFO)
		return &sim_cache_by_place;
	if (c->ways > SIM_SHORT_WAYS)
		return &sim_cache_by_list;
	return c->sets * c->ways > SIM_SMALL && !is_packed ? &sim_cache_by_age : &sim_cache_packed;
}

int sim_cache_init(struct sim_cache *c, const struct sim_cache_geometry *g,
		   const struct sim_memory *memory)
{
	uint64_t lines = g->size_bytes / g->line_bytes;

	*c = (struct sim_cache){.memory = memory,
				.ways = g->ways > 0 ? g->ways : (uint32_t)lines,
				.shift = (unsigned)__builtin_ctz(g->line_bytes),
				.replacement = g->replacement,
				.random = g->seed * 2 + 1};
	c->sets = lines / c->ways;
	c->set_mask = c->sets - 1;
	if ((c->sets & c->set_mask) != 0)
		c->set_magic = UINT64_MAX / c->sets + 1;
	c->kind = choose_kind(c, g->is_packed);
	c->is_by_age = c->kind == &sim_cache_by_age;
	return c->kind->init(c);
}

int sim_cache_take_entries(struct sim_cache *c)
{
	uint64_t lines = c->sets * c->ways;

	c->entries = sim_take(c->memory, lines * sizeof(*c->entries));
	for (uint64_t i = 0; i < lines && c->entries != NULL; i++)
		c->entries[i] = SIM_NO_LINE;
	return c->entries != NULL ? 0 : -1;
}

void sim_cache_give_entries(struct sim_cache *c)
{
	sim_give(c->memory, c->entries, c->sets * c->ways * sizeof(*c->entries));
}

static void give_table(struct sim_cache *c, uint64_t *table)
{
	sim_give(c->memory, table, c->sets * sizeof(*table));
}

void sim_cache_release(struct sim_cache *c)
{
	if (c->memory == NULL)
		return;
	c->kind->release(c);
	if (c->noop_stores != c->noop_loads)
		give_table(c, c->noop_stores);
	give_table(c, c->noop_loads);
	*c = (struct sim_cache){0};
}

int sim_cache_watch(struct sim_cache *c, enum sim_noop_stores stores)
{
	c->stores = stores;
	c->noop_loads = sim_take(c->memory, c->sets * sizeof(*c->noop_loads));
	c->noop_stores = c->noop_loads;
	if (stores != SIM_STORES_AS_LOADS)
		c->noop_stores = sim_take(c->memory, c->sets * sizeof(*c->noop_stores));
	if (c->noop_loads == NULL || c->noop_stores == NULL)
		return -1;
	for (uint64_t set = 0; set < c->sets; set++)
		c->noop_loads[set] = c->noop_stores[set] = SIM_NO_LINE;
	return 0;
}

/*
 * An entry was used: tell the filter whether its next access is no-op. With SRRIP it is not for a
 * new line: that access makes the line expected back soon.
 */
static void note_use(struct sim_cache *c, uint64_t set, uint64_t entry)
{
	bool is_noop = !sim_entry_has(entry, SIM_PREFETCHED) && sim_entry_rrpv(entry) == 0;
	uint64_t line = is_noop ? sim_entry_line(entry) : SIM_NO_LINE;

	c->noop_loads[set] = line;
	if (c->stores == SIM_STORES_ONCE_DIRTY)
		c->noop_stores[set] = sim_entry_has(entry, SIM_DIRTY) ? line : SIM_NO_LINE;
}

uint64_t sim_cache_use(struct sim_cache *c, uint64_t line, unsigned flags)
{
	uint64_t set = sim_cache_set(c, line), was, now;
	uint64_t *entry = c->kind->find(c, set, line);

	if (entry == NULL)
		return SIM_NO_LINE;
	was = *entry;
	now = sim_entry_used(was, flags);
	*entry = now;
	c->kind->use(c, set, entry);
	if (c->noop_loads != NULL)
		note_use(c, set, now);
	return was;
}

uint64_t sim_cache_insert(struct sim_cache *c, uint64_t line, unsigned flags)
{
	uint64_t set = sim_cache_set(c, line);
	uint64_t entry = sim_entry_of(line, flags), victim;

	if (c->replacement == SIM_REPLACE_SRRIP)
		entry = sim_entry_later(entry, RRPV_NEW);
	victim = c->kind->insert(c, set, entry);
	if (c->noop_loads != NULL)
		note_use(c, set, entry);
	return victim;
}

/* The filter's tables may hold line numbers with all bits. */
static bool is_same(uint64_t noop, uint64_t line)
{
	return (noop & SIM_ENTRY_LINES) == line;
}

uint64_t sim_cache_remove(struct sim_cache *c, uint64_t line)
{
	uint64_t set = sim_cache_set(c, line), was;
	uint64_t *entry = c->kind->find(c, set, line);

	if (entry == NULL)
		return SIM_NO_LINE;
	was = *entry;
	c->kind->remove(c, set, entry);
	if (c->noop_loads != NULL && is_same(c->noop_loads[set], line))
		c->noop_loads[set] = SIM_NO_LINE;
	if (c->noop_loads != NULL && is_same(c->noop_stores[set], line))
		c->noop_stores[set] = SIM_NO_LINE;
	return was;
}

uint64_t sim_cache_mark(struct sim_cache *c, uint64_t line, unsigned flags)
{
	uint64_t *entry = c->kind->find(c, sim_cache_set(c, line), line);
	uint64_t was;

	if (entry == NULL)
		return SIM_NO_LINE;
	was = *entry;
	*entry |= flags;
	return was;
}

void sim_cache_ask(const struct sim_cache *c, uint64_t line)
{
	const uint32_t words = c->ways + (c->kind == &sim_cache_packed ? SIM_PACKED_HEAD : 0);
	const uint64_t *set = c->entries + sim_cache_set(c, line) * words;

	for (uint32_t i = 0; c->entries != NULL && i < words && i < SIM_SHORT_SET; i += 8)
		__builtin_prefetch(set + i, 1);
}

bool sim_cache_holds(struct sim_cache *c, uint64_t line)
{
	return c->kind->find(c, sim_cache_set(c, line), line) != NULL;
}
