/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Misses by function and data structure; see bins.h. */
#include "estimate/counted/bins.h"

#include <stdlib.h>
#include <string.h>

#define UNKNOWN "[unknown]"
#define CODE	"[code]"
#define SEVERAL "[several functions]"

static bool is_text(const char *x, const char *y)
{
	return strcmp(x, y) == 0;
}

/* ---- Names ---- */

/* The function with the code: not one that is inlined there. */
static const struct store_frame *frame_of(const struct profile *p, int64_t location)
{
	const struct store_location *l = profile_location(p, location);

	return l != NULL && l->frame_count > 0 ? &l->frames[l->frame_count - 1] : NULL;
}

static const char *function_of(const struct profile *p, int64_t location)
{
	const struct store_frame *f = frame_of(p, location);

	if (location == STORE_NONE)
		return SEVERAL;
	return f != NULL ? f->function : UNKNOWN;
}

static const char *data_of(const struct bins *b, int64_t structure)
{
	const struct profile *p = b->data.profile;
	const size_t at = profile_structure(p, structure);

	if (at == SIZE_MAX)
		return UNKNOWN;
	if (is_text(p->structures[at].kind, store_structure_kinds[STORE_OF_CODE]))
		return CODE;
	return b->data.row_of[at] < b->data.count ? b->data.rows[b->data.row_of[at]].name : UNKNOWN;
}

static int compare_texts(const char *x, const char *y)
{
	return strcmp(x != NULL ? x : "", y != NULL ? y : "");
}

/* ---- Bins ---- */

static int compare_names(const void *a, const void *b)
{
	const struct bins_row *x = a, *y = b;
	const int by_function = compare_texts(x->function, y->function);
	const int by_file = by_function != 0 ? by_function : compare_texts(x->file, y->file);

	return by_file != 0 ? by_file : compare_texts(x->data, y->data);
}

static int compare_stalls(const void *a, const void *b)
{
	const struct bins_row *x = a, *y = b;

	return x->stall != y->stall ? (x->stall < y->stall) - (x->stall > y->stall)
				    : compare_names(a, b);
}

static void add_misses(struct bins_misses *to, const struct bins_misses *more)
{
	to->all += more->all;
	to->cold += more->cold;
	to->by_self += more->by_self;
}

static struct bins_row row_of(const struct bins *b, const struct store_bin *x)
{
	const struct profile *p = b->data.profile;
	const struct store_frame *f = frame_of(p, x->location_id);
	const struct bins_misses misses = {x->misses, x->cold, x->by_self};
	struct bins_row row = {.function = function_of(p, x->location_id),
			       .file = f != NULL ? f->file : NULL,
			       .data = data_of(b, x->structure_id)};

	if (is_text(x->cache, "LL"))
		row.last = misses;
	else if (strncmp(x->cache, "L1", 2) == 0)
		row.first = misses;
	return row;
}

static double cycles_of(uint64_t first, uint64_t last)
{
	return BINS_CYCLES_FIRST * (double)first + BINS_CYCLES_LAST * (double)last;
}

/* Add rows with the same names up. Returns their number. */
static size_t merge_rows(struct bins_row *rows, size_t n)
{
	size_t used = 0;

	qsort(rows, n, sizeof(*rows), compare_names);
	for (size_t i = 0; i < n; i++) {
		if (used == 0 || compare_names(&rows[used - 1], &rows[i]) != 0) {
			rows[used++] = rows[i];
			continue;
		}
		add_misses(&rows[used - 1].first, &rows[i].first);
		add_misses(&rows[used - 1].last, &rows[i].last);
	}
	return used;
}

static bool is_shown(const struct query *q, const struct bins_row *r)
{
	return query_shows(q, (const char *const[]){r->function, r->file, r->data}, 3);
}

static void make_rows(struct bins *b)
{
	const struct profile *p = b->data.profile;
	size_t shown = 0, n;
	double all;

	for (size_t i = 0; i < p->bin_count; i++)
		b->rows[i] = row_of(b, &p->bins[i]);
	n = merge_rows(b->rows, p->bin_count);
	for (size_t i = 0; i < n; i++) {
		b->first += b->rows[i].first.all;
		b->last += b->rows[i].last.all;
	}
	all = cycles_of(b->first, b->last);
	for (size_t i = 0; i < n; i++) {
		struct bins_row *r = &b->rows[i];

		r->stall = all > 0 ? cycles_of(r->first.all, r->last.all) / all : 0;
		if (is_shown(b->query, r))
			b->rows[shown++] = *r;
	}
	b->count = shown;
	qsort(b->rows, shown, sizeof(*b->rows), compare_stalls);
}

