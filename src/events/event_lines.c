/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A call in a line may, through other functions, execute the same line again. A graph of lines and
 * functions tells when: a line leads to the functions that it calls, and a function to the lines
 * that contain its calls.
 */
#include "events/event_lines.h"

#include <stdlib.h>
#include <string.h>

#include "events/event_cycles.h"

/* A call in a line: the function that contains the line, and the callee. */
struct line_call {
	size_t line, caller; /* rows */
	size_t callee;	     /* SIZE_MAX: events of the line itself */
	bool costs;	     /* false for recursion only */
};

struct limits {
	struct event_rows *rows;
	const struct event_profile *p;
	uint64_t *inclusive;
	struct event_rows functions;
	struct line_call *calls;
	size_t count;
	uint32_t *component; /* of functions, then of lines */
	uint32_t *members;   /* of each component */
	uint64_t *most;	     /* limit of a line: the sum over its functions */
};

static int compare_calls(const void *a, const void *b)
{
	const struct line_call *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	if (x->callee != y->callee)
		return x->callee < y->callee ? -1 : 1;
	return x->costs - y->costs;
}

static bool has_events(const struct event_profile *p, const uint64_t *values)
{
	size_t k;

	for (k = 0; k < p->width; k++) {
		if (values[k] != 0)
			return true;
	}
	return false;
}

static void add_call(struct limits *l, size_t line, int64_t caller, int64_t callee, bool costs)
{
	const size_t *row_of = l->functions.row_of_node;
	struct line_call c = {line, row_of[events_node_index(l->p, caller)], SIZE_MAX, costs};

	if (callee != STORE_NONE)
		c.callee = row_of[events_node_index(l->p, callee)];
	if (c.caller != SIZE_MAX)
		l->calls[l->count++] = c;
}

static void list_calls(struct limits *l, const size_t *line_of_cost, const size_t *line_of_arc)
{
	const struct event_profile *p = l->p;
	size_t i;

	for (i = 0; i < p->cost_count; i++)
		add_call(l, line_of_cost[i], p->costs[i].node_id, STORE_NONE, false);
	for (i = 0; i < p->arc_count; i++) {
		const struct store_arc *a = &p->arcs[i];

		if (line_of_arc[i] != SIZE_MAX)
			add_call(l, line_of_arc[i], a->caller_id, a->callee_id,
				 has_events(p, a->values));
	}
	if (l->count > 0)
		qsort(l->calls, l->count, sizeof(*l->calls), compare_calls);
}

static int find_circles(struct limits *l)
{
	size_t functions = l->functions.count, things = functions + l->rows->count, edges = 0, i;
	struct graph_edge *list = malloc((2 * l->count + 1) * sizeof(*list));
	size_t components = SIZE_MAX;

	for (i = 0; list != NULL && i < l->count; i++) {
		const struct line_call *c = &l->calls[i];
		uint32_t line = (uint32_t)(functions + c->line);

		if (c->callee == SIZE_MAX || (c->callee == c->caller && !c->costs))
			continue;
		list[edges++] = (struct graph_edge){line, (uint32_t)c->callee};
		list[edges++] = (struct graph_edge){(uint32_t)c->caller, line};
	}
	if (list != NULL)
		components = graph_components(things, list, edges, l->component);
	free(list);
	if (components == SIZE_MAX)
		return -1;
	for (i = 0; i < things; i++)
		l->members[l->component[i]]++;
	return 0;
}

/*
 * Tell whether calls [first, end), all of one line, may be nested. Calls of one function by the
 * same caller are not: inside the outermost one they cost nothing more.
 */
static bool may_overlap(const struct limits *l, size_t first, size_t end)
{
	size_t line = l->functions.count + l->calls[first].line, different = 0, i;

	for (i = first; i < end; i++)
		different += l->calls[i].costs &&
			     (i == first || compare_calls(&l->calls[i - 1], &l->calls[i]) != 0);
	return different > 1 && l->members[l->component[line]] > 1;
}

static void limit_line(struct limits *l, size_t first, size_t end)
{
	const size_t line = l->calls[first].line, m = l->p->width;
	struct event_row *row = &l->rows->items[line];
	size_t i, k;

	row->is_estimate = may_overlap(l, first, end);
	memset(l->most, 0, m * sizeof(*l->most));
	for (i = first; i < end; i++) {
		size_t caller = l->calls[i].caller;

		if (i > first && caller == l->calls[i - 1].caller)
			continue;
		for (k = 0; k < m; k++)
			l->most[k] += l->functions.items[caller].inclusive[k];
	}
	for (k = 0; k < m; k++) {
		uint64_t most = l->most[k] < l->p->totals[k] ? l->most[k] : l->p->totals[k];
		uint64_t *sum = &l->inclusive[line * m + k];

		/* Not in a cycle: the profile of another tool counted inner calls twice. */
		row->is_estimate |= *sum > most;
		*sum = *sum < most ? *sum : most;
	}
}

static void limit_all(struct limits *l)
{
	size_t first, end;

	for (first = 0; first < l->count; first = end) {
		for (end = first + 1; end < l->count && l->calls[end].line == l->calls[first].line;)
			end++;
		limit_line(l, first, end);
	}
}

int event_lines_limit(struct event_rows *rows, const struct event_profile *p,
		      const size_t *line_of_cost, const size_t *line_of_arc, uint64_t *inclusive,
		      struct err *err)
{
	struct limits l = {.rows = rows, .p = p, .inclusive = inclusive};
	size_t things;
	int status = -1;

	if (event_rows_init(&l.functions, p, EVENT_BY_FUNCTION, err) != 0)
		return -1;
	things = l.functions.count + rows->count;
	l.calls = malloc((p->cost_count + p->arc_count + 1) * sizeof(*l.calls));
	l.component = malloc((things + 1) * sizeof(*l.component));
	l.members = calloc(things + 1, sizeof(*l.members));
	l.most = malloc((p->width + 1) * sizeof(*l.most));
	if (l.calls != NULL && l.component != NULL && l.members != NULL && l.most != NULL) {
		list_calls(&l, line_of_cost, line_of_arc);
		status = find_circles(&l);
	}
	if (status == 0)
		limit_all(&l);
	event_rows_release(&l.functions);
	free(l.calls);
	free(l.component);
	free(l.members);
	free(l.most);
	return status == 0 ? 0 : err_set(err, "out of memory");
}
