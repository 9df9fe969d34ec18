/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One filter for several hierarchies; see replay_shared.h. */
#include "engine/simulate/replay_shared.h"

#include "engine/simulate/sim_pages.h"

/* The features excluded here evict a set's last used line, or count a second use of it. */
static bool can_share(const struct sim_hierarchy *h)
{
	const struct sim_geometry *g = &h->shared.geometry;

	if (h->core.has_tlb || g->is_unified || g->line_use || g->write_backs ||
	    g->code.prefetcher || g->levels[0].is_write_through)
		return false;
	for (uint32_t i = 0; i < g->level_count; i++)
		if (g->levels[i].inclusion != SIM_NEITHER || g->levels[i].prefetcher)
			return false;
	return true;
}

/* A hierarchy without simulated fetches has no cache of code, and all its fetches are no-op. */
static bool has_say(const struct sim_hierarchy *h, uint32_t slot)
{
	return slot == 0 || h->shared.has_fetches;
}

/* The table in a hierarchy's form. *lines is its memory; NULL if no hierarchy has the cache. */
static bool make_table(struct replay_shared *s, uint32_t slot, struct sim_noop *shown,
		       uint64_t **lines)
{
	const struct sim_cache *first = 0;
	uint64_t mask = UINT64_MAX;

	*lines = 0;
	*shown = s->h[0].core.fetch;
	for (uint32_t k = 0; k < s->count; k++) {
		const struct sim_cache *c = &s->h[k].core.levels[slot]->cache;

		if (!has_say(&s->h[k], slot))
			continue;
		first = first ? first : c;
		if (c->shift != first->shift)
			return false;
		mask = c->set_mask < mask ? c->set_mask : mask;
	}
	if (!first)
		return true;
	*lines = sim_take(&sim_pages, (mask + 1) * sizeof **lines);
	if (!*lines)
		return false;
	for (uint64_t i = 0; i <= mask; i++)
		(*lines)[i] = SIM_NO_LINE;
	*shown = (struct sim_noop){{*lines, *lines, *lines, *lines}, mask, first->shift};
	return true;
}

bool replay_shared_init(struct replay_shared *s, const struct sim_hierarchy *h, uint32_t count,
			bool filter)
{
	*s = (struct replay_shared){.h = h, .count = count};
	for (uint32_t k = 0; k < count; k++)
		if (!can_share(&h[k]))
			return false;
	/* made without the filter, too, so that the program's memory lies at the same addresses */
	return make_table(s, 0, &s->noop, &s->data) &&
	       make_table(s, SIM_CODE_SLOT, &s->fetch, &s->code) && filter;
}

static void note(const struct replay_shared *s, uint32_t slot, uint64_t *lines,
		 const struct sim_noop *shown, uint64_t line)
{
	bool noop = true;

	for (uint32_t k = 0; k < s->count && noop; k++)
		noop = !has_say(&s->h[k], slot) ||
		       sim_is_noop(slot ? &s->h[k].core.fetch : &s->h[k].core.data, line, SIM_LOAD);
	lines[line & shown->set_mask] = noop ? line : SIM_NO_LINE;
}

/* an access lies on at most two lines, see sim/system/hierarchy.h */
void replay_shared_data(struct replay_shared *s, uint64_t address, uint32_t bytes)
{
	uint64_t line = address >> s->noop.shift;

	note(s, 0, s->data, &s->noop, line);
	if ((address + bytes - 1) >> s->noop.shift != line)
		note(s, 0, s->data, &s->noop, line + 1);
}

void replay_shared_code(struct replay_shared *s, uint64_t pc, uint32_t bytes)
{
	uint64_t line = pc >> s->fetch.shift;

	if (!s->code)
		return;
	note(s, SIM_CODE_SLOT, s->code, &s->fetch, line);
	if ((pc + bytes - 1) >> s->fetch.shift != line)
		note(s, SIM_CODE_SLOT, s->code, &s->fetch, line + 1);
}

#define HOST_LINE 64

void replay_shared_prefetch(const struct replay_shared *s, uint64_t address)
{
	for (uint32_t k = 0; k < s->count; k++) {
		const struct sim_hierarchy *h = &s->h[k];
		const struct sim_cache *c =
			&h->core.levels[h->shared.geometry.level_count - 1]->cache;
		const uint64_t *set;

		if (!c->is_by_age)
			continue;
		set = c->entries + sim_cache_set(c, address >> c->shift) * c->ways;
		__builtin_prefetch(set, 1);
		__builtin_prefetch((const uint8_t *)set + HOST_LINE, 1);
	}
}
