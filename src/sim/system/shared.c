/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a geometry is like as a whole, and the levels that cores share. */
#include "sim/system/shared.h"

#include <stddef.h>

static bool is_simple_cache(const struct sim_cache_geometry *g)
{
	if (g->size_bytes == 0)
		return true;
	return g->replacement == SIM_REPLACE_LRU &&
	       (g->ways > 0 ? g->ways : g->size_bytes / g->line_bytes) <= SIM_SHORT_WAYS;
}

static bool is_simple(const struct sim_geometry *g)
{
	for (unsigned slot = 0; slot < SIM_SLOTS; slot++)
		if (!is_simple_cache(sim_slot_geometry(g, slot)))
			return false;
	return sim_geometry_is_plain(g);
}

static uint32_t shortest_line(const struct sim_geometry *g)
{
	uint32_t shortest = SIM_MAX_LINE;

	for (unsigned slot = 0; slot < SIM_SLOTS; slot++) {
		const struct sim_cache_geometry *c = sim_slot_geometry(g, slot);

		if (c->size_bytes > 0 && c->line_bytes < shortest)
			shortest = c->line_bytes;
	}
	return shortest;
}

int sim_shared_init(struct sim_shared *s, const struct sim_geometry *g,
		    const struct sim_memory *memory)
{
	*s = (struct sim_shared){.geometry = *g,
				 .memory = memory,
				 .private_levels = sim_geometry_private_levels(g),
				 .is_basic = sim_geometry_is_plain(g),
				 .is_simple = is_simple(g),
				 .has_fetches = sim_geometry_has_fetches(g),
				 .most_bytes = shortest_line(g)};
	sim_events_of(g, &s->list);
	for (unsigned level = s->private_levels; level < g->level_count; level++)
		if (sim_level_init(&s->levels[level], &g->levels[level], sim_slot_has_use(g, level),
				   memory) != 0)
			return -1;
	return 0;
}

void sim_shared_release(struct sim_shared *s)
{
	for (unsigned level = 0; level < SIM_MAX_LEVELS; level++)
		sim_level_release(&s->levels[level]);
	*s = (struct sim_shared){0};
}

/* ---- Line use ---- */

void sim_shared_charge(const struct sim_shared *s, const struct sim_level *l, unsigned slot,
		       const struct sim_line_record *r)
{
	unsigned id = SIM_LINE_USE + (slot == 0 || slot == SIM_CODE_SLOT ? 0 : 2);

	if (s->charge == NULL)
		return;
	s->charge(s->charge_context, r->tag, s->list.index[id], sim_line_access_cost(r));
	s->charge(s->charge_context, r->tag, s->list.index[id + 1],
		  sim_line_bytes_lost(&l->use, r));
}

void sim_shared_charge_rest(const struct sim_shared *s, const struct sim_level *l, unsigned slot)
{
	const struct sim_line_use *u = &l->use;

	for (uint64_t i = 0; i < u->index.room; i++)
		if (u->index.items[i].key != 0)
			sim_shared_charge(s, l, slot, &u->records[u->index.items[i].place]);
}

void sim_shared_finish(struct sim_shared *s)
{
	for (unsigned level = s->private_levels; level < s->geometry.level_count; level++)
		sim_shared_charge_rest(s, &s->levels[level], level);
}
