/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of an event profile. All that a row's code calls, directly or not, counts in its inclusive
 * cost once:
 *
 * - For a row that its callees never call again, it is the row's own cost and that of its calls.
 * - For rows on a cycle of calls, it is the cost of the calls of the row. Calls within a running
 *   call of the same function cost nothing more (store/events.h). It is limited to the cost of all
 *   rows on the cycle and their calls. The limit is also needed for profiles of other tools that
 *   count inner calls twice.
 */
#include "events/event_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/names.h"
#include "base/text.h"
#include "events/event_cycles.h"
#include "events/event_lines.h"
#include "events/event_loops.h"

const char *const event_by_names[EVENT_BY_COUNT] = {
	[EVENT_BY_FUNCTION] = "function", [EVENT_BY_CLASS] = "class",	[EVENT_BY_FILE] = "file",
	[EVENT_BY_OBJECT] = "object",	  [EVENT_BY_LINE] = "line",	[EVENT_BY_LOOP] = "loop",
	[EVENT_BY_PROCESS] = "process",	  [EVENT_BY_THREAD] = "thread", [EVENT_BY_DATA] = "data",
};

#define NO_ROW SIZE_MAX

struct grouping {
	struct event_rows *rows;
	const struct event_profile *p;
	enum event_by by;
	size_t room;
	struct map by_hash; /* hash of a row's key -> its first row */
	struct {
		size_t *items; /* next row with the same hash, or NO_ROW */
		size_t count, room;
	} next;
	uint64_t *self, *inclusive; /* p->width values for each row */
};

/* ---- The row of a cost ---- */

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool is_same(const struct event_row *a, const struct event_row *b)
{
	return is_same_text(a->name, b->name) && is_same_text(a->file, b->file) &&
	       is_same_text(a->object, b->object) && a->line == b->line &&
	       a->process == b->process && a->thread == b->thread && a->address == b->address;
}

static uint64_t hash_text(uint64_t hash, const char *s)
{
	for (; s != NULL && *s != '\0'; s++)
		hash = (hash ^ (unsigned char)*s) * 0x100000001b3u;
	return hash * 31;
}

/* The index of the row, added if new; NO_ROW when memory ran out. */
static size_t find_row(struct grouping *g, const struct event_row *key)
{
	uint64_t hash = (uint64_t)key->line + key->address * 0x9e3779b97f4a7c15u +
			((uint64_t)key->process << 32) + ((uint64_t)key->thread << 48),
		 known;
	size_t first = NO_ROW, i;

	hash = hash_text(hash_text(hash_text(hash, key->name), key->file), key->object);
	if (map_get(&g->by_hash, hash, &known))
		first = (size_t)known;
	for (i = first; i != NO_ROW; i = g->next.items[i]) {
		if (is_same(&g->rows->items[i], key))
			return i;
	}
	if (!array_reserve_in((void **)&g->rows->items, &g->room, g->rows->count + 1,
			      sizeof(*key)) ||
	    !ARRAY_GROW(&g->next) || map_set(&g->by_hash, hash, g->rows->count) != 0)
		return NO_ROW;
	g->next.items[g->next.count++] = first;
	g->rows->items[g->rows->count] = *key;
	return g->rows->count++;
}

static const char *class_of(struct grouping *g, const char *function)
{
	struct text name = {0};
	const char *kept;

	name_class(function, &name);
	kept = arena_strdup(&g->rows->texts, text_get(&name));
	text_release(&name);
	return kept;
}

static const char *command_of(const struct event_profile *p, int64_t process)
{
	size_t i;

	for (i = 0; i < p->process_count; i++) {
		if (p->processes[i].id == process)
			return p->processes[i].command;
	}
	return "";
}

