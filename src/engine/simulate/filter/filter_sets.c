/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The choice of sets; see filter_sets.h. */
#include "engine/simulate/filter/filter_sets.h"

#include "engine/simulate/filter/filter.h"
#include "sim/system/hierarchy.h"

static uint64_t *constant(uint64_t address)
{
	return (uint64_t *)(uintptr_t)address;
}

/* The sets whose lines are in the caches: those that are chosen, and their neighbours. */
static uint64_t near_first, near_count;

void filter_choose_sets(const struct sim_geometry *g)
{
	const uint64_t sets = sim_geometry_least_sets(g), margin = g->level_count;
	const uint64_t count = g->sets.parts ? sets / g->sets.parts : 0;

	filter_state.chooses_sets = g->sets.parts > 1 && count > 0;
	if (!filter_state.chooses_sets)
		return;
	*constant(FILTER_SETS_FIRST) = g->sets.part * count;
	*constant(FILTER_SETS_MASK) = sets - 1;
	*constant(FILTER_SETS_COUNT) = count;
	near_first = g->sets.part * count - margin;
	near_count = count + 2 * margin;
}

static bool is_among(uint64_t line, uint64_t first, uint64_t count)
{
	return ((line - first) & *constant(FILTER_SETS_MASK)) < count;
}

bool filter_has_set(uint64_t line)
{
	return !filter_state.chooses_sets || is_among(line, near_first, near_count);
}

bool filter_counts_set(uint64_t line)
{
	return !filter_state.chooses_sets ||
	       is_among(line, *constant(FILTER_SETS_FIRST), *constant(FILTER_SETS_COUNT));
}

void filter_keep_near(uint64_t *first, uint64_t *last)
{
	const uint64_t end = *last;

	if (!filter_state.chooses_sets)
		return;
	if (!filter_has_set(end >> FILTER_LINE_SHIFT))
		*last = *first;
	if (!filter_has_set(*first >> FILTER_LINE_SHIFT))
		*first = end;
}
