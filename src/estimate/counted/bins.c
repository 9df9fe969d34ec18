/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Misses by function and data structure; see bins.h. */
#include "estimate/counted/bins.h"

#include <stdlib.h>
#include <string.h>

#include "base/group.h"

static int compare_texts(const char *x, const char *y)
{
	return strcmp(x != NULL ? x : "", y != NULL ? y : "");
}

static int compare_stalls(const void *a, const void *b)
{
	const struct bins_row *x = a, *y = b;
	const int by_function = compare_texts(x->function, y->function);
	const int by_file = by_function != 0 ? by_function : compare_texts(x->file, y->file);

	if (x->stall != y->stall)
		return x->stall < y->stall ? 1 : -1;
	if (x->references.value < y->references.value || x->references.value > y->references.value)
		return x->references.value < y->references.value ? 1 : -1;
	return by_file != 0 ? by_file : compare_texts(x->data, y->data);
}

static struct bins_row row_of(const struct counted *c, int64_t location, int64_t structure)
{
	const struct store_frame *f = counted_frame(c, location);
	struct bins_row row = {.function = counted_function(c, location),
			       .file = f != NULL ? f->file : NULL,
			       .structure = counted_data(c, structure)};

	row.data = row.structure->name;
	return row;
}

static struct bins_row row_of_misses(const struct bins *b, const struct store_bin *x)
{
	const struct counted_misses misses = counted_of(b->names.profile, x);
	struct bins_row row = row_of(&b->names, x->location_id, x->structure_id);

	if (counted_is_last(x->cache)) {
		row.last = misses;
	} else if (counted_is_first(x->cache)) {
		row.first = misses;
		references_add_missing(&b->references, x->location_id, &row.sum);
	}
	return row;
}

static struct bins_row row_of_references(const struct bins *b, size_t i)
{
	const struct store_references *x = &b->names.profile->references[i];
	struct bins_row row = row_of(&b->names, x->location_id, x->structure_id);

	references_add(&b->references, i, &row.sum);
	return row;
}

static void find_ratio(const struct bins *b, struct bins_row *r)
{
	if (r->structure->kind == DATA_CODE)
		return;
	r->references = references_count(&b->references, &r->sum, r->first.all);
	r->ratio = references_ratio(&r->references, r->first.all);
}

static void add_row(void *to, const void *more)
{
	struct bins_row *row = to;
	const struct bins_row *x = more;

	counted_add(&row->first, &x->first);
	counted_add(&row->last, &x->last);
	references_add_sum(&row->sum, &x->sum);
}

/* The texts of a profile are stored once each, so their addresses tell rows apart. */
static int sum_rows(struct bins *b, struct err *err)
{
	static const struct group_type by_names = {sizeof(struct bins_row),
						   offsetof(struct bins_row, structure), add_row};
	const struct profile *p = b->names.profile;

	const size_t n = p->bin_count + p->reference_count;

	b->rows = calloc(n + 1, sizeof(*b->rows));
	for (size_t i = 0; b->rows != NULL && i < p->bin_count; i++)
		b->rows[i] = row_of_misses(b, &p->bins[i]);
	for (size_t i = 0; b->rows != NULL && i < p->reference_count; i++)
		b->rows[p->bin_count + i] = row_of_references(b, i);
	b->count = n;
	if (b->rows == NULL || group_sum(&by_names, b->rows, &b->count) != 0)
		return err_set(err, "not enough memory for the misses of %zu instructions", n);
	return 0;
}

static bool is_shown(const struct bins *b, const struct bins_row *r)
{
	return counted_means(&b->names, r->function, r->structure) &&
	       query_shows(b->names.query, (const char *const[]){r->function, r->file, r->data}, 3);
}

static void keep_shown(struct bins *b)
{
	size_t shown = 0;
	double all;

	for (size_t i = 0; i < b->count; i++) {
		b->first += b->rows[i].first.all;
		b->last += b->rows[i].last.all;
	}
	all = counted_cycles(b->first, b->last);
	for (size_t i = 0; i < b->count; i++) {
		struct bins_row *r = &b->rows[i];

		find_ratio(b, r);
		r->stall = all > 0 ? counted_cycles(r->first.all, r->last.all) / all : 0;
		if (is_shown(b, r))
			b->rows[shown++] = *r;
	}
	b->count = shown;
	qsort(b->rows, shown, sizeof(*b->rows), compare_stalls);
}

int bins_init(struct bins *b, const struct profile *p, const struct query *q, const char *word,
	      struct err *err)
{
	*b = (struct bins){0};
	if (counted_init(&b->names, p, q, DATA_BY_LINE, word, err) != 0)
		return -1;
	if (references_init(&b->references, p, err) == 0 && sum_rows(b, err) == 0) {
		keep_shown(b);
		if (b->count > 0 || word == NULL || query_filters(q))
			return 0;
		counted_fail(&b->names, err);
	}
	bins_release(b);
	return -1;
}

void bins_release(struct bins *b)
{
	free(b->rows);
	references_release(&b->references);
	counted_release(&b->names);
	*b = (struct bins){0};
}
