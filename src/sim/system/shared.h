/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What simulated cores have in common: the geometry, the events that it gives, and the levels below
 * those that each core has for itself. Which levels are shared: sim_geometry_private_levels.
 */
#ifndef DWELL_SIM_SYSTEM_SHARED_H
#define DWELL_SIM_SYSTEM_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/events.h"
#include "sim/base/geometry.h"
#include "sim/base/memory.h"
#include "sim/system/level.h"

/* A slot is a level, or the L1 instruction cache. */
#define SIM_CODE_SLOT SIM_MAX_LEVELS
#define SIM_SLOTS     (SIM_MAX_LEVELS + 1)

struct sim_core;

struct sim_shared {
	/*
	 * For line use, set by the caller: charges `amount` of the event to `tag`, which loaded the
	 * line.
	 */
	void (*charge)(void *context, uint32_t tag, unsigned event, uint64_t amount);
	void *charge_context;

	/* Read by the caller. */
	struct sim_events list;
	struct sim_geometry geometry;

	/* For the files of this folder. */
	const struct sim_memory *memory;
	struct sim_core *cores;	 /* all, linked by `next` */
	unsigned private_levels; /* of each core, besides its L1 of instructions */
	bool is_basic;		 /* caches of any replacement policy, and nothing else */
	bool is_simple;		 /* and all are LRU with short sets: see core_access.c */
	bool has_fetches;
	uint32_t most_bytes;			 /* largest simulated access */
	struct sim_level levels[SIM_MAX_LEVELS]; /* from private_levels on */
};

/*
 * Set up what cores of the geometry g share, which has passed sim_geometry_check; g is copied.
 * Returns 0, or -1 without memory; call sim_shared_release in both cases, after the cores are
 * released.
 */
int sim_shared_init(struct sim_shared *s, const struct sim_geometry *g,
		    const struct sim_memory *memory);
void sim_shared_release(struct sim_shared *s);

/* End the simulation: charge the use of lines still in shared levels. */
void sim_shared_finish(struct sim_shared *s);

/* Charge the use of a line that a level of any core loses, or of all lines that it still has. */
void sim_shared_charge(const struct sim_shared *s, const struct sim_level *l, unsigned slot,
		       const struct sim_line_record *r);
void sim_shared_charge_rest(const struct sim_shared *s, const struct sim_level *l, unsigned slot);

static inline const struct sim_cache_geometry *sim_slot_geometry(const struct sim_geometry *g,
								 unsigned slot)
{
	return slot == SIM_CODE_SLOT ? &g->code : &g->levels[slot];
}

/* Tell whether line use is counted in a slot: in first levels and the last. */
static inline bool sim_slot_has_use(const struct sim_geometry *g, unsigned slot)
{
	return g->line_use && (slot == 0 || slot == SIM_CODE_SLOT || slot + 1 == g->level_count);
}

#endif
