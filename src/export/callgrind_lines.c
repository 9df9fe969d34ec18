/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sorts costs, calls and jumps, and sums them up by position; see callgrind_lines.h. */
#include "export/callgrind_lines.h"

#include <stdlib.h>
#include <string.h>

/* ---- One line for each cost, call and jump of the profile ---- */

static struct line new_line(const struct lines *l, const struct export_data *d, int64_t node,
			    int64_t location, enum line_kind kind)
{
	const struct store_location *at = export_location(d, location);
	size_t function = l->functions.of_node[node];
	struct line x = {
		.function = function,
		.place = export_place(at),
		.address = export_address(at),
		.kind = kind,
	};

	if (x.place.file == NULL) {
		x.place.file = l->functions.items[function].name->file;
		x.place.line = 0;
	}
	return x;
}

static void add_costs(struct lines *l, const struct export_data *d)
{
	for (size_t i = 0; i < d->cost_count; i++) {
		const struct store_cost *c = &d->costs[i];
		struct line x = new_line(l, d, c->node_id, c->location_id, LINE_COST);

		x.values = l->memory + l->count * d->columns;
		memcpy(x.values, c->values, d->columns * sizeof(*x.values));
		l->items[l->count++] = x;
	}
}

/*
 * Tell whether the arc leads between parts of a function that the compiler separated: not a call.
 * In contexts of samples that would be recursion.
 */
static bool is_inside(const struct lines *l, const struct export_data *d, const struct store_arc *a)
{
	return !d->is_sampled && a->kind != STORE_ARC_RECURSIVE && a->caller_id != a->callee_id &&
	       l->functions.of_node[a->caller_id] == l->functions.of_node[a->callee_id];
}

/* Add a line for each call. Roots have no caller in the file, and so no line. */
static void add_calls(struct lines *l, const struct export_data *d)
{
	for (size_t i = 0; i < d->arc_count; i++) {
		const struct store_arc *a = &d->arcs[i];
		struct line x;

		if (a->caller_id == STORE_NONE || is_inside(l, d, a))
			continue;
		x = new_line(l, d, a->caller_id, a->location_id, LINE_CALL);
		x.callee = l->functions.of_node[a->callee_id];
		x.count = a->calls;
		x.values = l->memory + l->count * d->columns;
		if (!export_is_nested(&l->functions, d, a))
			memcpy(x.values, a->values, d->columns * sizeof(*x.values));
		l->items[l->count++] = x;
	}
}

static void add_jumps(struct lines *l, const struct export_data *d)
{
	for (size_t i = 0; i < d->jump_count; i++) {
		const struct store_jump *j = &d->jumps[i];
		const struct store_location *to = export_location(d, j->to_id);
		struct line x = new_line(l, d, j->node_id, j->from_id,
					 j->conditional ? LINE_BRANCH : LINE_JUMP);

		x.to_address = export_address(to);
		x.to_place = export_place(to);
		if (x.to_place.file == NULL) {
			x.to_place.file = x.place.file;
			x.to_place.line = 0;
		}
		x.count = j->executed;
		x.taken = j->taken;
		l->items[l->count++] = x;
	}
}

/* ---- One line for each position ---- */

#define BY(a, b)                                   \
	do {                                       \
		if ((a) != (b))                    \
			return (a) < (b) ? -1 : 1; \
	} while (0)

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	BY(x->function, y->function);
	BY(x->address, y->address);
	if (x->place.file != y->place.file)
		return strcmp(x->place.file == NULL ? "" : x->place.file,
			      y->place.file == NULL ? "" : y->place.file);
	BY(x->place.line, y->place.line);
	BY(x->kind, y->kind);
	BY(x->callee, y->callee);
	BY(x->to_address, y->to_address);
	BY(x->to_place.line, y->to_place.line);
	return 0;
}

static void add_to(struct line *to, const struct line *x, size_t columns)
{
	to->count += x->count;
	to->taken += x->taken;
	for (size_t i = 0; to->values != NULL && i < columns; i++)
		to->values[i] += x->values[i];
}

static void merge(struct lines *l, size_t columns)
{
	size_t kept = 0;

	if (l->count > 0)
		qsort(l->items, l->count, sizeof(*l->items), compare_lines);
	for (size_t i = 0; i < l->count; i++) {
		if (kept > 0 && compare_lines(&l->items[kept - 1], &l->items[i]) == 0)
			add_to(&l->items[kept - 1], &l->items[i], columns);
		else
			l->items[kept++] = l->items[i];
	}
	l->count = kept;
}

static int add_totals(struct lines *l, const struct export_data *d)
{
	size_t parts = l->functions.part_count;

	l->totals = calloc(parts + 1, sizeof(*l->totals));
	for (size_t i = 0; l->totals != NULL && i < parts; i++) {
		l->totals[i] = calloc(d->columns + 1, sizeof(**l->totals));
		if (l->totals[i] == NULL)
			return -1;
	}
	if (l->totals == NULL)
		return -1;
	for (size_t i = 0; i < l->count; i++) {
		const struct line *x = &l->items[i];
		uint64_t *totals = l->totals[l->functions.items[x->function].part];

		for (size_t k = 0; x->kind == LINE_COST && k < d->columns; k++)
			totals[k] += x->values[k];
	}
	return 0;
}

int lines_init(struct lines *l, const struct export_data *d, bool apart, struct err *err)
{
	size_t most = d->cost_count + d->arc_count + d->jump_count + 1;

	*l = (struct lines){.apart = apart};
	if (export_functions_init(&l->functions, d, apart, err) != 0)
		return -1;
	l->items = calloc(most, sizeof(*l->items));
	l->memory = calloc((d->cost_count + d->arc_count) * d->columns + 1, sizeof(*l->memory));
	if (l->items != NULL && l->memory != NULL) {
		add_costs(l, d);
		add_calls(l, d);
		add_jumps(l, d);
		merge(l, d->columns);
		for (size_t i = 0; i < l->functions.part_count; i++)
			if (l->functions.parts[i].thread == 0)
				l->first_thread = 1;
		if (add_totals(l, d) == 0)
			return 0;
	}
	lines_release(l);
	return err_set(err, "not enough memory for %zu lines", most);
}

void lines_release(struct lines *l)
{
	for (size_t i = 0; l->totals != NULL && l->totals[i] != NULL; i++)
		free(l->totals[i]);
	free(l->totals);
	free(l->items);
	free(l->memory);
	export_functions_release(&l->functions);
	*l = (struct lines){0};
}
