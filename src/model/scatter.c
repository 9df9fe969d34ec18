/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How unevenly misses lie. Of the reuses of an octave of distance some meet many misses on their way, and others
 * none: in a walk by columns each eighth column brings the lines that the next seven find. As a reuse misses with
 * 1 - exp(-rate n), which is concave, those that meet many miss less often than the mean of n would make them.
 *
 * The samples tell how much n varies. Between the two touches of a reuse others begin: so many whose own distance is of
 * octave a or farther. Over all reuses of an octave the mean of that number and the mean of its square give its
 * variance, of which as much is the choice of samples as the mean (Poisson's); what is left is the program's. What begins
 * stands for what ends there, and misses: forwards and backwards a stretch of a program has as many far reuses.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/parts.h"

#define FIRST	    6	 /* octave: of nearer reuses not all samples are kept, and hardly any miss */
#define LEAST_PAIRS 20.0 /* expected of two begins within one reuse: with fewer nothing is told */
#define DOUBT	    4.0	 /* variance of (sd / mean)^2, for one pair expected */

/* What lies between touches: [within which][from which octave on]. */
struct sums {
	double seen[MODEL_OCTAVES][MODEL_OCTAVES], expected[MODEL_OCTAVES][MODEL_OCTAVES];
	double pairs[MODEL_OCTAVES][MODEL_OCTAVES], squares[MODEL_OCTAVES][MODEL_OCTAVES];
};

struct begin {
	uint64_t at, end; /* accesses since the window began; the end of those that were reused */
	uint8_t octave;	  /* the last one: nobody saw how far */
	bool reused;
};

struct window_begins {
	struct begin *begins; /* rising */
	size_t count;
	double length, density; /* samples of an access */
	uint32_t *before;	/* count + 1 rows of MODEL_OCTAVES: of the octave before the i-th */
};

static int compare_begins(const void *a, const void *b)
{
	const struct begin *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* Fills w with the window's samples from *i on whose place is known; *i goes on to the next window's. */
static void take_window(struct window_begins *w, const struct model_input *in, size_t *i)
{
	uint32_t window = in->samples[*i].window;
	uint64_t start = in->windows[window].start;
	double samples = 0;

	w->count = 0;
	w->length = (double)in->windows[window].length;
	for (; *i < in->sample_count && in->samples[*i].window == window; ++*i) {
		const struct model_sample *s = &in->samples[*i];
		unsigned octave = s->reused ? model_octave((double)s->distance) : MODEL_OCTAVES - 1;

		if (s->position < start || s->position == 0)
			continue;
		samples += model_speaks_for(in, s);
		w->begins[w->count++] =
			(struct begin){s->position - start, s->position - start + s->distance + 1,
				       (uint8_t)octave, s->reused};
	}
	w->density = w->length > 0 ? samples / w->length : 0;
	qsort(w->begins, w->count, sizeof(*w->begins), compare_begins);
	memset(w->before, 0, MODEL_OCTAVES * sizeof(*w->before));
	for (size_t k = 0; k < w->count; k++) {
		uint32_t *row = w->before + k * MODEL_OCTAVES;

		memcpy(row + MODEL_OCTAVES, row, MODEL_OCTAVES * sizeof(*row));
		row[MODEL_OCTAVES + w->begins[k].octave]++;
	}
}

/* How many begin before `at`. */
static size_t count_before(const struct window_begins *w, uint64_t at)
{
	size_t low = 0, high = w->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (w->begins[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * What begins between the touches of the i-th. outlive[a]: of its group's accesses, those whose distance is of octave a or
 * farther. Only octaves all of whose reuses the window could have seen end.
 */
static void look_between(const struct window_begins *w, size_t i, const double *outlive,
			 struct sums *sums)
{
	const struct begin *x = &w->begins[i];
	const uint32_t *from = w->before + (i + 1) * MODEL_OCTAVES;
	const uint32_t *to = w->before + count_before(w, x->end) * MODEL_OCTAVES;
	double distance = (double)(x->end - x->at - 1), seen = 0;

	for (unsigned a = MODEL_OCTAVES; a-- > FIRST;) {
		double expected = w->density * distance * outlive[a];

		seen += to[a] - from[a];
		if ((double)x->end + exp2(a) > w->length)
			continue;
		sums->seen[x->octave][a] += seen;
		sums->expected[x->octave][a] += expected;
		sums->pairs[x->octave][a] += seen * (seen - 1);
		sums->squares[x->octave][a] += expected * expected;
	}
}

/* P(distance >= 2^a). */
static void outlive_octaves(const struct survival *own, double *outlive)
{
	double left = 1;
	size_t i = 0;

	for (unsigned a = 0; a < MODEL_OCTAVES; a++) {
		while (i < own->count && own->x[i] < exp2(a))
			left -= own->mass[i++];
		outlive[a] = left;
	}
}

/* Where too little was seen an octave is as the one below. */
static void compare(const struct sums *sums, struct scatter *s)
{
	for (unsigned o = 0; o < MODEL_OCTAVES; o++) {
		double last_ratio = 1, last_spread = 0;

		for (unsigned a = 0; a < MODEL_OCTAVES; a++) {
			double expected = sums->expected[o][a];
			double ratio = expected > 0 ? sums->seen[o][a] / expected : 1;
			double pairs = ratio * ratio * sums->squares[o][a], square;

			if (pairs >= LEAST_PAIRS) {
				square = fmax(0, sums->pairs[o][a] / pairs - 1);
				square *= square * square / (square * square + DOUBT / pairs);
				last_ratio = ratio;
				last_spread = sqrt(square);
			}
			s->ratio[o][a] = last_ratio;
			s->spread[o][a] = last_spread;
		}
	}
}

int scatter_measure(struct model *m, const struct model_input *in)
{
	size_t n = in->sample_count + 1;
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
 * n is a sum over octaves: as P(miss) rises from octave a - 1 to a, all that are of a or farther add the difference.
 * Where one has many the others have many, too: standard deviations add up.
 */
double scatter_of_misses(const struct scatter *s, unsigned octave, const double *from,
			 const double *miss, unsigned end)
{
	double mean = 0, deviation = 0, before = 0;

	for (unsigned a = 0; a <= end; a++) {
		double part;

		if (miss[a] <= before)
			continue;
		part = (miss[a] - before) * from[a] * s->ratio[octave][a];
		mean += part;
		deviation += part * s->spread[octave][a];
		before = miss[a];
	}
	return mean > 0 ? deviation / mean * (deviation / mean) : 0;
}
