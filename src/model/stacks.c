/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines between the touches of a reuse. StatStack expects as many as the survival of all reuses says,
 * as if what lies between were a fair sample of all, and it is not: a sweep over a table has few lines
 * between two touches of one, whatever the program does beside it.
 *
 * The samples of a window tell. Of the accesses between two touches those are the last ones to their
 * line whose next touch comes after the second: as many as there are lines. So each reuse has an
 * estimate of its own stack distance, from a sample or a few, and all of an octave of distance
 * have one beside what their groups' survivals make of them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/parts.h"

/*
 * How much of what was seen is chance the windows tell by how they differ: and so many times that. Where it is
 * taken as it stands the little that is off in most octaves makes more noise than it mends.
 */
#define DOUBT	    4.0
#define LEAST_LINES 30.0 /* expected, all reuses of an octave together: with fewer nothing is told */

struct access {
	uint64_t at, end; /* of the sample and of its reuse, accesses since the window began */
	double distance;
	double weight;
	bool reused;
};

struct reuse {
	uint64_t end;
	size_t access; /* its number */
};

/* Of one octave: lines seen and expected, over all windows; sums of products are over windows. */
struct tally {
	double seen, expected, seen_seen, seen_expected, expected_expected;
};

struct room {
	struct access *accesses; /* of a window, by where they are */
	struct reuse *reuses;	 /* by where they end */
	double *begun;		 /* weight of those before the i-th */
	double *ended;		 /* a tree of sums: Fenwick */
	double *stack, *left;	 /* of each piece of each kind's survival: up to there, and behind it */
};

static int by_end(const void *a, const void *b)
{
	const struct reuse *x = a, *y = b;

	return (x->end > y->end) - (x->end < y->end);
}

