/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Evictions and cold misses by names; see causes.h. */
#include "estimate/counted/causes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/group.h"

static int compare_texts(const char *x, const char *y)
{
	return strcmp(x != NULL ? x : "", y != NULL ? y : "");
}

static int compare_names(const struct cause_row *x, const struct cause_row *y)
{
	const char *const xs[] = {x->function, x->data, x->evictor_function, x->evictor_data};
	const char *const ys[] = {y->function, y->data, y->evictor_function, y->evictor_data};
	int order = 0;

	for (size_t i = 0; i < sizeof(xs) / sizeof(xs[0]) && order == 0; i++)
		order = compare_texts(xs[i], ys[i]);
	return order;
}

static int compare_counts(const void *a, const void *b)
{
	const struct cause_row *x = a, *y = b;
	const int by_cache = strcmp(x->cache, y->cache);

	if (by_cache != 0)
		return by_cache;
	return x->misses != y->misses ? (x->misses < y->misses) - (x->misses > y->misses)
				      : compare_names(x, y);
}

/* The names of an access that missed, or that evicted; NULL: they do not tell rows apart. */
static const char *function_of(const struct causes *c, int64_t location)
{
	return c->by != CAUSES_BY_DATA ? counted_function(&c->names, location) : NULL;
}

static const char *data_of(const struct causes *c, int64_t structure)
{
	return c->by != CAUSES_BY_FUNCTION ? counted_data(&c->names, structure)->name : NULL;
}

static bool is_meant(const struct causes *c, int64_t structure, int64_t location)
{
	return c->names.word == NULL ||
	       counted_means(&c->names, counted_function(&c->names, location),
			     counted_data(&c->names, structure));
}

static void list_evictions(struct causes *c)
{
	const struct profile *p = c->names.profile;

	for (size_t i = 0; i < p->eviction_count; i++) {
		const struct store_eviction *e = &p->evictions[i];
		const struct counted_misses of = counted_of_eviction(p, e);

		if (is_meant(c, e->structure_id, e->location_id))
			c->rows[c->count++] = (struct cause_row){
				.cache = e->cache,
				.function = function_of(c, e->location_id),
				.data = data_of(c, e->structure_id),
				.evictor_function = function_of(c, e->evictor_location_id),
				.evictor_data = data_of(c, e->evictor_structure_id),
				.misses = e->misses,
				.of = of,
				.conflicts = p->has_conflicts ? e->conflicts : 0,
			};
	}
}

static struct cause_row row_of_bin(const struct causes *c, const struct store_bin *b)
{
	return (struct cause_row){
		.cache = b->cache,
		.function = function_of(c, b->location_id),
		.data = data_of(c, b->structure_id),
	};
}

/* Of all misses of the bin, these are cold, and spread like them. */
static void add_cold(struct causes *c, const struct store_bin *b)
{
	const struct profile *p = c->names.profile;
	struct cause_row row = row_of_bin(c, b);
	const double part = b->misses > 0 ? (double)b->cold / (double)b->misses : 0;

	row.of = counted_of(p, b);
	row.misses = row.of.all = b->cold;
	for (size_t i = 0; row.of.contrasts != NULL && i < TRACE_SAMPLE_CONTRASTS; i++)
		row.of.contrasts[i] *= part;
	row.cold_low = row.cold_high = (double)b->cold;
	if (p->bin_spreads != NULL) {
		row.cold_low = fmin(p->bin_spreads[b - p->bins].cold_low, row.cold_low);
		row.cold_high = fmax(p->bin_spreads[b - p->bins].cold_high, row.cold_high);
	}
	c->rows[c->count++] = row;
}

/* Those that may be misses, or are, of which nobody knows the cause. */
static void add_unknown(struct causes *c, const struct store_bin *b)
{
	struct cause_row row = row_of_bin(c, b);

	row.is_unknown = true;
	row.of = counted_of(c->names.profile, b);
	row.misses = b->unknown;
	c->rows[c->count++] = row;
}

static void list_without_evictor(struct causes *c)
{
	const struct profile *p = c->names.profile;

	for (size_t i = 0; i < p->bin_count; i++) {
		const struct store_bin *b = &p->bins[i];

		if (!is_meant(c, b->structure_id, b->location_id))
			continue;
		if (b->cold > 0)
			add_cold(c, b);
		if (b->unknown > 0 || (b->above > 0 && p->stretches > 0))
			add_unknown(c, b);
	}
}

/* The misses that no bin has. */
static void list_unfollowed(struct causes *c)
{
	const struct profile *p = c->names.profile;

	for (size_t i = 0; i < PROFILE_BOUNDS; i++)
		if (p->followed[i].unfollowed > 0 &&
		    counted_means(&c->names, NULL, &counted_unfollowed))
			c->rows[c->count++] = (struct cause_row){
				.cache = p->followed[i].cache,
				.function = function_of(c, STORE_NONE),
				.data = c->by != CAUSES_BY_FUNCTION ? counted_unfollowed.name
								    : NULL,
				.is_unknown = true,
				.misses = p->followed[i].unfollowed,
			};
}

static void add_row(void *to, const void *more)
{
	struct cause_row *row = to;
	const struct cause_row *x = more;

	row->misses += x->misses;
	counted_add(&row->of, &x->of);
	row->cold_low += x->cold_low;
	row->cold_high += x->cold_high;
	row->conflicts += x->conflicts;
}

