/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Moves the filter's lines to the caches of the hierarchy when the filter ends. Keeps the
 * replacement order of each set.
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_HANDOVER_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_HANDOVER_H

struct sim_cache;

/* code is NULL if fetches are not simulated; last is NULL if the filter does not have LL. */
struct filter_caches {
	struct sim_cache *data, *code, *last;
};

void filter_hand_over(const struct filter_caches *c);

#endif
