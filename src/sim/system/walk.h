/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One access of any core; for core_access.c, and for who keeps caches by itself. */
#ifndef DWELL_SIM_SYSTEM_WALK_H
#define DWELL_SIM_SYSTEM_WALK_H

#include "sim/system/core.h"

/* Access bytes first .. last. Returns whether any event was counted. */
bool sim_walk(struct sim_core *c, uint64_t first, uint64_t last, enum sim_access kind,
	      uint64_t events[]);

/* The same in two parts: of TLBs, and of what follows. */
bool sim_walk_pages(struct sim_core *c, uint64_t first, uint64_t last, enum sim_access kind,
		    uint64_t events[]);
bool sim_walk_lines(struct sim_core *c, uint64_t first, uint64_t last, enum sim_access kind,
		    uint64_t events[]);

#endif
