/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events that a geometry counts: the columns of an event profile, in order. Names are
 * Callgrind's where it has them.
 */
#ifndef DWELL_SIM_BASE_EVENTS_H
#define DWELL_SIM_BASE_EVENTS_H

#include <stdint.h>

#include "sim/base/geometry.h"

#define SIM_NO_EVENT UINT8_MAX

/* All events. A geometry has some of them, in this order. */
enum sim_event_id {
	SIM_IR, /* the caller counts these three, which are always the first */
	SIM_DR,
	SIM_DW,
	/* Misses of fetches, loads and stores in each level: level k at SIM_MISSES + 3 * k. */
	SIM_MISSES,
	SIM_TLB_MISSES = SIM_MISSES + 3 * SIM_MAX_LEVELS, /* the same for two levels of TLBs */
	SIM_WRITE_BACKS = SIM_TLB_MISSES + 3 * 2,	  /* by level */
	SIM_LINE_USE = SIM_WRITE_BACKS + SIM_MAX_LEVELS,  /* AcCost1 SpLoss1 AcCost2 SpLoss2 */
	/* then the variances of these, if they are estimates */
	/* Prefetched lines, and those of them that were used: by level, then for code. */
	SIM_PREFETCHES = SIM_LINE_USE + 8,
	/*
	 * Of a sampled simulation, beside misses: those that may have been hits, as the cache began
	 * empty; and other misses behind one of them in a level above. Level k at 3 * k, in
	 * SIM_ABOVE at 3 * (k - 1).
	 */
	SIM_UNKNOWN = SIM_PREFETCHES + 2 * (SIM_MAX_LEVELS + 1),
	SIM_ABOVE = SIM_UNKNOWN + 3 * SIM_MAX_LEVELS,
	SIM_EVENT_IDS = SIM_ABOVE + 3 * (SIM_MAX_LEVELS - 1),
};

#define SIM_MAX_EVENTS SIM_EVENT_IDS /* of a geometry: each event at most once */

struct sim_event {
	enum sim_event_id id;
	const char *name;	 /* "D1mr" */
	const char *description; /* "loads that missed in the first level" */
};

/* An event's number is its index in items. */
struct sim_events {
	unsigned count;
	struct sim_event items[SIM_MAX_EVENTS];
	uint8_t index[SIM_EVENT_IDS]; /* into items; SIM_NO_EVENT: not in this geometry */
};

void sim_events_of(const struct sim_geometry *g, struct sim_events *e);

#endif
