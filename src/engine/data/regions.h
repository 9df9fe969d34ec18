/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that the target mapped by itself, and its threads' stacks: few, large
 * pieces in the order of their addresses. The caller holds the lock of alloc.c.
 */
#ifndef DWELL_ENGINE_DATA_REGIONS_H
#define DWELL_ENGINE_DATA_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

struct region {
	uint64_t start, end;
	uint32_t site;
	/* the same number for all pieces of a region that was cut in two; 0: never cut */
	uint32_t family;
};

int regions_init(void);

/*
 * No region may reach into [start, end): see regions_cut. When there are too many the region is
 * dropped.
 */
void regions_add(uint64_t start, uint64_t end, uint32_t site);

/*
 * Cut [start, end) out of the first region that reaches into it. *cut: the part cut; *whole:
 * nothing is left of the region as it was added. False: no region reaches into it.
 */
bool regions_cut(uint64_t start, uint64_t end, struct region *cut, bool *whole);

bool regions_find(uint64_t address, struct region *r);

/* The region that begins at start has another site. */
void regions_set_site(uint64_t start, uint32_t site);

#endif
