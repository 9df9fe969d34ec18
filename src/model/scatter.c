/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Misses come in bursts, reuses of one kind together: StatCache's equation takes the accesses
 * within a reuse distance for a fair sample of all, and they are not. A walk down the first of
 * eight columns brings the lines of all, so that the reuses of the next seven meet few misses on
 * their way. And of these some meet many and the others none. As a reuse misses with 1 - exp(-rate
 * n), which is concave, they miss less often than the mean of n would make them.
 *
 * The samples tell how many n are, and how much they vary. Between the two touches of a reuse
 * others begin: so many whose own distance is of octave a or farther, beside as many as begin in
 * such a stretch of its group. Over all reuses of an octave the mean of that number and the mean of
 * its square give its variance, of which as much is the choice of samples as the mean (Poisson's);
 * what is left is the program's. What begins stands for what ends there, and misses: forwards and
 * backwards a stretch of a program has as many far reuses. All windows are taken together, and each
 * is held against its group: one that lies between two bursts has no misses anywhere, which says
 * much about its group's reuses, and nothing when it is compared with itself.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/parts.h"

#define FIRST	    6 /* octave: of nearer reuses not all samples are kept, and hardly any miss */
#define LEAST_PAIRS 20.0 /* expected of two begins within one reuse: with fewer nothing is told */
#define PAIR_DOUBT  4.0	 /* variance of (sd / mean)^2, for one pair expected */
#define DOUBT	    8.0	 /* see ratio_drawn */
#define LEAST_SHARE 0.02 /* zero is known of none */

/* What lies between touches: [within which][from which octave on]. */
struct sums {
	struct ratio ratio[MODEL_OCTAVES][MODEL_OCTAVES];
	double pairs[MODEL_OCTAVES][MODEL_OCTAVES], squares[MODEL_OCTAVES][MODEL_OCTAVES];
	/* Of one window. */
	double seen[MODEL_OCTAVES][MODEL_OCTAVES], expected[MODEL_OCTAVES][MODEL_OCTAVES];
};

struct window_begins {
	struct placed *begins; /* rising */
	size_t count;
	double length, density; /* other samples than one that is looked at, of an access */
	uint32_t *before;	/* count + 1 rows of MODEL_OCTAVES: of the octave before the i-th */
};

/* The last one: nobody saw how far. */
static unsigned octave_of(const struct placed *p)
{
	return p->reused ? model_octave(p->distance) : MODEL_OCTAVES - 1;
}

/*
 * Fills w with the window's samples from *i on whose place is known; *i goes on to the next
 * window's.
 */
static void take_window(struct window_begins *w, const struct model_input *in, size_t *i)
{
	double samples = 0;

	w->length = (double)in->windows[in->samples[*i].window].length;
	w->count = placed_take(in, i, w->begins);
	memset(w->before, 0, MODEL_OCTAVES * sizeof(*w->before));
	for (size_t k = 0; k < w->count; k++) {
		uint32_t *row = w->before + k * MODEL_OCTAVES;

		samples += w->begins[k].weight;
		memcpy(row + MODEL_OCTAVES, row, MODEL_OCTAVES * sizeof(*row));
		row[MODEL_OCTAVES + octave_of(&w->begins[k])]++;
	}
	w->density = w->length > 0 ? (samples - 1) / w->length : 0;
}

/*
 * What begins between the touches of the i-th. outlive[a]: of its group's accesses, those whose
 * distance is of octave a or farther. Only octaves all of whose reuses the window could have seen
 * end.
 */
static void look_between(const struct window_begins *w, size_t i, const double *outlive,
			 struct sums *sums)
{
	const struct placed *x = &w->begins[i];
	const uint32_t *from = w->before + (i + 1) * MODEL_OCTAVES;
	const uint32_t *to = w->before + placed_before(w->begins, w->count, x->end) * MODEL_OCTAVES;
	unsigned octave = octave_of(x);
	double seen = 0;

	for (unsigned a = MODEL_OCTAVES; a-- > FIRST;) {
		double expected = w->density * x->distance * outlive[a];

		seen += to[a] - from[a];
		if (outlive[a] < 0 || (double)x->end + exp2(a) > w->length)
			continue;
		sums->seen[octave][a] += seen;
		sums->expected[octave][a] += expected;
		sums->pairs[octave][a] += seen * (seen - 1);
		sums->squares[octave][a] += expected * expected;
	}
}

/* P(distance >= 2^a); negative where nobody saw so far. */
static void outlive_octaves(const struct survival *own, double *outlive)
{
	double left = 1;
	size_t i = 0;

	for (unsigned a = 0; a < MODEL_OCTAVES; a++) {
		while (i < own->count && own->x[i] < exp2(a))
			left -= own->mass[i++];
		outlive[a] = exp2(a) <= own->end_x ? left : -1;
	}
}

static void add_window(struct sums *sums)
{
	for (unsigned o = 0; o < MODEL_OCTAVES; o++)
		for (unsigned a = FIRST; a < MODEL_OCTAVES; a++)
			if (sums->expected[o][a] > 0)
				ratio_add(&sums->ratio[o][a], sums->seen[o][a],
					  sums->expected[o][a]);
	memset(sums->seen, 0, sizeof(sums->seen));
	memset(sums->expected, 0, sizeof(sums->expected));
}

/* Where too little was seen an octave is as the one below. */
static void compare(const struct sums *sums, struct scatter *s)
{
	for (unsigned o = 0; o < MODEL_OCTAVES; o++) {
		double last_ratio = 1, last_spread = 0;

		for (unsigned a = 0; a < MODEL_OCTAVES; a++) {
			const struct ratio *r = &sums->ratio[o][a];
			double squares = sums->squares[o][a], pairs = 0, square;

			if (squares >= LEAST_PAIRS) {
				last_ratio = ratio_drawn(r, DOUBT);
				pairs = r->seen / r->expected * r->seen / r->expected * squares;
			}
			if (pairs >= LEAST_PAIRS) {
				square = fmax(0, sums->pairs[o][a] / pairs - 1);
				square *= square * square / (square * square + PAIR_DOUBT / pairs);
				last_spread = sqrt(square);
			}
			s->ratio[o][a] = last_ratio;
			s->spread[o][a] = last_spread;
		}
	}
}

int scatter_measure(struct model *m, const struct model_input *in)
{
	size_t n = placed_most(in) + 1;
	struct window_begins w = {.begins = calloc(n, sizeof(*w.begins)),
				  .before = calloc(n * MODEL_OCTAVES, sizeof(*w.before))};
	double(*outlive)[MODEL_OCTAVES] = calloc(m->kind_count + 1, sizeof(*outlive));
	struct sums *sums = calloc(1, sizeof(*sums));
	int ret = -1;

	if (w.begins == NULL || w.before == NULL || outlive == NULL || sums == NULL)
		goto out;
	for (size_t k = 0; k < m->kind_count; k++)
		outlive_octaves(&m->kinds[k].own, outlive[k]);
	for (size_t i = 0; i < in->sample_count;) {
		uint32_t kind = m->groups[m->group_of[in->samples[i].window]].kind;

		take_window(&w, in, &i);
		for (size_t k = 0; k < w.count; k++)
			if (w.begins[k].reused)
				look_between(&w, k, outlive[kind], sums);
		add_window(sums);
	}
	compare(sums, &m->scatter);
	ret = 0;
out:
	free(w.begins);
	free(w.before);
	free(outlive);
	free(sums);
	return ret;
}

/*
 * n is a sum over octaves: as P(miss) rises from octave a - 1 to a, all that are of a or farther
 * add the difference. Where one has many the others have many, too: standard deviations add up. A
 * share above 1 is not believed.
 */
struct between scatter_between(const struct scatter *s, unsigned octave, const double *from,
			       const double *miss, unsigned end)
{
	struct between out = {1, 0};
	double anywhere = 0, mean = 0, deviation = 0, before = 0;

	for (unsigned a = 0; a <= end; a++) {
		double part;

		if (miss[a] <= before)
			continue;
		part = (miss[a] - before) * from[a];
		anywhere += part;
		mean += part * s->ratio[octave][a];
		deviation += part * s->ratio[octave][a] * s->spread[octave][a];
		before = miss[a];
	}
	if (mean <= 0)
		return out;
	out.share = fmin(1, fmax(LEAST_SHARE, mean / anywhere));
	out.scatter = deviation / mean * (deviation / mean);
	return out;
}
