/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The levels below the first, watched; see below.h. */
#include "sim/system/below.h"

#include <stddef.h>

static const unsigned columns[] = {
	[SIM_LOAD] = 1, [SIM_STORE] = 2, [SIM_MODIFY] = 1, [SIM_FETCH] = 0};

static bool reference_line(struct sim_cache *c, unsigned level, uint64_t line,
			   const struct sim_watch *watch)
{
	uint64_t victim;

	line &= SIM_ENTRY_LINES;
	if (watch->looks != NULL)
		watch->looks(watch->context, level, line);
	if (sim_cache_use(c, line, 0) != SIM_NO_LINE)
		return false;
	victim = sim_cache_insert(c, line, 0);
	watch->came(watch->context, level, line,
		    victim != SIM_NO_LINE ? sim_entry_line(victim) : SIM_NO_LINE);
	return true;
}

/* Touches both lines, whether or not the first one missed. */
static bool reference(struct sim_cache *c, unsigned level, uint64_t first, uint64_t last,
		      const struct sim_watch *watch)
{
	const uint64_t line = first >> c->shift, end = last >> c->shift;
	bool missed = reference_line(c, level, line, watch);

	if (end != line)
		missed |= reference_line(c, level, end, watch);
	return missed;
}

bool sim_below_watched(struct sim_core *c, enum sim_access kind, uint64_t first, uint64_t last,
		       uint64_t events[], const struct sim_watch *watch)
{
	const uint8_t *event = &c->shared->list.index[SIM_MISSES + columns[kind]];
	unsigned level = 0;

	do {
		events[*event]++;
		event += 3;
	} while (++level < c->shared->geometry.level_count &&
		 reference(&c->levels[level]->cache, level, first, last, watch));
	return true;
}
