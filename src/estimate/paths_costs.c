/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each call path costs; see paths.h. */
#include <stdlib.h>

#include "estimate/paths.h"

struct listing {
	const struct profile *p;
	struct shares shares;
	struct paths_cost *rows;
	size_t count;
	double *misses, *accesses; /* by location: of the samples that saw no reuse */
	double *begins;		   /* by location: samples */
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
 * The sample's part of what its location has unresolved: as much as it is of the samples there without a
 * reuse, or of all where each one saw a reuse.
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

static int compare(const void *a, const void *b)
{
	const struct paths_cost *x = a, *y = b;

	if (x->location != y->location)
		return x->location < y->location ? -1 : 1;
	return (x->path > y->path) - (x->path < y->path);
}

static size_t merge(struct paths_cost *rows, size_t count)
{
	size_t kept = 0;

	qsort(rows, count, sizeof(*rows), compare);
	for (size_t i = 0; i < count; i++) {
		const struct hot_cost *c = &rows[i].cost;

		if (c->samples == 0 && c->accesses <= 0)
			continue;
		if (kept > 0 && compare(&rows[kept - 1], &rows[i]) == 0)
			hot_add(&rows[kept - 1].cost, c);
		else
			rows[kept++] = rows[i];
	}
	return kept;
}

int paths_costs(const struct profile *p, uint64_t size_bytes, struct paths_cost **costs,
		size_t *count, struct err *err)
{
	size_t locations = p->location_count + 1;
	struct listing l = {.p = p};
	double *sums;

	*costs = NULL;
	*count = 0;
	if (shares_init(&l.shares, p, size_bytes, err) != 0)
		return -1;
	sums = calloc(3 * locations, sizeof(*sums));
	l.rows = calloc(l.shares.count + p->sample_count + locations, sizeof(*l.rows));
	if (sums == NULL || l.rows == NULL) {
		free(sums);
		free(l.rows);
		shares_release(&l.shares);
		return err_set(err, "not enough memory for %zu samples", p->sample_count);
	}
	l.misses = sums;
	l.accesses = sums + locations;
	l.begins = sums + 2 * locations;
	sum_by_location(&l);
	list_unresolved(&l);
	list_reuses(&l);
	*costs = l.rows;
	*count = merge(l.rows, l.count);
	free(sums);
	shares_release(&l.shares);
	return 0;
}
