/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * StatStack: the miss ratio of an LRU cache, fully associative or of sets. The stack distance
 * expected for a reuse distance d is the sum of P(distance > k) for k < d, which is the integral of
 * the survival up to d, times what the windows have seen such reuses to differ from that
 * (stacks.c); the access misses in L lines when that reaches L, give or take a little, and in sets
 * with the chance that sets.c knows. What a group has not seen itself are first touches, and reuses
 * from far (beyond.c).
 */
#include "model/beyond.h"

#include <math.h>

/* A miss is as good as sure from here on: what is left misses, too. */
#define SURE (1 - 1e-9)
/*
 * Of the lines ever touched, so many are touched no more at least: those of the start. A cache that
 * lacks fewer holds those in use, most often. Where it does not, it misses nearly all: so the upper
 * bound is without.
 */
#define AT_REST 0.01
/*
 * What a loop uses either fits or misses all over again, and how much that is, is known to a few in
 * a hundred: so the bounds are those of caches that are as much larger and smaller. With sets there
 * is no such edge.
 */
#define EDGE 0.03
/*
 * A loop's reuses are all of one distance. Most often it was made to fit, an array of a power of
 * two above all, and in a cache of just that size the estimates of its kinds, a hundredth to both
 * sides, would make some miss: it holds what lacks so little. Nor is there such an edge with sets.
 */
#define LOOP	   0.05 /* of the accesses */
#define LOOP_SLACK 0.02
/*
 * Other reuses of a distance do not all have the stack distance expected. Where none were counted
 * (counted.c), as beyond sight: its standard deviation, beside the mean. Of 0, 0.03, 0.05 and 0.08
 * the best with lines of 32 and 64 bytes.
 */
#define SPREAD	    0.03
#define SPREAD_MOST 5.0 /* deviations: beyond there is none */

static const struct counted none_counted;

/* Reuses of rising distance, until the stack distance reaches the cache's lines. */
struct walk {
	const struct sets_table *sets;
	double left;   /* of the accesses */
	double missed; /* of what was passed */
};

/* P(more lines in between than there are ways), of a normal distribution. */
static double miss_around(double ways, double in_between, double deviation)
{
	double deviations = (in_between - ways) / deviation;

	if (fabs(deviations) > SPREAD_MOST)
		return deviations > 0 ? 1 : 0;
	return erfc(-deviations / M_SQRT2) / 2;
}

double lru_miss(const struct counted *c, double ways, double lines, double mass)
{
	/* The hair is because lines are the sum of many steps that are whole in theory. */
	double in_between = lines * (1 + 1e-9);

	if (mass > LOOP)
		in_between -= floor(LOOP_SLACK * lines);
	if (c->all_count > 0)
		return counted_miss(c, ways, in_between);
	if (mass > LOOP)
		return in_between >= ways ? 1 : 0;
	return miss_around(ways, in_between, SPREAD * in_between);
}

/*
 * Go on to a piece with so many lines in between, of whose reuses c is known, `step` more than to
 * the one before where its reuses lie anywhere from halfway there on; 0: they are all of one
 * distance. Returns false when its reuses, and all farther ones, miss.
 */
static bool walk_to(struct walk *w, const struct counted *c, double lines, double step, double mass)
{
	const struct sets *sets = w->sets->sets;
	double in_between = lines * (1 + 1e-9), miss;

	if (sets->sets > 1)
		miss = counted_sets_miss(c, w->sets, in_between);
	else if (step > 0)
		miss = miss_around(sets->ways, in_between,
				   hypot(SPREAD * in_between, step / sqrt(12)));
	else
		miss = lru_miss(c, sets->ways, lines, mass);
	if (miss > SURE)
		return false;
	w->missed += mass * miss;
	w->left -= mass;
	return true;
}

/*
 * Accesses before `position`, in group *g or before it, that their groups saw no reuse of; *g moves
 * back, for the next call.
 */
static double left_before(const struct model *m, double position, size_t *g)
{
	const struct group *group;

	while (*g > 0 && position < m->groups[*g].start)
		--*g;
	group = &m->groups[*g];
	return group->left_before + group->own.left * fmax(0, position - group->start);
}

/* What lies between two touches of a far reuse. */
struct way {
	const struct model *m;
	const struct group *group; /* of the second touch */
	double reach;		   /* so far back it is the group's own */
	size_t at;		   /* the group that it has come to, walking back */
};

/*
 * The accesses from `x` to `to` back, each as many times as the group there leaves more of its
 * accesses without a reuse than the one that the walk began in: a stretch that touches little anew
 * adds few lines.
 */
