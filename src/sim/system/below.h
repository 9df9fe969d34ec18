/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The levels below the first, for a caller that keeps the first by itself and wants to know which
 * lines come and go. Where the shared part has is_basic. For others: sim_core.watch.
 */
#ifndef DWELL_SIM_SYSTEM_BELOW_H
#define DWELL_SIM_SYSTEM_BELOW_H

#include "sim/system/core.h"

struct sim_watch {
	/* An access looks for a line in a level, 1 or more. NULL: nobody wants to know. */
	void (*looks)(void *context, unsigned level, uint64_t line);
	/* A line came to a level, 1 or more, in the place of `victim`; SIM_NO_LINE: it was free. */
	void (*came)(void *context, unsigned level, uint64_t line, uint64_t victim);
	/*
	 * For sim_walk, which has no other: an access misses a line in a slot (shared.h), which is
	 * counted for the first such line of an access; a line was evicted from a slot.
	 */
	void (*missed)(void *context, unsigned slot, uint64_t line);
	void (*left)(void *context, unsigned slot, uint64_t line);
	void *context;
};

/* As sim_core_below, with the same counts. Lines are numbers in lines of their level. */
bool sim_below_watched(struct sim_core *c, enum sim_access kind, uint64_t first, uint64_t last,
		       uint64_t events[], const struct sim_watch *watch);

#endif
