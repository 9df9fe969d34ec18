/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user's functions behind those of libraries, by the call paths of samples. */
#ifndef DWELL_ESTIMATE_OWN_CALLERS_H
#define DWELL_ESTIMATE_OWN_CALLERS_H

#include "estimate/hot.h"

#define OWN_CALLERS 16 /* rows, from the first one on */

struct own_callers {
	/* for each row of functions: who calls it with most of its cost; NULL: it is no library's,
	 * or nobody is known */
	const char *caller[OWN_CALLERS];
	/* the user's function that costs most, with what it calls in libraries; NULL: none */
	const char *most;
	const char *most_file; /* its source; NULL: not known */
	double part;	       /* of the cost of all */
};

/* Of rows by function for the query's cache. The profile owns the strings. */
int own_callers_find(struct own_callers *o, const struct profile *p, const struct query *q,
		     const struct hot *functions, struct err *err);

#endif
