/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How likely an open watch is one of the far reuses, by the place in the code that it began at.
 * Where a window ends in a loop over a small table, some of the table's lines are on watch, and
 * all but a few would be touched at once: the group's survival, which is that of all its
 * accesses together, would take many of them for far. So for each place P(far | not touched up to
 * x) is estimated from its own samples of the whole run, by octaves of distance, with
 * hazards drawn to those of all samples (empirical Bayes: as many more samples with these).
 * What matters is how it compares with the same chance of all samples.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "model/parts.h"

#define PRIOR 5.0 /* samples */

/* Samples by octave of distance: those that were touched, and those whose watch ended. */
struct tally {
	double touched[MODEL_OCTAVES], open[MODEL_OCTAVES];
};

static unsigned octave_of(const struct model_sample *s)
{
	return model_octave((double)s->distance);
}

static void count(struct tally *t, const struct model_sample *s)
{
	if (s->reused)
		t->touched[octave_of(s)]++;
	else
		t->open[octave_of(s)]++;
}

/* The product-limit hazards of the octaves up to `last`; `prior` may be NULL. */
static void estimate(const struct tally *t, unsigned last, const double *prior, double *hazard)
{
	double beyond = 0;

	for (unsigned a = MODEL_OCTAVES; a-- > 0;) {
		double at_risk = beyond + t->touched[a] + t->open[a] / 2, touched = t->touched[a];

		if (prior != NULL) {
			at_risk += PRIOR;
			touched += PRIOR * prior[a];
		}
		hazard[a] = a <= last && at_risk > 0 ? touched / at_risk : 0;
		beyond += t->touched[a] + t->open[a];
	}
}

/* P(far | not touched up to somewhere in the octave), for each. */
static void far_chances(const double *hazard, double *far)
{
	double beyond = 1;

	for (unsigned a = MODEL_OCTAVES; a-- > 0;) {
		far[a] = beyond * sqrt(1 - hazard[a]);
		beyond *= 1 - hazard[a];
	}
}

/* The samples of one place: items[0 .. n - 1]. */
static void weigh_place(struct model *m, const struct model_input *in,
			const struct sort_item *items, size_t n, unsigned last,
			const double *hazard, const double *far)
{
	double own_hazard[MODEL_OCTAVES], own_far[MODEL_OCTAVES];
	struct tally t = {{0}, {0}};

	for (size_t i = 0; i < n; i++)
		count(&t, &in->samples[items[i].index]);
	estimate(&t, last, hazard, own_hazard);
	far_chances(own_hazard, own_far);
	for (size_t i = 0; i < n; i++) {
		const struct model_sample *s = &in->samples[items[i].index];
		unsigned a = octave_of(s);

		if (!s->reused && a <= last && far[a] > 0)
			m->open_weight[items[i].index] = own_far[a] / far[a];
	}
}

int places_weigh(struct model *m, const struct model_input *in)
{
	struct sort_item *items = calloc(in->sample_count + 1, sizeof(*items));
	double hazard[MODEL_OCTAVES], far[MODEL_OCTAVES];
	unsigned last = model_octave(m->pool.end_x);
	struct tally all = {{0}, {0}};
	int ret = -1;

	if (items == NULL)
		return -1;
	for (size_t i = 0; i < in->sample_count; i++) {
		items[i] = (struct sort_item){in->samples[i].place, i};
		m->open_weight[i] = 1;
		count(&all, &in->samples[i]);
	}
	estimate(&all, last, NULL, hazard);
	far_chances(hazard, far);
	if (sort_by_key(items, in->sample_count) != 0)
		goto out;
	for (size_t from = 0, to; from < in->sample_count; from = to) {
		for (to = from + 1; to < in->sample_count && items[to].key == items[from].key;)
			to++;
		if (items[from].key != 0)
			weigh_place(m, in, items + from, to - from, last, hazard, far);
	}
	ret = 0;
out:
	free(items);
	return ret;
}