static size_t row_of_node(struct grouping *g, const struct store_node *n)
{
	struct event_row key = {.name = "", .process = STORE_NONE, .thread = STORE_NONE};

	switch (g->by) {
	case EVENT_BY_FUNCTION:
	case EVENT_BY_DATA:
		key.name = n->function;
		key.file = n->file;
		key.object = n->object;
		if (g->p->forms != NULL)
			key.form = g->p->forms[n - g->p->nodes];
		break;
	case EVENT_BY_CLASS:
		key.name = class_of(g, n->function);
		break;
	case EVENT_BY_FILE:
		key.name = n->file != NULL ? n->file : "";
		break;
	case EVENT_BY_OBJECT:
		key.name = n->object != NULL ? n->object : "";
		break;
	case EVENT_BY_NODE:
		key.name = n->function;
		key.process = n->id;
		break;
	case EVENT_BY_THREAD:
		key.thread = n->thread;
		/* fall through */
	case EVENT_BY_PROCESS:
	default:
		key.process = n->process_id;
		key.name = command_of(g->p, n->process_id);
		break;
	}
	return key.name != NULL ? find_row(g, &key) : NO_ROW;
}

/*
 * The row of the source line, of the innermost inlined function. Without known lines, functions of
 * the same name in several objects stay apart.
 */
static size_t row_of_line(struct grouping *g, const struct store_node *n, int64_t location)
{
	const struct store_location *l = events_location(g->p, location);
	struct event_row key = {.name = n->function, .process = STORE_NONE, .thread = STORE_NONE};

	if (l != NULL && l->frames[0].line != 0) {
		key.file = l->frames[0].file;
		key.line = l->frames[0].line;
	} else {
		key.file = n->file;
		key.object = n->object;
	}
	return find_row(g, &key);
}

/* ---- Sums ---- */

static void add_values(const struct grouping *g, uint64_t *to, size_t row, const uint64_t *values)
{
	size_t i;

	for (i = 0; i < g->p->width; i++)
		to[row * g->p->width + i] += values[i];
}

/* Allocate the sums of all rows. */
static int begin_sums(struct grouping *g, struct err *err)
{
	size_t numbers = g->rows->count * g->p->width;

	g->rows->values = calloc(2 * numbers + 1, sizeof(uint64_t));
	if (g->rows->values == NULL)
		return err_set(err, "out of memory");
	g->self = g->rows->values;
	g->inclusive = g->rows->values + numbers;
	return 0;
}

/* Find all rows first: the size of the sums depends on their number. */
static int find_lines(struct grouping *g, size_t *of_cost, size_t *of_arc, struct err *err)
{
	const struct event_profile *p = g->p;
	size_t i;

	for (i = 0; i < p->cost_count; i++) {
		const struct store_cost *c = &p->costs[i];

		of_cost[i] = row_of_line(g, events_node(p, c->node_id), c->location_id);
		if (of_cost[i] == NO_ROW)
			return err_set(err, "out of memory");
	}
	for (i = 0; i < p->arc_count; i++) {
		const struct store_arc *a = &p->arcs[i];

		of_arc[i] = NO_ROW;
		if (a->caller_id == STORE_NONE || events_is_inside(p, a))
			continue;
		of_arc[i] = row_of_line(g, events_node(p, a->caller_id), a->location_id);
		if (of_arc[i] == NO_ROW)
			return err_set(err, "out of memory");
	}
	return begin_sums(g, err);
}

static int sum_lines(struct grouping *g, struct err *err)
{
	const struct event_profile *p = g->p;
	size_t *of_cost = malloc((p->cost_count + 1) * sizeof(*of_cost));
	size_t *of_arc = malloc((p->arc_count + 1) * sizeof(*of_arc));
	size_t i;
	int status = -1;

	if (of_cost == NULL || of_arc == NULL)
		err_set(err, "out of memory");
	else
		status = find_lines(g, of_cost, of_arc, err);
	for (i = 0; status == 0 && i < p->cost_count; i++) {
		add_values(g, g->self, of_cost[i], p->costs[i].values);
		add_values(g, g->inclusive, of_cost[i], p->costs[i].values);
	}
	for (i = 0; status == 0 && i < p->arc_count; i++) {
		if (of_arc[i] != NO_ROW)
			add_values(g, g->inclusive, of_arc[i], p->arcs[i].values);
	}
	if (status == 0)
		status = event_lines_limit(g->rows, p, of_cost, of_arc, g->inclusive, err);
	free(of_cost);
	free(of_arc);
	return status;
}

