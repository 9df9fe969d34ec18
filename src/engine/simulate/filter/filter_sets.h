/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Set sampling: only some sets are simulated (MemSpy, section 7.3). The others' lines have a cell
 * with the address of one stamp, FILTER_ELSEWHERE, from their first touch on: they always hit.
 *
 * Sets are numbered by the cache that has the fewest, whose number is a power of two; that of each
 * other cache is a multiple. So all that happens to a line happens in one part of the sets.
 *
 * An access on two lines looks both up in the next level if one of them has missed, and a miss
 * counts for the first line that has missed. To know about lines of neighbouring parts, a part
 * simulates some sets on both sides, too: one for each level, as what happens in a level depends on
 * the level above. Misses on their lines do not count. So the counts of all parts add up to those
 * of all sets.
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_SETS_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_SETS_H

#include <stdbool.h>
#include <stdint.h>

struct sim_geometry;

/* Once, when the constants of misses are writable: choose what g.sets says. */
void filter_choose_sets(const struct sim_geometry *g);

/* Is the line in the caches when it is used; do its misses count? */
bool filter_has_set(uint64_t line);
bool filter_counts_set(uint64_t line);

/* Make [*first, *last], bytes on one or two lines, one of which the caches have, those on these. */
void filter_keep_near(uint64_t *first, uint64_t *last);

#endif
