/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Matches two sampled profiles; see diff_samples.h. */
#include "estimate/diff_samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/condition.h"
#include "base/search.h"
#include "base/size.h"
#include "base/text.h"
#include "estimate/ratios.h"

/* ---- Miss ratios ---- */

/* Tell whether the intervals of two numbers of misses are apart: ratios of so many accesses. */
static bool do_not_overlap(const struct model_ratio *a, double of_a, const struct model_ratio *b,
			   double of_b)
{
	return a->known && b->known &&
	       (a->high * of_a < b->low * of_b || b->high * of_b < a->low * of_a);
}

static double accesses_of(const struct profile *p)
{
	return (double)p->process->accesses;
}

static void add_cache(struct diff_samples *d, const char *name, uint64_t size_bytes)
{
	struct diff_cache *c = &d->caches[d->cache_count];
	const struct query at = query_at(&d->query, size_bytes);
	struct err err;

	if (profile_check_size(d->a, size_bytes, &err) != 0 ||
	    profile_check_size(d->b, size_bytes, &err) != 0 ||
	    profile_check_ways(d->a, &at, size_bytes, &err) != 0)
		return;
	*c = (struct diff_cache){.name = name, .size_bytes = size_bytes};
	profile_solve(d->a, &at, &c->a);
	profile_solve(d->b, &at, &c->b);
	c->misses_a = c->a.ratio * accesses_of(d->a);
	c->misses_b = c->b.ratio * accesses_of(d->b);
	c->is_outside = do_not_overlap(&c->a, accesses_of(d->a), &c->b, accesses_of(d->b));
	d->cache_count++;
}

static void add_caches(struct diff_samples *d)
{
	struct profile_cache caches[PROFILE_CACHES];
	bool is_there = false;

	profile_caches(d->a, caches);
	for (size_t i = 0; i < PROFILE_CACHES; i++) {
		if (caches[i].size_bytes == 0)
			continue;
		add_cache(d, caches[i].name, caches[i].size_bytes);
		is_there = is_there || caches[i].size_bytes == d->query.size_bytes;
	}
	if (!is_there)
		add_cache(d, NULL, d->query.size_bytes);
}

/* ---- Rows ---- */

struct entry {
	const struct hot_row *row;
	bool is_b;
};

static const char *text_of(const char *s, bool is_path)
{
	if (s == NULL)
		return "";
	return is_path ? path_basename(s) : s;
}

static int compare_keys(const struct hot_row *x, const struct hot_row *y)
{
	int order = strcmp(text_of(x->function, false), text_of(y->function, false));

	if (order == 0)
		order = strcmp(text_of(x->file, true), text_of(y->file, true));
	return order != 0 ? order : x->line < y->line ? -1 : x->line > y->line;
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = compare_keys(x->row, y->row);

	return order != 0 ? order : x->is_b - y->is_b;
}

static int compare_changes(const void *a, const void *b, void *order)
{
	const enum query_order by = *(const enum query_order *)order;
	const struct diff_hot_row *x = a, *y = b;
	double p = fabs(hot_figure(by, &x->b) - hot_figure(by, &x->a));
	double q = fabs(hot_figure(by, &y->b) - hot_figure(by, &y->a));

	if (p != q)
		return p > q ? -1 : 1;
	return compare_keys(x->shown, y->shown);
}

/* Add shares of the accesses of a run as numbers. */
static void add_numbers(struct hot_cost *to, const struct hot_cost *shares, double accesses)
{
	const struct hot_cost numbers = {.accesses = shares->accesses * accesses,
					 .misses = shares->misses * accesses,
					 .cold = shares->cold * accesses,
					 .cycles = shares->cycles * accesses,
					 .samples = shares->samples};

	hot_add(to, &numbers);
}

static int match(struct diff_samples *d, struct err *err)
{
	size_t most = d->hot_a.count + d->hot_b.count, count = 0;
	struct entry *entries = calloc(most + 1, sizeof(*entries));

	d->rows = calloc(most + 1, sizeof(*d->rows));
	if (entries == NULL || d->rows == NULL) {
		free(entries);
		return err_set(err, "not enough memory for %zu rows", most);
	}
	for (size_t i = 0; i < d->hot_a.count; i++)
		entries[count++] = (struct entry){&d->hot_a.rows[i], false};
	for (size_t i = 0; i < d->hot_b.count; i++)
		entries[count++] = (struct entry){&d->hot_b.rows[i], true};
	qsort(entries, count, sizeof(*entries), compare_entries);
	for (size_t i = 0; i < count; i++) {
		struct diff_hot_row *to;

		if (i == 0 || compare_keys(entries[i - 1].row, entries[i].row) != 0)
			d->rows[d->count++].shown = entries[i].row;
		to = &d->rows[d->count - 1];
		if (entries[i].is_b)
			add_numbers(&to->b, &entries[i].row->cost, accesses_of(d->b));
		else
			add_numbers(&to->a, &entries[i].row->cost, accesses_of(d->a));
		if (entries[i].is_b)
			to->shown = entries[i].row;
	}
	free(entries);
	return 0;
}

