/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finding loops: a loop has a backward jump, which was executed. So only instructions with events
 * matter, function by function in order of address. Their successors make a graph, and a loop lies
 * within one of its components.
 */
#include "events/event_loops.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "events/event_cycles.h"
#include "events/event_object.h"

/* An instruction with events. */
struct place {
	const char *object, *function;
	uint64_t address;
	int64_t location;
	size_t node;
	struct machine_step step;
	bool is_known;	 /* `step` is valid */
	bool is_reached; /* is the successor of another one */
	uint32_t component;
};

struct places {
	struct place *items;
	size_t count, room;
};

void event_loops_release(struct event_loops *l)
{
	free(l->items);
	free(l->function_of_node);
	map_release(&l->of_place);
	*l = (struct event_loops){0};
}

/* Unique, as there are at most as many functions as nodes. */
static uint64_t place_key(const struct event_loops *l, size_t function, int64_t location)
{
	return (uint64_t)location * l->node_count + function;
}

size_t event_loops_at(const struct event_loops *l, size_t node, int64_t location)
{
	size_t function = l->function_of_node[node];
	uint64_t index;

	return function != LOOP_NONE && location != STORE_NONE &&
			       map_get(&l->of_place, place_key(l, function, location), &index)
		       ? (size_t)index
		       : LOOP_NONE;
}

/* ---- The instructions ---- */

static int compare_functions(const struct place *x, const struct place *y)
{
	int order = x->object == y->object ? 0 : strcmp(x->object, y->object);

	return order != 0 || x->function == y->function ? order : strcmp(x->function, y->function);
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order = compare_functions(x, y);

	if (order != 0)
		return order;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->location < y->location ? -1 : x->location > y->location;
}

static int collect_places(const struct event_profile *p, struct places *places, struct err *err)
{
	size_t i;

	for (i = 0; i < p->cost_count; i++) {
		const struct store_location *l = events_location(p, p->costs[i].location_id);
		const char *object = l != NULL ? events_object(p, l) : NULL;

		if (object == NULL)
			continue;
		if (!ARRAY_GROW(places))
			return err_set(err, "out of memory");
		places->items[places->count++] = (struct place){
			.object = object,
			.function = events_node(p, p->costs[i].node_id)->function,
			.address = l->module_address,
			.location = l->id,
			.node = events_node_index(p, p->costs[i].node_id),
		};
	}
	if (places->count > 0)
		qsort(places->items, places->count, sizeof(*places->items), compare_places);
	return 0;
}

/* ---- The loops of a function: places [first, end) ---- */

static int compare_loops(const void *a, const void *b)
{
	const struct event_loop *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end < y->end) - (x->end > y->end);
}

static int add_loop(struct event_loops *l, const struct event_profile *p, const struct place *head,
		    uint64_t end, struct err *err)
{
	const struct store_frame *f = &events_location(p, head->location)->frames[0];

	if (!ARRAY_GROW(l))
		return err_set(err, "out of memory");
	l->items[l->count++] = (struct event_loop){
		.node = head->node,
		.object = head->object,
		.file = f->file,
		.line = f->line,
		.start = head->address,
		.end = end,
		.component = head->component,
		.parent = LOOP_NONE,
	};
	return 0;
}

/*
 * The place at an address, or `end` if nothing was executed there. Of equal addresses, the first
 * place.
 */
static size_t find_place(const struct places *places, size_t first, size_t end, uint64_t address)
{
	const struct place *p = &places->items[first];

	return first + SEARCH_MATCH(i, end - first, SEARCH_ORDER(p[i].address, address));
}

/*
 * Merge jumps to the same target into one loop. If a loop begins inside another one, extend the
 * outer one to its end.
 */
static void nest_loops(struct event_loops *l, size_t first)
{
	size_t kept = first, i, around;

	if (l->count > first)
		qsort(l->items + first, l->count - first, sizeof(*l->items), compare_loops);
	for (i = first; i < l->count; i++) {
		struct event_loop *loop = &l->items[i];

		if (kept > first && l->items[kept - 1].start == loop->start)
			continue; /* the longer one is kept */
		around = kept > first ? kept - 1 : LOOP_NONE;
		while (around != LOOP_NONE && l->items[around].end < loop->start)
			around = l->items[around].parent;
		loop->parent = around;
		for (; around != LOOP_NONE && l->items[around].end < loop->end;
		     around = l->items[around].parent)
			l->items[around].end = loop->end;
		l->items[kept++] = *loop;
	}
	l->count = kept;
}

/*
 * Assign each place to its innermost loop: the last one that begins before it, or one around that.
 */
static int assign_places(struct event_loops *l, const struct places *places, size_t first,
			 size_t end, size_t first_loop, struct err *err)
{
	size_t next = first_loop, i;

	for (i = first; i < end; i++) {
		const struct place *place = &places->items[i];
		size_t at;

		while (next < l->count && l->items[next].start <= place->address)
			next++;
		at = next > first_loop ? next - 1 : LOOP_NONE;
		/* Skip loops to which this code does not lead back. */
		while (at != LOOP_NONE && (l->items[at].end < place->address ||
					   l->items[at].component != place->component))
			at = l->items[at].parent;
		if (at != LOOP_NONE &&
		    map_set(&l->of_place,
			    place_key(l, l->function_of_node[place->node], place->location),
			    at) != 0)
			return err_set(err, "out of memory");
	}
	return 0;
}

struct flow_graph {
	struct places *places;
	size_t first, end;
	struct graph_edge *items;
	size_t count, room;
	struct err *err;
};

