/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes an acyclic graph from the arcs; see call_graph.h. */
#include "export/call_graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- Calls, one for each pair of nodes ---- */

static int compare_calls(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

static void add_cost(double *to, const double *cost, size_t columns)
{
	for (size_t i = 0; i < columns; i++)
		to[i] += cost[i];
}

static void merge(struct call_graph *g, size_t columns)
{
	size_t kept = 0;

	if (g->count > 0)
		qsort(g->items, g->count, sizeof(*g->items), compare_calls);
	for (size_t i = 0; i < g->count; i++) {
		if (kept > 0 && compare_calls(&g->items[kept - 1], &g->items[i]) == 0) {
			g->items[kept - 1].calls += g->items[i].calls;
			add_cost(g->items[kept - 1].cost, g->items[i].cost, columns);
		} else {
			g->items[kept++] = g->items[i];
		}
	}
	g->count = kept;
}

static void list_calls(struct call_graph *g, const struct export_data *d,
		       const struct export_columns *c)
{
	for (size_t i = 0; i < d->arc_count; i++) {
		const struct store_arc *a = &d->arcs[i];
		struct call *x = &g->items[g->count];

		x->from = a->caller_id == STORE_NONE ? CALL_ROOT : (size_t)a->caller_id;
		x->to = (size_t)a->callee_id;
		x->calls = a->calls;
		x->cost = g->memory + g->count * c->count;
		for (size_t k = 0; k < c->count; k++)
			x->cost[k] = export_value(&c->items[k], a->values);
		g->count++;
	}
	merge(g, c->count);
}

static void index_calls(struct call_graph *g)
{
	size_t at = 0;

	for (size_t node = 0; node <= g->node_count; node++) {
		while (at < g->count && g->items[at].from < node)
			at++;
		g->first[node] = at;
	}
}

/* ---- A depth-first walk that finds calls back ---- */

enum colour { WHITE, GREY, BLACK };

struct walk {
	struct call_graph *g;
	unsigned char *colours;
	size_t *stack; /* grey nodes; `next` has the next call to follow from each */
	size_t *next;
	size_t depth;
	size_t done; /* number of black nodes: they fill the order from its end */
};

static void enter(struct walk *w, size_t node)
{
	w->colours[node] = GREY;
	w->stack[w->depth] = node;
	w->next[w->depth++] = w->g->first[node];
}

static void visit(struct walk *w, size_t root)
{
	struct call_graph *g = w->g;

	enter(w, root);
	while (w->depth > 0) {
		size_t node = w->stack[w->depth - 1], i = w->next[w->depth - 1]++;

		if (i < g->first[node + 1]) {
			g->items[i].is_back = w->colours[g->items[i].to] == GREY;
			if (w->colours[g->items[i].to] == WHITE)
				enter(w, g->items[i].to);
			continue;
		}
		w->colours[node] = BLACK;
		g->order[g->node_count - ++w->done] = node;
		w->depth--;
	}
}

/* Start from the roots; then from nodes without callers; then from the remaining ones. */
static void visit_all(struct walk *w)
{
	struct call_graph *g = w->g;
	unsigned char *called = w->colours + g->node_count;

	for (size_t i = g->first[g->node_count]; i < g->count; i++)
		if (w->colours[g->items[i].to] == WHITE)
			visit(w, g->items[i].to);
	for (size_t i = 0; i < g->count; i++)
		if (g->items[i].from != g->items[i].to)
			called[g->items[i].to] = 1;
	for (size_t node = 0; node < g->node_count; node++)
		if (!called[node] && w->colours[node] == WHITE)
			visit(w, node);
	for (size_t node = 0; node < g->node_count; node++)
		if (w->colours[node] == WHITE)
			visit(w, node);
}

static int find_order(struct call_graph *g)
{
	struct walk w = {.g = g};
	int status = -1;

	w.colours = calloc(2 * g->node_count + 1, 1);
	w.stack = calloc(g->node_count + 1, sizeof(*w.stack));
	w.next = calloc(g->node_count + 1, sizeof(*w.next));
	if (w.colours != NULL && w.stack != NULL && w.next != NULL) {
		visit_all(&w);
		status = 0;
	}
	free(w.colours);
	free(w.stack);
	free(w.next);
	return status;
}

/* ---- Parts ---- */

/* Turn costs into parts: of the callee's cost in all calls that remain. */
static int share_out(struct call_graph *g, size_t columns)
{
	double *sums = calloc(g->node_count * (columns + 1) + 1, sizeof(*sums));
	uint32_t *callers = calloc(g->node_count + 1, sizeof(*callers));
	int status = sums != NULL && callers != NULL ? 0 : -1;

	for (size_t i = 0; status == 0 && i < g->count; i++) {
		const struct call *x = &g->items[i];

		if (x->is_back)
			continue;
		add_cost(sums + x->to * (columns + 1), x->cost, columns);
		sums[x->to * (columns + 1) + columns] += (double)x->calls;
		if (++callers[x->to] > 1)
			g->several_callers = true;
	}
	for (size_t i = 0; status == 0 && i < g->count; i++) {
		struct call *x = &g->items[i];
		const double *sum = sums + x->to * (columns + 1);
		/* An event that the calls do not have is shared by number of calls. */
		double part =
			sum[columns] > 0 ? (double)x->calls / sum[columns] : 1.0 / callers[x->to];

		for (size_t k = 0; !x->is_back && k < columns; k++)
			x->cost[k] = sum[k] > 0 ? x->cost[k] / sum[k] : part;
	}
	free(sums);
	free(callers);
	return status;
}

int call_graph_init(struct call_graph *g, const struct export_data *d,
		    const struct export_columns *c, struct err *err)
{
	*g = (struct call_graph){.node_count = d->node_count};
	g->items = calloc(d->arc_count + 1, sizeof(*g->items));
	g->memory = calloc(d->arc_count * c->count + 1, sizeof(*g->memory));
	g->first = calloc(d->node_count + 2, sizeof(*g->first));
	g->order = calloc(d->node_count + 1, sizeof(*g->order));
	if (g->items != NULL && g->memory != NULL && g->first != NULL && g->order != NULL) {
		list_calls(g, d, c);
		index_calls(g);
		if (find_order(g) == 0 && share_out(g, c->count) == 0)
			return 0;
	}
	call_graph_release(g);
	return err_set(err, "not enough memory for %zu calls", d->arc_count);
}

void call_graph_release(struct call_graph *g)
{
	free(g->items);
	free(g->memory);
	free(g->first);
	free(g->order);
	*g = (struct call_graph){0};
}
