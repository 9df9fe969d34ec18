/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reuses whose last touch no window saw: first touches behind gaps that are none. How long ago that
 * touch was is not known, but it was before the window began; they are taken to be as far as the
 * far reuses are that were seen to be farther than that.
 */
#include <math.h>

#include "model/parts.h"

unsigned hidden_bin(const struct model *m, double distance)
{
	return (unsigned)fmin(m->hidden_most, floor(log2(fmax(1, distance / MODEL_FAR))));
}

/* In the middle of the bin, by ratio. */
double hidden_distance(unsigned bin)
{
	return MODEL_FAR * exp2(bin + 0.5);
}

/* Without any, the last touch may have been as long ago as the begin of the run. */
void hidden_measure(struct model *m)
{
	unsigned bin = HIDDEN_BINS - 1;

	m->hidden_most = bin;
	for (size_t i = 0; i < m->reuse_count; i++) {
		const struct reuse *r = &m->reuses[i];

		if (r->kind == REUSE_FAR)
			m->hidden[hidden_bin(m, r->distance)] +=
				r->weight * reuse_window(m, r)->scale;
	}
	while (bin > 0 && m->hidden[bin] <= 0)
		bin--;
	if (m->hidden[bin] <= 0) {
		bin = hidden_bin(m, m->end);
		m->hidden[bin] = 1;
	}
	m->hidden_most = bin;
}
