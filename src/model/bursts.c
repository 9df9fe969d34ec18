/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bursts of misses. M(t) is a straight line inside a cell, but misses may come in bursts much
 * shorter than it, and near reuses lie in the pauses between: these meet fewer misses than their
 * distance tells.
 *
 * Touches of counted lines between the two touches of a near reuse tell how many. Those of class c
 * miss with the mean chance of the reuses of that class, so each stands for
 *
 *	p_c = misses of class c / counted touches of class c
 *
 * misses, and a reuse was seen to meet K = E + sum k_c p_c, where M(t) tells mu. E is the part of
 * mu that is of shorter distances: so few lines are touched so often that a choice of them tells
 * little. Chances are those of the run, times a factor for each window, with which its counted
 * touches tell as many misses as M(t) does.
 *
 * Counts are small, so that K is known badly for one reuse, but well for many. The misses met by
 * the reuses of an octave of distances are taken as gamma distributed around R mu, with R and the
 * scatter 1/a of all that were seen (negative binomial counts, by moments). Given K, in units of
 * u misses a count, they are gamma distributed again, with the shape a + K/u and the scale
 * s = 1 / (a / (R mu) + 1/u), so that the line is there still with the chance
 *
 *	E exp(-misses rate) = (1 + s rate)^-(a + K/u)
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/parts.h"

#define OCTAVES 8u    /* of distances, from MODEL_CLOSE to MODEL_FAR */
#define PRIOR	100.0 /* counted touches that make half of a window's factor its own */
#define SMOOTH	1e-3  /* least scatter */

/* Of the near reuses of an octave: weighted sums. */
struct octave {
	double expected, met;	   /* mu, K */
	double square, variance;   /* of K - R mu; what the counts add to it */
	double expected_square;	   /* of R mu */
	double ratio, shape, unit; /* R, a, u */
};

/* The class, or -1: the distance is shorter. */
static int class_of(const struct reuse *r)
{
	if (r->kind == REUSE_FIRST)
		return MODEL_TOUCHES - 1;
	if (r->distance < MODEL_TOUCHED)
		return -1;
	return (int)fmin(MODEL_TOUCHES - 2, floor(log2(r->distance / MODEL_TOUCHED) / 2));
}

static unsigned octave_of(const struct reuse *r)
{
	return (unsigned)fmin(OCTAVES - 1, fmax(0, log2(r->distance / MODEL_CLOSE)));
}

int bursts_new(struct model *m)
{
	const size_t cells = m->window_count * MODEL_CELLS;

	m->near_misses = calloc(cells + 1, sizeof(*m->near_misses));
	m->short_misses = calloc(cells + 1, sizeof(*m->short_misses));
	m->expected = calloc(m->reuse_count + 1, sizeof(*m->expected));
	m->met = calloc(m->reuse_count + 1, sizeof(*m->met));
	for (size_t i = 0; i < m->reuse_count; i++) {
		struct reuse *r = &m->reuses[i];

		r->class = (int8_t)class_of(r);
		r->octave = (uint8_t)octave_of(r);
	}
	return m->near_misses != NULL && m->short_misses != NULL && m->expected != NULL &&
			       m->met != NULL
		       ? 0
		       : -1;
}

/* The misses that a counted touch of each class stands for. Returns their mean, by misses. */
static double find_chances(const struct model *m, double chances[MODEL_TOUCHES])
{
	double touches[MODEL_TOUCHES] = {0}, told = 0, square = 0;

	memset(chances, 0, MODEL_TOUCHES * sizeof(*chances));
	for (size_t i = 0; i < m->reuse_count; i++) {
		const struct reuse *r = &m->reuses[i];

		if (r->class >= 0)
			chances[r->class] += r->weight * m->chance[i];
	}
	for (unsigned c = 0; c < MODEL_TOUCHES; c++) {
		for (size_t w = 0; w < m->window_count; w++)
			touches[c] += m->windows[w].touches[c];
		told += chances[c];
		chances[c] = touches[c] > 0 ? chances[c] / touches[c] : 0;
		square += touches[c] * chances[c] * chances[c];
	}
	return told > 0 ? square / told : 0;
}

/* Fills m->short_misses. */
static void sum_short(struct model *m)
{
	const size_t cells = m->window_count * MODEL_CELLS;

	memset(m->short_misses, 0, (cells + 1) * sizeof(*m->short_misses));
	for (size_t i = 0; i < m->reuse_count; i++)
		if (m->reuses[i].kind <= REUSE_NEAR && m->reuses[i].class < 0)
			spread_add(m, i, m->short_misses + 1);
	for (size_t cell = 0; cell < cells; cell++)
		m->short_misses[cell + 1] += m->short_misses[cell];
}

