/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cost of each call path; see paths.h. */
#include <stdlib.h>

#include "base/sort.h"
#include "estimate/paths.h"

struct listing {
	const struct profile *p;
	struct shares shares;
	struct paths_cost *rows;
	size_t count;
	double *misses, *accesses; /* by location: of the samples without a reuse */
	double *begins;		   /* by location: number of samples */
};

static size_t index_of(const struct profile *p, int64_t location)
{
	const struct store_location *l = profile_location(p, location);

	return l != NULL ? (size_t)(l - p->locations) : p->location_count;
}

static bool is_reused(const struct store_sample *s)
{
	return s->status == 0;
}

static void add(struct listing *l, size_t location, int64_t path, struct hot_cost cost)
{
	l->rows[l->count++] = (struct paths_cost){location, path, cost};
}

static void sum_by_location(struct listing *l)
{
	for (size_t i = 0; i < l->p->sample_count; i++) {
		const struct store_sample *x = &l->p->samples[i];
		size_t at = index_of(l->p, x->begin.location);

		l->begins[at]++;
		if (is_reused(x))
			continue;
		l->misses[at] += l->shares.parts[i].misses;
		l->accesses[at] += l->shares.parts[i].accesses;
	}
}

/*
 * The sample's part of its location's unresolved cost: its share of the samples there without a
 * reuse; or of all samples, if each has a reuse.
 */
static double part_of(const struct listing *l, size_t i, size_t at)
{
	const struct model_share *x = &l->shares.parts[i];

	if (l->misses[at] <= 0 && l->accesses[at] <= 0)
		return 1 / l->begins[at];
	if (is_reused(&l->p->samples[i]))
		return 0;
	return l->misses[at] > 0 ? x->misses / l->misses[at] : x->accesses / l->accesses[at];
}

static void list_unresolved(struct listing *l)
{
	for (size_t i = 0; i < l->p->sample_count; i++) {
		const struct store_sample *x = &l->p->samples[i];
		size_t at = index_of(l->p, x->begin.location);
		double part = part_of(l, i, at);

		add(l, at, x->begin.path,
		    (struct hot_cost){
			    .accesses = part * l->shares.unresolved[at].accesses,
			    .unresolved = part * l->shares.unresolved[at].misses,
			    .samples = is_reused(x) ? 0 : 1,
		    });
	}
	for (size_t i = 0; i <= l->p->location_count; i++)
		if (l->begins[i] <= 0)
			add(l, i, 0,
			    (struct hot_cost){
				    .accesses = l->shares.unresolved[i].accesses,
				    .unresolved = l->shares.unresolved[i].misses,
			    });
}

static void list_reuses(struct listing *l)
{
	for (size_t i = 0; i < l->shares.count; i++) {
		const struct share_reuse *r = &l->shares.reuses[i];

		add(l, r->end, r->path,
		    (struct hot_cost){
			    .accesses = r->is.accesses,
			    .misses = r->is.misses,
			    .samples = 1,
		    });
	}
}

static bool is_same(const struct paths_cost *x, const struct paths_cost *y)
{
	return x->location == y->location && x->path == y->path;
}

/* Sort the rows by location and path; the sort is stable. */
static struct sort_item *sort_rows(const struct paths_cost *rows, size_t count)
{
	struct sort_item *order = calloc(count + 1, sizeof(*order));
	int status = order != NULL ? 0 : -1;

	for (size_t i = 0; status == 0 && i < count; i++)
		order[i] = (struct sort_item){(uint64_t)rows[i].path, i};
	if (status == 0)
		status = sort_by_key(order, count);
	for (size_t i = 0; status == 0 && i < count; i++)
		order[i].key = rows[order[i].index].location;
	if (status == 0)
		status = sort_by_key(order, count);
	if (status != 0) {
		free(order);
		return NULL;
	}
	return order;
}

/* Merge into `to`, which has room for all. Returns the number of rows. */
static size_t merge(const struct paths_cost *rows, const struct sort_item *order, size_t count,
		    struct paths_cost *to)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		const struct paths_cost *row = &rows[order[i].index];

		if (row->cost.samples == 0 && row->cost.accesses <= 0)
			continue;
		if (kept > 0 && is_same(&to[kept - 1], row))
			hot_add(&to[kept - 1].cost, &row->cost);
		else
			to[kept++] = *row;
	}
	return kept;
}

static int sum_up(struct listing *l, struct paths_cost **costs, size_t *count)
{
	struct sort_item *order = sort_rows(l->rows, l->count);

	*costs = calloc(l->count + 1, sizeof(**costs));
	if (order != NULL && *costs != NULL) {
		*count = merge(l->rows, order, l->count, *costs);
		free(order);
		return 0;
	}
	free(order);
	free(*costs);
	*costs = NULL;
	return -1;
}

int paths_costs(const struct profile *p, const struct query *q, struct paths_cost **costs,
		size_t *count, struct err *err)
{
	size_t locations = p->location_count + 1;
	struct listing l = {.p = p};
	double *sums;
	int status = -1;

	*costs = NULL;
	*count = 0;
	if (shares_init(&l.shares, p, q, err) != 0)
		return -1;
	sums = calloc(3 * locations, sizeof(*sums));
	l.rows = calloc(l.shares.count + p->sample_count + locations, sizeof(*l.rows));
	if (sums != NULL && l.rows != NULL) {
		l.misses = sums;
		l.accesses = sums + locations;
		l.begins = sums + 2 * locations;
		sum_by_location(&l);
		list_unresolved(&l);
		list_reuses(&l);
		status = sum_up(&l, costs, count);
	}
	free(sums);
	free(l.rows);
	shares_release(&l.shares);
	return status == 0 ? 0 : err_set(err, "not enough memory for %zu samples", p->sample_count);
}
