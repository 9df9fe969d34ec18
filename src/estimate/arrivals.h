/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which code makes window first touches. Lines and accesses are sampled at random in the second
 * half of each window. So each access of a far reuse, and each first touch, has the same chance to
 * be reported. The few reuses shorter than the window are the exception.
 */
#ifndef DWELL_ESTIMATE_ARRIVALS_H
#define DWELL_ESTIMATE_ARRIVALS_H

#include "profile/profile.h"

#define ARRIVALS_LEAST 50 /* least number for a result */

struct arrivals {
	size_t count;
	double all; /* sum of the weights, see arrivals_weight */
	/*
	 * By location, with a missing location at the end: part of all arrivals, and its variance.
	 */
	double *share, *variance;
};

/* Returns 0, or -1 when memory runs out; *a owns nothing then. Release with arrivals_release. */
int arrivals_measure(struct arrivals *a, const struct profile *p, struct err *err);
void arrivals_release(struct arrivals *a);

/* The weight of a window first touch in window `window` of p, in accesses of the run. */
double arrivals_weight(const struct profile *p, const struct store_arrival *x);

#endif
