/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The caches and TLBs of one simulated core, level by level, exactly: a core (core.h) over a
 * shared part of its own (shared.h).
 *
 * Rules, chosen so that LRU caches of two levels count what Cachegrind counts:
 *
 * - An access is a fetch of one instruction, a load, a store, or a modify: a load whose bytes are
 *   then stored. A modify counts as a load and dirties its line. Only the first bytes of an access
 *   are simulated, up to the size of the hierarchy's shortest line: so it touches at most two
 *   lines.
 * - An access that straddles two lines touches both, the lower one first, and is at most one miss
 *   in each level: if it missed in one or both. Then the level below is accessed with all its
 *   bytes, too.
 * - Prefetch instructions are not accesses; nor are reads and writes of the kernel.
 * - Of an address, only the bits that fit into an entry of the shortest lines count
 *   (cache/entry.h): 60.
 * - Caches begin empty. Free places of a set are filled before a line is evicted.
 * - A hit changes nothing below. A miss fills the level, unless it is a store and the level does
 *   not allocate. A store reaches the level below if a level is write-through, or did not allocate:
 *   there it is a store of its own, which can miss.
 * - An evicted dirty line marks its line in the level below as dirty, without using it; if the line
 *   is not there, in the next level, and so on to memory. So counting write-backs changes no other
 *   count. Lines still dirty at the end are not written back.
 * - A line evicted by an inclusive level is removed from all levels above. The level above searches
 *   an exclusive level line by line. The exclusive level loses a line that it hands up, and
 *   receives every line that the level above evicts.
 * - A prefetcher works after the access that triggered it, within the access's page of 4096 bytes.
 *   A line that it wants, and the level does not have, is filled as by a load of the levels below,
 *   but does not count as a miss. Next-line: the line after one that missed, or was prefetched and
 *   is now used for the first time. Stride: see prefetch.h; it identifies instructions by the tag
 *   of the core.
 * - TLBs are caches of pages with LRU replacement, accessed before the caches.
 */
#ifndef DWELL_SIM_SYSTEM_HIERARCHY_H
#define DWELL_SIM_SYSTEM_HIERARCHY_H

#include <stdbool.h>

#include "sim/base/geometry.h"
#include "sim/base/memory.h"
#include "sim/system/core.h"
#include "sim/system/shared.h"

/* It may not move: its parts point at each other. */
struct sim_hierarchy {
	struct sim_core core;
	struct sim_shared shared;
};

/*
 * Set up the hierarchy that g describes, which has passed sim_geometry_check; g is copied. With
 * filter == false there are no no-op accesses, for tests. Returns 0, or -1 without memory; call
 * sim_hierarchy_release in both cases.
 */
int sim_hierarchy_init(struct sim_hierarchy *h, const struct sim_geometry *g, bool filter,
		       const struct sim_memory *memory);
void sim_hierarchy_release(struct sim_hierarchy *h);

/* End the simulation: charge the use of lines still cached. No access may follow. */
void sim_hierarchy_finish(struct sim_hierarchy *h);

#endif
