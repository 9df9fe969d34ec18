/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Misses by pairs of groups: the one that missed a line, and the one that had evicted it, for each
 * cache. Counting is put off by some dozens of misses, so that the processor fetches many places of
 * the table at a time. Locks are as in bins.h.
 */
#ifndef DWELL_ENGINE_SIMULATE_WHOSE_PAIRS_H
#define DWELL_ENGINE_SIMULATE_WHOSE_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "channel/bin.h"

/* A group that missed, and its evictor; of structures alone, if functions were left out. */
struct pair {
	uint32_t missed, evictor;
	enum bin_cache cache;
	bool are_groups; /* else structures */
	bool are_conflicts;
};

/* There will be stretches: pairs have contrasts (observe/contrasts.h). False: no address space. */
bool pairs_in_stretches(void);

/* Count n misses, in a stretch with such signs; conflict misses (bins.h) apart. */
void pairs_count(uint32_t group, uint32_t evictor, enum bin_cache cache, bool are_conflicts,
		 uint32_t n, uint32_t signs);

typedef void pairs_taker(void *context, const struct pair *p, uint64_t count,
			 const int32_t contrasts[STRETCH_CONTRASTS]);
/* Call f with the count of each pair that missed since, and forget these. */
void pairs_take(pairs_taker *f, void *context);

/* How many pairs there are. */
uint64_t pairs_number(void);

/* Forget all counts. */
void pairs_clear(void);

#endif
