/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two parts of a hierarchy. */
#include "sim/system/hierarchy.h"

int sim_hierarchy_init(struct sim_hierarchy *h, const struct sim_geometry *g, bool filter,
		       const struct sim_memory *memory)
{
	h->core = (struct sim_core){0};
	if (sim_shared_init(&h->shared, g, memory) != 0)
		return -1;
	return sim_core_init(&h->core, &h->shared, filter);
}

void sim_hierarchy_release(struct sim_hierarchy *h)
{
	sim_core_release(&h->core);
	sim_shared_release(&h->shared);
}

void sim_hierarchy_finish(struct sim_hierarchy *h)
{
	sim_core_finish(&h->core);
	sim_shared_finish(&h->shared);
}
