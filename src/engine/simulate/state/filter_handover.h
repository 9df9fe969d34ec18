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
/* Random and PLRU: lines never move, and the lowest free place is filled first. */
bool filter_keeps_places(const struct sim_cache *c);

void filter_hand_over(const struct filter_caches *c);

#endif
