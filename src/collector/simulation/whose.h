/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers the data structures of a simulated run, for its misses by data structure. */
#ifndef DWELL_COLLECTOR_SIMULATION_WHOSE_H
#define DWELL_COLLECTOR_SIMULATION_WHOSE_H

#include "collector/naming/operands.h"
#include <stdbool.h>

#include "base/map.h"
#include "channel/channel.h"
#include "collector/simulation/whose_sums.h"

/* Empty when all zero. */
struct whose {
	struct map
		ids[BIN_DATA_KINDS]; /* by kind: process and site or address -> id in the store */
	int64_t last_id;
	struct whose_sums sums;
	struct operands operands; /* of the locations with ranges */
	uint32_t levels;	  /* of the simulated hierarchy */
	bool finds_conflicts;
};

void whose_release(struct whose *w);

struct recorder;
/* The name of a cache (enum bin_cache); NULL: the run has none such. */
const char *whose_cache_name(const struct recorder *r, uint64_t cache);

/* Write the misses that have changed; notes a failure in the recorder. */
void whose_write(struct recorder *r);

#endif
