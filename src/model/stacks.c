/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines between the touches of a reuse. StatStack expects as many as the survival of all reuses says,
 * as if what lies between were a fair sample of all, and it is not: a sweep over a table has few lines
 * between two touches of one, whatever the program does beside it.
 *
 * The samples of a window tell. Of the accesses between two touches those are the last ones to their
 * line whose next touch comes after the second: as many as there are lines. So each reuse has an
 * estimate of its own stack distance, from a sample or a few, and all of an octave of distance
 * have one beside what their groups' survivals make of them; and each half of it one beside the octave's.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/parts.h"

/*
 * How much of what was seen is chance the windows tell by how they differ: and so many times that. Where it is
 * taken as it stands the little that is off in most octaves makes more noise than it mends.
 */
#define DOUBT 4.0
#define LEAST_LINES \
	30.0 /* expected, all reuses of an octave together: with fewer nothing is told */

struct reuse {
	uint64_t end;
	size_t access; /* its number */
};

/* Lines in one window between the touches of the reuses of half an octave. */
struct seen {
	double seen, expected;
};

struct room {
	struct placed *accesses; /* of a window, by where they are */
	struct reuse *reuses;	 /* by where they end */
	double *begun;		 /* weight of those before the i-th */
	double *ended;		 /* a tree of sums: Fenwick */
	double *stack,
		*left; /* of each piece of each kind's survival: up to there, and behind it */
};

static int by_end(const void *a, const void *b)
{
	const struct reuse *x = a, *y = b;

	return (x->end > y->end) - (x->end < y->end);
}

/* Half octaves up to the distance. */
static double place_of(double distance)
{
	return fmin(STACKS_HALVES - 1, 2 * log2(fmax(1, distance)));
}

/* Samples of the window from *i on; *i goes on to the next window's. Returns how many tell where they are. */
static size_t take_window(struct room *r, const struct model_input *in, size_t *i)
{
	size_t count = placed_take(in, i, r->accesses);

	r->begun[0] = 0;
	for (size_t k = 0; k < count; k++)
		r->begun[k + 1] = r->begun[k] + r->accesses[k].weight;
	return count;
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
			   struct seen *halves)
{
	size_t reuses = 0;

	memset(r->ended, 0, (count + 1) * sizeof(*r->ended));
	for (size_t i = 0; i < count; i++)
		if (r->accesses[i].reused)
			r->reuses[reuses++] = (struct reuse){r->accesses[i].end, i};
	qsort(r->reuses, reuses, sizeof(*r->reuses), by_end);
	for (size_t k = 0; k < reuses; k++) {
		size_t i = r->reuses[k].access;
		const struct placed *a = &r->accesses[i];
		double begun =
			r->begun[placed_before(r->accesses, count, a->end)] - r->begun[i + 1];
		double within = ended_up_to(r, count - 1) - ended_up_to(r, i);
		struct seen *o = &halves[(unsigned)place_of(a->distance)];

		o->seen += begun - within;
		o->expected += density * lines_expected(r, kind, a->distance);
		add_ended(r, count, i);
	}
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

static void add_window(struct ratio *halves, struct ratio *octaves, const struct seen *window)
{
	for (unsigned a = 0; a < MODEL_OCTAVES; a++) {
		const struct seen *low = &window[2 * a], *high = low + 1;

		ratio_add(&halves[2 * a], low->seen, low->expected);
		ratio_add(&halves[2 * a + 1], high->seen, high->expected);
		ratio_add(&octaves[a], low->seen + high->seen, low->expected + high->expected);
	}
}

/* How a half differs from its octave, of which `of_octave` is known. */
static double within_octave(struct ratio half, double of_octave)
{
	half.expected *= of_octave;
	half.seen_expected *= of_octave;
	half.expected_expected *= of_octave * of_octave;
	return half.expected >= LEAST_LINES ? ratio_drawn(&half, DOUBT) : 1;
}

static void conclude(struct stacks *s, const struct ratio *halves, const struct ratio *octaves)
{
	for (unsigned a = 0; a < MODEL_OCTAVES; a++)
		s->of_octave[a] =
			octaves[a].expected >= LEAST_LINES ? ratio_drawn(&octaves[a], DOUBT) : 0;
	for (unsigned h = 0; h < STACKS_HALVES; h++)
		s->ratio[h] = s->of_octave[h / 2] * within_octave(halves[h], s->of_octave[h / 2]);
}

int stacks_measure(struct model *m, const struct model_input *in)
{
	size_t n = placed_most(in) + 2, pieces = in->sample_count + 2;
	struct room r = {.accesses = calloc(n, sizeof(*r.accesses)),
			 .reuses = calloc(n, sizeof(*r.reuses)),
			 .begun = calloc(n, sizeof(*r.begun)),
			 .ended = calloc(n, sizeof(*r.ended)),
			 .stack = calloc(pieces, sizeof(*r.stack)),
			 .left = calloc(pieces, sizeof(*r.left))};
	struct ratio halves[STACKS_HALVES] = {0}, octaves[MODEL_OCTAVES] = {0};
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
		struct seen window[STACKS_HALVES] = {0};

		if (count == 0 || length <= 0)
			continue;
		look_at_window(&r, count, r.begun[count] / length, kind, window);
		add_window(halves, octaves, window);
	}
	conclude(&m->stacks, halves, octaves);
	ret = 0;
out:
	free_room(&r);
	return ret;
}

/* Straight between the middles of halves, as far as they are known. */
double stacks_ratio(const struct stacks *s, double distance)
{
	double place = fmax(0, place_of(distance) - 0.5), part;
	unsigned at = (unsigned)fmin(place, STACKS_HALVES - 2);
	double below = s->ratio[at], above = s->ratio[at + 1];

	if (below <= 0 || above <= 0)
		return below + above > 0 ? below + above : 1;
	part = fmin(1, place - at);
	return (1 - part) * below + part * above;
}

void stacks_take(struct model *m, const struct model *all)
{
	const double *of = all->stacks.of_octave;

	m->stacks = all->stacks;
	if (m->line_bytes == all->line_bytes)
		return;
	for (unsigned a = 0; a < MODEL_OCTAVES; a++) {
		double below = a > 0 && of[a - 1] > 0 ? of[a - 1] : of[a];
		double above = a + 1 < MODEL_OCTAVES && of[a + 1] > 0 ? of[a + 1] : of[a];

		if (of[a] <= 0)
			continue; /* nor are its halves known */
		/* Their middles lie a quarter of the way from the octave's to the next one's. */
		m->stacks.ratio[2 * a] = 0.75 * of[a] + 0.25 * below;
		m->stacks.ratio[2 * a + 1] = 0.75 * of[a] + 0.25 * above;
	}
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
