/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One level of a hierarchy: its cache, its prefetcher's memory, and the use of its lines. */
#ifndef DWELL_SIM_SYSTEM_LEVEL_H
#define DWELL_SIM_SYSTEM_LEVEL_H

#include <stdbool.h>

#include "sim/base/geometry.h"
#include "sim/base/memory.h"
#include "sim/cache/cache.h"
#include "sim/cache/line_use.h"
#include "sim/system/prefetch.h"

struct sim_level {
	struct sim_cache cache; /* no memory: the level does not exist */
	bool has_quick;		/* a packed LRU cache with a filter */
	struct sim_cache_geometry geometry;
	struct sim_strides strides;
	struct sim_line_use use;
};

/*
 * An empty level, or none where the geometry has size 0. Returns 0, or -1 without memory; release
 * l in both cases.
 */
int sim_level_init(struct sim_level *l, const struct sim_cache_geometry *g, bool has_use,
		   const struct sim_memory *memory);
void sim_level_release(struct sim_level *l);

#endif