/* Add a row for each loop, in their order, and one for code outside of loops. */
static int add_loop_rows(struct grouping *g, const struct event_loops *loops, struct err *err)
{
	static const struct event_row rest = {
		.name = "", .process = STORE_NONE, .thread = STORE_NONE};
	size_t i;

	g->rows->items = calloc(loops->count + 1, sizeof(*g->rows->items));
	if (g->rows->items == NULL)
		return err_set(err, "out of memory");
	for (i = 0; i < loops->count; i++) {
		const struct event_loop *l = &loops->items[i];

		g->rows->items[i] = (struct event_row){.name = g->p->nodes[l->node].function,
						       .file = l->file,
						       .object = l->object,
						       .line = l->line,
						       .address = l->start,
						       .process = STORE_NONE,
						       .thread = STORE_NONE};
	}
	g->rows->items[i] = rest;
	g->rows->count = loops->count + 1;
	return 0;
}

/* Add values to the loop, and unless only_it to the loops around it. LOOP_NONE: to the last row. */
static void add_to_loop(struct grouping *g, const struct event_loops *loops, uint64_t *to,
			size_t loop, bool only_it, const uint64_t *values)
{
	if (loop == LOOP_NONE)
		add_values(g, to, loops->count, values);
	for (; loop != LOOP_NONE; loop = only_it ? LOOP_NONE : loops->items[loop].parent)
		add_values(g, to, loop, values);
}

/*
 * Limit a loop's cost to that of its function. If the loop calls its function, through others, the
 * cost is an estimate.
 */
static int limit_loops(struct grouping *g, const struct event_loops *loops, struct err *err)
{
	struct event_rows functions;
	size_t m = g->p->width, i, k;

	if (event_rows_init(&functions, g->p, EVENT_BY_FUNCTION, err) != 0)
		return -1;
	for (i = 0; i < loops->count; i++) {
		size_t row = functions.row_of_node[loops->items[i].node];
		const struct event_row *f = &functions.items[row];

		g->rows->items[i].is_estimate = f->is_in_cycle;
		for (k = 0; k < m; k++) {
			if (g->inclusive[i * m + k] > f->inclusive[k])
				g->inclusive[i * m + k] = f->inclusive[k];
		}
	}
	event_rows_release(&functions);
	return 0;
}

static void sum_costs_of_loops(struct grouping *g, const struct event_loops *loops)
{
	const struct event_profile *p = g->p;
	size_t i, loop;

	for (i = 0; i < p->cost_count; i++) {
		loop = event_loops_at(loops, events_node_index(p, p->costs[i].node_id),
				      p->costs[i].location_id);
		add_to_loop(g, loops, g->self, loop, true, p->costs[i].values);
		add_to_loop(g, loops, g->inclusive, loop, false, p->costs[i].values);
	}
	for (i = 0; i < p->arc_count; i++) {
		const struct store_arc *a = &p->arcs[i];

		loop = a->caller_id == STORE_NONE
			       ? LOOP_NONE
			       : event_loops_at(loops, events_node_index(p, a->caller_id),
						a->location_id);
		if (loop != LOOP_NONE)
			add_to_loop(g, loops, g->inclusive, loop, false, p->arcs[i].values);
	}
}

static int sum_loops(struct grouping *g, struct err *err)
{
	struct event_loops loops;
	int status;

	if (event_loops_init(&loops, g->p, &g->rows->notes, err) != 0)
		return -1;
	status = add_loop_rows(g, &loops, err);
	if (status == 0)
		status = begin_sums(g, err);
	if (status == 0) {
		sum_costs_of_loops(g, &loops);
		status = limit_loops(g, &loops, err);
	}
	event_loops_release(&loops);
	return status;
}