static int by_place(const void *a, const void *b)
{
	const struct access *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* Samples of the window from *i on; *i goes on to the next window's. Returns how many tell where they are. */
static size_t take_window(struct room *r, const struct model_input *in, size_t *i)
{
	uint32_t window = in->samples[*i].window;
	uint64_t start = in->windows[window].start;
	size_t count = 0;

	for (; *i < in->sample_count && in->samples[*i].window == window; ++*i) {
		const struct model_sample *s = &in->samples[*i];
		uint64_t at = s->position - start;

		if (s->position < start || s->position == 0)
			continue;
		r->accesses[count++] =
			(struct access){at, at + s->distance + 1, (double)s->distance,
					model_speaks_for(in, s), s->reused};
	}
	qsort(r->accesses, count, sizeof(*r->accesses), by_place);
	r->begun[0] = 0;
	for (size_t k = 0; k < count; k++)
		r->begun[k + 1] = r->begun[k] + r->accesses[k].weight;
	return count;
}

/* How many of the window's are before `at`. */
static size_t count_before(const struct room *r, size_t count, uint64_t at)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->accesses[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add_ended(struct room *r, size_t count, size_t i)
{
	for (size_t k = i + 1; k <= count; k += k & -k)
		r->ended[k] += r->accesses[i].weight;
}

/* Weight of those added so far, up to and with the i-th. */
static double ended_up_to(const struct room *r, size_t i)
{
	double sum = 0;

	for (size_t k = i + 1; k > 0; k -= k & -k)
		sum += r->ended[k];
	return sum;
}

/* Where the stack distance is after each piece of a kind's survival, and what of it is left. */
static void expect_of_kind(struct room *r, const struct kind *k)
{
	const struct survival *own = &k->own;
	double stack = 0, left = 1, x = 0;

	for (size_t i = 0; i < own->count; i++) {
		stack += left * (own->x[i] - x);
		left -= own->mass[i];
		x = own->x[i];
		r->stack[k->first + i] = stack;
		r->left[k->first + i] = left;
	}
}

/* StatStack's stack distance: the survival's integral. */
static double lines_expected(const struct room *r, const struct kind *k, double distance)
{
	const struct survival *own = &k->own;
	size_t low = 0, high = own->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (own->x[middle] < distance)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return distance;
	low += k->first - 1;
	return r->stack[low] + r->left[low] * (distance - own->x[low - k->first]);
}

/*
 * The stack distances that a window's samples show, and those expected: `density` samples were taken of an access.
 * From the first to end to the last: a reuse lies within another one if it begins behind its begin, and has ended.
 */
static void look_at_window(struct room *r, size_t count, double density, const struct kind *kind,
			   struct tally *tallies)
{
	size_t reuses = 0;

	memset(r->ended, 0, (count + 1) * sizeof(*r->ended));
	for (size_t i = 0; i < count; i++)
		if (r->accesses[i].reused)
			r->reuses[reuses++] = (struct reuse){r->accesses[i].end, i};
	qsort(r->reuses, reuses, sizeof(*r->reuses), by_end);
	for (size_t k = 0; k < reuses; k++) {
		size_t i = r->reuses[k].access;
		const struct access *a = &r->accesses[i];
		double begun = r->begun[count_before(r, count, a->end)] - r->begun[i + 1];
		double within = ended_up_to(r, count - 1) - ended_up_to(r, i);
		struct tally *t = &tallies[model_octave(a->distance)];

		t->seen += begun - within;
		t->expected += density * lines_expected(r, kind, a->distance);
		add_ended(r, count, i);
	}
}

/* What one window has told joins the others; the window's is emptied. */
static void add_window(struct tally *all, struct tally *window)
{
	for (unsigned a = 0; a < MODEL_OCTAVES; a++) {
		double seen = window[a].seen, expected = window[a].expected;

		all[a].seen += seen;
		all[a].expected += expected;
		all[a].seen_seen += seen * seen;
		all[a].seen_expected += seen * expected;
		all[a].expected_expected += expected * expected;
	}
	memset(window, 0, MODEL_OCTAVES * sizeof(*window));
}

/* The ratio of the sums, drawn to 1 as far as the windows differ about it; 0: not known. */
static double compare(const struct tally *t)
{
	double ratio, differ, by;

	if (t->expected < LEAST_LINES)
		return 0;
	ratio = t->seen / t->expected;
	differ = t->seen_seen - 2 * ratio * t->seen_expected +
		 ratio * ratio * t->expected_expected;
	by = (ratio - 1) * (ratio - 1);
	if (by <= 0)
		return 1;
	return 1 + (ratio - 1) * by / (by + DOUBT * fmax(0, differ) / (t->expected * t->expected));
}

static void free_room(struct room *r)
{
	free(r->accesses);
	free(r->reuses);
	free(r->begun);
	free(r->ended);
	free(r->stack);
	free(r->left);
}

int stacks_measure(struct model *m, const struct model_input *in)
{
	size_t n = in->sample_count + 2;
	struct room r = {.accesses = calloc(n, sizeof(*r.accesses)),
			 .reuses = calloc(n, sizeof(*r.reuses)),
			 .begun = calloc(n, sizeof(*r.begun)),
			 .ended = calloc(n, sizeof(*r.ended)),
			 .stack = calloc(n, sizeof(*r.stack)),
			 .left = calloc(n, sizeof(*r.left))};
	struct tally all[MODEL_OCTAVES] = {0}, window[MODEL_OCTAVES] = {0};
	int ret = -1;

	if (r.accesses == NULL || r.reuses == NULL || r.begun == NULL || r.ended == NULL ||
	    r.stack == NULL || r.left == NULL)
		goto out;
	for (size_t k = 0; k < m->kind_count; k++)
		expect_of_kind(&r, &m->kinds[k]);
	for (size_t i = 0; i < in->sample_count;) {
		uint32_t number = in->samples[i].window;
		const struct kind *kind = &m->kinds[m->groups[m->group_of[number]].kind];
		size_t count = take_window(&r, in, &i);
		double length = (double)in->windows[number].length;

		if (count == 0 || length <= 0)
			continue;
		look_at_window(&r, count, r.begun[count] / length, kind, window);
		add_window(all, window);
	}
	for (unsigned a = 0; a < MODEL_OCTAVES; a++)
		m->stacks.ratio[a] = compare(&all[a]);
	ret = 0;
out:
	free_room(&r);
	return ret;
}

/* Straight between the middles of octaves, as far as they are known. */
double stacks_ratio(const struct stacks *s, double distance)
{
	double place = fmax(0, log2(fmax(1, distance)) - 0.5), part;
	unsigned at = (unsigned)fmin(place, MODEL_OCTAVES - 2);
	double below = s->ratio[at], above = s->ratio[at + 1];

	if (below <= 0 || above <= 0)
		return below + above > 0 ? below + above : 1;
	part = fmin(1, place - at);
	return (1 - part) * below + part * above;
}

void stacks_place(struct model *m)
{
	for (size_t k = 0; k < m->kind_count; k++) {
		struct kind *kind = &m->kinds[k];
		double stack = 0, left = 1, x = 0, most = 0;

		kind->lines = m->lines_at + kind->first;
		for (size_t i = 0; i < kind->own.count; i++) {
			stack += left * (kind->own.x[i] - x);
			left -= kind->own.mass[i];
			x = kind->own.x[i];
			most = fmax(most, fmin(x, stack * stacks_ratio(&m->stacks, x)));
			kind->lines[i] = most;
		}
	}
}
