/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the reuses lie that no window was long enough to see: near (the end of
 * what was seen), far (as far as the footprint allows on average), and spread
 * out in between as an exponential, which is the point estimate.
 */
#include "model/parts.h"

#include <math.h>

/* Makes the mean of the 8 pieces that of the exponential they stand for. */
#define SPREAD_SCALE 1.04

/* One piece of all that is not cold. */
static void set_single(struct tail *t, double x, double mass, double cold)
{
	t->x[0] = x;
	t->mass = mass;
	t->count = mass > 0 ? 1 : 0;
	t->cold = cold;
}

void model_set_tails(struct model *m)
{
	double end = m->pool.end_x, left = m->pool.left, cold, rest, residual;
	struct tail *spread = &m->tails[TAIL_SPREAD];

	if (!m->has_footprint) {
		set_single(&m->tails[TAIL_NEAR], end, left, 0);
		set_single(&m->tails[TAIL_FAR], end, 0, left);
		*spread = m->tails[TAIL_FAR];
		return;
	}
	cold = fmin(m->last_lines / m->accesses, left);
	rest = left - cold;
	/* mean of min(distance, N - t) = mean of F; what was seen accounts for its integral. */
	residual = rest > 0 ? fmax(0, (m->mean_lines - survival_integral(&m->pool)) / rest) : 0;
	set_single(&m->tails[TAIL_NEAR], end, rest, cold);
	set_single(&m->tails[TAIL_FAR], end + residual, rest, cold);
	set_single(spread, end, rest, cold);
	if (rest <= 0)
		return;
	spread->count = MODEL_TAIL_PIECES;
	spread->mass = rest / MODEL_TAIL_PIECES;
	for (int q = 0; q < MODEL_TAIL_PIECES; q++)
		spread->x[q] =
			end - SPREAD_SCALE * residual * log(1 - (q + 0.5) / MODEL_TAIL_PIECES);
}
