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

int paths_costs(const struct profile *p, const struct query *q, struct paths_cost **costs,
		size_t *count, struct err *err)
{
	struct profile_share *shares = profile_attribute(p, q, err);
	struct sort_item *order = calloc(p->end_count + 1, sizeof(*order));
	struct paths_cost *to = calloc(p->end_count + 1, sizeof(*to));
	size_t kept = 0;

	*costs = to;
	if (shares == NULL || order == NULL || to == NULL || sort_ends(p, order) != 0) {
		if (shares != NULL)
			err_set(err, "not enough memory for %zu samples", p->end_count);
		free(to);
		free(order);
		free(shares);
		*costs = NULL;
		return -1;
	}
	for (size_t i = 0; i < p->end_count; i++) {
		const struct paths_cost cost = cost_of(p, shares, order[i].index);

		if (kept > 0 && is_same(&to[kept - 1], &cost))
			hot_add(&to[kept - 1].cost, &cost.cost);
		else
			to[kept++] = cost;
	}
	*count = kept;
	free(order);
	free(shares);
	return 0;
}
