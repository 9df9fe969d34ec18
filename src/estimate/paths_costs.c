/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cost of each call path; see paths.h. */
#include <stdlib.h>

#include "base/sort.h"
#include "estimate/paths.h"

static bool is_same(const struct paths_cost *x, const struct paths_cost *y)
{
	return x->location == y->location && x->path == y->path;
}

static struct paths_cost cost_of(const struct profile *p, const struct profile_share *shares,
				 size_t i)
{
	const struct store_access *a = p->ends[i].access;

	return (struct paths_cost){profile_location_index(p, a->location), a->path,
				   hot_cost_of(&p->ends[i], &shares[i])};
}

/* Sort the ends by location and path; the sort is stable. */
static int sort_ends(const struct profile *p, struct sort_item *order)
{
	for (size_t i = 0; i < p->end_count; i++)
		order[i] = (struct sort_item){(uint64_t)p->ends[i].access->path, i};
	if (sort_by_key(order, p->end_count) != 0)
		return -1;
	for (size_t i = 0; i < p->end_count; i++)
		order[i].key = profile_location_index(p, p->ends[order[i].index].access->location);
	return sort_by_key(order, p->end_count);
}

/*
 * Of one location's costs, sorted by path: those without a path, which are mostly left out by
 * choice, are shared among its known paths. Numbers of samples stay.
 */
static void share_location(struct paths_cost *costs, size_t count)
{
	struct hot_cost known = {0}, *unknown = NULL;

	for (size_t i = 0; i < count; i++) {
		if (costs[i].path == 0)
			unknown = &costs[i].cost;
		else
			hot_add(&known, &costs[i].cost);
	}
	if (unknown == NULL || !(known.accesses > 0))
		return;
	/* Each figure on its own, so that the sums stay. */
	for (size_t i = 0; i < count; i++) {
		struct hot_cost *c = &costs[i].cost;

		if (costs[i].path == 0)
			continue;
		c->misses *= known.misses > 0 ? 1 + unknown->misses / known.misses : 1;
		c->cold *= known.cold > 0 ? 1 + unknown->cold / known.cold : 1;
		c->cycles *= known.cycles > 0 ? 1 + unknown->cycles / known.cycles : 1;
		c->accesses *= 1 + unknown->accesses / known.accesses;
	}
	unknown->accesses = 0;
	unknown->misses = known.misses > 0 ? 0 : unknown->misses;
	unknown->cold = known.cold > 0 ? 0 : unknown->cold;
	unknown->cycles = known.cycles > 0 ? 0 : unknown->cycles;
}

static void share_unknown(struct paths_cost *costs, size_t count)
{
	for (size_t from = 0, to; from < count; from = to) {
		for (to = from + 1; to < count && costs[to].location == costs[from].location;)
			to++;
		share_location(&costs[from], to - from);
	}
}

int paths_costs_of(const struct profile *p, const struct profile_share *shares,
		   struct paths_cost **costs, size_t *count, struct err *err)
{
	struct sort_item *order = calloc(p->end_count + 1, sizeof(*order));
	struct paths_cost *to = calloc(p->end_count + 1, sizeof(*to));
	size_t kept = 0;

	*costs = to;
	if (order == NULL || to == NULL || sort_ends(p, order) != 0) {
		free(to);
		free(order);
		*costs = NULL;
		return err_set(err, "not enough memory for %zu samples", p->end_count);
	}
	for (size_t i = 0; i < p->end_count; i++) {
		const struct paths_cost cost = cost_of(p, shares, order[i].index);

		if (kept > 0 && is_same(&to[kept - 1], &cost))
			hot_add(&to[kept - 1].cost, &cost.cost);
		else
			to[kept++] = cost;
	}
	share_unknown(to, kept);
	*count = kept;
	free(order);
	return 0;
}

int paths_costs(const struct profile *p, const struct query *q, struct paths_cost **costs,
		size_t *count, struct err *err)
{
	struct profile_share *shares = profile_attribute(p, q, err);
	const int status = shares != NULL ? paths_costs_of(p, shares, costs, count, err) : -1;

	free(shares);
	return status;
}
