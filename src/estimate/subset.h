/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A part of a process's accesses, for a curve of its own: those of some code, or to some data. */
#ifndef DWELL_ESTIMATE_SUBSET_H
#define DWELL_ESTIMATE_SUBSET_H

#include "estimate/curve.h"

enum subset_kind {
	SUBSET_FUNCTION,
	SUBSET_OBJECT,
	SUBSET_LINE,   /* FILE:LINE */
	SUBSET_THREAD, /* its index in the process */
};

struct subset {
	enum subset_kind kind;
	const char *name; /* as requested; owned by the caller */
	char *note;	  /* a sentence if the name is ambiguous, else NULL */
	uint32_t *row_of; /* of each of the profile's ends: 0 in it, else RATIOS_NO_ROW */
	size_t count;	  /* number of ends in it */
};

/*
 * Find the part by name. Functions or variables of the same name are taken together. Fails, with
 * similar names, if the name has no samples. Release with subset_release.
 */
int subset_find(struct subset *s, const struct profile *p, enum subset_kind kind, const char *name,
		struct err *err);
void subset_release(struct subset *s);

/*
 * Compute the subset's curve at the sizes of `curve`, replacing its ratios: misses per access, with
 * the interval of model_part.
 */
int subset_solve(const struct subset *s, const struct profile *p, struct curve *curve,
		 struct err *err);

#endif