/* The contributions of calls to rows and cycles. */
struct inclusion {
	struct graph_edge *edges; /* between rows; at most one for each arc */
	size_t edge_count;
	uint32_t *component; /* of each row */
	uint32_t *members;   /* of each component */
	size_t components;
	uint64_t *in, *out; /* of each row: calls from other rows, and to them */
	uint64_t *whole;    /* of each component, including calls to others */
};

static void inclusion_release(struct inclusion *n)
{
	free(n->edges);
	free(n->component);
	free(n->members);
	free(n->in);
	free(n->out);
	free(n->whole);
}

/*
 * Some files have no arc where a program or thread begins. So a function with costs but without
 * callers was called from outside. Its cost is its own and that of its calls.
 */
static int add_roots(const struct grouping *g, struct inclusion *n, struct err *err)
{
	const struct event_profile *p = g->p;
	bool *is_called = calloc(p->node_count + 1, sizeof(*is_called));
	size_t i, node;

	if (is_called == NULL)
		return err_set(err, "out of memory");
	for (i = 0; i < p->arc_count; i++)
		is_called[events_node_index(p, p->arcs[i].callee_id)] = true;
	for (i = 0; i < p->cost_count; i++) {
		node = events_node_index(p, p->costs[i].node_id);
		if (!is_called[node])
			add_values(g, n->in, g->rows->row_of_node[node], p->costs[i].values);
	}
	for (i = 0; i < p->arc_count; i++) {
		if (p->arcs[i].caller_id == STORE_NONE)
			continue;
		node = events_node_index(p, p->arcs[i].caller_id);
		if (!is_called[node])
			add_values(g, n->in, g->rows->row_of_node[node], p->arcs[i].values);
	}
	free(is_called);
	return 0;
}

static int find_cycles(const struct grouping *g, struct inclusion *n, struct err *err)
{
	const struct event_profile *p = g->p;
	size_t rows = g->rows->count, numbers = rows * p->width, i;

	n->edges = malloc((p->arc_count + 1) * sizeof(*n->edges));
	n->component = malloc((rows + 1) * sizeof(*n->component));
	n->members = calloc(rows + 1, sizeof(*n->members));
	n->in = calloc(numbers + 1, sizeof(uint64_t));
	n->out = calloc(numbers + 1, sizeof(uint64_t));
	n->whole = calloc(numbers + 1, sizeof(uint64_t));
	if (n->edges == NULL || n->component == NULL || n->members == NULL || n->in == NULL ||
	    n->out == NULL || n->whole == NULL)
		return err_set(err, "out of memory");
	for (i = 0; i < p->arc_count; i++) {
		const struct store_arc *a = &p->arcs[i];
		size_t to = g->rows->row_of_node[events_node_index(p, a->callee_id)], from;

		if (a->caller_id == STORE_NONE) {
			add_values(g, n->in, to, a->values);
			g->rows->items[to].calls += a->calls;
			continue;
		}
		from = g->rows->row_of_node[events_node_index(p, a->caller_id)];
		if (from == to)
			continue;
		n->edges[n->edge_count++] = (struct graph_edge){(uint32_t)from, (uint32_t)to};
		/*
		 * A recursive call costs nothing more: the outer call has its cost. A node occurs
		 * only once.
		 */
		if (a->kind != STORE_ARC_RECURSIVE || g->by == EVENT_BY_NODE)
			add_values(g, n->in, to, a->values);
		add_values(g, n->out, from, a->values);
		g->rows->items[to].calls += a->calls;
	}
	n->components = graph_components(rows, n->edges, n->edge_count, n->component);
	return n->components != SIZE_MAX ? add_roots(g, n, err) : err_set(err, "out of memory");
}

/* Sum up the costs of all members, and of calls that leave the cycle. */
static void sum_components(const struct grouping *g, struct inclusion *n)
{
	const struct event_profile *p = g->p;
	size_t i;

	for (i = 0; i < g->rows->count; i++) {
		n->members[n->component[i]]++;
		add_values(g, n->whole, n->component[i], g->self + i * p->width);
	}
	for (i = 0; i < p->arc_count; i++) {
		const struct store_arc *a = &p->arcs[i];
		uint32_t from, to;

		if (a->caller_id == STORE_NONE)
			continue;
		from = n->component[g->rows->row_of_node[events_node_index(p, a->caller_id)]];
		to = n->component[g->rows->row_of_node[events_node_index(p, a->callee_id)]];
		if (from != to)
			add_values(g, n->whole, from, a->values);
	}
}