/* ---- Evictions ---- */

static int compare_evictions(const void *a, const void *b)
{
	const struct bins_eviction *x = a, *y = b;
	const char *const xs[] = {x->cache, x->function, x->data, x->evictor_function,
				  x->evictor_data};
	const char *const ys[] = {y->cache, y->function, y->data, y->evictor_function,
				  y->evictor_data};
	int order = 0;

	for (size_t i = 0; i < sizeof(xs) / sizeof(xs[0]) && order == 0; i++)
		order = compare_texts(xs[i], ys[i]);
	return order;
}

static int compare_counts(const void *a, const void *b)
{
	const struct bins_eviction *x = a, *y = b;
	const int by_cache = strcmp(x->cache, y->cache);

	if (by_cache != 0)
		return by_cache;
	return x->misses != y->misses ? (x->misses < y->misses) - (x->misses > y->misses)
				      : compare_evictions(a, b);
}

static uint64_t misses_in(const struct profile *p, const char *cache)
{
	uint64_t all = 0;

	for (size_t i = 0; i < p->bin_count; i++)
		all += is_text(p->bins[i].cache, cache) ? p->bins[i].misses : 0;
	return all;
}

/* Rows of evictions, and behind them of cold misses. Returns their number. */
static size_t list_evictions(struct bins *b, enum bins_by by)
{
	const struct profile *p = b->data.profile;
	const bool functions = by != BINS_BY_DATA, data = by != BINS_BY_FUNCTION;
	size_t n = 0;

	for (size_t i = 0; i < p->eviction_count; i++) {
		const struct store_eviction *e = &p->evictions[i];

		b->evictions[n++] = (struct bins_eviction){
			.cache = e->cache,
			.function = functions ? function_of(p, e->location_id) : NULL,
			.data = data ? data_of(b, e->structure_id) : NULL,
			.evictor_function =
				functions ? function_of(p, e->evictor_location_id) : NULL,
			.evictor_data = data ? data_of(b, e->evictor_structure_id) : NULL,
			.misses = e->misses,
		};
	}
	for (size_t i = 0; i < p->bin_count; i++) {
		const struct store_bin *x = &p->bins[i];

		if (x->cold > 0)
			b->evictions[n++] = (struct bins_eviction){
				.cache = x->cache,
				.function = functions ? function_of(p, x->location_id) : NULL,
				.data = data ? data_of(b, x->structure_id) : NULL,
				.misses = x->cold,
			};
	}
	return n;
}

static void make_evictions(struct bins *b, enum bins_by by)
{
	const struct profile *p = b->data.profile;
	const size_t n = list_evictions(b, by);
	const char *cache = NULL;
	size_t used = 0, shown = 0;
	uint64_t all = 0;

	qsort(b->evictions, n, sizeof(*b->evictions), compare_evictions);
	for (size_t i = 0; i < n; i++) {
		if (used > 0 && compare_evictions(&b->evictions[used - 1], &b->evictions[i]) == 0)
			b->evictions[used - 1].misses += b->evictions[i].misses;
		else
			b->evictions[used++] = b->evictions[i];
	}
	for (size_t i = 0; i < used; i++) {
		struct bins_eviction *e = &b->evictions[i];

		if (i == 0 || !is_text(cache, e->cache)) /* they are sorted by cache */
			all = misses_in(p, e->cache);
		cache = e->cache;
		e->share = (double)e->misses / (double)all;
		if (query_shows(b->query, (const char *const[]){e->function, e->data}, 2))
			b->evictions[shown++] = *e;
	}
	b->eviction_count = shown;
	qsort(b->evictions, shown, sizeof(*b->evictions), compare_counts);
}

/* ---- */

int bins_init(struct bins *b, const struct profile *p, const struct query *q, enum bins_by by,
	      struct err *err)
{
	*b = (struct bins){.query = q};
	if (data_init(&b->data, p, q, DATA_BY_LINE, err) != 0)
		return -1;
	b->rows = calloc(p->bin_count + 1, sizeof(*b->rows));
	b->evictions = calloc(p->eviction_count + p->bin_count + 1, sizeof(*b->evictions));
	if (b->rows == NULL || b->evictions == NULL) {
		bins_release(b);
		return err_set(err, "not enough memory for the misses of %zu instructions",
			       p->bin_count);
	}
	make_rows(b);
	make_evictions(b, by);
	return 0;
}

void bins_release(struct bins *b)
{
	free(b->rows);
	free(b->evictions);
	data_release(&b->data);
	*b = (struct bins){0};
}
