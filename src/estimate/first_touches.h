/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which arrivals are first touches: in each window as many as the footprint grew by as they came,
 * those on pages that nobody was seen to touch before rather than others.
 */
#ifndef DWELL_ESTIMATE_FIRST_TOUCHES_H
#define DWELL_ESTIMATE_FIRST_TOUCHES_H

#include "estimate/arrivals.h"

/*
 * Fills `first`, which has a place for each location of p and one for a missing one: what part of
 * all arrivals are first touches that it makes. Together they are `part` of all arrivals, or as
 * many as the growth of the footprint explains, twice over, if that is less. Returns 0, or -1 when
 * memory runs out.
 */
int first_touches_place(const struct arrivals *a, const struct profile *p, double part,
			double *first, struct err *err);

#endif
