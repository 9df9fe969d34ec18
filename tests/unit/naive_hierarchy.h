/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A naive hierarchy of LRU caches by the rules of sim/system/hierarchy.h: each cache is one list of
 * lines with flags and times, searched linearly. It has no TLBs, prefetchers and line use.
 */
#ifndef DWELL_TESTS_UNIT_NAIVE_HIERARCHY_H
#define DWELL_TESTS_UNIT_NAIVE_HIERARCHY_H

#include "sim/system/hierarchy.h"

#define NAIVE_MOST_LINES 4096

struct naive_line {
	bool is_there, is_dirty;
	uint64_t number, used;
};

struct naive_cache {
	const struct sim_cache_geometry *shape;
	uint64_t sets, ways;
	struct naive_line lines[NAIVE_MOST_LINES];
};

struct naive_hierarchy {
	struct sim_geometry shape;
	uint64_t now;
	struct naive_cache code, levels[SIM_MAX_LEVELS];
	uint64_t misses[SIM_MAX_LEVELS][3]; /* by level; of fetches, loads, stores */
	uint64_t write_backs[SIM_MAX_LEVELS];
};

void naive_hierarchy_init(struct naive_hierarchy *h, const struct sim_geometry *g);
void naive_hierarchy_access(struct naive_hierarchy *h, uint64_t address, uint32_t bytes,
			    enum sim_access kind);

/* The entry of a line, or NULL. */
struct naive_line *naive_cache_find(struct naive_cache *c, uint64_t number);

#endif
