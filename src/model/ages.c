/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether far lines are touched as their rates say at every age: so and so many accesses after the
 * touch before. Glued windows know no age. Yet a program that works on some data for a while
 * touches a line more often in the first hundred thousands of accesses than later, and one that
 * goes round in its data touches none before the round is over.
 *
 * For each later window of a line watched on the mixture expects a touch with some chance, from all
 * windows before in which there was none. How many lines of an age were touched, beside that, is
 * how many times more often they are at this age. Single runs have some hundred of such touches, so
 * ages are octaves.
 */
#include <math.h>

#include "model/mixture.h"

#define DOUBT 4.0 /* see ratio_drawn */

/* Touches of lines watched on from one window: by their age. */
struct touches {
	double seen[MIXTURE_AGES], expected[MIXTURE_AGES];
};

/*
 * The chance that a line is touched within `length` more accesses; what is left at each rate goes
 * on from there.
 */
static double pass(const struct mixture *mix, double *left, double length)
{
	double all = mix->unseen, touched = 0;

	for (int k = 0; k < MIXTURE_RATES; k++) {
		double now = left[k] * -expm1(-mix->rate[k] * length);

		all += left[k];
		touched += now;
		left[k] -= now;
	}
	return all > 0 ? touched / all : 0;
}

/*
 * One line, through as much of its windows as it was watched behind the end of sight. Where its own
 * window ended before that, the rest of sight lies at the beginning of the next one, and is not
 * left out here: such a line's ages are up to a window too young, of what is seen and of what is
 * expected alike.
 */
static void watch(const struct mixture *mix, const struct model *m, const struct follow *f,
		  struct touches *t)
{
	double watched = f->residual, from = f->begin + mix->end, left[MIXTURE_RATES];

	for (int k = 0; k < MIXTURE_RATES; k++)
		left[k] = mix->share[k];
	for (size_t w = f->window; w < m->window_count && watched > 0; w++) {
		const struct window_span *s = &m->spans[w];
		double start = fmax(from, s->start);
		double length = fmin(watched, s->start + s->length - start);
		unsigned age = model_octave((start + length / 2 - f->begin) / mix->end);

		if (length <= 0)
			continue;
		if (age >= MIXTURE_AGES)
			return;
		t->expected[age] += f->weight * pass(mix, left, length);
		watched -= length;
		if (watched <= 0 && f->touched)
			t->seen[age] += f->weight;
	}
}

void mixture_age(struct mixture *mix, const struct model *m, const struct follow *follows,
		 size_t count)
{
	struct ratio all[MIXTURE_AGES] = {0};
	struct touches t = {0};

	for (size_t i = 0; i < count; i++) {
		if (m->spans != NULL && follows[i].begin > 0)
			watch(mix, m, &follows[i], &t);
		if (i + 1 < count && follows[i + 1].window == follows[i].window)
			continue;
		for (int a = 0; a < MIXTURE_AGES; a++)
			if (t.expected[a] > 0)
				ratio_add(&all[a], t.seen[a], t.expected[a]);
		t = (struct touches){0};
	}
	for (int a = 0; a < MIXTURE_AGES; a++)
		mix->by_age[a] = all[a].expected > 0 ? ratio_drawn(&all[a], DOUBT) : 1;
}
