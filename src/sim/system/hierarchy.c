/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hierarchy's parts, and the short path of accesses. The short path is for caches that are all
 * LRU with up to 16 ways, neither inclusive nor exclusive, write-back, without prefetchers and
 * TLBs, and without counts of dirty lines and line use. Everything else takes the long path,
 * walk.c.
 */
#include "sim/system/hierarchy.h"

#include <stddef.h>

#include "sim/cache/cache_by_age.h"
#include "sim/cache/cache_packed.h"
#include "sim/system/walk.h"

/*
 * Tables of the filter for missing caches: either every access to the lower half of the address
 * space is no-op, or none is.
 */
static const uint64_t all_noop[1] = {0};
static const uint64_t none_noop[1] = {SIM_NO_LINE};

/* ---- Parts ---- */

static bool is_basic_cache(const struct sim_cache_geometry *g)
{
	return g->size_bytes == 0 ||
	       (g->inclusion == SIM_NEITHER && g->prefetcher == SIM_PREFETCH_NONE &&
		!g->is_write_through && !g->no_write_allocate);
}

static bool is_noop(const struct sim_hierarchy *h)
{
	for (unsigned slot = 0; slot < SIM_SLOTS; slot++)
		if (!is_basic_cache(sim_slot_geometry(h, slot)))
			return false;
	return !h->has_tlb && !h->geometry.line_use && !h->geometry.write_backs;
}

static bool is_simple_cache(const struct sim_cache *c)
{
	return c->replacement == SIM_REPLACE_LRU && c->ways <= SIM_SHORT_WAYS;
}

static bool is_simple(const struct sim_hierarchy *h)
{
	for (unsigned slot = 0; slot < SIM_SLOTS; slot++)
		if (sim_slot_geometry(h, slot)->size_bytes && !is_simple_cache(&h->caches[slot]))
			return false;
	return h->is_basic;
}

static bool has_use(const struct sim_geometry *g, unsigned slot)
{
	return g->line_use && (slot == 0 || slot == SIM_CODE_SLOT || slot + 1 == g->level_count);
}

static int init_caches(struct sim_hierarchy *h)
{
	for (unsigned slot = 0; slot < SIM_SLOTS; slot++) {
		const struct sim_cache_geometry *g = sim_slot_geometry(h, slot);
		struct sim_cache *c = &h->caches[slot];

		if (g->size_bytes == 0)
			continue;
		if (g->line_bytes < h->most_bytes)
			h->most_bytes = g->line_bytes;
		if (sim_cache_init(c, g, h->memory) != 0)
			return -1;
		if (g->prefetcher == SIM_PREFETCH_STRIDE &&
		    sim_strides_init(&h->strides[slot], h->memory) != 0)
			return -1;
		if (has_use(&h->geometry, slot) &&
		    sim_line_use_init(&h->uses[slot], c->sets * c->ways, c->shift, h->memory) != 0)
			return -1;
	}
	return 0;
}

/* A TLB is a cache of pages. */
static int init_tlb(struct sim_hierarchy *h, struct sim_cache *c, const struct sim_tlb_geometry *t)
{
	struct sim_cache_geometry g = {.size_bytes = t->entries * t->page_bytes,
				       .ways = t->ways,
				       .line_bytes = (uint32_t)t->page_bytes};

	if (t->entries == 0)
		return 0;
	h->has_tlb = true;
	return sim_cache_init(c, &g, h->memory);
}

static int init_tlbs(struct sim_hierarchy *h)
{
	if (init_tlb(h, &h->code_tlb, &h->geometry.code_tlb) != 0 ||
	    init_tlb(h, &h->data_tlb, &h->geometry.data_tlb) != 0)
		return -1;
	return init_tlb(h, &h->second_tlb, &h->geometry.second_tlb);
}

/* ---- The filter ---- */

static void set_noop(struct sim_noop *p, const uint64_t *table)
{
	*p = (struct sim_noop){{table, table, table, table}, 0, 63};
}

