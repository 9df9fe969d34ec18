/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums up the shares of the misses by code. */
#include "estimate/hot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "estimate/own_code.h"

void hot_add(struct hot_cost *to, const struct hot_cost *cost)
{
	to->accesses += cost->accesses;
	to->misses += cost->misses;
	to->cold += cost->cold;
	to->cycles += cost->cycles;
	to->samples += cost->samples;
}

double hot_miss_ratio(const struct hot_cost *cost)
{
	double all = cost->misses + cost->cold;

	if (cost->accesses <= 0)
		return 0;
	return all < cost->accesses ? all / cost->accesses : 1;
}

double hot_share(double part, const struct hot_cost *whole)
{
	double all = whole->misses + whole->cold;

	return all > 0 ? part / all : 0;
}

double hot_figure(enum query_order order, const struct hot_cost *cost)
{
	switch (order) {
	case QUERY_BY_COST:
		return cost->cycles;
	case QUERY_BY_RATIO:
		return hot_miss_ratio(cost);
	case QUERY_BY_ACCESSES:
		return cost->accesses;
	case QUERY_BY_SAMPLES:
		return (double)cost->samples;
	default:
		return cost->misses + cost->cold;
	}
}

struct hot_cost hot_cost_of(const struct profile_end *e, const struct profile_share *share)
{
	double cold = fmin(share->misses, share->accesses * e->first);

	return (struct hot_cost){.accesses = share->accesses,
				 .misses = share->misses - cold,
				 .cold = cold,
				 .cycles = share->cycles,
				 .samples = 1};
}

struct hot_cost *hot_costs_of(const struct profile *p, const struct profile_share *shares,
			      struct err *err)
{
	struct hot_cost *costs = calloc(p->location_count + 1, sizeof(*costs));

	if (costs == NULL) {
		err_set(err, "not enough memory for %zu locations", p->location_count);
		return NULL;
	}
	for (size_t i = 0; i < p->end_count; i++) {
		const struct profile_end *e = &p->ends[i];
		const struct hot_cost cost = hot_cost_of(e, &shares[i]);

		hot_add(&costs[profile_location_index(p, e->access->location)], &cost);
	}
	return costs;
}

struct hot_cost *hot_costs(const struct profile *p, const struct query *q, struct err *err)
{
	struct profile_share *shares = profile_attribute(p, q, err);
	struct hot_cost *costs = shares != NULL ? hot_costs_of(p, shares, err) : NULL;

	free(shares);
	return costs;
}

static int compare_text(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

int hot_compare_keys(const struct hot_row *x, const struct hot_row *y)
{
	int order = compare_text(x->file, y->file);

	if (order == 0)
		order = compare_text(x->function, y->function);
	if (order == 0)
		order = (x->line > y->line) - (x->line < y->line);
	return order;
}

static int compare_keys(const void *a, const void *b)
{
	return hot_compare_keys(a, b);
}

static int compare_costs(const void *a, const void *b, void *order)
{
	const struct hot_row *x = a, *y = b;
	double mine = hot_figure(*(enum query_order *)order, &x->cost);
	double other = hot_figure(*(enum query_order *)order, &y->cost);

	if (mine != other)
		return mine < other ? 1 : -1;
	if (x->cost.accesses != y->cost.accesses)
		return x->cost.accesses < y->cost.accesses ? 1 : -1;
	return compare_keys(a, b);
}

struct hot_row hot_row_of(const struct store_location *l, enum hot_by by,
			  const struct hot_cost *cost)
{
	static const struct store_frame nothing = {"[unknown]", NULL, 0};
	const struct store_frame *f =
		l != NULL && l->frame_count > 0 ? own_code_frame(l) : &nothing;
	struct hot_row row = {.function = f->function, .file = f->file, .cost = *cost};

	if (by == HOT_FILE)
		row.function = f->file != NULL ? NULL : f->function;
	if (by == HOT_LINE)
		row.line = f->line;
	return row;
}

size_t hot_merge(struct hot_row *rows, size_t count)
{
	size_t kept = 0;

	qsort(rows, count, sizeof(*rows), compare_keys);
	for (size_t i = 0; i < count; i++) {
		if (kept > 0 && compare_keys(&rows[kept - 1], &rows[i]) == 0)
			hot_add(&rows[kept - 1].cost, &rows[i].cost);
		else
			rows[kept++] = rows[i];
	}
	return kept;
}

/* Keep only rows that the query shows. Returns their number. */
static size_t keep_shown(const struct query *q, struct hot_row *rows, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (query_shows(q, (const char *const[]){rows[i].function, rows[i].file}, 2))
			rows[kept++] = rows[i];
	return kept;
}

int hot_rows(const struct profile *p, const struct query *q, const struct hot_cost *costs,
	     enum hot_by by, struct hot *out, struct err *err)
{
	enum query_order order;

	*out = (struct hot){0};
	if (query_order(q, &order, err) != 0)
		return -1;
	*out = (struct hot){.rows = calloc(p->location_count + 1, sizeof(*out->rows))};
	if (out->rows == NULL)
		return err_set(err, "not enough memory for %zu locations", p->location_count);
	for (size_t i = 0; i <= p->location_count; i++) {
		if (costs[i].samples == 0 && costs[i].accesses <= 0)
			continue;
		out->rows[out->count] =
			hot_row_of(i < p->location_count ? &p->locations[i] : NULL, by, &costs[i]);
		if (i < p->location_count)
			out->rows[out->count].module = profile_module_path(p, &p->locations[i]);
		out->count++;
		hot_add(&out->total, &costs[i]);
	}
	out->ratio = out->total.misses + out->total.cold;
	out->count = keep_shown(q, out->rows, hot_merge(out->rows, out->count));
	qsort_r(out->rows, out->count, sizeof(*out->rows), compare_costs, &order);
	return 0;
}

void hot_release(struct hot *h)
{
	free(h->rows);
	*h = (struct hot){0};
}
