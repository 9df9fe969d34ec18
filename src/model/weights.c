/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many accesses each reuse stands for.
 *
 * First touches are as many as lines: the far lines that there are, times what each stands for.
 * Lines touched for the first time inside of a gap look like first touches later. But each line has
 * one: of those seen in a window, each for itself is one, and the others that it would stand for
 * are reuses whose last touch no window saw.
 *
 * The share of far touches is told twice: by the samples that found no near reuse, and by the far
 * lines. Both are without bias, so they are weighed by the inverse of their variances. Of n samples
 * it is f (1 - f) / n. A far line that is touched at the distance d is touched T / d times in a run
 * of T, all of it there or not, so it is the sum of weight^2 T / d. The far reuses are made to have
 * the share that follows, each by a factor that is the farther from 1 the more its distance has to
 * do with the variance (best linear unbiased estimate). As lines touched in between are those
 * touched at larger distances, their number is mended alike. Near samples stand for the rest.
 */
#include <math.h>

#include "model/parts.h"

#define UNIT  0.5  /* of that sum: there are far lines in each block, but several side by side */
#define ALIKE 0.01 /* relative: what the choice does to all far reuses alike */
#define MOST  3.0  /* no weight changes by more than this factor */

struct shares {
	double near, far_samples; /* weights of samples, in accesses of the run */
	double chosen;		  /* samples, with those that close ones stand for */
	double accesses;
};

static void count_samples(const struct model *m, const struct model_input *in, struct shares *s)
{
	for (size_t i = 0; i < in->near_count; i++) {
		const struct model_near *near = &in->near[i];
		const struct window *w = &m->windows[near->window];

		*(near->is_far ? &s->far_samples : &s->near) += w->scale * near->weight;
		s->chosen += near->weight / w->sampled;
		m->begins[i] = w->scale * near->weight;
	}
}

/* Close samples are kept by a coin and stand for more: the others stand for one choice each. */
static void find_sampled(struct model *m, const struct model_input *in)
{
	for (size_t i = 0; i < m->window_count; i++)
		m->windows[i].sampled = m->windows[i].length;
	for (size_t i = 0; i < in->near_count; i++) {
		double *sampled = &m->windows[in->near[i].window].sampled;

		if (in->near[i].weight > 0)
			*sampled = fmin(*sampled, in->near[i].weight);
	}
}

/* What the choice of lines makes of a reuse's weight, as a share of what it does to the nearest. */
static double luck(const struct reuse *r)
{
	return r->kind == REUSE_FAR ? MODEL_FAR / fmax(MODEL_FAR, r->distance) : 0;
}

/* First touches are as many as lines. */
static void weigh_first(struct model *m, const struct model_input *in)
{
	double first = 0, lines = (double)in->far_lines * in->far_line_weight;

	for (size_t i = 0; i < m->reuse_count; i++)
		if (m->reuses[i].kind == REUSE_FIRST)
			first += m->reuses[i].weight;
	for (size_t i = 0; i < m->reuse_count; i++)
		if (m->reuses[i].kind == REUSE_FIRST && lines > 0)
			m->reuses[i].weight *= fmin(MOST, fmax(1 / MOST, lines / first));
}

/* Gives far reuses the weights of the best estimate; fills far_share and far_variance. */
static void weigh_far(struct model *m, const struct shares *s)
{
	double samples = s->near + s->far_samples, share, far = 0, lucky = 0, kept, more;
	double of_samples, of_lines, of_all;

	for (size_t i = 0; i < m->reuse_count; i++) {
		const struct reuse *r = &m->reuses[i];

		if (r->kind < REUSE_FAR)
			continue;
		far += reuse_window(m, r)->scale * r->weight / s->accesses;
		lucky += reuse_window(m, r)->scale * r->weight / s->accesses * luck(r);
	}
	m->far_share = far;
	of_lines = UNIT * m->far_line_weight * lucky / MODEL_FAR;
	of_all = ALIKE * ALIKE * far * far;
	m->far_variance = of_lines + of_all;
	if (samples <= 0 || lucky <= 0)
		return;
	share = s->far_samples / samples;
	kept = fmin(1, fmax(share, 1 / (s->chosen + 1)));
	of_samples = fmax(kept * (1 - kept), 1 / s->chosen) / s->chosen;
	more = (share - far) / (of_samples + of_lines + of_all);
	m->far_share = far + more * (of_lines + of_all);
	m->far_variance = of_samples * (of_lines + of_all) / (of_samples + of_lines + of_all);
	for (size_t i = 0; i < m->reuse_count; i++) {
		struct reuse *r = &m->reuses[i];

		if (r->kind >= REUSE_FAR)
			r->weight *= fmax(1 / MOST,
					  1 + more * (of_lines * luck(r) / lucky + of_all / far));
	}
}

/*
 * What near samples weigh: what is far was weighed, and they are the rest of the run. Not of each
 * window: where one has but few samples, and by chance none of those that stand for most of its
 * accesses, the others are not to take their place.
 */
static double near_factor(const struct model *m, double accesses)
{
	double near = 0, far = 0;

	for (size_t i = 0; i < m->reuse_count; i++) {
		const struct reuse *r = &m->reuses[i];

		*(r->kind >= REUSE_FAR ? &far : &near) += reuse_window(m, r)->scale * r->weight;
	}
	return near > 0 ? fmax(0, accesses - far) / near : 0;
}

static void scale_window(struct model *m, size_t window, double near)
{
	const size_t *first = &m->cell_first[window * MODEL_CELLS];
	struct window *w = &m->windows[window];

	w->hidden = 1 - 1 / w->scale;
	m->sums[window].accesses = 0;
	for (size_t i = first[0]; i < first[MODEL_CELLS]; i++) {
		struct reuse *r = &m->reuses[i];

		r->weight *= r->kind >= REUSE_FAR ? 1 : near;
		m->sums[window].accesses += r->weight;
	}
	w->sampled *= near;
	m->accesses += w->scale * m->sums[window].accesses;
}

void weights_scale(struct model *m, const struct model_input *in)
{
	struct expected raw;
	struct shares s = {0};
	double near;

	find_sampled(m, in);
	count_samples(m, in, &s);
	for (size_t i = 0; i < m->near_count; i++)
		m->begins[i] /= fmax(1e-300, s.near + s.far_samples);
	for (size_t i = 0; i < m->window_count; i++)
		s.accesses += m->windows[i].scale * m->windows[i].length;
	m->far_line_weight = fmax(1, in->far_line_weight);
	weigh_first(m, in);
	expected_measure(&raw, m);
	weigh_far(m, &s);
	near = near_factor(m, s.accesses);
	for (size_t i = 0; i < m->window_count; i++)
		scale_window(m, i, near);
	expected_measure(&m->touched, m);
	for (size_t i = 0; i < m->reuse_count; i++)
		m->reuses[i].lines *= expected_lines(&m->touched, m->reuses[i].distance) /
				      expected_lines(&raw, m->reuses[i].distance);
	hidden_measure(m);
}
