/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which window first touches are first touches: in each window as many as the growth of the
 * footprint explains, preferably on pages that were not touched before.
 */
#ifndef DWELL_ESTIMATE_FIRST_TOUCHES_H
#define DWELL_ESTIMATE_FIRST_TOUCHES_H

#include "estimate/arrivals.h"

/*
 * Set `first` for each location of p, and a missing one: its first touches, as a part of all
 * arrivals. Their sum is `part`, or twice what the growth of the footprint explains, if that is
 * less. Returns 0, or -1 when memory runs out.
 */
int first_touches_place(const struct arrivals *a, const struct profile *p, double part,
			double *first, struct err *err);

#endif
