/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Beginning and end of the filter; and who takes its memory. */
#ifndef DWELL_ENGINE_SIMULATE_MODE_FILTER_LIFE_H
#define DWELL_ENGINE_SIMULATE_MODE_FILTER_LIFE_H

#include <stdbool.h>
#include <stdint.h>

struct sim_hierarchy;
struct sim_multi;

/*
 * Turn the filter on for the hierarchy, with empty caches. False: the filter cannot simulate it.
 * Called once.
 */
bool filter_start(struct sim_hierarchy *h);
/* The same for several hierarchies. */
bool filter_start_multi(struct sim_multi *s);

/*
 * The program is about to map memory over [start, end), whatever is there. If that is the filter's,
 * move its tables. If that cannot be, turn it off, and move its lines to the caches of the
 * hierarchy; then the caller changes variants, that of its own thread too. No other thread is in
 * the cache.
 */
void filter_make_room(uint64_t start, uint64_t end);
/* Turn it off, whatever it has. */
void filter_turn_off(void);
/* Give back most of the address space that the filter has reserved. False: it has none. */
bool filter_give_space(void);

#endif
