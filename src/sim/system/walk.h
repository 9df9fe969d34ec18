/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One access to any hierarchy; only for hierarchy.c. */
#ifndef DWELL_SIM_SYSTEM_WALK_H
#define DWELL_SIM_SYSTEM_WALK_H

#include "sim/system/hierarchy.h"

/* Access bytes first .. last. Returns whether any event was counted. */
bool sim_walk(struct sim_hierarchy *h, uint64_t first, uint64_t last, enum sim_access kind,
	      uint64_t events[]);

/* Charge the use of an evicted line. */
void sim_walk_charge(struct sim_hierarchy *h, unsigned slot, const struct sim_line_record *r);

static inline const struct sim_cache_geometry *sim_slot_geometry(const struct sim_hierarchy *h,
								 unsigned slot)
{
	return slot == SIM_CODE_SLOT ? &h->geometry.code : &h->geometry.levels[slot];
}

#endif
