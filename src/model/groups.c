/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Windows into groups, each of which is solved by itself. The equation is not linear: what the
 * luck of a few samples does to one group is not made good by the others, so that groups of
 * one window each are too high by a tenth of a point and more in programs that do the same all
 * the time. Groups of all windows lose the phases of those that do not (3 points on gzip). So
 * neighbours become one while their samples look as if they were drawn from one and the same.
 *
 * Phases come back, and a group has not the samples to tell a cache's cliff from the luck of a few.
 * So groups that look alike are of a kind, wherever they lie, and have one survival, from the
 * samples of all; each is solved in its own place of the run.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/parts.h"

#define APART 4.0 /* standard deviations: groups farther apart stay so */
/* samples of a window are alike: so many times more chance between kinds than between samples */
#define ALIKE	     2.0
#define MOST_OF_RUN  16 /* no group gets more than this part of the samples: caches fill in time */
#define GROUP_CHOSEN 10.0 /* samples of a group at least, of a choice from more */
#define EXPECTED_MIN 5.0  /* of samples, for a class of its own in the comparison */

/* Samples of consecutive windows by their distance. */
struct range {
	double octave[MODEL_OCTAVES]; /* the last one: all that some windows could not see */
	double count;
	size_t first, end; /* groups as they were formed */
	double apart;	   /* from the next range */
};

/* A distance that all windows can tell, but the one that the end of the run cut short. */
static double common_reach(const struct model_input *in)
{
	uint64_t shortest = in->window_count > 0 ? in->windows[0].length : 0;

	for (size_t i = 1; i + 1 < in->window_count; i++)
		if (in->windows[i].length < shortest)
			shortest = in->windows[i].length;
	return (double)shortest / 2;
}

/* The weights of a choice make up for its luck: they tell nothing of how many there are. */
static double speaks_for(const struct model_input *in, const struct model_sample *s)
{
	return in->chosen_from > 0 ? 1 : model_speaks_for(in, s);
}

static void count_samples(const struct model_input *in, const uint32_t *group_of,
			  struct range *ranges)
{
	double reach = common_reach(in);

	for (size_t i = 0; i < in->sample_count; i++) {
		const struct model_sample *s = &in->samples[i];
		struct range *r = &ranges[group_of[s->window]];
		double distance = (double)s->distance, many;
		unsigned octave;

		if (!s->reused && distance < reach)
			continue;
		/* A few that stand for many tell how many these are, but not how they differ. */
		many = speaks_for(in, s);
		octave = many > 1	    ? 0
			 : distance > reach ? MODEL_OCTAVES - 1
					    : model_octave(distance);
		r->octave[octave] += many;
		r->count += many;
	}
}

/*
 * Chi-square of the two for being of one kind, over `spread`, as standard deviations from what it
 * is when they are. Octaves with too few samples are taken together.
 */
static double apart(const struct range *a, const struct range *b, double spread)
{
	double chi = 0, classes = 0, in_a = 0, in_b = 0, freedom, scale;

	if (a->count <= 0 || b->count <= 0)
		return 0;
	scale = sqrt(b->count / a->count);
	for (unsigned k = 0; k < MODEL_OCTAVES; k++) {
		double expected, difference;

		in_a += a->octave[k];
		in_b += b->octave[k];
		expected = (in_a + in_b) * fmin(a->count, b->count) / (a->count + b->count);
		if (in_a + in_b <= 0 || (expected < EXPECTED_MIN && k + 1 < MODEL_OCTAVES))
			continue;
		difference = in_a * scale - in_b / scale;
		chi += difference * difference / (in_a + in_b);
		classes++;
		in_a = in_b = 0;
	}
	freedom = fmax(1, classes - 1);
	return (chi / spread - freedom) / sqrt(2 * freedom);
}

static void compare(struct range *ranges, size_t i, double most)
{
	struct range *a = &ranges[i], *b = a + 1;

	a->apart = a->count + b->count > most ? INFINITY : apart(a, b, 1);
}

/* Make one of ranges i and i + 1. */
static void join(struct range *ranges, size_t i, size_t count)
{
	struct range *a = &ranges[i], *b = a + 1;

	for (unsigned k = 0; k < MODEL_OCTAVES; k++)
		a->octave[k] += b->octave[k];
	a->count += b->count;
	a->end = b->end;
	memmove(b, b + 1, (count - i - 2) * sizeof(*b));
}

/* The nearest neighbours first. Returns how many ranges are left. */
static size_t join_alike(struct range *ranges, size_t count, double most)
{
	for (size_t i = 0; i + 1 < count; i++)
		compare(ranges, i, most);
	for (;;) {
		size_t nearest = 0;

		for (size_t i = 1; i + 1 < count; i++)
			if (ranges[i].apart < ranges[nearest].apart)
				nearest = i;
		if (count < 2 || ranges[nearest].apart >= APART)
			return count;
		join(ranges, nearest, count--);
		if (nearest > 0)
			compare(ranges, nearest - 1, most);
		if (nearest + 1 < count)
			compare(ranges, nearest, most);
	}
}

