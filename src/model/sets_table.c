/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The chance that a set is full, at some hundred numbers of lines, for the many that are asked of
 * one cache. It rises from nothing to one as Poisson's sum does, whose width is the root of the
 * ways: so points an equal step apart, with the slope at each, say all there is (Hermite's cubics);
 * where each whole number is one of them, straight lines do.
 */
#include <math.h>

#include "model/parts.h"

/*
 * Below and above the ways, lines of a set within which the chance is neither nothing nor one, to
 * 1e-10.
 */
#define BELOW	  10.0 /* roots of the ways */
#define ABOVE	  7.0
#define ABOVE_ALL 20.0

/* What the chance rises by with a line more: the mean of the steps to `n` and from it. */
static double rise_at(const struct sets *s, double n, double last)
{
	double a = s->ways - 1, before = n > a ? last * (n - a) / (n * (1 - 1 / s->sets)) : 0;

	return (last + before) / 2 / s->sets;
}

void sets_table_init(struct sets_table *t, const struct sets *sets)
{
	double root = sqrt(sets->ways), last;
	double from = fmax(sets->ways - 1, floor((sets->ways - BELOW * root) * sets->sets));
	double to = ceil((sets->ways + ABOVE * root + ABOVE_ALL) * sets->sets);

	t->sets = sets;
	t->step = 0;
	if (sets->sets <= 1 || sets->ways <= 1)
		return;
	t->from = from;
	t->step = fmax(1, ceil((to - from) / (SETS_TABLE - 1)));
	for (size_t i = 0; i < SETS_TABLE; i++) {
		double n = from + (double)i * t->step;

		t->miss[i] = sets_chance(sets, n, &last);
		t->rise[i] = t->step * rise_at(sets, n, last);
	}
}

double sets_table_miss(const struct sets_table *t, double stack)
{
	double place, p, q;
	size_t i;

	if (t->step <= 0)
		return sets_miss(t->sets, stack);
	place = (stack - t->from) / t->step;
	if (place <= 0)
		return 0;
	if (place >= SETS_TABLE - 1)
		return 1;
	i = (size_t)place;
	p = place - (double)i;
	if (t->step <= 1)
		return t->miss[i] + p * (t->miss[i + 1] - t->miss[i]);
	q = 1 - p;
	return q * q * ((1 + 2 * p) * t->miss[i] + p * t->rise[i]) +
	       p * p * ((1 + 2 * q) * t->miss[i + 1] - q * t->rise[i + 1]);
}
