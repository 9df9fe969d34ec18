/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses and misses summed by a key, such as the access's source line or data. */
#ifndef DWELL_SIM_CURVE_KEYS_H
#define DWELL_SIM_CURVE_KEYS_H

#include "sim/curve/curve.h"

struct sim_key {
	uint64_t accesses;
	uint64_t first; /* accesses that touched a line for the first time: misses of any cache */
	uint64_t misses[SIM_POLICIES];
};

struct sim_keys {
	const struct sim_memory *memory;
	unsigned size;	       /* index of the size whose misses are summed */
	struct sim_key *items; /* by key */
	uint64_t count;	       /* keys below this one were seen */
	uint64_t room;
};

void sim_keys_init(struct sim_keys *k, unsigned size, const struct sim_memory *memory);
void sim_keys_release(struct sim_keys *k);

/*
 * Count an access for the key, a small number that indexes an array. Returns 0, or -1 when memory
 * ran out.
 */
int sim_keys_add(struct sim_keys *k, uint64_t key, const struct sim_outcome *o);

#endif
