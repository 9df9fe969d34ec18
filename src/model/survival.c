/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From samples to P(reuse distance > x): the product-limit estimator of Kaplan
 * and Meier over bins of distance. A sample whose watch ended first is at risk
 * up to its distance and then leaves; within its bin it counts as half at risk.
 */
#include "model/parts.h"

#define EXACT_BITS  6 /* distances below 2^6 have bins of their own */
#define OCTAVE_BITS 5 /* 2^5 bins in each octave above */

unsigned model_bin(uint64_t distance)
{
	unsigned octave;

	if (distance < 1u << EXACT_BITS)
		return (unsigned)distance;
	octave = 63 - (unsigned)__builtin_clzll(distance);
	return (1u << EXACT_BITS) + ((octave - EXACT_BITS) << OCTAVE_BITS) +
	       ((unsigned)(distance >> (octave - OCTAVE_BITS)) & ((1u << OCTAVE_BITS) - 1));
}

/* The samples of one bin: from sorted[at] on. */
struct bin_run {
	size_t samples, reused;
	double weight, reused_weight;
};

static struct bin_run gather_bin(const struct model *m, const uint32_t *sorted, size_t at,
				 size_t count)
{
	struct bin_run run = {0};
	unsigned bin = m->bin[sorted[at]];

	for (; at < count && m->bin[sorted[at]] == bin; at++) {
		uint32_t i = sorted[at];

		run.samples++;
		run.weight += m->weight[i];
		if (m->reused[i]) {
			run.reused++;
			run.reused_weight += m->weight[i];
		}
	}
	return run;
}

void survival_estimate(const struct model *m, const uint32_t *sorted, size_t count,
		       unsigned min_at_risk, double *x, double *mass, struct survival *out)
{
	double at_risk = 0;
	size_t at = 0;

	/* A handful of samples is all there is: take them as they are, down to the last tenth. */
	if (min_at_risk > (count + 9) / 10)
		min_at_risk = (unsigned)((count + 9) / 10);
	*out = (struct survival){.x = x, .mass = mass, .left = 1};
	for (size_t i = 0; i < count; i++)
		at_risk += m->weight[sorted[i]];

	while (at < count && count - at >= min_at_risk) {
		struct bin_run run = gather_bin(m, sorted, at, count);
		double exposed = at_risk - (run.weight - run.reused_weight) / 2;

		out->end_x = m->bin_x[m->bin[sorted[at]]];
		if (run.reused_weight > 0) {
			double hazard = run.reused_weight / exposed;

			/* The last of the samples: 1, whatever rounding has made of at_risk. */
			if (run.reused == count - at || hazard > 1)
				hazard = 1;
			out->x[out->count] = out->end_x;
			out->mass[out->count++] = out->left * hazard;
			out->left *= 1 - hazard;
		}
		at_risk -= run.weight;
		at += run.samples;
	}
}

double survival_integral(const struct survival *s)
{
	double sum = s->left * s->end_x;

	for (size_t i = 0; i < s->count; i++)
		sum += s->mass[i] * s->x[i];
	return sum;
}

size_t survival_find(const struct survival *s, double x)
{
	size_t low = 0, high = s->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->x[middle] < x)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
