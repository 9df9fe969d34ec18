/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One access of any core; only for core_access.c. */
#ifndef DWELL_SIM_SYSTEM_WALK_H
#define DWELL_SIM_SYSTEM_WALK_H

#include "sim/system/core.h"

/* Access bytes first .. last. Returns whether any event was counted. */
bool sim_walk(struct sim_core *c, uint64_t first, uint64_t last, enum sim_access kind,
	      uint64_t events[]);

#endif
