/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trees of calls. An item stands for a chain of functions. Its flow tells how the cost of the chain
 * is distributed over the nodes of its last function: for each node, the part of the node's
 * inclusive cost that belongs to the chain. The arcs of the node, times this part, make the next
 * items.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "events/calls.h"

#define MOST_ITEMS 100000
#define ALL_OF_IT  (1 - 1e-9)
#define MOST_PARTS 4 /* chained parts of a function */

struct flow {
	size_t node;
	double part; /* of the node's inclusive cost, from 0 to 1 */
};

struct flows {
	struct flow *items;
	size_t count, room;
};

/* The contribution of an arc to an item that does not exist yet. */
struct step {
	size_t row, node; /* the callee, or the caller */
	double cost, calls;
	const uint64_t *values;
	bool is_part; /* only a part of the arc */
};

struct steps {
	struct step *items;
	size_t count, room;
};

struct growth {
	struct call_tree *t;
	unsigned depth;
	double threshold; /* least value of the event */
	struct err *err;
};

static int compare_steps(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static double value_of(const struct calls *c, const uint64_t *values)
{
	double v = events_value(c->p, c->columns->sort, values);

	return isnan(v) ? 0 : v;
}

/* Tell whether one function makes all calls of the node. */
static bool has_one_caller(const struct calls *c, size_t node)
{
	size_t row = CALLS_NONE, i;

	for (i = c->in_first[node]; i < c->in_first[node + 1]; i++) {
		int64_t caller = c->p->arcs[c->in[i]].caller_id;
		size_t other = caller == STORE_NONE
				       ? CALLS_NONE
				       : c->functions.row_of_node[events_node_index(c->p, caller)];

		if (i > c->in_first[node] && other != row)
			return false;
		row = other;
	}
	return true;
}

/*
 * Arcs are exact if the chain is a single call. They also are if the chain has all of the caller's
 * cost (down), or if the node has one caller (up).
 */
static bool is_exact(const struct growth *g, const struct flow *from, size_t item)
{
	if (g->t->items[item].depth == 0)
		return true;
	return g->t->is_up ? has_one_caller(g->t->calls, from->node) : from->part >= ALL_OF_IT;
}

static double part_of(const struct growth *g, size_t node, double cost)
{
	double whole = value_of(g->t->calls, g->t->calls->nodes.items[node].inclusive);
	double part = whole > 0 ? cost / whole : 0;

	return part < 1 ? part : 1;
}

static int add_steps(const struct growth *g, const struct flow *from, size_t item, unsigned parts,
		     struct steps *steps);

/*
 * The arc leads to another part of the same function, whose arcs belong to the item, too. `parts`:
 * parts passed so far. The first item has all parts of its function already.
 */
static int add_part(const struct growth *g, const struct step *s, size_t item, unsigned parts,
		    struct steps *steps)
{
	struct flow flow = {s->node, part_of(g, s->node, s->cost)};

	if (g->t->items[item].depth == 0 || parts >= MOST_PARTS)
		return 0;
	return add_steps(g, &flow, item, parts + 1, steps);
}

static int add_steps(const struct growth *g, const struct flow *from, size_t item, unsigned parts,
		     struct steps *steps)
{
	bool is_part = !is_exact(g, from, item);
	const struct calls *c = g->t->calls;
	const size_t *first = g->t->is_up ? c->in_first : c->out_first;
	const size_t *arcs = g->t->is_up ? c->in : c->out;
	size_t i;
	int status = 0;

	for (i = first[from->node]; i < first[from->node + 1] && status == 0; i++) {
		const struct store_arc *a = &c->p->arcs[arcs[i]];
		int64_t other = g->t->is_up ? a->caller_id : a->callee_id;
		struct step s = {.values = a->values, .is_part = is_part};

		if (other == STORE_NONE)
			continue;
		s.node = events_node_index(c->p, other);
		s.row = c->functions.row_of_node[s.node];
		if (s.row == CALLS_NONE) /* functions without a row have no events */
			continue;
		s.cost = value_of(c, a->values) * from->part;
		s.calls = (double)a->calls * (g->t->is_up ? 1 : from->part);
		if (events_is_inside(c->p, a))
			status = add_part(g, &s, item, parts, steps);
		else if (ARRAY_GROW(steps))
			steps->items[steps->count++] = s;
		else
			status = err_set(g->err, "out of memory");
	}
	return status;
}

/* An item with its flow, before it passes the threshold. */
struct branch {
	struct call_item item;
	size_t first_flow, flow_count;
};

struct branches {
	struct branch *items;
	size_t count, room;
};

static bool is_on_the_way(const struct call_tree *t, size_t item, size_t row)
{
	for (; item != CALLS_NONE; item = t->items[item].parent) {
		if (t->items[item].row == row)
			return true;
	}
	return false;
}

static int begin_branch(const struct growth *g, size_t parent, size_t row, size_t first_flow,
			struct branches *branches)
{
	const struct call_item *p = &g->t->items[parent];

	if (!ARRAY_GROW(branches))
		return err_set(g->err, "out of memory");
	branches->items[branches->count++] = (struct branch){
		.item = {.row = row,
			 .parent = parent,
			 .depth = p->depth + 1,
			 .is_estimate = p->is_estimate,
			 .is_recursive = is_on_the_way(g->t, parent, row)},
		.first_flow = first_flow,
	};
	return 0;
}

/* Add a flow: `cost`, as a part of the node's inclusive cost. */
static int add_flow(const struct growth *g, struct flows *flows, size_t node, double cost)
{
	if (!ARRAY_GROW(flows))
		return err_set(g->err, "out of memory");
	flows->items[flows->count++] = (struct flow){node, part_of(g, node, cost)};
	return 0;
}

/* Make a branch for each function from the steps, which are sorted by function and node. */
static int make_branches(const struct growth *g, size_t parent, const struct steps *steps,
			 struct branches *branches, struct flows *flows)
{
	size_t i, k, end;
	double node_cost;

	for (i = 0; i < steps->count; i = end) {
		struct branch *b;

		if (i == 0 || steps->items[i].row != steps->items[i - 1].row) {
			if (begin_branch(g, parent, steps->items[i].row, flows->count, branches) !=
			    0)
				return -1;
		}
		b = &branches->items[branches->count - 1];
		node_cost = 0;
		for (end = i;
		     end < steps->count && compare_steps(&steps->items[i], &steps->items[end]) == 0;
		     end++) {
			const struct step *s = &steps->items[end];

			node_cost += s->cost;
			b->item.calls += s->calls;
			b->item.is_estimate |= s->is_part;
			for (k = 0; k < g->t->calls->p->width && b->item.depth == 1; k++)
				b->item.values[k] += s->values[k];
		}
		b->item.cost += node_cost;
		b->flow_count++;
		if (add_flow(g, flows, steps->items[i].node, node_cost) != 0)
			return -1;
	}
	return 0;
}

static int compare_branches(const void *a, const void *b)
{
	const struct branch *x = a, *y = b;

	if (x->item.cost != y->item.cost)
		return x->item.cost > y->item.cost ? -1 : 1;
	if (x->item.calls != y->item.calls)
		return x->item.calls > y->item.calls ? -1 : 1;
	return x->item.row < y->item.row ? -1 : x->item.row > y->item.row;
}

static int grow(const struct growth *g, size_t item, const struct flow *flow, size_t flow_count);

static int add_branch(const struct growth *g, const struct branch *b, const struct flow *flows)
{
	size_t item = g->t->count;

	if (b->item.cost < g->threshold)
		return 0;
	if (g->t->count >= MOST_ITEMS) {
		g->t->is_cut = true;
		return 0;
	}
	if (!ARRAY_GROW(g->t))
		return err_set(g->err, "out of memory");
	g->t->items[g->t->count++] = b->item;
	if (b->item.is_recursive || b->item.depth >= g->depth)
		return 0;
	return grow(g, item, flows + b->first_flow, b->flow_count);
}

/* Add the children of an item. The depth of the tree bounds the recursion. */
static int grow(const struct growth *g, size_t item, const struct flow *flow, size_t flow_count)
{
	struct branches branches = {0};
	struct steps steps = {0};
	struct flows flows = {0};
	size_t i;
	int status = 0;

	for (i = 0; i < flow_count && status == 0; i++)
		status = add_steps(g, &flow[i], item, 0, &steps);
	if (status == 0 && steps.count > 0) {
		qsort(steps.items, steps.count, sizeof(*steps.items), compare_steps);
		status = make_branches(g, item, &steps, &branches, &flows);
	}
	free(steps.items);
	if (branches.count > 0)
		qsort(branches.items, branches.count, sizeof(*branches.items), compare_branches);
	for (i = 0; i < branches.count && status == 0; i++)
		status = add_branch(g, &branches.items[i], flows.items);
	free(branches.items);
	free(flows.items);
	return status;
}

int call_tree_init(struct call_tree *t, const struct calls *c, size_t row, bool is_up,
		   unsigned depth, double threshold, struct err *err)
{
	const struct event_row *f = &c->functions.items[row];
	struct growth g = {t, depth, threshold * c->total, err};
	struct call_item root = {.row = row, .parent = CALLS_NONE, .calls = (double)f->calls};
	struct flows flows = {0};
	size_t i;
	int status = 0;

	*t = (struct call_tree){.calls = c, .is_up = is_up};
	root.cost = value_of(c, f->inclusive);
	memcpy(root.values, f->inclusive, c->p->width * sizeof(*f->inclusive));
	for (i = 0; i < c->p->node_count && status == 0; i++) {
		if (c->functions.row_of_node[i] != row)
			continue;
		status = ARRAY_GROW(&flows) ? 0 : err_set(err, "out of memory");
		if (status == 0)
			flows.items[flows.count++] = (struct flow){i, 1};
	}
	if (status == 0)
		status = ARRAY_GROW(t) ? 0 : err_set(err, "out of memory");
	if (status == 0) {
		t->items[t->count++] = root;
		status = grow(&g, 0, flows.items, flows.count);
	}
	free(flows.items);
	if (status != 0)
		call_tree_release(t);
	return status;
}

void call_tree_release(struct call_tree *t)
{
	free(t->items);
	*t = (struct call_tree){0};
}
