/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who comes to lines that were not touched before in a window: by chance lines and accesses are
 * chosen from the second half of each, so that each access of a far reuse, and each first touch,
 * has the same chance to be told of; but for reuses shorter than the window, of which there are
 * few.
 */
#ifndef DWELL_ESTIMATE_ARRIVALS_H
#define DWELL_ESTIMATE_ARRIVALS_H

#include "profile/profile.h"

#define ARRIVALS_LEAST 50 /* to speak for a run */

struct arrivals {
	size_t count;
	double all; /* sum of their weights, see arrivals_weight */
	/*
	 * By location, and at the end one that is missing: part of all arrivals, and its variance.
	 */
	double *share, *variance;
};

/* Returns 0, or -1 when memory runs out; *a owns nothing then. Release with arrivals_release. */
int arrivals_measure(struct arrivals *a, const struct profile *p, struct err *err);
void arrivals_release(struct arrivals *a);

/* What an arrival at p's window `window` stands for, in accesses of the run. */
double arrivals_weight(const struct profile *p, const struct store_arrival *x);

#endif