static void include_calls(const struct grouping *g, const struct inclusion *n)
{
	size_t m = g->p->width, i, k;

	for (i = 0; i < g->rows->count; i++) {
		uint32_t component = n->component[i];
		bool is_in_cycle = n->members[component] > 1;

		g->rows->items[i].is_in_cycle = is_in_cycle;
		g->rows->items[i].is_estimate = is_in_cycle && g->by != EVENT_BY_FUNCTION;
		for (k = 0; k < m; k++) {
			uint64_t self = g->self[i * m + k], in = n->in[i * m + k],
				 whole = n->whole[component * m + k], sum;

			sum = in < whole ? in : whole;
			if (!is_in_cycle)
				sum = self + n->out[i * m + k];
			g->inclusive[i * m + k] = sum > self ? sum : self;
		}
	}
}

static int sum_nodes(struct grouping *g, struct err *err)
{
	const struct event_profile *p = g->p;
	struct inclusion n = {0};
	size_t i;
	int status;

	g->rows->row_of_node = malloc((p->node_count + 1) * sizeof(size_t));
	if (g->rows->row_of_node == NULL)
		return err_set(err, "out of memory");
	for (i = 0; i < p->node_count; i++) {
		g->rows->row_of_node[i] = row_of_node(g, &p->nodes[i]);
		if (g->rows->row_of_node[i] == NO_ROW)
			return err_set(err, "out of memory");
	}
	if (begin_sums(g, err) != 0)
		return -1;
	for (i = 0; i < p->cost_count; i++)
		add_values(g, g->self,
			   g->rows->row_of_node[events_node_index(p, p->costs[i].node_id)],
			   p->costs[i].values);
	status = find_cycles(g, &n, err);
	if (status == 0) {
		sum_components(g, &n);
		include_calls(g, &n);
	}
	inclusion_release(&n);
	return status;
}

/* Set the rows' values, and remove rows without any. */
static void finish(struct grouping *g)
{
	size_t m = g->p->width, kept = 0, i, k;
	size_t *moved =
		g->next.items; /* no longer needed; if nodes have rows, it has an item for each */

	for (i = 0; i < g->rows->count; i++) {
		struct event_row *row = &g->rows->items[i];
		bool is_empty = row->calls == 0 && g->by != EVENT_BY_NODE;

		row->self = g->self + i * m;
		row->inclusive = g->inclusive + i * m;
		for (k = 0; k < m && is_empty; k++)
			is_empty = row->inclusive[k] == 0;
		if (moved != NULL)
			moved[i] = is_empty ? NO_ROW : kept;
		if (!is_empty)
			g->rows->items[kept++] = *row;
	}
	g->rows->count = kept;
	for (i = 0; g->rows->row_of_node != NULL && i < g->p->node_count; i++)
		g->rows->row_of_node[i] = moved[g->rows->row_of_node[i]];
}

int event_rows_init(struct event_rows *rows, const struct event_profile *p, enum event_by by,
		    struct err *err)
{
	struct grouping g = {.rows = rows, .p = p, .by = by};
	int status;

	*rows = (struct event_rows){0};
	if (by == EVENT_BY_LOOP)
		status = sum_loops(&g, err);
	else
		status = by == EVENT_BY_LINE ? sum_lines(&g, err) : sum_nodes(&g, err);
	if (status == 0)
		finish(&g);
	else
		event_rows_release(rows);
	map_release(&g.by_hash);
	free(g.next.items);
	return status;
}

void event_rows_release(struct event_rows *rows)
{
	free(rows->items);
	free(rows->row_of_node);
	free(rows->values);
	arena_release(&rows->texts);
	text_release(&rows->notes);
	*rows = (struct event_rows){0};
}
