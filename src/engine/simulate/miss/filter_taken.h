/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Misses that code counts by site (state/filter_sites.h), as events of instructions. */
#ifndef DWELL_ENGINE_SIMULATE_MISS_FILTER_TAKEN_H
#define DWELL_ENGINE_SIMULATE_MISS_FILTER_TAKEN_H

#include "engine/simulate/counts/segments.h"

/*
 * Does the segment have misses in the array? And move them to the cells of its instructions, which
 * are made if needed.
 */
bool filter_has_misses(const struct segment *s);
void filter_take_misses(struct segment *s);
/* Move all misses to cells; and forget all sites, as no code is left. */
void filter_take_all_misses(void);
void filter_forget_sites(void);

/* Look up and count all noted misses (filter_miss.S, filter_multi.h); and references, too. */
void filter_settle_misses(void);
void filter_settle(void);

#endif