/* The data structures that the query shows, as rows. */
static int read_data(const struct diff_samples *d, const struct profile *p, struct data *data,
		     struct hot *hot, struct err *err)
{
	if (data_init(data, p, &d->query, d->sites_by, err) != 0)
		return -1;
	hot->rows = calloc(data->count + 1, sizeof(*hot->rows));
	if (hot->rows == NULL)
		return err_set(err, "not enough memory for %zu data structures", data->count);
	for (size_t i = 0; i < data->count; i++) {
		const struct data_row *r = &data->rows[i];

		if (query_shows(&d->query, (const char *const[]){r->name, r->file, r->module}, 3))
			hot->rows[hot->count++] =
				(struct hot_row){.function = r->name, .cost = r->cost};
	}
	return 0;
}

static int read_hot(struct diff_samples *d, const struct profile *p,
		    const struct profile_share *shares, struct hot *hot, struct err *err)
{
	struct hot_cost *costs;
	int status;

	if (d->by == HOT_DATA)
		return read_data(d, p, hot == &d->hot_a ? &d->data_a : &d->data_b, hot, err);
	costs = hot_costs_of(p, shares, err);
	status = costs != NULL ? hot_rows(p, &d->query, costs, d->by, hot, err) : -1;
	free(costs);
	return status;
}

/* Set the row of each location, and of a missing one; rows must be sorted by key. */
static void find_rows(const struct diff_samples *d, const struct profile *p, uint32_t *row_of)
{
	static const struct hot_cost none;

	for (size_t i = 0; i <= p->location_count; i++) {
		const struct store_location *l = i < p->location_count ? &p->locations[i] : NULL;
		struct hot_row key = hot_row_of(l, d->by, &none);
		const size_t row = SEARCH_MATCH(k, d->count, compare_keys(d->rows[k].shown, &key));

		row_of[i] = row < d->count ? (uint32_t)row : RATIOS_NO_ROW;
	}
}

/* The intervals of data structures are known. */
static void find_ratios(const struct diff_samples *d, const struct data *data,
			struct model_ratio *ratios)
{
	for (size_t i = 0; i < data->count; i++) {
		const struct hot_row key = {.function = data->rows[i].name};
		const size_t row = SEARCH_MATCH(k, d->count, compare_keys(d->rows[k].shown, &key));

		if (row < d->count)
			ratios[row] = data->rows[i].ratio;
	}
}

/* Compute the intervals of each row's miss ratio. */
static int solve_rows(struct diff_samples *d, const struct profile *p,
		      const struct profile_share *shares, bool is_b, struct err *err)
{
	uint32_t *row_of = calloc(p->location_count + 1, sizeof(*row_of));
	struct model_ratio *ratios = calloc(d->count + 1, sizeof(*ratios));
	int status = -1;

	if (row_of == NULL || ratios == NULL) {
		err_set(err, "not enough memory for %zu locations", p->location_count);
	} else if (d->by == HOT_DATA) {
		find_ratios(d, is_b ? &d->data_b : &d->data_a, ratios);
		status = 0;
	} else {
		find_rows(d, p, row_of);
		status = ratios_solve_code(p, shares, row_of, d->count, ratios, err);
	}
	for (size_t i = 0; status == 0 && i < d->count; i++) {
		struct diff_hot_row *row = &d->rows[i];

		*(is_b ? &row->ratio_b : &row->ratio_a) = ratios[i];
		row->is_outside = do_not_overlap(&row->ratio_a, row->a.accesses, &row->ratio_b,
						 row->b.accesses);
	}
	free(row_of);
	free(ratios);
	return status;
}

static int fill_rows(struct diff_samples *d, const struct profile_share *in_a,
		     const struct profile_share *in_b, struct err *err)
{
	if (read_hot(d, d->a, in_a, &d->hot_a, err) != 0 ||
	    read_hot(d, d->b, in_b, &d->hot_b, err) != 0 || match(d, err) != 0)
		return -1;
	return solve_rows(d, d->a, in_a, false, err) == 0 ? solve_rows(d, d->b, in_b, true, err)
							  : -1;
}

static int make_rows(struct diff_samples *d, struct err *err)
{
	struct profile_share *in_a, *in_b = NULL;
	enum query_order order;
	int status = -1;

	if (query_order(&d->query, &order, err) != 0)
		return -1;
	in_a = profile_attribute(d->a, &d->query, err);
	if (in_a != NULL)
		in_b = profile_attribute(d->b, &d->query, err);
	if (in_b != NULL)
		status = fill_rows(d, in_a, in_b, err);
	if (status == 0)
		qsort_r(d->rows, d->count, sizeof(*d->rows), compare_changes, &order);
	free(in_a);
	free(in_b);
	return status;
}

static struct diff_cost cost_of(const struct profile *p, const struct cost *c)
{
	const double instructions = accesses_of(p) * c->instructions;

