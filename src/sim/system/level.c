/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a level. */
#include "sim/system/level.h"

int sim_level_init(struct sim_level *l, const struct sim_cache_geometry *g, bool has_use,
		   const struct sim_memory *memory)
{
	const struct sim_cache *c = &l->cache;

	*l = (struct sim_level){.geometry = *g};
	if (g->size_bytes == 0)
		return 0;
	if (sim_cache_init(&l->cache, g, memory) != 0)
		return -1;
	if (g->prefetcher == SIM_PREFETCH_STRIDE && sim_strides_init(&l->strides, memory) != 0)
		return -1;
	return has_use ? sim_line_use_init(&l->use, c->sets * c->ways, c->shift, memory) : 0;
}

void sim_level_release(struct sim_level *l)
{
	sim_cache_release(&l->cache);
	sim_strides_release(&l->strides);
	sim_line_use_release(&l->use);
}