/* Set the filter's view of a cache, which may be unwatched or missing. */
static void show_noop(struct sim_noop *p, const struct sim_cache *c, bool filter)
{
	if (c->memory == NULL) {
		set_noop(p, all_noop);
	} else if (c->noop_loads == NULL || !filter) {
		set_noop(p, none_noop);
	} else {
		*p = (struct sim_noop){
			{c->noop_loads, c->noop_stores, c->noop_stores, c->noop_loads},
			c->set_mask,
			c->shift};
	}
}

static int watch(struct sim_hierarchy *h, unsigned slot)
{
	const struct sim_cache_geometry *g = sim_slot_geometry(h, slot);
	enum sim_noop_stores stores = SIM_STORES_AS_LOADS;

	if (g->size_bytes == 0 || g->prefetcher == SIM_PREFETCH_STRIDE || h->geometry.line_use)
		return 0;
	if (g->is_write_through)
		stores = SIM_STORES_NEVER;
	else if (h->geometry.write_backs)
		stores = SIM_STORES_ONCE_DIRTY;
	return sim_cache_watch(&h->caches[slot], stores);
}

static int watch_tlb(struct sim_cache *c)
{
	return c->memory != NULL ? sim_cache_watch(c, SIM_STORES_AS_LOADS) : 0;
}

/* Without the filter its tables exist, too, so that the memory layout is the same. */
static int init_filter(struct sim_hierarchy *h, bool filter)
{
	const struct sim_geometry *g = &h->geometry;

	if (watch(h, 0) != 0 || watch(h, SIM_CODE_SLOT) != 0 || watch_tlb(&h->code_tlb) != 0 ||
	    watch_tlb(&h->data_tlb) != 0)
		return -1;
	show_noop(&h->data, &h->caches[0], filter);
	show_noop(&h->fetch, &h->caches[g->is_unified ? 0 : SIM_CODE_SLOT], filter);
	show_noop(&h->data_pages, &h->data_tlb, filter);
	show_noop(&h->fetch_pages, g->is_tlb_unified ? &h->data_tlb : &h->code_tlb, filter);
	return 0;
}

/* Tell whether give can recognise hits that change only the order of their set. */
static bool has_quick(const struct sim_cache *c)
{
	return c->noop_loads != NULL && c->replacement == SIM_REPLACE_LRU &&
	       c->ways <= SIM_SHORT_WAYS && !c->is_by_age;
}

int sim_hierarchy_init(struct sim_hierarchy *h, const struct sim_geometry *g, bool filter,
		       const struct sim_memory *memory)
{
	*h = (struct sim_hierarchy){.memory = memory,
				    .geometry = *g,
				    .has_fetches = sim_geometry_has_fetches(g),
				    .most_bytes = SIM_MAX_LINE};
	sim_events_of(g, &h->list);
	if (init_caches(h) != 0 || init_tlbs(h) != 0 || init_filter(h, filter) != 0)
		return -1;
	h->is_basic = is_noop(h);
	h->is_simple = is_simple(h);
	for (unsigned slot = 0; slot < SIM_SLOTS && filter; slot++)
		h->has_quick[slot] = has_quick(&h->caches[slot]);
	return 0;
}

void sim_hierarchy_release(struct sim_hierarchy *h)
{
	for (unsigned slot = 0; slot < SIM_SLOTS; slot++) {
		sim_cache_release(&h->caches[slot]);
		sim_strides_release(&h->strides[slot]);
		sim_line_use_release(&h->uses[slot]);
	}
	sim_cache_release(&h->code_tlb);
	sim_cache_release(&h->data_tlb);
	sim_cache_release(&h->second_tlb);
	*h = (struct sim_hierarchy){0};
}

/* ---- Accesses ---- */

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
 * The short path below the first level, which missed. column: 0 fetch, 1 load, 2 store. Not
 * inlined, so that hits need fewer registers.
 */
__attribute__((noinline)) static bool go_down(struct sim_hierarchy *h, unsigned column,
					      uint64_t first, uint64_t last, uint64_t events[])
{
	const uint8_t *event = &h->list.index[SIM_MISSES + column];
	unsigned level = 0;

	do {
		events[*event]++;
		event += 3;
	} while (++level < h->geometry.level_count && reference(&h->caches[level], first, last));
	return true;
}

static uint64_t last_byte(const struct sim_hierarchy *h, uint64_t address, uint32_t bytes)
{
	return address + (bytes < h->most_bytes ? bytes : h->most_bytes) - 1;
}

