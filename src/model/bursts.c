/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Misses come in bursts, reuses of one kind together: StatCache's equation takes the accesses
 * within a reuse distance for a fair sample of all, and they are not. A walk down the first of
 * eight columns brings the lines of all, so that the reuses of the next seven, a column long,
 * meet few misses on their way.
 *
 * The samples themselves tell. Take the reuses of a window by octaves of their distance. Between
 * the two touches of a reuse of octave b lie the ends of others: of octave a, so and so many
 * times more or fewer than anywhere in the windows of its group. These ratios are gathered over
 * all windows. Accesses that end no reuse seen come from farther; what the ratios leave for these
 * is a ratio of its own. That matters most: far reuses and first touches always miss.
 *
 * Not against the window alone: one that lies between two bursts has no misses anywhere, which says
 * much about its group's reuses, and nothing when it is compared with itself.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/parts.h"

/* Counts are drawn to what is expected, as if so many more had been seen just as expected. */
#define PRIOR		5.0
#define FAR_LEAST	0.01 /* ratio of far ends: zero is known of none */
#define FAR_MOST	100.0
#define LEAST_FAR_SHARE 1e-4 /* of the accesses: with fewer there is no telling */

struct end {
	uint64_t at; /* of the reuse, accesses since the window began */
	uint64_t distance;
	unsigned octave;
};

/* Ends between the touches of reuses: [within which][of which]. */
struct counts {
	double seen[MODEL_OCTAVES][MODEL_OCTAVES];
	double expected[MODEL_OCTAVES][MODEL_OCTAVES];
	/* Ends of any distance, where those of which could be seen. */
	double all[MODEL_OCTAVES][MODEL_OCTAVES];
};

struct window_ends {
	struct end *ends; /* rising */
	size_t count;
	double length;
	double samples;	  /* resolved or not */
	uint32_t *before; /* count + 1 rows of MODEL_OCTAVES: ends of each octave before the i-th */
};

/* Of a group's windows: ends of an octave, and the samples taken where all of these could be seen. */
struct group_ends {
	double ends[MODEL_OCTAVES];
	double samples[MODEL_OCTAVES];
};

