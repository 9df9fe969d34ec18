/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines that are touched by d accesses, on average over the run: an access touches a line of its
 * own if that is not touched again before they end, so they are the sum over k < d of
 * P(distance > k) (Eklov and Hagersten, StatStack).
 */
#include <math.h>

#include "model/parts.h"

uint32_t expected_bin(double distance)
{
	return distance < 1 ? 0 : (uint32_t)fmin(EXPECTED_BINS - 1, 1 + floor(2 * log2(distance)));
}

static double begin_of(uint32_t bin)
{
	return bin == 0 ? 0 : exp2((bin - 1) / 2.0);
}

void expected_measure(struct expected *e, const struct model *m)
{
	double mass[EXPECTED_BINS] = {0}, all = 0, left;

	for (size_t i = 0; i < m->reuse_count; i++) {
		const struct reuse *r = &m->reuses[i];
		double weight = r->weight * reuse_window(m, r)->scale;

		all += weight;
		if (r->kind <= REUSE_FAR)
			mass[expected_bin(r->distance)] += weight;
	}
	left = all;
	e->sum[0] = 0;
	for (uint32_t bin = 0; bin < EXPECTED_BINS; bin++) {
		e->slope[bin] = all > 0 ? (left - mass[bin] / 2) / all : 0;
		left -= mass[bin];
		e->sum[bin + 1] = e->sum[bin] + e->slope[bin] * (begin_of(bin + 1) - begin_of(bin));
	}
}

double expected_lines(const struct expected *e, double distance)
{
	uint32_t bin = expected_bin(distance);

	return fmax(1e-9, e->sum[bin] + e->slope[bin] * (distance - begin_of(bin)));
}
