/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which far reuses miss. The model knows how many of all of them do. The farther one is the more
 * likely it misses: with random replacement as one less an exponential of the misses on its way
 * (StatCache, section 3.2 of Berg and Hagersten 2005), with LRU from about some distance on.
 */
#ifndef DWELL_ESTIMATE_FAR_MISSES_H
#define DWELL_ESTIMATE_FAR_MISSES_H

#include "estimate/shares.h"

/*
 * Fills the misses of `count` far reuses, whose accesses are known, such that together their ratio
 * is `ratio`. Of the first `met` the distance is known, of the others nothing: they miss as all do.
 * Where few of those that end at one of `locations` places (and one that is missing) were met,
 * these are drawn to what all do. Returns 0, or -1 when memory runs out.
 */
int far_misses_share(struct share_reuse *far, size_t met, size_t count, double ratio,
		     enum model_policy policy, size_t locations, struct err *err);

#endif
