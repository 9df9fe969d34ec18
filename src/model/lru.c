/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * StatStack: the miss ratio of a fully associative LRU cache. The stack distance
 * expected for a reuse distance d is the sum of P(distance > k) for k < d, which
 * is the integral of the survival up to d; the access misses in L lines when that
 * reaches L. The survival of a group is its own as far as it goes, and the pool's,
 * scaled to fit, from there on.
 */
#include "model/parts.h"

#include <math.h>

/* Steps of a survival, walked until the stack distance reaches the cache's lines. */
struct walk {
	double x, left, stack;
	double lines;
};

/* Go on to a piece at x. Returns false when its reuses, and all farther ones, miss. */
static bool walk_to(struct walk *w, double x, double mass)
{
	if (x > w->x) {
		w->stack += w->left * (x - w->x);
		w->x = x;
	}
	/* A hair of slack: the sum of many steps that are whole in theory. */
	if (w->stack >= w->lines * (1 - 1e-9))
		return false;
	w->left -= mass;
	return true;
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
			  double lines, struct group_result *r)
{
	const struct survival *pool = &m->pool;
	struct walk w = {.left = 1, .lines = lines};
	double total = t->cold + t->mass * (double)t->count, scale;
	size_t first;

	r->step = INFINITY;
	for (size_t i = 0; i < own->count; i++)
		if (!walk_to(&w, own->x[i], own->mass[i])) {
			r->step = own->x[i];
			return w.left;
		}
	first = first_beyond(pool, own->end_x);
	for (size_t i = first; i < pool->count; i++)
		total += pool->mass[i];
	if (total <= 0) /* the pool knows of nothing so far away */
		return walk_to(&w, own->end_x, own->left) ? 0 : w.left;
	scale = own->left / total;
	for (size_t i = first; i < pool->count; i++)
		if (!walk_to(&w, pool->x[i], pool->mass[i] * scale))
			return w.left;
	for (size_t i = 0; i < t->count; i++)
		if (!walk_to(&w, t->x[i], t->mass * scale))
			return w.left;
	return t->cold * scale;
}

void lru_solve(const struct model *m, double lines, enum tail_kind kind, double *ratios,
	       struct group_result *results)
{
	for (size_t g = 0; g < m->group_count; g++) {
		struct group_result r = {.is_step = true};
		double left = m->groups[g].own.left;
		double ratio = group_ratio(m, &m->groups[g].own, &m->tails[kind], lines, &r);

		ratios[g] = ratio > 0 ? ratio : 0; /* rounding */
		/* Where nearer reuses miss already, all that was not seen does. */
		r.unresolved = ratios[g] < left ? ratios[g] : left;
		if (results != NULL)
			results[g] = r;
	}
}
