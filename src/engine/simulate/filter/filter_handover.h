/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The caches of a hierarchy that the filter stands for: which ones it can, and how its lines move
 * to them when it ends. That keeps the replacement order of each set.
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_HANDOVER_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_HANDOVER_H

#include <stdbool.h>
#include <stdint.h>

struct sim_cache;

/* code is NULL if fetches are not simulated; last is NULL if the filter does not have LL. */
struct filter_caches {
	struct sim_cache *data, *code, *last;
};

/* The bytes of the stamps of a set. */
uint64_t filter_row_bytes(const struct sim_cache *c);
/* Can the filter have the cache, as LL; or as a first level? */
bool filter_can_hold(const struct sim_cache *c);
bool filter_can_hold_first(const struct sim_cache *c);

void filter_hand_over(const struct filter_caches *c);

#endif
