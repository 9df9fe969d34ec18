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
	/* what was one region and was cut in two has the same number; 0: it was not */
	uint32_t family;
};

int regions_init(void);

/*
 * Nothing known may lie in [start, end): see regions_cut. When there are too many it is not kept.
 */
void regions_add(uint64_t start, uint64_t end, uint32_t site);

/*
 * Take what lies in [start, end) out of the first region that reaches into it; *cut is that
 * part, and *whole tells whether nothing is left of what was added. False: no region does.
 */
bool regions_cut(uint64_t start, uint64_t end, struct region *cut, bool *whole);

bool regions_find(uint64_t address, struct region *r);

/* The region that begins at start has another site. */
void regions_set_site(uint64_t start, uint32_t site);

#endif
