/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Misses by function and data structure; see bins.h. */
#include "estimate/counted/bins.h"

#include <stdlib.h>
#include <string.h>

#include "base/group.h"
#include "store/events.h"

/* Of instructions, by location: the event of the column. */
struct costs {
	struct store_cost *items;
	size_t count, column;
};

static int read_costs(struct costs *c, const struct profile *p, struct err *err)
{
	struct store_event *events;
	size_t count;
	bool has = false;

	if (store_read_events(p->store, &events, &count, err) != 0)
		return -1;
	for (size_t i = 0; i < count && !has; i++) {
		has = events[i].formula == NULL && strcmp(events[i].name, "Ir") == 0;
		c->column = i;
	}
	free(events);
	return has ? store_read_costs(p->store, p->scope, &c->items, &c->count, err) : 0;
}

static int compare_texts(const char *x, const char *y)
{
	return strcmp(x != NULL ? x : "", y != NULL ? y : "");
}

static int compare_functions(const struct bins_row *x, const struct bins_row *y)
{
	const int by_function = compare_texts(x->function, y->function);

	return by_function != 0 ? by_function : compare_texts(x->file, y->file);
}

static int compare_rows(const void *a, const void *b)
{
	const struct bins_row *x = a, *y = b;
	const double of_x = x->sure_of_function, of_y = y->sure_of_function;
	const int by_function = compare_functions(x, y);

	if (of_x != of_y)
		return of_x < of_y ? 1 : -1;
	if (by_function != 0)
		return by_function;
	if (x->sure != y->sure)
		return x->sure < y->sure ? 1 : -1;
	if (x->cost != y->cost)
		return x->cost < y->cost ? 1 : -1;
	if (x->references.value < y->references.value || x->references.value > y->references.value)
		return x->references.value < y->references.value ? 1 : -1;
	return compare_texts(x->data, y->data);
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

static struct bins_row row_of_instructions(const struct bins *b, const struct store_cost *cost,
					   size_t column)
{
	const struct store_frame *f = counted_frame(&b->names, cost->location_id);

	return (struct bins_row){.function = counted_function(&b->names, cost->location_id),
				 .file = f != NULL ? f->file : NULL,
				 .instructions = cost->values[column]};
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
	if (r->structure == NULL || r->structure->kind == DATA_CODE ||
	    r->structure == &counted_unfollowed)
		return;
	r->references = references_count(&b->references, &r->sum, r->first.all);
	r->ratio = references_ratio(&r->references, r->first.all);
}

static void add_row(void *to, const void *more)
{
	struct bins_row *row = to;
	const struct bins_row *x = more;

	row->instructions += x->instructions;
	counted_add(&row->first, &x->first);
	counted_add(&row->last, &x->last);
	references_add_sum(&row->sum, &x->sum);
}

/* The texts of a profile are stored once each, so their addresses tell rows apart. */
static int sum_rows(struct bins *b, const struct costs *costs, struct err *err)
{
	static const struct group_type by_names = {sizeof(struct bins_row),
						   offsetof(struct bins_row, structure), add_row};
	const struct profile *p = b->names.profile;
	const size_t n = p->bin_count + p->reference_count + costs->count;
	struct bins_row *row = b->rows = calloc(n + 2, sizeof(*b->rows));

	if (row == NULL)
		return err_set(err, "not enough memory for the misses of %zu instructions", n);
	for (size_t i = 0; i < p->bin_count; i++)
		*row++ = row_of_misses(b, &p->bins[i]);
	for (size_t i = 0; i < p->reference_count; i++)
		*row++ = row_of_references(b, i);
	for (size_t i = 0; i < costs->count; i++)
		*row++ = row_of_instructions(b, &costs->items[i], costs->column);
	b->count = n;
	if (group_sum(&by_names, b->rows, &b->count) != 0)
		return err_set(err, "not enough memory for the misses of %zu instructions", n);
	return 0;
}

/* ---- Functions ---- */

static int by_function(const void *a, const void *b)
{
	return compare_functions(a, b);
}

static double cycles_of(const struct bins_row *r)
{
	return counted_cycles(&r->first, &r->last);
}

/*
 * The rows [r, end) of a function get its sums. Its instructions have a row of their own, without
 * data, which is dropped if there are others. Returns the end of those that are left.
 */
static struct bins_row *sum_function(struct bins_row *r, struct bins_row *end, double all)
{
	struct bins_row *left = r;
	uint64_t instructions = 0;
	double wait = 0, sure = 0;

	for (const struct bins_row *x = r; x < end; x++) {
		instructions += x->instructions;
		wait += cycles_of(x);
		sure += x->sure;
	}
	for (struct bins_row *x = r; x < end; x++) {
		x->instructions = instructions;
		x->compute = all > 0 ? (double)instructions / all : 0;
		x->wait = all > 0 ? wait / all : 0;
		x->sure_of_function = (double)instructions + sure;
		if (x->structure != NULL || end - r == 1)
			*left++ = *x;
	}
	return left;
}

/* Rows become shares of the cycles of the run: of instructions, and of waiting. */
static void sum_functions(struct bins *b)
{
	struct bins_row *const end = b->rows + b->count, *left = b->rows;
	double cost = 0, all;

	for (size_t i = 0; i < b->count; i++) {
		b->first += b->rows[i].first.all;
		b->last += b->rows[i].last.all;
		b->instructions += b->rows[i].instructions;
		cost += cycles_of(&b->rows[i]);
	}
	all = cost + (double)b->instructions;
	for (size_t i = 0; i < b->count; i++)
		b->rows[i].cost = cost > 0 ? cycles_of(&b->rows[i]) / cost : 0;
	for (size_t i = 0; i < b->count; i++)
		b->rows[i].sure = counted_sure_cycles(&b->rows[i].first, &b->rows[i].last);
	qsort(b->rows, b->count, sizeof(*b->rows), by_function);
	for (struct bins_row *r = b->rows, *next; r < end; r = next) {
		struct bins_row *stop;

		for (next = r + 1; next < end && compare_functions(r, next) == 0;)
			next++;
		stop = sum_function(r, next, all);
		memmove(left, r, (size_t)(stop - r) * sizeof(*r));
		left += stop - r;
	}
	b->count = (size_t)(left - b->rows);
}

/* ---- What is shown ---- */

static bool is_shown(const struct bins *b, const struct bins_row *r)
{
	return counted_means(&b->names, r->function, r->structure) &&
	       query_shows(b->names.query, (const char *const[]){r->function, r->file, r->data}, 3);
}

/* The misses that no bin has: so rows have the sums of events. */
static void add_unfollowed(struct bins *b)
{
	const struct profile *p = b->names.profile;
	struct bins_row row = {
		.function = counted_function(&b->names, STORE_NONE),
		.structure = &counted_unfollowed,
		.data = counted_unfollowed.name,
	};

	counted_add_not_followed(p, &row.first, &row.last);
	if (p->has_unfollowed)
		b->rows[b->count++] = row;
}

static void keep_shown(struct bins *b)
{
	size_t shown = 0;

	add_unfollowed(b);
	sum_functions(b);
	for (size_t i = 0; i < b->count; i++) {
		find_ratio(b, &b->rows[i]);
		if (is_shown(b, &b->rows[i]))
			b->rows[shown++] = b->rows[i];
	}
	b->count = shown;
	qsort(b->rows, shown, sizeof(*b->rows), compare_rows);
	for (size_t i = 0; i < shown; i++)
		b->rows[i].is_first_of_function =
			i == 0 || compare_functions(&b->rows[i - 1], &b->rows[i]) != 0;
}

int bins_init(struct bins *b, const struct profile *p, const struct query *q, const char *word,
	      struct err *err)
{
	struct costs costs = {0};
	int status;

	*b = (struct bins){0};
	if (counted_init(&b->names, p, q, DATA_BY_LINE, word, err) != 0)
		return -1;
	status = references_init(&b->references, p, err) == 0 && read_costs(&costs, p, err) == 0
			 ? sum_rows(b, &costs, err)
			 : -1;
	free(costs.items);
	if (status == 0) {
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
