/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines between the touches of a reuse. StatStack expects as many as the survival of all reuses
 * says, as if what lies between were a fair sample of all, and it is not: a sweep over a table has
 * few lines between two touches of one, whatever the program does beside it.
 *
 * The samples of a window tell. Of the accesses between two touches those are the last ones to
 * their line whose next touch comes after the second: as many as there are lines. So each reuse has
 * an estimate of its own stack distance, from a sample or a few, and all of an octave of distance
 * have one beside what their groups' survivals make of them; and each half of it one beside the
 * octave's.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/parts.h"

/*
 * How much of what was seen is chance the windows tell by how they differ: and so many times that.
 * Where it is taken as it stands the little that is off in most octaves makes more noise than it
 * mends.
 */
#define DOUBT 4.0
/* expected, all reuses of an octave together: with fewer nothing is told */
#define LEAST_LINES 30.0

#define REACH 1.5 /* octaves: what is known of a distance holds no farther */

struct reuse {
	uint64_t end;
	size_t access; /* its number */
};

/*
 * Lines in one window between the touches of the reuses of half an octave; place: of each expected,
 * its log2 of the distance.
 */
struct seen {
	double seen, expected, place;
};

/* Half an octave or a whole one, over all windows. */
struct cell {
	struct ratio ratio;
	double place;
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

static double octaves_to(double distance)
{
	return fmin(MODEL_OCTAVES - 0.5, log2(fmax(1, distance)));
}

/*
 * Samples of the window from *i on; *i goes on to the next window's. Returns how many tell where
 * they are.
 */
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
	size_t low = survival_find(own, distance);

	if (low == 0)
		return distance;
	low += k->first - 1;
	return r->stack[low] + r->left[low] * (distance - own->x[low - k->first]);
}

/*
 * The stack distances that a window's samples show, and those expected: of an access `others` were
 * taken beside the one that is looked at. From the first to end to the last: a reuse lies within
 * another one if it begins behind its begin, and has ended.
 */
static void look_at_window(struct room *r, size_t count, double others, const struct kind *kind,
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
		double octaves = octaves_to(a->distance);
		double expected = others * lines_expected(r, kind, a->distance);
		struct seen *o = &halves[(unsigned)(2 * octaves)];

		o->seen += begun - within;
		o->expected += expected;
		o->place += expected * octaves;
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

static void add_seen(struct cell *c, const struct seen *low, const struct seen *high)
{
	ratio_add(&c->ratio, low->seen + high->seen, low->expected + high->expected);
	c->place += low->place + high->place;
}

static void add_window(struct cell *halves, struct cell *wholes, const struct seen *window)
{
	const struct seen none = {0};

	for (unsigned h = 0; h < STACKS_HALVES; h++)
		add_seen(&halves[h], &window[h], &none);
	for (unsigned a = 0; a < MODEL_OCTAVES; a++)
		add_seen(&wholes[a], &window[2 * a], &window[2 * a + 1]);
}

static struct stacks_node node_of(const struct cell *c, double ratio)
{
	return (struct stacks_node){c->place / c->ratio.expected, ratio};
}

/* How a half differs from its octave, of which `whole` is known. */
static double within_octave(struct ratio half, double whole)
{
	half.expected *= whole;
	half.seen_expected *= whole;
	half.expected_expected *= whole * whole;
	return half.expected >= LEAST_LINES ? ratio_drawn(&half, DOUBT) : 1;
}

static void conclude(struct stacks *s, const struct cell *halves, const struct cell *wholes)
{
	for (unsigned a = 0; a < MODEL_OCTAVES; a++) {
		double whole;

		if (wholes[a].ratio.expected < LEAST_LINES)
			continue;
		whole = ratio_drawn(&wholes[a].ratio, DOUBT);
		s->wholes[s->whole_count++] = node_of(&wholes[a], whole);
		for (unsigned h = 2 * a; h < 2 * a + 2; h++)
			if (halves[h].ratio.expected > 0)
				s->halves[s->half_count++] = node_of(
					&halves[h], whole * within_octave(halves[h].ratio, whole));
	}
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
	struct cell halves[STACKS_HALVES] = {0}, wholes[MODEL_OCTAVES] = {0};
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
		look_at_window(&r, count, (r.begun[count] - 1) / length, kind, window);
		add_window(halves, wholes, window);
	}
	conclude(&m->stacks, halves, wholes);
	ret = 0;
out:
	free_room(&r);
	return ret;
}

/* Straight between the nodes; one that is far says nothing. */
double stacks_ratio(const struct stacks *s, double distance)
{
	const struct stacks_node *nodes = s->is_coarse ? s->wholes : s->halves;
	size_t count = s->is_coarse ? s->whole_count : s->half_count, next = 0;
	double octaves = octaves_to(distance), part;
	bool has_below, has_above;

	while (next < count && nodes[next].octaves <= octaves)
		next++;
	has_below = next > 0 && octaves - nodes[next - 1].octaves <= REACH;
	has_above = next < count && nodes[next].octaves - octaves <= REACH;
	if (!has_below || !has_above)
		return has_below ? nodes[next - 1].ratio : has_above ? nodes[next].ratio : 1;
	part = (octaves - nodes[next - 1].octaves) /
	       (nodes[next].octaves - nodes[next - 1].octaves);
	return (1 - part) * nodes[next - 1].ratio + part * nodes[next].ratio;
}

void stacks_take(struct model *m, const struct model *all)
{
	m->stacks = all->stacks;
	m->stacks.is_coarse = m->line_bytes > all->line_bytes;
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
