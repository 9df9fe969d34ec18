/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Empties the simulated caches; see cold.h. */
#include "engine/simulate/state/cold.h"

#include "engine/core/util.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/filter.h"
#include "sim/cache/cache.h"
#include "sim/system/hierarchy.h"

#define RESERVE (1ull << 32)

/* A line in a free place of a cache below those of the filter. */
struct filling {
	uint64_t line;
	uint32_t level, unused;
};

static struct grow fillings;

bool cold_start(void)
{
	return grow_init(&fillings, RESERVE) == 0;
}

/* ---- Caches of the filter ---- */

static void empty_level(struct filter_level *l, const struct sim_cache *c)
{
	const uint64_t places = l->places;

	for (uint64_t set = 0; set < c->sets; set++) {
		for (uint64_t i = set * places; i < set * places + c->ways; i++) {
			if (!l->owners[i])
				continue;
			*l->owners[i] = 0;
			l->owners[i] = 0;
			l->stamps[i] = 0;
		}
		filter_forget_oldest(l, set);
	}
}

/* ---- Caches below ---- */

static uint64_t filling_count(void)
{
	return fillings.used / sizeof(struct filling);
}

static struct filling *filling_at(uint64_t i)
{
	return (struct filling *)(void *)fillings.base + i;
}

void cold_filled(uint32_t level, uint64_t line)
{
	struct filling *f = grow_take(&fillings, sizeof *f);

	if (f)
		*f = (struct filling){.line = line, .level = level};
}

/* Other lines may have taken the place since. */
static void empty_set_of(struct sim_cache *c, uint64_t line)
{
	const uint64_t first = sim_cache_set(c, line) * c->ways;

	for (uint64_t i = first; i < first + c->ways; i++)
		while (c->entries[i] != SIM_NO_LINE &&
		       sim_cache_remove(c, sim_entry_line(c->entries[i])) != SIM_NO_LINE)
			;
}

/* ---- Sets ---- */

static struct grow firsts[BIN_CACHES]; /* uint32_t, by set */

uint32_t *cold_set(enum bin_cache cache, uint64_t line)
{
	const uint32_t slot = cache == BIN_FIRST_CODE ? SIM_CODE_SLOT : cache;
	const struct sim_cache *c = &filter_state.h->core.levels[slot]->cache;
	struct grow *g = &firsts[cache];

	if (!g->base && (grow_init(g, c->sets * sizeof(uint32_t)) != 0 ||
			 !grow_take(g, c->sets * sizeof(uint32_t))))
		return 0;
	return (uint32_t *)(void *)g->base + sim_cache_set(c, line);
}

/* ---- */

void cold_empty(void)
{
	const struct sim_core *core = &filter_state.h->core;

	empty_level(&filter_state.data, &core->levels[0]->cache);
	if (plan.fetches)
		empty_level(&filter_state.code, &core->levels[SIM_CODE_SLOT]->cache);
	if (plan.pair)
		empty_level(&filter_state.last, &core->levels[1]->cache);
	for (uint64_t i = 0; i < filling_count(); i++)
		empty_set_of(&core->levels[filling_at(i)->level]->cache, filling_at(i)->line);
	grow_give_back(&fillings, fillings.used);
}
