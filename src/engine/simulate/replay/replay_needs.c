/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What caches need of replay; see replay_needs.h. */
#include "engine/simulate/replay/replay_needs.h"

bool replay_wants_tags(const struct sim_geometry *g)
{
	bool wants = g->line_use || g->code.prefetcher == SIM_PREFETCH_STRIDE;

	for (uint32_t i = 0; i < g->level_count; i++)
		wants |= g->levels[i].prefetcher == SIM_PREFETCH_STRIDE;
	return wants;
}

bool replay_is_strict(const struct sim_geometry *g)
{
	bool strict = g->is_unified || g->is_tlb_unified || g->code.prefetcher;

	for (uint32_t i = 0; i < g->level_count; i++)
		strict |= g->levels[i].inclusion != SIM_NEITHER || g->levels[i].prefetcher;
	return strict;
}
