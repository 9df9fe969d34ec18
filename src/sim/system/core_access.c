/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses of a core, and their short path. The short path is for caches that are all LRU with up
 * to 16 ways, neither inclusive nor exclusive, write-back, without prefetchers and TLBs, and
 * without counts of dirty lines and line use. Everything else takes the long path, walk.c.
 */
#include "sim/system/core.h"

#include <stddef.h>

#include "sim/cache/cache_by_age.h"
#include "sim/cache/cache_packed.h"
#include "sim/system/walk.h"

static bool is_simple_cache(const struct sim_cache *c)
{
	return c->replacement == SIM_REPLACE_LRU && c->ways <= SIM_SHORT_WAYS;
}

static bool reference_line(struct sim_cache *c, uint64_t line)
{
	uint64_t set;

	if (!is_simple_cache(c)) {
		line &= SIM_ENTRY_LINES;
		if (sim_cache_use(c, line, 0) != SIM_NO_LINE)
			return false;
		sim_cache_insert(c, line, 0);
		return true;
	}
	set = sim_cache_set(c, line);
	if (c->noop_loads != NULL)
		c->noop_loads[set] = line;
	return c->is_by_age ? sim_by_age_reference(c, set, line)
			    : sim_packed_reference(c, set, line);
}

/* Touches both lines, whether or not the first one missed. */
static bool reference(struct sim_cache *c, uint64_t first, uint64_t last)
{
	uint64_t line = first >> c->shift, end = last >> c->shift;
	bool missed = reference_line(c, line);

	if (end != line)
		missed |= reference_line(c, end);
	return missed;
}

/*
 * The short path below the first level, which missed: the core's other levels, then shared ones.
 * column: 0 fetch, 1 load, 2 store. Not inlined, so that hits need fewer registers.
 */
__attribute__((noinline)) static bool go_down(struct sim_core *c, unsigned column, uint64_t first,
					      uint64_t last, uint64_t events[])
{
	const struct sim_shared *s = c->shared;
	const uint8_t *event = &s->list.index[SIM_MISSES + column];
	unsigned level = 0;

	do {
		events[*event]++;
		event += 3;
	} while (++level < s->geometry.level_count &&
		 reference(&c->levels[level]->cache, first, last));
	return true;
}

static uint64_t last_byte(const struct sim_core *c, uint64_t address, uint32_t bytes)
{
	uint32_t most = c->shared->most_bytes;

	return address + (bytes < most ? bytes : most) - 1;
}

static const unsigned columns[] = {
	[SIM_LOAD] = 1, [SIM_STORE] = 2, [SIM_MODIFY] = 1, [SIM_FETCH] = 0};

__attribute__((noinline)) static bool give_any(struct sim_core *c, unsigned slot, uint64_t address,
					       uint32_t bytes, enum sim_access kind,
					       uint64_t events[])
{
	uint64_t last = last_byte(c, address, bytes);

	if (slot == SIM_CODE_SLOT && !c->shared->has_fetches)
		return false;
	if (!c->shared->is_simple)
		return sim_walk(c, address, last, kind, events);
	if (!reference(&c->own[slot].cache, address, last))
		return false;
	return go_down(c, columns[kind], address, last, events);
}

/* The access missed in its first level, which is packed. */
__attribute__((noinline)) static bool give_missed(struct sim_core *c, unsigned slot,
						  uint64_t address, uint32_t bytes,
						  enum sim_access kind, uint64_t events[])
{
	struct sim_cache *cache = &c->own[slot].cache;
	uint64_t line = address >> cache->shift, set = line & cache->set_mask;

	cache->noop_loads[set] = line;
	sim_packed_replace(cache, sim_packed_set(cache, set), sim_entry_of(line, 0));
	return go_down(c, columns[kind], address, last_byte(c, address, bytes), events);
}

/* Tell whether a hit on an entry changes more than the order of its set. */
static inline bool has_consequences(const struct sim_cache *c, uint64_t entry, enum sim_access kind)
{
	if (sim_entry_has(entry, SIM_PREFETCHED))
		return true;
	if (kind == SIM_LOAD || kind == SIM_FETCH || c->stores == SIM_STORES_AS_LOADS)
		return false;
	return c->stores == SIM_STORES_NEVER || !sim_entry_has(entry, SIM_DIRTY);
}

/*
 * By far most accesses here hit one line of a packed LRU first level, and change only the order of
 * its set. This path is short, and the others are in separate functions, so that it needs few
 * registers.
 */
static inline bool give(struct sim_core *c, unsigned slot, uint64_t address, uint32_t bytes,
			enum sim_access kind, uint64_t events[])
{
	struct sim_cache *cache = &c->own[slot].cache;
	uint64_t line = address >> cache->shift, number = line & cache->set_mask, *set;
	int way;

	if (sim_core_is_use(c, slot, address, bytes, kind)) {
		sim_core_use(c, slot, address, last_byte(c, address, bytes), 1);
		return false;
	}
	if (!c->own[slot].has_quick || (address + bytes - 1) >> cache->shift != line ||
	    !sim_is_in_plain_page(c, address, kind))
		return give_any(c, slot, address, bytes, kind, events);
	set = sim_packed_set(cache, number);
	way = sim_packed_find(cache, set, line);
	if (way < 0 && c->shared->is_simple)
		return give_missed(c, slot, address, bytes, kind, events);
	if (way < 0 || has_consequences(cache, set[SIM_PACKED_HEAD + way], kind))
		return give_any(c, slot, address, bytes, kind, events);
	sim_packed_use(set, (unsigned)way);
	cache->noop_loads[number] = line;
	if (cache->stores == SIM_STORES_ONCE_DIRTY)
		cache->noop_stores[number] =
			sim_entry_has(set[SIM_PACKED_HEAD + way], SIM_DIRTY) ? line : SIM_NO_LINE;
	if (c->recent[slot] != NULL)
		sim_core_use(c, slot, address, last_byte(c, address, bytes), 1);
	return false;
}

bool sim_core_fetch(struct sim_core *c, uint64_t pc, uint32_t bytes, uint64_t events[])
{
	return give(c, c->fetch_slot, pc, bytes, SIM_FETCH, events);
}

bool sim_core_data(struct sim_core *c, uint64_t address, uint32_t bytes, enum sim_access kind,
		   uint64_t events[])
{
	return give(c, 0, address, bytes, kind, events);
}

bool sim_core_below(struct sim_core *c, enum sim_access kind, uint64_t first, uint64_t last,
		    uint64_t events[])
{
	return go_down(c, columns[kind], first, last, events);
}
