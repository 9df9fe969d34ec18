/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A part of a process's accesses that a curve can be restricted to: those of some code, or to some
 * data.
 */
#ifndef DWELL_ESTIMATE_SUBSET_H
#define DWELL_ESTIMATE_SUBSET_H

#include "estimate/curve.h"

enum subset_kind {
	SUBSET_FUNCTION,
	SUBSET_OBJECT,
	SUBSET_LINE, /* FILE:LINE */
};

struct subset {
	enum subset_kind kind;
	const char *name; /* as asked for, the caller's */
	char *note;	  /* a sentence when the name means several things, else NULL */
	bool *locations; /* of code: which of the profile's are in it, one more for a missing one */
	uint32_t *row_of; /* of each of the profile's samples: 0 in it, else RATIOS_NO_ROW */
};

/*
 * Find what the name means. Two functions or variables of one name are taken together. A name
 * without samples is an error that names what is near. Release with subset_release.
 */
int subset_find(struct subset *s, const struct profile *p, enum subset_kind kind, const char *name,
		struct err *err);
void subset_release(struct subset *s);

/*
 * The subset's curve at the sizes of `curve`, whose ratios it replaces: its misses by its accesses,
 * with a 95 % interval from the scatter of its windows and what is unknown
 * of far reuses (ratios_solve).
 */
int subset_solve(const struct subset *s, const struct profile *p, struct curve *curve,
		 struct err *err);

#endif
