/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Far lines by the rates at which they are touched; see follow.c, and ages.c for what rates leave
 * out.
 */
#ifndef DWELL_MODEL_MIXTURE_H
#define DWELL_MODEL_MIXTURE_H

#include "model/parts.h"

#define MIXTURE_RATES 48
#define MIXTURE_AGES  5 /* octaves, in units of where sight ends */

struct mixture {
	double rate[MIXTURE_RATES];  /* touches per access, falling */
	double share[MIXTURE_RATES]; /* with `unseen` together 1 */
	double unseen;		     /* never touched again in a window */
	double end;		     /* of what was seen without, accesses */
	double regularity; /* 0: touches are random at each rate; 1: as regular as a loop's */
	double by_age[MIXTURE_AGES]; /* so many times as often are lines of that age touched */
};

/*
 * Fills mix->by_age from lines watched on, of which those of a window follow one another; 1 where
 * nothing is known.
 */
void mixture_age(struct mixture *mix, const struct model *m, const struct follow *follows,
		 size_t count);

/*
 * Where a loop's reuses lie, from lines watched on: fills t->x with the quantiles of their
 * distances. Returns 0, or -1 when the touches are too few, or too many lines were not seen to be
 * touched.
 */
int regular_tail(const struct model *m, const struct follow *follows, size_t count, struct tail *t);

#endif