/*
 * Consecutive windows until enough samples are together; a shorter rest joins the last group.
 * Windows without samples say nothing and carry no weight. Returns the number of groups.
 */
static size_t gather_windows(const struct model_input *in, const double *samples,
			     uint32_t *group_of)
{
	double held = 0, least = MODEL_GROUP_SAMPLES;
	size_t group = 0, count;

	if (in->chosen_from > in->sample_count)
		least = fmax(GROUP_CHOSEN, MODEL_GROUP_SAMPLES * (double)in->sample_count /
						   (double)in->chosen_from);

	for (size_t i = 0; i < in->window_count; i++) {
		group_of[i] = (uint32_t)group;
		held += samples[i];
		if (held >= least) {
			held = 0;
			group++;
		}
	}
	/* Groups 0 .. group - 1 are full; an unfinished one is the rest. */
	count = group > 0 ? group : 1;
	for (size_t i = 0; i < in->window_count; i++)
		if (group_of[i] >= count)
			group_of[i] = (uint32_t)(count - 1);
	return count;
}

/* Of the kinds, the nearest to one that lies behind it. */
struct nearest {
	size_t to;
	double apart;
};

/* Kinds are ranges at first; one that has become part of another has no samples any more. */
struct kinds {
	struct range *items;
	struct nearest *nearest;
	uint32_t *kind_of; /* of each range */
	size_t count;
};

static void look_behind(struct kinds *k, size_t i)
{
	struct nearest n = {i, INFINITY};

	for (size_t to = i + 1; to < k->count && k->items[i].count > 0; to++) {
		double far = k->items[to].count > 0 ? apart(&k->items[i], &k->items[to], ALIKE)
						    : INFINITY;

		if (far < n.apart)
			n = (struct nearest){to, far};
	}
	k->nearest[i] = n;
}

/* Kind b becomes part of a, which lies before it. */
static void unite(struct kinds *k, size_t a, size_t b)
{
	for (unsigned o = 0; o < MODEL_OCTAVES; o++)
		k->items[a].octave[o] += k->items[b].octave[o];
	k->items[a].count += k->items[b].count;
	k->items[b].count = 0;
	for (size_t i = 0; i < k->count; i++)
		if (k->kind_of[i] == b)
			k->kind_of[i] = (uint32_t)a;
	for (size_t i = 0; i < k->count; i++) {
		size_t to = k->nearest[i].to;
		double far;

		if (i == a || i == b || to == a || to == b) {
			look_behind(k, i);
		} else if (i < a && k->items[i].count > 0) {
			far = apart(&k->items[i], &k->items[a], ALIKE);
			if (far < k->nearest[i].apart)
				k->nearest[i] = (struct nearest){a, far};
		}
	}
}

/*
 * The kind of each of the ranges, the number of its first one: the nearest become one, wherever
 * they lie.
 */
static int find_kinds(struct range *ranges, size_t count, uint32_t *kind_of)
{
	struct kinds k = {ranges, calloc(count + 1, sizeof(*k.nearest)), kind_of, count};

	if (k.nearest == NULL)
		return -1;
	for (size_t i = 0; i < count; i++) {
		kind_of[i] = (uint32_t)i;
		look_behind(&k, i);
	}
	for (;;) {
		size_t least = 0;

		for (size_t i = 1; i < count; i++)
			if (k.nearest[i].apart < k.nearest[least].apart)
				least = i;
		if (k.nearest[least].apart >= APART)
			break;
		unite(&k, least, k.nearest[least].to);
	}
	free(k.nearest);
	return 0;
}

int groups_form(const struct model_input *in, uint32_t *group_of, size_t *count, uint32_t *kind_of)
{
	double *samples = calloc(in->window_count + 1, sizeof(*samples));
	struct range *ranges = NULL;
	uint32_t *joined = NULL;
	double all = 0;
	size_t left;
	int status;

	if (samples != NULL) {
		for (size_t i = 0; i < in->sample_count; i++)
			samples[in->samples[i].window] += speaks_for(in, &in->samples[i]);
		*count = gather_windows(in, samples, group_of);
		ranges = calloc(*count, sizeof(*ranges));
		joined = calloc(*count, sizeof(*joined));
	}
	free(samples);
	if (ranges == NULL || joined == NULL) {
		free(ranges);
		free(joined);
		return -1;
	}
	for (size_t g = 0; g < *count; g++) {
		ranges[g].first = g;
		ranges[g].end = g + 1;
	}
	count_samples(in, group_of, ranges);
	for (size_t g = 0; g < *count; g++)
		all += ranges[g].count;
	left = join_alike(ranges, *count, all / MOST_OF_RUN);
	for (size_t i = 0; i < left; i++)
		for (size_t g = ranges[i].first; g < ranges[i].end; g++)
			joined[g] = (uint32_t)i;
	for (size_t i = 0; i < in->window_count; i++)
		group_of[i] = joined[group_of[i]];
	*count = left;
	status = find_kinds(ranges, left, kind_of);
	free(ranges);
	free(joined);
	return status;
}
