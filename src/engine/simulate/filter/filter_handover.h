/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the filter goes off, what is in its caches goes to those of the hierarchy, each set in the
 * order that says who gives way.
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_HANDOVER_H
#define DWELL_ENGINE_SIMULATE_FILTER_HANDOVER_H

struct sim_cache;

/*
 * The first levels and, if the filter has it as well, the last one; else NULL, as code is where
 * fetches are not simulated.
 */
struct filter_caches {
	struct sim_cache *data, *code, *last;
};

void filter_hand_over(const struct filter_caches *c);

#endif
