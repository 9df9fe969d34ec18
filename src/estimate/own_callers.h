/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user's functions behind those of libraries, by the call paths of samples. */
#ifndef DWELL_ESTIMATE_OWN_CALLERS_H
#define DWELL_ESTIMATE_OWN_CALLERS_H

#include "estimate/hot.h"

#define OWN_CALLERS 16 /* rows, from the first one on */

struct own_callers {
	/*
	 * For each row of a library's function: the user's function that calls it with most of its
	 * cost. NULL: the row is no library's, or no caller is known.
	 */
	const char *caller[OWN_CALLERS];
	/* The user's function that costs most, with what it calls in libraries; NULL: none. */
	const char *most;
	const char *most_file; /* its source; NULL: not known */
	double part;	       /* of the cost of all */
};

/* Of rows by function, from the shares of p->ends. The profile owns the strings. */
int own_callers_find(struct own_callers *o, const struct profile *p,
		     const struct profile_share *shares, const struct hot *functions,
		     struct err *err);

#endif
