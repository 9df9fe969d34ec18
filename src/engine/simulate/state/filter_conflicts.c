/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fully associative caches beside those of a hierarchy; see filter_conflicts.h. */
#include "engine/simulate/state/filter_conflicts.h"

#include "engine/core/util.h"
#include "engine/simulate/counts/sim_pages.h"
#include "engine/simulate/observe/recency.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/filter.h"
#include "sim/system/hierarchy.h"

static struct {
	struct recency data, code;		/* beside the first levels */
	struct sim_cache below[SIM_MAX_LEVELS]; /* by level; not the first */
} c;

bool filter_is_conflict;

/* A table like the stamps, of when lines came. */
static uint64_t *take_times(const struct filter_level *l, uint64_t stamps)
{
	uint64_t *times = sim_take(&sim_pages, stamps * sizeof *times);

	if (times)
		memcpy(times, l->stamps, stamps * sizeof *times);
	return times;
}

static int init_first(struct recency *r, struct filter_level *l, const struct sim_cache *first)
{
	const uint64_t stamps = first->sets * l->places;

	l->by_use = true;
	if (first->replacement == SIM_REPLACE_FIFO && !(l->came = take_times(l, stamps)))
		return -1;
	return recency_init(r, (uint32_t)(first->sets * first->ways), l->stamps, stamps);
}

static int init_below(struct sim_cache *full, const struct sim_cache_geometry *g)
{
	const struct sim_cache_geometry shape = {.size_bytes = g->size_bytes,
						 .ways = (uint32_t)(g->size_bytes / g->line_bytes),
						 .line_bytes = g->line_bytes,
						 .replacement = SIM_REPLACE_LRU};

	return sim_cache_init(full, &shape, &sim_pages);
}

bool filter_conflicts_start(const struct sim_hierarchy *h)
{
	const struct sim_geometry *g = &h->shared.geometry;
	int status = init_first(&c.data, &filter_state.data, &h->core.levels[0]->cache);

	if (status == 0 && plan.fetches)
		status = init_first(&c.code, &filter_state.code,
				    &h->core.levels[SIM_CODE_SLOT]->cache);
	for (unsigned level = 1; status == 0 && level < g->level_count; level++)
		status = init_below(&c.below[level], &g->levels[level]);
	return status == 0;
}

static struct recency *beside(const struct filter_level *l)
{
	return l == &filter_state.data ? &c.data : &c.code;
}

static uint64_t *low(uint32_t place)
{
	return (uint64_t *)(uintptr_t)place;
}

/* ---- Hidden lines ---- */

uint32_t filter_hidden_place(const struct filter_level *l, uint64_t line, const uint32_t *cell)
{
	const uint64_t ways = l->places, first = (line & l->set_mask) * ways;
	const bool are_some = plan.conflicts ? l != &filter_state.last
					     : filter_window_is_open && l == &filter_state.data;

	for (uint64_t i = first; are_some && i < first + ways; i++)
		if (l->owners[i] == cell)
			return (uint32_t)(uintptr_t)&l->stamps[i];
	return 0;
}

bool filter_conflicts_show(const struct filter_level *l, const uint64_t *place)
{
	return !plan.conflicts || recency_holds(beside(l), place);
}

/* ---- Accesses ---- */

/* Returns whether the cache beside the level had the line. */
static bool use(struct filter_level *l, uint64_t line, uint32_t place)
{
	const uint64_t *out;
	const bool is_here = recency_use(beside(l), line, low(place), &out);

	if (out)
		*l->owners[out - l->stamps] = 0;
	/* an owner of memory that changes finds no hidden lines */
	if (out && l == &filter_state.data)
		filter_reference_clear((uint32_t)(uintptr_t)out);
	return is_here;
}

void filter_conflicts_hit(struct filter_level *l, uint64_t line, uint32_t *cell, uint32_t place)
{
	use(l, line, place);
	if (l != &filter_state.data || !filter_window_is_open)
		*cell = place;
}

/* Prefetch what the next level is about to read: the line is often far away there. */
static void prefetch_below(uint64_t line)
{
	const struct sim_cache *full = &c.below[1];

	if (full->index.items)
		sim_index_prefetch(&full->index, line << FILTER_LINE_SHIFT >> full->shift);
}

void filter_conflicts_miss(struct filter_level *l, uint64_t line, uint32_t place)
{
	prefetch_below(line);
	recency_leave(beside(l), low(place));
	filter_is_conflict = use(l, line, place);
}

void filter_conflicts_look(unsigned level, uint64_t line)
{
	struct sim_cache *full = &c.below[level];

	filter_is_conflict = sim_cache_use(full, line, 0) != SIM_NO_LINE;
	if (!filter_is_conflict)
		sim_cache_insert(full, line, 0);
}
