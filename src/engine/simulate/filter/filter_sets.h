/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Set sampling: only some sets are simulated (MemSpy, section 7.3). The others' lines have a cell
 * with the address of one stamp, FILTER_ELSEWHERE, from their first touch on: they always hit.
 *
 * Sets are numbered by the cache that has the fewest, whose number is a power of two; that of each
 * other cache is a multiple. So all that happens to a line happens in one part of the sets, and the
 * counts of all parts add up to those of all sets. But an access to two lines of different parts
 * counts in both if both miss.
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_SETS_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_SETS_H

#include <stdint.h>

struct sim_geometry;

/* Once, when the constants of misses are writable: choose what g.sets says. */
void filter_choose_sets(const struct sim_geometry *g);

/* Make [*first, *last], bytes on one or two lines, one of which is simulated, those on these. */
void filter_keep_chosen(uint64_t *first, uint64_t *last);

#endif