static int compare_ends(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* How many ends come before `at`. */
static size_t ends_before(const struct window_ends *w, uint64_t at)
{
	size_t low = 0, high = w->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (w->ends[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void prepare(struct window_ends *w)
{
	qsort(w->ends, w->count, sizeof(*w->ends), compare_ends);
	memset(w->before, 0, MODEL_OCTAVES * sizeof(*w->before));
	for (size_t i = 0; i < w->count; i++) {
		uint32_t *row = w->before + i * MODEL_OCTAVES;

		memcpy(row + MODEL_OCTAVES, row, MODEL_OCTAVES * sizeof(*row));
		row[MODEL_OCTAVES + w->ends[i].octave]++;
	}
}

/* From here on the window sees all ends of an octave, as their starts are in it, too. */
static double reach_of(unsigned octave)
{
	return 2 * (double)(1ull << octave);
}

/* Whether the window is long enough to tell of an octave. */
static bool tells(const struct window_ends *w, unsigned octave)
{
	return reach_of(octave) < 0.9 * w->length;
}

static double ends_between(const struct window_ends *w, unsigned octave, double from, double to)
{
	size_t first = ends_before(w, (uint64_t)ceil(from)),
	       last = ends_before(w, (uint64_t)ceil(to));

	return (double)w->before[last * MODEL_OCTAVES + octave] -
	       (double)w->before[first * MODEL_OCTAVES + octave];
}

static void add_to_group(const struct window_ends *w, struct group_ends *g)
{
	for (unsigned a = 0; a < MODEL_OCTAVES && tells(w, a); a++) {
		g->ends[a] += ends_between(w, a, reach_of(a), w->length + 1);
		g->samples[a] += w->samples * (w->length - reach_of(a)) / w->length;
	}
}

/* What lies between the touches of one reuse, beside what would lie anywhere in its group. */
static void look_between(const struct window_ends *w, const struct group_ends *g,
			 const struct end *e, struct counts *c)
{
	double start = (double)(e->at - e->distance), end = (double)e->at;

	for (unsigned a = 0; a < MODEL_OCTAVES && tells(w, a); a++) {
		double begin = fmax(start, reach_of(a));
		double all = w->samples * (end - begin) / w->length;
		double others = g->ends[a] - (a == e->octave && end >= reach_of(a));

		if (end <= begin)
			continue;
		c->seen[e->octave][a] += ends_between(w, a, begin, end);
		c->expected[e->octave][a] += fmax(0, others) / g->samples[a] * all;
		c->all[e->octave][a] += all;
	}
}

static void look_at_window(const struct window_ends *w, const struct group_ends *g,
			   struct counts *c)
{
	for (size_t i = 0; i < w->count; i++)
		if ((double)w->ends[i].distance > w->length / w->samples)
			look_between(w, g, &w->ends[i], c);
}

/* Fills w with the window's resolved samples from *i on; *i goes on to the next window's. */
static void take_window(struct window_ends *w, const struct model_input *in, size_t *i)
{
	uint32_t window = in->samples[*i].window;
	uint64_t start = in->windows[window].start;

	w->count = 0;
	w->samples = 0;
	w->length = (double)in->windows[window].length;
	for (; *i < in->sample_count && in->samples[*i].window == window; ++*i) {
		const struct model_sample *s = &in->samples[*i];

		w->samples += model_speaks_for(in, s);
		if (!s->reused || s->position < start)
			continue;
		w->ends[w->count++] = (struct end){s->position - start + s->distance + 1,
						   s->distance, model_octave((double)s->distance)};
	}
}

static size_t most_in_a_window(const struct model_input *in)
{
	size_t most = 0, from = 0;

	for (size_t at = 0; at <= in->sample_count; at++)
		if (at == in->sample_count || in->samples[at].window != in->samples[from].window) {
			most = at - from > most ? at - from : most;
			from = at;
		}
	return most;
}

/* What is no end of an octave seen comes from farther. */
static void compare_far(struct bursts *b, unsigned x)
{
	double expected = 1, seen = 1;

	for (unsigned a = 0; a < MODEL_OCTAVES; a++) {
		expected -= b->share[x][a];
		seen -= b->share[x][a] * b->ratio[x][a];
	}
	b->far_share[x] = expected > LEAST_FAR_SHARE ? expected : 0;
	b->far[x] = b->far_share[x] > 0 ? fmin(FAR_MOST, fmax(FAR_LEAST, seen / expected)) : 1;
}

/* How many samples the reuses of an octave speak for, on average: of the near ones not all are kept. */
static void weigh_octaves(const struct model_input *in, double *mean)
{
	double sum[MODEL_OCTAVES] = {0}, count[MODEL_OCTAVES] = {0};

	for (size_t i = 0; i < in->sample_count; i++) {
		unsigned a = model_octave((double)in->samples[i].distance);

		if (!in->samples[i].reused)
			continue;
		sum[a] += model_speaks_for(in, &in->samples[i]);
		count[a]++;
	}
	for (unsigned a = 0; a < MODEL_OCTAVES; a++)
		mean[a] = count[a] > 0 ? sum[a] / count[a] : 1;
}

static void compare(const struct counts *c, const double *weight, struct bursts *b)
{
	for (unsigned x = 0; x < MODEL_OCTAVES; x++) {
		for (unsigned a = 0; a < MODEL_OCTAVES; a++) {
			double expected = c->expected[x][a] + PRIOR;

			b->ratio[x][a] = (c->seen[x][a] + PRIOR) / expected;
			b->variance[x][a] = b->ratio[x][a] / expected;
			b->share[x][a] = weight[a] * c->expected[x][a] / fmax(1, c->all[x][a]);
		}
		compare_far(b, x);
	}
}

/* Samples of a window follow one another in the input. */
int bursts_measure(struct bursts *b, const struct model_input *in, const uint32_t *group_of,
		   size_t group_count)
{
	size_t rows = most_in_a_window(in) + 1;
	struct window_ends w = {.ends = calloc(in->sample_count + 1, sizeof(*w.ends)),
				.before = calloc(rows * MODEL_OCTAVES, sizeof(*w.before))};
	struct group_ends *groups = calloc(group_count, sizeof(*groups));
	struct counts *c = calloc(1, sizeof(*c));
	double weight[MODEL_OCTAVES];
	int ret = -1;

	if (w.ends == NULL || w.before == NULL || groups == NULL || c == NULL)
		goto out;
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < in->sample_count;) {
			struct group_ends *g = &groups[group_of[in->samples[i].window]];

			take_window(&w, in, &i);
			prepare(&w);
			if (pass == 0)
				add_to_group(&w, g);
			else
				look_at_window(&w, g, c);
		}
	weigh_octaves(in, weight);
	compare(c, weight, b);
	ret = 0;
out:
	free(w.ends);
	free(w.before);
	free(groups);
	free(c);
	return ret;
}
