/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See own_callers.h. */
#include "views/screen/own_callers.h"

#include <stdbool.h>
#include <stdlib.h>

#include "estimate/own_code.h"
#include "events/event_report.h"

#define MOST_STEPS 8

static bool is_library(const struct event_row *r)
{
	return own_code_is_library(r->file, r->object);
}

/* The row that calls this one with most of the column's value. `sums`: zeros, one for each row. */
static size_t main_caller(const struct event_report *r, size_t row, size_t column, double *sums)
{
	const size_t *row_of = r->rows.row_of_node;
	size_t most = SIZE_MAX;

	for (size_t i = 0; i < r->p->arc_count; i++) {
		const struct store_arc *a = &r->p->arcs[i];
		size_t from;

		if (a->caller_id == STORE_NONE ||
		    row_of[events_node_index(r->p, a->callee_id)] != row)
			continue;
		from = row_of[events_node_index(r->p, a->caller_id)];
		if (from == row || from == SIZE_MAX)
			continue;
		sums[from] += events_value(r->p, column, a->values);
		if (most == SIZE_MAX || sums[from] > sums[most])
			most = from;
	}
	return most;
}

size_t own_caller(const struct event_report *r, size_t row, size_t column)
{
	if (r->rows.row_of_node == NULL)
		return SIZE_MAX;
	for (int step = 0; step < MOST_STEPS && row != SIZE_MAX; step++) {
		double *sums;

		if (!is_library(&r->rows.items[row]))
			return row;
		sums = calloc(r->rows.count, sizeof(*sums));
		if (sums == NULL)
			return SIZE_MAX;
		row = main_caller(r, row, column, sums);
		free(sums);
	}
	return SIZE_MAX;
}