static const unsigned columns[] = {
	[SIM_LOAD] = 1, [SIM_STORE] = 2, [SIM_MODIFY] = 1, [SIM_FETCH] = 0};

__attribute__((noinline)) static bool give_any(struct sim_hierarchy *h, unsigned slot,
					       uint64_t address, uint32_t bytes,
					       enum sim_access kind, uint64_t events[])
{
	uint64_t last = last_byte(h, address, bytes);

	if (slot == SIM_CODE_SLOT && !h->has_fetches)
		return false;
	if (!h->is_simple)
		return sim_walk(h, address, last, kind, events);
	if (!reference(&h->caches[slot], address, last))
		return false;
	return go_down(h, columns[kind], address, last, events);
}

/* The access missed in its first level, which is packed. */
__attribute__((noinline)) static bool give_missed(struct sim_hierarchy *h, unsigned slot,
						  uint64_t address, uint32_t bytes,
						  enum sim_access kind, uint64_t events[])
{
	struct sim_cache *c = &h->caches[slot];
	uint64_t line = address >> c->shift, set = line & c->set_mask;

	c->noop_loads[set] = line;
	sim_packed_replace(c, sim_packed_set(c, set), sim_entry_of(line, 0));
	return go_down(h, columns[kind], address, last_byte(h, address, bytes), events);
}

/*
 * Tell whether the page of an access, which is within one page, is the last used one of its TLB
 * set.
 */
static inline bool is_in_plain_page(const struct sim_hierarchy *h, uint64_t address,
				    enum sim_access kind)
{
	const struct sim_noop *pages = kind == SIM_FETCH ? &h->fetch_pages : &h->data_pages;

	return !h->has_tlb || sim_is_noop(pages, address >> pages->shift, SIM_LOAD);
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
static inline bool give(struct sim_hierarchy *h, unsigned slot, uint64_t address, uint32_t bytes,
			enum sim_access kind, uint64_t events[])
{
	struct sim_cache *c = &h->caches[slot];
	uint64_t line = address >> c->shift, number = line & c->set_mask, *set;
	int way;

	if (!h->has_quick[slot] || (address + bytes - 1) >> c->shift != line ||
	    !is_in_plain_page(h, address, kind))
		return give_any(h, slot, address, bytes, kind, events);
	set = sim_packed_set(c, number);
	way = sim_packed_find(c, set, line);
	if (way < 0 && h->is_simple)
		return give_missed(h, slot, address, bytes, kind, events);
	if (way < 0 || has_consequences(c, set[SIM_PACKED_HEAD + way], kind))
		return give_any(h, slot, address, bytes, kind, events);
	sim_packed_use(set, (unsigned)way);
	c->noop_loads[number] = line;
	if (c->stores == SIM_STORES_ONCE_DIRTY)
		c->noop_stores[number] =
			sim_entry_has(set[SIM_PACKED_HEAD + way], SIM_DIRTY) ? line : SIM_NO_LINE;
	return false;
}

bool sim_hierarchy_fetch(struct sim_hierarchy *h, uint64_t pc, uint32_t bytes, uint64_t events[])
{
	return give(h, h->geometry.is_unified ? 0 : SIM_CODE_SLOT, pc, bytes, SIM_FETCH, events);
}

bool sim_hierarchy_data(struct sim_hierarchy *h, uint64_t address, uint32_t bytes,
			enum sim_access kind, uint64_t events[])
{
	return give(h, 0, address, bytes, kind, events);
}

bool sim_hierarchy_below(struct sim_hierarchy *h, enum sim_access kind, uint64_t first,
			 uint64_t last, uint64_t events[])
{
	return go_down(h, columns[kind], first, last, events);
}

void sim_hierarchy_finish(struct sim_hierarchy *h)
{
	for (unsigned slot = 0; slot < SIM_SLOTS; slot++) {
		const struct sim_line_use *u = &h->uses[slot];

		for (uint64_t i = 0; i < u->index.room; i++)
			if (u->index.items[i].key != 0)
				sim_walk_charge(h, slot, &u->records[u->index.items[i].place]);
	}
}
