/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unfolds the call graph into stacks; see stacks.h. */
#include "export/stacks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "export/call_graph.h"

/*
 * Estimated stacks with less than this part of each event are not unfolded: there can be as many as
 * paths through the call graph. Half a count rounds to nothing.
 */
#define LEAST_PART  1e-4
#define LEAST_COUNT 0.5

struct unfolding {
	struct stacks *s;
	const struct call_graph *g;
	double *least; /* by column */
	bool failed;
};

static void add_costs(struct stacks *s, const struct export_data *d, const struct export_columns *c)
{
	for (size_t i = 0; i < d->cost_count; i++)
		for (size_t k = 0; k < c->count; k++)
			s->own[(size_t)d->costs[i].node_id * c->count + k] +=
				export_value(&c->items[k], d->costs[i].values);
}

/* From callees to callers, add to each caller its part of the callee's total cost. */
static void add_callees(struct stacks *s, const struct call_graph *g)
{
	memcpy(s->all, s->own, g->node_count * s->columns * sizeof(*s->all));
	for (size_t i = g->node_count; i-- > 0;) {
		size_t node = g->order[i];

		for (size_t at = g->first[node]; at < g->first[node + 1]; at++) {
			const struct call *x = &g->items[at];

			for (size_t k = 0; !x->is_back && k < s->columns; k++)
				s->all[node * s->columns + k] +=
					x->cost[k] * s->all[x->to * s->columns + k];
		}
	}
}

/* ---- Stacks ---- */

/* Add a stack. `part`: its part of the parent's shares; NULL for roots: all. */
static void add_stack(struct unfolding *u, size_t node, size_t parent, const double *part)
{
	struct stacks *s = u->s;
	double *shares = arena_alloc(&s->arena, s->columns * sizeof(*shares));
	bool costs = false, is_whole = true;

	if (shares == NULL)
		u->failed = true;
	for (size_t k = 0; !u->failed && k < s->columns; k++) {
		shares[k] = part != NULL ? part[k] : 1;
		if (parent != STACKS_NONE)
			shares[k] *= s->items[parent].shares[k];
	}
	for (size_t k = 0; !u->failed && k < s->columns; k++) {
		double cost = fabs(shares[k] * s->all[node * s->columns + k]);

		costs = costs || cost > 0;
		is_whole = is_whole && cost < u->least[k];
	}
	if (!costs || u->failed)
		return;
	if (!ARRAY_GROW(s)) {
		u->failed = true;
		return;
	}
	s->items[s->count++] = (struct stack){node, parent, is_whole, shares};
}

/* Add the callees of the stack's last function. */
static void add_below(struct unfolding *u, size_t at)
{
	const struct call_graph *g = u->g;
	size_t node = u->s->items[at].node;

	for (size_t i = g->first[node]; i < g->first[node + 1] && !u->failed; i++)
		if (!g->items[i].is_back)
			add_stack(u, g->items[i].to, at, g->items[i].cost);
}

/* Add the roots, and the functions whose callers are unknown. */
static void add_roots(struct unfolding *u)
{
	const struct call_graph *g = u->g;
	bool *called = calloc(g->node_count + 1, sizeof(*called));

	u->failed = called == NULL;
	for (size_t i = 0; !u->failed && i < g->count; i++) {
		if (!g->items[i].is_back)
			called[g->items[i].to] = true;
		if (g->items[i].from == CALL_ROOT)
			add_stack(u, g->items[i].to, STACKS_NONE, g->items[i].cost);
	}
	for (size_t node = 0; !u->failed && node < g->node_count; node++)
		if (!called[node])
			add_stack(u, node, STACKS_NONE, NULL);
	free(called);
}

static int unfold(struct stacks *s, const struct call_graph *g)
{
	struct unfolding u = {.s = s, .g = g};

	u.least = calloc(s->columns + 1, sizeof(*u.least));
	if (u.least == NULL)
		return -1;
	for (size_t node = 0; node < g->node_count; node++)
		for (size_t k = 0; k < s->columns; k++)
			u.least[k] += fabs(s->own[node * s->columns + k]);
	for (size_t k = 0; k < s->columns; k++)
		u.least[k] = fmax(g->several_callers ? u.least[k] * LEAST_PART : 0, LEAST_COUNT);
	add_roots(&u);
	/* New stacks are appended while earlier ones are unfolded. */
	for (size_t i = 0; i < s->count && !u.failed; i++)
		if (!s->items[i].is_whole)
			add_below(&u, i);
	free(u.least);
	return u.failed ? -1 : 0;
}

static int check_columns(const struct export_columns *c, struct err *err)
{
	for (size_t i = 0; i < c->count; i++)
		if (!c->items[i].is_measured && c->items[i].factors == NULL)
			return err_set(
				err,
				"'%.200s' is no sum of events: what functions have of it does "
				"not add up to what stacks have",
				c->items[i].name);
	return 0;
}

int stacks_init(struct stacks *s, const struct export_data *d, const struct export_columns *c,
		struct err *err)
{
	size_t cells = d->node_count * c->count + 1;
	struct call_graph g;
	int status = -1;

	*s = (struct stacks){.columns = c->count};
	if (check_columns(c, err) != 0 || call_graph_init(&g, d, c, err) != 0)
		return -1;
	s->own = calloc(cells, sizeof(*s->own));
	s->all = calloc(cells, sizeof(*s->all));
	s->estimated = g.several_callers;
	if (s->own != NULL && s->all != NULL) {
		add_costs(s, d, c);
		add_callees(s, &g);
		status = unfold(s, &g);
	}
	call_graph_release(&g);
	if (status == 0)
		return 0;
	stacks_release(s);
	return err_set(err, "not enough memory for the stacks of %zu functions", d->node_count);
}

void stacks_release(struct stacks *s)
{
	free(s->items);
	free(s->own);
	free(s->all);
	arena_release(&s->arena);
	*s = (struct stacks){0};
}

double stacks_value(const struct stacks *s, const struct stack *x, size_t column)
{
	const double *costs = x->is_whole ? s->all : s->own;

	return x->shares[column] * costs[x->node * s->columns + column];
}

double stacks_round(struct stacks_rounding *r, double value)
{
	double now;

	r->sum += value;
	now = rint(r->sum) - r->written;
	r->written += now;
	return now;
}