static double passed(struct way *w, double x, double to)
{
	const struct group *group = w->group;
	double here = group->start + w->reach, later, earlier;

	if (to <= w->reach || group->own.left <= 0)
		return to - x;
	later = left_before(w->m, here - fmax(x, w->reach), &w->at);
	earlier = left_before(w->m, here - to, &w->at);
	return fmax(0, w->reach - x) + (later - earlier) / group->own.left;
}

/*
 * A piece of the tail stands for distances around it, over as much as to its nearer neighbour: the
 * lines of that, of `lines` since the piece before. Those of the pool are of reuses seen at their
 * distance.
 */
static double step_of(const struct beyond *b, size_t i, double lines)
{
	const double *x = b->p.x;

	if (i < b->pool_count || i == 0 || i + 1 == b->p.count || x[i] <= x[i - 1])
		return 0;
	return lines * fmin(1, (x[i + 1] - x[i]) / (x[i] - x[i - 1]));
}

/*
 * The group's far reuses: the stack distance goes on to rise by what is left, from `stack` at what
 * it has seen.
 */
static void walk_far(struct walk *w, const struct model *m, size_t g, const struct beyond *b,
		     double stack)
{
	const struct group *group = &m->groups[g];
	double mass = group->own.left - group->first_touches;
	struct way way = {m, group, group_reach(m, g), g};
	struct far f = beyond_group(b, group, group->start + way.reach);
	const struct kind *kind = &m->kinds[group->kind];
	double x = f.end, lines = kind->own.count > 0 ? kind->lines[kind->own.count - 1] : 0;

	if (f.total <= 0)
		walk_to(w, &none_counted, fmax(lines, stack), 0, mass);
	for (size_t i = f.first; i < f.last; i++) {
		double to = far_place(b, &f, i), before = lines;

		stack += w->left * passed(&way, x, to);
		x = to;
		lines = fmax(lines, stack * stacks_ratio(&m->stacks, x));
		if (!walk_to(w, &none_counted, lines, step_of(b, i, lines - before),
			     mass * b->p.mass[i] / f.total))
			break;
	}
}

static const double held[TAIL_KINDS] = {
	[TAIL_NEAR] = 1 + EDGE, [TAIL_SPREAD] = 1, [TAIL_FAR] = 1 - EDGE};

/* Whether the cache holds all that the program uses, and misses first touches alone. */
static bool holds_all(const struct model *m, const struct sets *sets, enum tail_kind kind)
{
	double in_use = m->last_lines * (kind == TAIL_FAR ? 1 : 1 - AT_REST);

	return m->has_footprint && sets->sets <= 1 &&
	       (in_use <= sets->ways * held[kind] || m->most_lines <= sets->ways);
}

static double group_ratio(const struct model *m, size_t g, const struct beyond *b,
			  const struct sets_table *sets, struct group_result *r)
{
	const struct group *group = &m->groups[g];
	const struct survival *own = &group->own;
	const double *lines = m->kinds[group->kind].lines;
	struct walk w = {.left = 1, .sets = sets};
	size_t i = 0;
	double seen;

	for (; i < own->count; i++) {
		struct counted c = counted_at(m, &m->kinds[group->kind], own->x[i]);

		if (!walk_to(&w, &c, lines[i], 0, own->mass[i]))
			break;
	}
	r->sure = i;
	if (i < own->count) {
		r->unresolved = own->left;
		return w.missed + w.left;
	}
	seen = w.missed;
	walk_far(&w, m, g, b, survival_integral(own));
	/* What the walk has not come to misses: all farther reuses, or first touches alone. */
	r->unresolved = fmin(own->left, fmax(0, w.missed - seen + w.left));
	return w.missed + w.left;
}

void lru_solve(const struct model *m, const struct sets *sets, enum tail_kind kind, double *ratios,
	       struct group_result *results)
{
	bool all_fit = holds_all(m, sets, kind);
	struct sets bound = *sets;
	struct sets_table table;
	struct beyond b;

	if (sets->sets <= 1)
		sets_init(&bound, 1, sets->ways * held[kind]);
	sets_table_init(&table, &bound);
	beyond_set_up(m, &m->tails[kind], true, &b);
	for (size_t g = 0; g < m->group_count; g++) {
		const struct group *group = &m->groups[g];
		struct group_result r = {.is_lru = true,
					 .ways = all_fit ? INFINITY : bound.ways,
					 .sure = group->own.count,
					 .unresolved = group->first_touches};
		double ratio = all_fit ? group->first_touches : group_ratio(m, g, &b, &table, &r);

		ratios[g] = ratio > 0 ? ratio : 0; /* rounding */
		if (results != NULL)
			results[g] = r;
	}
}
