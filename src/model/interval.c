/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The 95 % interval: the luck of the samples inside of windows, that of the windows where there are
 * gaps, that of the choice of far lines, and what the model itself may err.
 */
#include <math.h>

#include "model/parts.h"

#define SELF 0.8 /* most of a window's misses that are taken to come from its other misses */

/* Student's t, 97.5 %: exact where the series below is not good to three digits. */
static const double small_quantiles[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469};

double model_student_quantile(size_t df)
{
	const double z = 1.959964, n = (double)df;

	if (df <= sizeof(small_quantiles) / sizeof(small_quantiles[0]))
		return small_quantiles[df - 1];
	/* Cornish and Fisher's expansion around the normal quantile. */
	return z + (pow(z, 3) + z) / (4 * n) +
	       (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * n * n) +
	       (3 * pow(z, 7) + 19 * pow(z, 5) + 17 * pow(z, 3) - 15 * z) / (384 * n * n * n);
}

struct moments {
	double weight, misses; /* of a kind of reuses in a window */
};

/*
 * The variance of a window's misses by the choice of its samples. How many close ones there are,
 * and how many far ones, is known better than the few that are kept would tell.
 */
static double variance_inside(const struct model *m, size_t window)
{
	const size_t *first = &m->cell_first[window * MODEL_CELLS];
	struct moments of[REUSE_KINDS] = {0}, near, far;
	double sum = 0;

	for (size_t i = first[0]; i < first[MODEL_CELLS]; i++) {
		const struct reuse *r = &m->reuses[i];

		of[r->kind].weight += r->weight;
		of[r->kind].misses += r->weight * m->miss[i];
	}
	near.weight = of[REUSE_CLOSE].weight + of[REUSE_NEAR].weight;
	near.misses = of[REUSE_CLOSE].misses + of[REUSE_NEAR].misses;
	far.weight = of[REUSE_FAR].weight + of[REUSE_FIRST].weight;
	far.misses = of[REUSE_FAR].misses + of[REUSE_FIRST].misses;
	for (size_t i = first[0]; i < first[MODEL_CELLS]; i++) {
		const struct reuse *r = &m->reuses[i];
		const struct moments *all = r->kind <= REUSE_NEAR ? &near : &far;
		double p = m->miss[i], off = p - all->misses / all->weight, own;

		if (r->kind != REUSE_CLOSE) {
			sum += r->weight * r->weight * off * off;
			continue;
		}
		own = p - of[REUSE_CLOSE].misses / of[REUSE_CLOSE].weight;
		sum += r->weight * m->windows[window].sampled * off * off +
		       r->weight * r->weight * own * own;
	}
	return sum;
}

/* The variance of the run's misses by which windows there are, and by what each has seen. */
static double variance_of_windows(const struct model *m)
{
	double sum = 0;

	for (size_t i = 0; i < m->window_count; i++) {
		const struct window *w = &m->windows[i];
		const struct window_sum *s = &m->sums[i];
		size_t other = i + 1 < m->window_count ? i + 1 : i - 1;
		double more = 1 / (1 - fmin(SELF, s->elastic));
		double inside = variance_inside(m, i) * more * more, gap = 0;

		if (w->hidden > 0 && m->window_count > 1 && m->sums[other].accesses > 0 &&
		    s->accesses > 0) {
			gap = s->misses / s->accesses -
			      m->sums[other].misses / m->sums[other].accesses;
			gap *= gap / 2 * w->hidden * s->accesses * s->accesses;
		}
		sum += w->scale * w->scale * (inside + gap);
	}
	return sum / (m->accesses * m->accesses);
}

/* What the ratio changes by if there are more far touches, by a share. */
static double slope_of_far(const struct model *m)
{
	double far = 0, misses = 0, elastic = 0;

	for (size_t i = 0; i < m->reuse_count; i++) {
		const struct reuse *r = &m->reuses[i];
		double scale = reuse_window(m, r)->scale;

		if (r->kind >= REUSE_FAR)
			far += scale * r->weight * m->miss[i];
	}
	for (size_t i = 0; i < m->window_count; i++) {
		misses += m->windows[i].scale * m->sums[i].misses;
		elastic += m->windows[i].scale * m->sums[i].misses * m->sums[i].elastic;
	}
	return far / m->accesses / (1 - (misses > 0 ? fmin(SELF, elastic / misses) : 0));
}

void interval_fill(struct model *m, struct model_ratio *out)
{
	double far, width, t;

	far = sqrt(m->far_variance) / fmax(1e-12, m->far_share) * slope_of_far(m);

	t = m->window_count > 1 ? model_student_quantile(m->window_count - 1) : 1;
	width = m->window_count > 1 ? t * sqrt(variance_of_windows(m) + far * far) : 1;
	width += MODEL_ERROR_ABSOLUTE + MODEL_ERROR_RELATIVE * out->ratio;
	out->low = fmax(0, out->ratio - width);
	out->high = fmin(1, out->ratio + width);
}