static int add_edge(struct flow_graph *g, size_t from, size_t to)
{
	if (to == g->end)
		return 0;
	if (!ARRAY_GROW(g))
		return err_set(g->err, "out of memory");
	g->places->items[to].is_reached = true;
	g->items[g->count++] =
		(struct graph_edge){(uint32_t)(from - g->first), (uint32_t)(to - g->first)};
	return 0;
}

/* The first place at the address: contexts repeat an instruction. */
static size_t place_at(const struct flow_graph *g, uint64_t address)
{
	return find_place(g->places, g->first, g->end, address);
}

static int add_direct_edges(struct flow_graph *g, struct machine_code *m)
{
	size_t i;

	for (i = g->first; i < g->end; i++) {
		struct place *p = &g->places->items[i];
		enum machine_flow flow;

		p->is_known = machine_code_step(m, p->address, &p->step);
		flow = p->step.flow;
		if (!p->is_known)
			continue;
		if ((flow == FLOW_NEXT || flow == FLOW_CONDITIONAL) &&
		    add_edge(g, place_at(g, p->address),
			     place_at(g, p->address + p->step.length)) != 0)
			return -1;
		if ((flow == FLOW_JUMP || flow == FLOW_CONDITIONAL) &&
		    add_edge(g, place_at(g, p->address), place_at(g, p->step.target)) != 0)
			return -1;
	}
	return 0;
}

/*
 * An indirect jump, as of a switch, leads to all places that have no other predecessor. The
 * function's beginning, usually the first place, is not a target.
 */
static int add_indirect_edges(struct flow_graph *g)
{
	size_t i, k, begin = g->first;

	for (i = g->first; i < g->end; i++) {
		const struct place *p = &g->places->items[i];

		if (!p->is_known || p->step.flow != FLOW_INDIRECT)
			continue;
		for (k = begin; k < g->end; k++) {
			const struct place *to = &g->places->items[k];

			if (!to->is_reached && to->address != g->places->items[begin].address &&
			    place_at(g, to->address) == k) {
				if (add_edge(g, place_at(g, p->address), k) != 0)
					return -1;
				/* Keep it as a target of the other indirect jumps. */
				g->places->items[k].is_reached = false;
			}
		}
	}
	return 0;
}

static int find_components(struct flow_graph *g, struct machine_code *m)
{
	size_t count = g->end - g->first, i;
	uint32_t *component;
	int status = 0;

	if (add_direct_edges(g, m) != 0 || add_indirect_edges(g) != 0)
		return -1;
	component = malloc(count * sizeof(*component));
	if (component == NULL || graph_components(count, g->items, g->count, component) == SIZE_MAX)
		status = err_set(g->err, "out of memory");
	for (i = 0; i < count && status == 0; i++)
		g->places->items[g->first + i].component =
			component[place_at(g, g->places->items[g->first + i].address) - g->first];
	free(component);
	return status;
}

static int find_loops(struct event_loops *l, const struct event_profile *p, struct places *places,
		      size_t first, size_t end, struct machine_code *m, struct err *err)
{
	struct flow_graph g = {.places = places, .first = first, .end = end, .err = err};
	size_t first_loop = l->count, i, head, jump;
	int status = find_components(&g, m);

	for (i = first; i < end && status == 0; i++) {
		const struct place *at = &places->items[i];

		if (!at->is_known ||
		    (at->step.flow != FLOW_JUMP && at->step.flow != FLOW_CONDITIONAL) ||
		    at->step.target > at->address)
			continue;
		head = place_at(&g, at->step.target);
		jump = place_at(&g, at->address);
		if (head != end && places->items[head].component == places->items[jump].component)
			status = add_loop(l, p, &places->items[head], at->address, err);
	}
	free(g.items);
	if (status != 0)
		return -1;
	nest_loops(l, first_loop);
	return assign_places(l, places, first, end, first_loop, err);
}

static int find_all(struct event_loops *l, const struct event_profile *p, struct places *places,
		    struct text *notes, struct err *err)
{
	const char *object = NULL;
	struct machine_code *m = NULL;
	size_t first, end, functions = 0;
	int status = 0;

	for (first = 0; first < places->count && status == 0; first = end, functions++) {
		const struct place *place = &places->items[first];

		for (end = first; end < places->count; end++) {
			if (compare_functions(place, &places->items[end]) != 0)
				break;
			l->function_of_node[places->items[end].node] = functions;
		}
		if (object == NULL || strcmp(object, place->object) != 0) {
			machine_code_close(m);
			object = place->object;
			/* Code that no longer exists has no known loops. */
			m = event_object_open(p, object, notes);
		}
		if (m != NULL)
			status = find_loops(l, p, places, first, end, m, err);
	}
	machine_code_close(m);
	return status;
}

int event_loops_init(struct event_loops *l, const struct event_profile *p, struct text *notes,
		     struct err *err)
{
	struct places places = {0};
	int status;

	*l = (struct event_loops){.function_of_node = malloc((p->node_count + 1) * sizeof(size_t)),
				  .node_count = p->node_count};
	if (l->function_of_node == NULL)
		return err_set(err, "out of memory");
	for (size_t i = 0; i < p->node_count; i++)
		l->function_of_node[i] = LOOP_NONE;
	status = collect_places(p, &places, err);
	if (status == 0)
		status = find_all(l, p, &places, notes, err);
	free(places.items);
	if (status != 0)
		event_loops_release(l);
	return status;
}
