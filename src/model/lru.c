/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * StatStack: the miss ratio of an LRU cache, fully associative or of sets. The stack distance
 * expected for a reuse distance d is the sum of P(distance > k) for k < d, which
 * is the integral of the survival up to d; the access misses in L lines when that
 * reaches L, in sets with the chance that sets.c knows. The survival of a group is its own as far
 * as it goes, and the pool's, scaled to fit, from there on.
 */
#include "model/parts.h"

#include <math.h>

/* A miss is as good as sure from here on: what is left misses, too. */
#define SURE (1 - 1e-9)

/* Steps of a survival, walked until the stack distance reaches the cache's lines. */
struct walk {
	double x, left, stack;
	const struct sets *sets;
	double missed; /* of what was passed */
};

/* Go on to a piece at x. Returns false when its reuses, and all farther ones, miss. */
static bool walk_to(struct walk *w, double x, double mass)
{
	double miss;

	if (x > w->x) {
		w->stack += w->left * (x - w->x);
		w->x = x;
	}
	/* A hair of slack: the sum of many steps that are whole in theory. */
	miss = sets_miss(w->sets, w->stack * (1 + 1e-9));
	if (miss > SURE)
		return false;
	w->missed += mass * miss;
	w->left -= mass;
	return true;
}

/* What misses when all that is left does. */
static double missed_to_the_end(const struct walk *w)
{
	return w->missed + w->left;
}

/* First piece of the pool that lies beyond x. */
static size_t first_beyond(const struct survival *pool, double x)
{
	size_t low = 0, high = pool->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pool->x[middle] > x)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* *r gets what of the group's own reuses misses. */
static double group_ratio(const struct model *m, const struct survival *own, const struct tail *t,
			  const struct sets *sets, struct group_result *r)
{
	const struct survival *pool = &m->pool;
	struct walk w = {.left = 1, .sets = sets};
	double total = t->cold + t->mass * (double)t->count, scale;
	size_t first;

	r->step = INFINITY;
	for (size_t i = 0; i < own->count; i++)
		if (!walk_to(&w, own->x[i], own->mass[i])) {
			r->step = own->x[i];
			return missed_to_the_end(&w);
		}
	first = first_beyond(pool, own->end_x);
	for (size_t i = first; i < pool->count; i++)
		total += pool->mass[i];
	if (total <= 0) /* the pool knows of nothing so far away */
		return walk_to(&w, own->end_x, own->left) ? w.missed : missed_to_the_end(&w);
	scale = own->left / total;
	for (size_t i = first; i < pool->count; i++)
		if (!walk_to(&w, pool->x[i], pool->mass[i] * scale))
			return missed_to_the_end(&w);
	for (size_t i = 0; i < t->count; i++)
		if (!walk_to(&w, t->x[i], t->mass * scale))
			return missed_to_the_end(&w);
	return w.missed + t->cold * scale;
}

void lru_solve(const struct model *m, const struct sets *sets, enum tail_kind kind, double *ratios,
	       struct group_result *results)
{
	for (size_t g = 0; g < m->group_count; g++) {
		struct group_result r = {.is_step = true};
		double left = m->groups[g].own.left;
		double ratio = group_ratio(m, &m->groups[g].own, &m->tails[kind], sets, &r);

		ratios[g] = ratio > 0 ? ratio : 0; /* rounding */
		/* Where nearer reuses miss already, all that was not seen does. */
		r.unresolved = ratios[g] < left ? ratios[g] : left;
		if (results != NULL)
			results[g] = r;
	}
}