/* The texts of a profile are stored once each, so their addresses tell rows apart. */
static int sum_rows(struct causes *c, struct err *err)
{
	static const struct group_type by_names = {sizeof(struct cause_row),
						   offsetof(struct cause_row, misses), add_row};
	const struct profile *p = c->names.profile;

	c->rows =
		calloc(p->eviction_count + 2 * p->bin_count + PROFILE_BOUNDS + 1, sizeof(*c->rows));
	if (c->rows != NULL) {
		list_evictions(c);
		list_without_evictor(c);
		list_unfollowed(c);
	}
	if (c->rows == NULL || group_sum(&by_names, c->rows, &c->count) != 0)
		return err_set(err, "not enough memory for %zu evictions", p->eviction_count);
	return 0;
}

/* The cycles that misses in the cache wait, if it is the first or the last level. */
static double cycles_of(const char *cache, uint64_t misses)
{
	if (counted_is_last(cache))
		return counted_cost(0, (double)misses);
	return counted_is_first(cache) ? counted_cost((double)misses, 0) : NAN;
}

/* For the order of rows a level in between counts like a first one. */
static double weight_of(const char *cache, uint64_t misses)
{
	return counted_is_last(cache) ? counted_cost(0, (double)misses)
				      : counted_cost((double)misses, 0);
}

static int compare_cost(const void *a, const void *b)
{
	const struct cause_row *x = a, *y = b;
	const double low_x = weight_of(x->cache, x->low), low_y = weight_of(y->cache, y->low),
		     all_x = weight_of(x->cache, x->misses), all_y = weight_of(y->cache, y->misses);

	if (low_x != low_y)
		return low_x < low_y ? 1 : -1;
	return all_x != all_y ? (all_x < all_y) - (all_x > all_y) : compare_counts(a, b);
}

/* ---- Bounds ---- */

/* What missed; what is unknown of it comes first. */
static int compare_missed(const void *a, const void *b)
{
	const struct cause_row *x = a, *y = b;
	int order = strcmp(x->cache, y->cache);

	if (order == 0)
		order = compare_texts(x->function, y->function);
	if (order == 0)
		order = compare_texts(x->data, y->data);
	return order != 0 ? order : (int)y->is_unknown - (int)x->is_unknown;
}

static bool is_same(const struct cause_row *x, const struct cause_row *y)
{
	return strcmp(x->cache, y->cache) == 0 && x->function == y->function && x->data == y->data;
}

static void find_bounds(struct causes *c)
{
	const struct cause_row *unknown = NULL;

	qsort(c->rows, c->count, sizeof(*c->rows), compare_missed);
	for (size_t i = 0; i < c->count; i++) {
		struct cause_row *r = &c->rows[i];
		const bool is_cold = r->evictor_data == NULL && r->evictor_function == NULL;
		double perhaps = 0;

		if (r->is_unknown)
			unknown = r;
		if (r->of.bounds != NULL && unknown != NULL && is_same(unknown, r))
			perhaps = (double)(unknown->misses + unknown->of.more);
		r->low = r->high = r->misses;
		if (r->is_unknown && r->of.bounds != NULL) {
			r->low = 0;
			r->high = (uint64_t)ceil(perhaps);
		} else if (is_cold) {
			r->low = counted_low_of(&r->of, r->cold_low);
			r->high = counted_high_of(&r->of, r->cold_high);
		} else {
			r->low = counted_low_of(&r->of, (double)r->misses);
			r->high = counted_high_of(&r->of, (double)r->misses + perhaps);
		}
	}
}

static uint64_t misses_in(const struct profile *p, const char *cache)
{
	uint64_t all = 0;

	for (size_t i = 0; i < p->bin_count; i++)
		all += strcmp(p->bins[i].cache, cache) == 0 ? p->bins[i].misses : 0;
	for (size_t i = 0; i < PROFILE_BOUNDS; i++)
		all += strcmp(p->followed[i].cache, cache) == 0 ? p->followed[i].unfollowed : 0;
	return all;
}

static void keep_shown(struct causes *c)
{
	struct counted_misses first, last;
	const char *cache = NULL;
	size_t shown = 0;
	uint64_t all = 1;
	double cycles;

	/* Being new is a cause, too: first touches have their cost here. */
	counted_sum(c->names.profile, &first, &last);
	cycles = counted_cost((double)first.all, (double)last.all);
	find_bounds(c);
	qsort(c->rows, c->count, sizeof(*c->rows), compare_counts);
	for (size_t i = 0; i < c->count; i++) {
		struct cause_row *r = &c->rows[i];

		if (cache == NULL || strcmp(cache, r->cache) != 0) /* they are sorted by cache */
			all = misses_in(c->names.profile, r->cache);
		cache = r->cache;
		r->share = all > 0 ? (double)r->misses / (double)all : 0;
		r->cost = cycles > 0 ? cycles_of(cache, r->misses) / cycles : 0;
		if (r->misses > 0 &&
		    query_shows(c->names.query, (const char *const[]){r->function, r->data}, 2))
			c->rows[shown++] = *r;
	}
	c->count = shown;
	qsort(c->rows, c->count, sizeof(*c->rows), compare_cost);
}

int causes_init(struct causes *c, const struct profile *p, const struct query *q, enum causes_by by,
		const char *word, struct err *err)
{
	*c = (struct causes){.by = by};
	if (counted_init(&c->names, p, q, DATA_BY_LINE, word, err) != 0)
		return -1;
	if (sum_rows(c, err) == 0) {
		keep_shown(c);
		if (c->count > 0 || word == NULL || query_filters(q))
			return 0;
		counted_fail(&c->names, err);
	}
	causes_release(c);
	return -1;
}

void causes_release(struct causes *c)
{
	free(c->rows);
	counted_release(&c->names);
	*c = (struct causes){0};
}
