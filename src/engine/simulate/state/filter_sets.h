/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Set sampling: only some sets are simulated (MemSpy, section 7.3). The others' lines have a cell
 * with the address of one stamp, FILTER_ELSEWHERE, from their first touch on: they always hit.
 * Those of data get it page by page, 1024 cells at a time, so that windows (filter_windows.h) can
 * take it away, to see accesses to all lines, and give it back.
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
struct filter_level;

/*
 * Once, when the constants of misses are writable: choose what g.sets says. False: no address
 * space.
 */
bool filter_choose_sets(const struct sim_geometry *g);

/* Is the line in the caches when it is used; do its misses count? */
bool filter_has_set(uint64_t line);
bool filter_counts_set(uint64_t line);

/* A line of other sets, whose cell is 0, is touched: make its cell. Returns FILTER_ELSEWHERE. */
uint32_t filter_touch_elsewhere(const struct filter_level *l, uint32_t *cell);
/* In a window: all such cells of data are 0; then they are as before. */
void filter_hide_elsewhere(void);
/* Forget which they are: they are shown when they are touched again. */
void filter_forget_elsewhere(void);
void filter_show_elsewhere(void);
/* The pages of cells that this takes. */
uint64_t filter_pages_elsewhere(void);

/* Make [*first, *last], bytes on one or two lines, one of which the caches have, those on these. */
void filter_keep_near(uint64_t *first, uint64_t *last);

#endif
