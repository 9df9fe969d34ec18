/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reuses whose last touch no window saw: first touches behind gaps that are none. How long ago that
 * touch was is not known, but it was before the window began; they are taken to be as far as the
 * far reuses are that were seen to be farther than that.
 */
#include <math.h>

#include "model/parts.h"

/* Without any, the last touch may have been as long ago as the begin of the run. */
void hidden_measure(struct model *m)
{
	for (size_t i = 0; i < m->reuse_count; i++) {
		const struct reuse *r = &m->reuses[i];

		if (r->kind == REUSE_FAR)
			m->hidden[hidden_bin(r->distance)] += r->weight * reuse_window(m, r)->scale;
	}
	m->hidden_most = HIDDEN_BINS - 1;
	while (m->hidden_most > 0 && m->hidden[m->hidden_most] <= 0)
		m->hidden_most--;
	if (m->hidden[m->hidden_most] > 0)
		return;
	m->hidden_most = hidden_bin(m->end);
	m->hidden[m->hidden_most] = 1;
}

unsigned hidden_bin(double distance)
{
	double octaves = log2(fmax(1, distance / MODEL_FAR));

	return (unsigned)fmin(HIDDEN_BINS - 1, floor(octaves));
}

/* In the middle of the bin, by ratio. */
double hidden_distance(unsigned bin)
{
	return MODEL_FAR * exp2(bin + 0.5);
}
