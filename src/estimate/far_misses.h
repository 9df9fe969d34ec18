/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which far reuses miss. The model knows their total. The farther a reuse, the more likely it
 * misses: with random replacement by one minus an exponential of the misses in between (StatCache,
 * section 3.2 of Berg and Hagersten 2005), with LRU about beyond some distance.
 */
#ifndef DWELL_ESTIMATE_FAR_MISSES_H
#define DWELL_ESTIMATE_FAR_MISSES_H

#include "estimate/shares.h"

/*
 * Set the misses of `count` far reuses, whose accesses are known, so that their overall ratio is
 * `ratio`. The distance is known for the first `met` of them; the others get the average ratio. If
 * few known reuses end at one of `locations` places (or at a missing one), their ratio is drawn
 * towards the average. Returns 0, or -1 when memory runs out.
 */
int far_misses_share(struct share_reuse *far, size_t met, size_t count, double ratio,
		     enum model_policy policy, size_t locations, struct err *err);

#endif