	if (c->count == 0)
		return (struct diff_cost){0};
	return (struct diff_cost){.cycles = instructions * c->levels[0].beyond,
				  .low = instructions * c->levels[0].least_beyond,
				  .high = instructions * c->levels[0].most_beyond};
}

/* Of the caches of A, that whose misses cost most in both runs; 0: none has a cost. */
static uint64_t find_costs(struct diff_samples *d)
{
	struct cost a, b;
	double most = 0;
	uint64_t size = 0;

	profile_cost(d->a, &d->query, &a);
	profile_cost(d->b, &d->query, &b);
	d->has_cost = a.count > 0 && a.count == b.count;
	d->cost_a = cost_of(d->a, &a);
	d->cost_b = cost_of(d->b, &b);
	for (size_t i = 0; i < a.count && d->has_cost; i++) {
		const double cycles = a.levels[i].cycles * a.instructions * accesses_of(d->a) +
				      b.levels[i].cycles * b.instructions * accesses_of(d->b);

		if (cycles > most) {
			most = cycles;
			size = a.levels[i].size_bytes;
		}
	}
	return size;
}

static int choose_cache(struct diff_samples *d, struct err *err)
{
	uint64_t *size = &d->query.size_bytes;
	const uint64_t costly = find_costs(d);

	if (*size == 0) {
		*size = costly;
		d->query.is_by_cost = costly > 0;
	}
	if (profile_choose_size(d->a, &d->query, size, err) != 0)
		return -1;
	return profile_check_size(d->b, *size, err) == 0 &&
			       profile_check_ways(d->a, &d->query, *size, err) == 0
		       ? 0
		       : -1;
}

int diff_samples_init(struct diff_samples *d, const struct profile *a, const struct profile *b,
		      const struct query *q, enum hot_by by, enum data_by sites_by, struct err *err)
{
	*d = (struct diff_samples){.a = a, .b = b, .query = *q, .by = by, .sites_by = sites_by};
	if (choose_cache(d, err) != 0)
		return -1;
	if (a->line_bytes != b->line_bytes)
		return err_set(err,
			       "one profile has lines of %u bytes and the other of %u: --line "
			       "SIZE of 'dwell record' makes them the same",
			       a->line_bytes, b->line_bytes);
	add_caches(d);
	if (make_rows(d, err) != 0) {
		diff_samples_release(d);
		return -1;
	}
	return 0;
}

void diff_samples_release(struct diff_samples *d)
{
	hot_release(&d->hot_a);
	hot_release(&d->hot_b);
	data_release(&d->data_a);
	data_release(&d->data_b);
	free(d->rows);
	*d = (struct diff_samples){0};
}

/* ---- Conditions ---- */

/* Find a cache by name or size. */
static const struct diff_cache *find_cache(const struct diff_samples *d, const char *subject)
{
	uint64_t size;

	for (size_t i = 0; i < d->cache_count; i++)
		if (d->caches[i].name != NULL && strcmp(d->caches[i].name, subject) == 0)
			return &d->caches[i];
	if (size_parse(subject, &size, NULL) != 0)
		return NULL;
	for (size_t i = 0; i < d->cache_count; i++)
		if (d->caches[i].size_bytes == size)
			return &d->caches[i];
	return NULL;
}

/* Of what all misses cost. */
static int check_cost(const struct diff_samples *d, const struct condition_test *t,
		      struct condition *c, struct err *err)
{
	const struct diff_cost *a = &d->cost_a, *b = &d->cost_b;

	if (!d->has_cost)
		return err_set(
			err,
			"condition '%.100s': the caches of the runs' machines are not known: "
			"a condition on a size, as '1M > +5%%' with --size 1M, needs none",
			c->text);
	c->a = a->cycles;
	c->b = b->cycles;
	c->holds = condition_holds(t, c->a, c->b) &&
		   (t->limit_is == CONDITION_VALUE || a->high < b->low || b->high < a->low);
	return 0;
}

int diff_samples_check(const struct diff_samples *d, struct condition *c, struct err *err)
{
	const struct diff_cache *cache;
	struct condition_test t;

	if (condition_parse(&t, c->text, err) != 0)
		return -1;
	if (strcmp(t.subject, "cost") == 0)
		return check_cost(d, &t, c, err);
	cache = find_cache(d, t.subject);
	if (cache == NULL)
		return err_set(
			err,
			"condition '%.100s': '%.100s' is none of the caches that are compared: "
			"of samples, conditions are on the misses of a cache, as 'L2 > +5%%', or "
			"on 'cost'",
			c->text, t.subject);
	if (!cache->a.known || !cache->b.known)
		return err_set(err, "condition '%.100s': there are too few samples to tell",
			       c->text);
	if (t.limit_is != CONDITION_PERCENT && t.limit != 0 && fabs(t.limit) < 1)
		return err_set(
			err,
			"condition '%.100s': it is on the number of misses, and not on their "
			"ratio",
			c->text);
	c->a = cache->misses_a;
	c->b = cache->misses_b;
	c->holds = condition_holds(&t, c->a, c->b) &&
		   (t.limit_is == CONDITION_VALUE || cache->is_outside);
	return 0;
}
