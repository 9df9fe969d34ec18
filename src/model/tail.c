/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the reuses lie that no window was long enough to see: near (the end of
 * what was seen), far (as far as the footprint allows on average), and spread
 * out in between, which is the point estimate.
 */
#include "model/parts.h"

#include <math.h>

#define FOLLOW_DOUBT 3.0
#define MOST_FARTHER 8.0
/* so many times as many lines may be in use as were estimated, if their pages have them */
#define LINES_DOUBT   1.25
#define SLOPE_OCTAVES 4
#define SCALE_STEPS   60
#define SHAPE_STEP    0.05
#define SHAPE_MIN     0.35
#define SHAPE_MAX     2.0
#define SHAPE_LOOP    3.0 /* of 2, 2.5, 3 and 4 the best for chases and column walks */

/* One piece of all that is not cold. */
static void set_single(struct tail *t, double x, double mass, double cold)
{
	t->x[0] = x;
	t->mass = mass;
	t->count = mass > 0 ? 1 : 0;
	t->cold = cold;
}

/*
 * How steeply the pool's survival falls at its end: -d ln S / d ln x, over the last
 * octaves, less what chance alone could make of so few reuses. 0: it does not.
 */
static double final_slope(const struct survival *s)
{
	double before = s->left, seen = 0;

	for (size_t i = s->count; i-- > 0 && s->x[i] > s->end_x / exp2(SLOPE_OCTAVES);) {
		before += s->mass[i];
		seen++;
	}
	if (seen <= 1)
		return 0;
	return (1 - 1 / sqrt(seen)) * log(before / s->left) / log(exp2(SLOPE_OCTAVES));
}

/* The pieces of a Weibull tail beyond `end`: equal masses, each at the middle of its quantiles. */
static double place_pieces(struct tail *t, double end, double shape, double scale)
{
	double passed = pow(end / scale, shape), mean = 0;

	for (int q = 0; q < MODEL_TAIL_PIECES; q++) {
		double hazard = -log(1 - (q + 0.5) / MODEL_TAIL_PIECES);

		t->x[q] = scale * pow(passed + hazard, 1 / shape);
		mean += (t->x[q] - end) / MODEL_TAIL_PIECES;
	}
	return mean;
}

/* The scale at which the pieces lie `residual` beyond the end on average, which they then do. */
static double fit_scale(struct tail *t, double end, double shape, double residual)
{
	double low = residual * 1e-6, high = residual * 1e3;

	for (int i = 0; i < SCALE_STEPS; i++) {
		double middle = sqrt(low * high);

		if (place_pieces(t, end, shape, middle) > residual)
			high = middle;
		else
			low = middle;
	}
	return low;
}

/*
 * A Weibull tail with the footprint's mean that falls at its beginning as what was seen falls at
 * its end. Most programs have some unseen reuses near and some very far (shapes below 1;
 * exponential tails, of shape 1, were 0.1 to 0.5 points too high for them in caches that nearly
 * hold everything). Where nothing falls there is a loop through much memory, or chance: the largest
 * shape lies between the exponential of the latter and the single distance of the former, and
 * halved the errors of pointer chases. Where lines watched on have shown a loop, a few reuses near
 * the end say nothing of the others, and distances are more alike; but for lines longer than those
 * watched on: what is touched at one place of the loop shares them with what is touched at others.
 */
static void spread_tail(const struct model *m, struct tail *t, double residual, bool is_loop,
			bool longer_lines)
{
	double end = m->pool.end_x, slope = is_loop ? 0 : final_slope(&m->pool);
	double shape = is_loop && !longer_lines ? SHAPE_LOOP : SHAPE_MAX, scale;

	for (;; shape -= SHAPE_STEP) {
		scale = fit_scale(t, end, shape, residual);
		if (shape * pow(end / scale, shape) >= slope || shape < SHAPE_MIN)
			return;
	}
}