/* How much a sum over cells grows between the touches. */
static double between(const double *sums, const struct reuse *r)
{
	return sum_at(sums, r->cell, r->part) - sum_at(sums, r->begin_cell, r->begin_part);
}

/* By how much the misses of each window are more than the chances of the run tell. */
static void find_factors(struct model *m, const double *chances, double unit)
{
	for (size_t w = 0; w < m->window_count; w++) {
		const size_t first = w * MODEL_CELLS, end = first + MODEL_CELLS;
		double misses = m->misses[end] - m->misses[first], told = PRIOR * unit;

		misses -= m->short_misses[end] - m->short_misses[first];
		for (unsigned c = 0; c < MODEL_TOUCHES; c++)
			told += m->windows[w].touches[c] * chances[c];
		m->sums[w].burst = unit > 0 ? (fmax(0, misses) + PRIOR * unit) / told : 1;
	}
}

/* Fills m->expected and m->met of near reuse i; returns the variance of that by its counts. */
static double see(struct model *m, size_t i, const double chances[MODEL_TOUCHES])
{
	const struct reuse *r = &m->reuses[i];
	const double factor = m->sums[r->cell / MODEL_CELLS].burst;
	double met = 0, variance = 0;

	for (unsigned c = 0; c < MODEL_TOUCHES; c++) {
		met += r->between[c] * chances[c];
		variance += r->between[c] * chances[c] * chances[c];
	}
	m->expected[i] = between(m->misses, r);
	m->met[i] = between(m->short_misses, r) + factor * met;
	return factor * factor * variance;
}

static void see_means(struct model *m, const double *chances, struct octave *octaves)
{
	for (size_t i = 0; i < m->reuse_count; i++) {
		const struct reuse *r = &m->reuses[i];
		struct octave *o = &octaves[r->octave];

		if (r->kind != REUSE_NEAR)
			continue;
		o->variance += r->weight * see(m, i, chances);
		o->expected += r->weight * m->expected[i];
		o->met += r->weight * m->met[i];
	}
	for (unsigned i = 0; i < OCTAVES; i++) {
		struct octave *o = &octaves[i];

		o->ratio = o->expected > 0 ? o->met / o->expected : 1;
		o->unit = o->met > 0 ? o->variance / o->met : 0;
	}
}

static void see_scatter(const struct model *m, struct octave *octaves)
{
	for (size_t i = 0; i < m->reuse_count; i++) {
		const struct reuse *r = &m->reuses[i];
		struct octave *o = &octaves[r->octave];
		double mean = o->ratio * m->expected[i], off = m->met[i] - mean;

		if (r->kind != REUSE_NEAR)
			continue;
		o->square += r->weight * off * off;
		o->expected_square += r->weight * mean * mean;
	}
	for (unsigned i = 0; i < OCTAVES; i++) {
		struct octave *o = &octaves[i];
		double scatter = o->square - o->variance;

		scatter = o->expected_square > 0 ? scatter / o->expected_square : 0;
		o->shape = 1 / fmax(SMOOTH, scatter);
	}
}

/* ln P(hit), without its sign. */
static double exponent_of(const struct octave *o, double expected, double met, double rate)
{
	double mean = o->ratio * expected;

	if (o->unit <= 0 || mean <= 0)
		return mean * rate;
	return (o->shape + met / o->unit) * log1p(rate / (o->shape / mean + 1 / o->unit));
}

void bursts_solve(struct model *m, double rate)
{
	struct octave octaves[OCTAVES] = {0};
	double chances[MODEL_TOUCHES], unit = find_chances(m, chances);

	sum_short(m);
	find_factors(m, chances, unit);
	see_means(m, chances, octaves);
	see_scatter(m, octaves);
	memset(m->near_misses, 0, m->window_count * MODEL_CELLS * sizeof(*m->near_misses));
	for (size_t i = 0; i < m->reuse_count; i++) {
		const struct reuse *r = &m->reuses[i];

		if (r->kind != REUSE_NEAR)
			continue;
		m->chance[i] =
			-expm1(-exponent_of(&octaves[r->octave], m->expected[i], m->met[i], rate));
		spread_add(m, i, m->near_misses);
	}
}
