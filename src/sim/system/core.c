/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A core's parts and the tables of its filter. Accesses: core_access.c. */
#include "sim/system/core.h"

#include <stddef.h>

/*
 * Tables of the filter for missing caches: either every access to the lower half of the address
 * space is no-op, or none is.
 */
static const uint64_t all_noop[1] = {0};
static const uint64_t none_noop[1] = {SIM_NO_LINE};

/* ---- Parts ---- */

static bool is_own(const struct sim_core *c, unsigned slot)
{
	return slot == SIM_CODE_SLOT || slot < c->shared->private_levels;
}

static int init_levels(struct sim_core *c)
{
	struct sim_shared *s = c->shared;
	const struct sim_geometry *g = &s->geometry;

	for (unsigned slot = 0; slot < SIM_SLOTS; slot++) {
		c->levels[slot] = is_own(c, slot) ? &c->own[slot] : &s->levels[slot];
		if (is_own(c, slot) && sim_level_init(&c->own[slot], sim_slot_geometry(g, slot),
						      sim_slot_has_use(g, slot), s->memory) != 0)
			return -1;
	}
	return 0;
}

/* A TLB is a cache of pages. */
static int init_tlb(struct sim_core *c, struct sim_cache *tlb, const struct sim_tlb_geometry *t)
{
	struct sim_cache_geometry g = {.size_bytes = t->entries * t->page_bytes,
				       .ways = t->ways,
				       .line_bytes = (uint32_t)t->page_bytes};

	if (t->entries == 0)
		return 0;
	c->has_tlb = true;
	return sim_cache_init(tlb, &g, c->shared->memory);
}

static int init_tlbs(struct sim_core *c)
{
	const struct sim_geometry *g = &c->shared->geometry;

	if (init_tlb(c, &c->code_tlb, &g->code_tlb) != 0 ||
	    init_tlb(c, &c->data_tlb, &g->data_tlb) != 0)
		return -1;
	return init_tlb(c, &c->second_tlb, &g->second_tlb);
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

static int watch(struct sim_core *c, unsigned slot)
{
	const struct sim_geometry *all = &c->shared->geometry;
	const struct sim_cache_geometry *g = &c->own[slot].geometry;
	enum sim_noop_stores stores = SIM_STORES_AS_LOADS;

	if (g->size_bytes == 0 || g->prefetcher == SIM_PREFETCH_STRIDE)
		return 0;
	if (g->is_write_through)
		stores = SIM_STORES_NEVER;
	else if (all->write_backs)
		stores = SIM_STORES_ONCE_DIRTY;
	return sim_cache_watch(&c->own[slot].cache, stores);
}

static int watch_tlb(struct sim_cache *c)
{
	return c->memory != NULL ? sim_cache_watch(c, SIM_STORES_AS_LOADS) : 0;
}

/* Without the filter its tables exist, too, so that the memory layout is the same. */
static int init_filter(struct sim_core *c, bool filter)
{
	const struct sim_geometry *g = &c->shared->geometry;

	if (watch(c, 0) != 0 || watch(c, SIM_CODE_SLOT) != 0 || watch_tlb(&c->code_tlb) != 0 ||
	    watch_tlb(&c->data_tlb) != 0)
		return -1;
	show_noop(&c->data, &c->own[0].cache, filter && !g->line_use);
	show_noop(&c->fetch, &c->own[c->fetch_slot].cache, filter && !g->line_use);
	show_noop(&c->data_pages, &c->data_tlb, filter);
	show_noop(&c->fetch_pages, g->is_tlb_unified ? &c->data_tlb : &c->code_tlb, filter);
	return 0;
}

/* Tell whether core_access.c can recognise hits that change only the order of their set. */
static bool has_quick(const struct sim_cache *c)
{
	return c->noop_loads != NULL && c->replacement == SIM_REPLACE_LRU &&
	       c->ways <= SIM_SHORT_WAYS && !c->is_by_age;
}

int sim_core_init(struct sim_core *c, struct sim_shared *shared, bool filter)
{
	*c = (struct sim_core){.shared = shared,
			       .fetch_slot = shared->geometry.is_unified ? 0 : SIM_CODE_SLOT};
	if (init_levels(c) != 0 || init_tlbs(c) != 0 || init_filter(c, filter) != 0)
		return -1;
	if (filter && sim_recent_init(c) != 0)
		return -1;
	for (unsigned slot = 0; slot < SIM_SLOTS && filter; slot++)
		c->own[slot].has_quick = has_quick(&c->own[slot].cache) &&
					 (!shared->geometry.line_use || c->recent[slot] != NULL);
	c->next = shared->cores;
	shared->cores = c;
	return 0;
}

void sim_core_release(struct sim_core *c)
{
	sim_recent_release(c);
	for (unsigned slot = 0; slot < SIM_SLOTS; slot++)
		sim_level_release(&c->own[slot]);
	sim_cache_release(&c->code_tlb);
	sim_cache_release(&c->data_tlb);
	sim_cache_release(&c->second_tlb);
	*c = (struct sim_core){0};
}

void sim_core_finish(struct sim_core *c)
{
	sim_recent_settle_all(c);
	for (unsigned slot = 0; slot < SIM_SLOTS; slot++)
		sim_shared_charge_rest(c->shared, &c->own[slot], slot);
}