/*
 * The lines held, on average over the run, if what was left unresolved lies as far as the tail's
 * pieces, so many times as far beyond the end. An access holds its line until the next touch, or
 * until the run ends: with a distance of x that is x - x^2 / 2T for one at a random place of T
 * accesses.
 */
static double lines_held(const struct model *m, const struct tail *t, double factor)
{
	double end = m->pool.end_x, run = m->accesses, sum = 0;

	for (size_t q = 0; q < t->count; q++) {
		double x = fmin(run, end + factor * (t->x[q] - end));

		sum += (x - x * x / (2 * run)) - (end - end * end / (2 * run));
	}
	return survival_integral(&m->pool) + m->pool.left * sum / (double)t->count;
}

/*
 * Lines watched on tell little of rates of less than a touch or two in all windows, so the tail
 * that they have shown may be too far. But it is not farther than the memory that is held allows;
 * some of that may be at rest, so it may allow more.
 */
static void fit_in_footprint(const struct model *m, struct tail *t)
{
	double end = m->pool.end_x, low = 0, high = 1;
	double more = m->last_lines > 0 ? m->most_lines / m->last_lines : 1;
	double most = m->mean_lines * fmin(LINES_DOUBT, fmax(1, more));

	if (end >= m->accesses || lines_held(m, t, 1) <= most)
		return;
	for (int i = 0; i < SCALE_STEPS; i++) {
		double middle = (low + high) / 2;

		if (lines_held(m, t, middle) > most)
			high = middle;
		else
			low = middle;
	}
	for (size_t q = 0; q < t->count; q++)
		t->x[q] = end + low * (t->x[q] - end);
}

/* With lines watched on it is known where the tail is, give or take a factor. */
static void bound_tail(struct model *m)
{
	double end = m->pool.end_x;

	for (enum tail_kind kind = TAIL_NEAR; kind < TAIL_KINDS; kind++) {
		double factor = kind == TAIL_NEAR ? 1 / FOLLOW_DOUBT : FOLLOW_DOUBT;
		struct tail *t = &m->tails[kind];

		if (kind == TAIL_SPREAD)
			continue;
		*t = m->tails[TAIL_SPREAD];
		for (size_t q = 0; q < t->count; q++)
			t->x[q] = end + factor * (t->x[q] - end);
	}
}

/*
 * Of samples that were chosen from more few were watched on: how far the unseen reuses are is what
 * all say, with their size of line. How many there are is the choice's own; and as much memory lies
 * on their way: many reuses of short lines are farther than few of long ones. Returns as
 * follow_tail.
 */
static int take_tail(const struct model *m, const struct model *all, struct tail *t)
{
	const struct tail *from = &all->tails[TAIL_SPREAD];
	double farther = m->mean_lines / all->mean_lines * all->pool.left / m->pool.left;

	if (all->followed != 0 || from->count != t->count)
		return all->followed != 0 ? all->followed : -1;
	farther = fmin(MOST_FARTHER, fmax(1 / MOST_FARTHER, farther)) * m->touches / all->touches;
	for (size_t q = 0; q < t->count; q++)
		t->x[q] = m->pool.end_x + (from->x[q] - all->pool.end_x) * farther;
	return 0;
}

void model_set_tails(struct model *m, const struct model *all)
{
	double end = m->pool.end_x, left = m->pool.left, cold, rest, residual;
	struct tail *spread = &m->tails[TAIL_SPREAD];
	int followed;

	m->followed = -1;
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
		spread->x[q] = end;
	if (residual <= 0)
		return;
	followed = all != NULL ? take_tail(m, all, spread)
			       : follow_tail(m, m->follows, m->follow_count, spread);
	m->followed = followed;
	if (followed == 0)
		fit_in_footprint(m, spread);
	else
		spread_tail(m, spread, residual, followed == 1,
			    all != NULL && m->line_bytes > all->line_bytes);
	if (followed >= 0)
		bound_tail(m);
}
