/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LRU, within sets or without. A reuse misses where as many other lines as the cache has were
 * touched in between; with sets, with the chance that sets.c knows. Of far reuses the lines were
 * counted, among the far lines; of near ones see between.c.
 */
#include <math.h>

#include "model/parts.h"

/* One in each block is a far line, so that the number of those of an array hardly scatters. */
#define STRATA 0.35 /* of what it would scatter without */

double lru_error(const struct model *m, double lines)
{
	return STRATA * sqrt(m->far_line_weight / fmax(1, lines));
}

/* A cache without sets: most are asked for such, and need no table. */
static double near_miss_full(const float *lines, float ways)
{
	unsigned more = 0;

	for (unsigned i = 0; i < MODEL_PAIRS; i++)
		more += lines[i] >= ways;
	return more / (double)MODEL_PAIRS;
}

static double near_miss(const struct sets_table *t, const float *lines)
{
	double sum = 0;

	if (t->sets->sets <= 1)
		return near_miss_full(lines, (float)t->sets->ways);
	for (unsigned i = 0; i < MODEL_PAIRS; i++)
		sum += sets_table_miss(t, lines[i]);
	return sum / MODEL_PAIRS;
}

/* P(miss) of reuses whose last touch was not seen, by the least that they may be far. */
struct hidden {
	double miss[HIDDEN_BINS];
};

static void hidden_init(struct hidden *h, const struct model *m, const struct sets_table *t,
			double more)
{
	double misses = 0, all = 0;

	for (unsigned bin = m->hidden_most + 1; bin-- > 0;) {
		double lines = more * expected_lines(&m->touched, hidden_distance(bin));

		misses += m->hidden[bin] * sets_table_miss(t, lines);
		all += m->hidden[bin];
		h->miss[bin] = misses / all;
	}
}

static double far_miss(const struct model *m, const struct sets_table *t, const struct hidden *h,
		       const struct reuse *r, double more)
{
	const struct window *w = reuse_window(m, r);
	double since;

	if (r->kind == REUSE_FAR)
		return sets_table_miss(t, more * r->lines);
	if (w->hidden <= 0)
		return 1;
	since = w->length * (r->cell % MODEL_CELLS + r->part) / MODEL_CELLS;
	return 1 - w->hidden * (1 - h->miss[hidden_bin(m, since)]);
}

double lru_far(const struct model *m, const struct sets *sets, double more)
{
	struct sets_table t;
	struct hidden h;
	double sum = 0;

	sets_table_init(&t, sets);
	hidden_init(&h, m, &t, more);
	for (size_t i = 0; i < m->reuse_count; i++) {
		const struct reuse *r = &m->reuses[i];

		if (r->kind >= REUSE_FAR)
			sum += reuse_window(m, r)->scale * r->weight * far_miss(m, &t, &h, r, more);
	}
	return sum / m->accesses;
}

void lru_solve(struct model *m, const struct sets *sets)
{
	struct sets_table t;
	struct hidden h;

	sets_table_init(&t, sets);
	hidden_init(&h, m, &t, 1);
	for (size_t i = 0; i < m->reuse_count; i++) {
		const struct reuse *r = &m->reuses[i];
		const float *lines = &m->between[(size_t)r->source * MODEL_PAIRS];

		if (r->kind >= REUSE_FAR)
			m->miss[i] = far_miss(m, &t, &h, r, 1);
		else
			m->miss[i] = r->distance < sets->ways ? 0 : near_miss(&t, lines);
	}
}
