/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The call graph, from records to the event profile; see simulation_graph.h. */
#include "collector/simulation/simulation_graph.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "collector/naming/made_nodes.h"
#include "collector/record_check.h"
#include "collector/recorder_parts.h"
#include "store/events.h"

/* Limits for a process: a broken one can fill only bounded memory. */
#define MAX_NODES (1u << 22)
#define MAX_ARCS  (1u << 22)
#define MAX_JUMPS (1u << 21) /* its engine has half of that */

void simulation_graph_release(struct simulation_graph *g)
{
	free(g->nodes.items);
	map_release(&g->node_ids);
	map_release(&g->made);
	map_release(&g->has_names);
	costs_release(&g->costs);
	free(g->arcs.items);
	map_release(&g->arc_ids);
	free(g->arc_values);
	free(g->jumps.items);
	map_release(&g->jump_ids);
	*g = (struct simulation_graph){0};
}

/* ---- Nodes ---- */

static uint64_t node_key(const struct process *p, uint32_t number)
{
	return (uint64_t)p->row.id << 32 | number;
}

/* Index + 1 of a process's node; 0: it was never reported. */
static uint32_t find_node(const struct simulation_graph *g, const struct process *p,
			  uint32_t number)
{
	uint64_t index;

	return number != 0 && map_get(&g->node_ids, node_key(p, number), &index)
		       ? (uint32_t)index + 1
		       : 0;
}

const char *recorder_on_node(struct recorder *r, struct process *p, const struct record_header *h)
{
	const struct record_node *n = (const void *)h;
	struct simulation_graph *g = &r->simulation.graph;
	const size_t index = g->nodes.count;
	int64_t start;

	if (find_node(g, p, n->id) != 0)
		return "a node of the call graph that exists already";
	if (index >= SIMULATION_FIRST_NODE - 1 || p->nodes >= MAX_NODES)
		return "more nodes of the call graph than are kept";
	p->nodes++;
	if (!ARRAY_GROW(&g->nodes) || map_set(&g->node_ids, node_key(p, n->id), index) != 0) {
		out_of_memory(r);
		return NULL;
	}
	start = recorder_locate(r, p, n->start, n->position);
	g->nodes.items[g->nodes.count++] = (struct simulation_node){
		.process = p->row.id,
		.start = start,
		.caller = find_node(g, p, n->caller),
		.thread = n->thread,
		.kind = n->kind,
		.is_made = symbols_is_runtime_code(r->symbols, naming_file(&r->naming, start)),
	};
	r->simulation.has_news = true;
	return NULL;
}

/* The name of a function without one: its address in its file. */
static const char *nameless(const struct simulation_node *n, const struct naming *naming,
			    const char *object, char text[32])
{
	if (n->kind == FUNCTION_STUBS)
		return "[plt]";
	if (object == NULL)
		return STORE_NAMELESS;
	snprintf(text, 32, "0x%" PRIx64, naming_address(naming, n->start));
	return text;
}

static int write_node(struct simulation_graph *g, size_t i, const struct symbols_frame *function,
		      const struct naming *naming, const struct symbols *symbols,
		      struct store *store, struct err *err)
{
	struct simulation_node *n = &g->nodes.items[i];
	const char *object = symbols_path(symbols, naming_file(naming, n->start));
	char text[32];
	const bool is_named = function != NULL && n->kind != FUNCTION_STUBS;
	struct store_node row = {
		.id = (int64_t)i + 1,
		.process_id = n->process,
		.thread = n->thread == UINT32_MAX ? STORE_NONE : (int64_t)n->thread,
		.function = is_named ? function->function : nameless(n, naming, object, text),
		.file = function != NULL ? function->file : NULL,
		.object = object,
		.caller_id = STORE_NONE,
	};

	if (n->caller != 0)
		row.caller_id = g->nodes.items[n->caller - 1].written_as;
	n->written_as = (uint32_t)i + 1;
	return store_put_node(store, &row, err);
}

static bool is_written(const struct simulation_graph *g, uint32_t node)
{
	return node == 0 || g->nodes.items[node - 1].written_as != 0;
}

static int write_nodes(struct simulation_graph *g, const struct naming *naming,
		       const struct symbols *symbols, struct store *store, struct err *err)
{
	for (size_t i = g->written; i < g->nodes.count; i++) {
		const struct simulation_node *n = &g->nodes.items[i];
		const struct symbols_frame *function;
		int status = 0;

		/* Made code gets its name, or the lack of one, at the end of the run. */
		if (n->written_as != 0 || !is_written(g, n->caller) ||
		    !naming_knows(naming, n->start, &function) || (n->is_made && function == NULL))
			continue;
		if (n->is_made)
			status = made_nodes_write(g, i, function, naming, store, err);
		else
			status = write_node(g, i, function, naming, symbols, store, err);
		if (status != 0)
			return -1;
	}
	while (g->written < g->nodes.count && g->nodes.items[g->written].written_as != 0)
		g->written++;
	return 0;
}

/* ---- Costs ---- */

uint32_t simulation_graph_node(const struct recorder *r, const struct process *p, uint32_t number)
{
	return find_node(&r->simulation.graph, p, number);
}

static int write_costs(struct simulation_graph *g, const struct naming *naming, struct store *store,
		       bool *waits, struct err *err)
{
	uint64_t values[STORE_MAX_COLUMNS];
	uint32_t node;

	for (size_t i = 0; i < g->costs.count; i++) {
		struct cost_sum *c = &g->costs.items[i];
		struct store_cost row = {.location_id = (int64_t)i, .values = values};

		for (; c != NULL && c->node != 0; c = costs_next(&g->costs, c)) {
			if (!is_written(g, c->node)) {
				*waits = true;
				continue;
			}
			if (made_nodes_at(g, c->node, row.location_id, naming, store, &node, err) !=
			    0)
				return -1;
			row.node_id = node;
			costs_values(&g->costs, c, values);
			if (store_put_cost(store, &row, err) != 0)
				return -1;
			costs_forget(&g->costs, c);
		}
	}
	return 0;
}

/* ---- Arcs ---- */

/* An array of items that begin with a key of four numbers. `bytes`: the size of an item. */
struct keyed {
	const struct map *ids;
	const char *items;
	size_t bytes;
};

#define KEY_BYTES (4 * sizeof(uint32_t))

static_assert(sizeof(struct simulation_graph_arc_key) == KEY_BYTES, "as in struct keyed");
static_assert(sizeof(struct simulation_graph_jump_key) == KEY_BYTES, "as in struct keyed");

/*
 * Find the item with this key: *index. If there is none, *hash is free for it: of equal hashes, the
 * next number is used.
 */
static bool find_keyed(const struct keyed *k, const void *key, uint64_t *hash, uint64_t *index)
{
	uint64_t words[2];

	memcpy(words, key, sizeof(words));
	*hash = (words[0] * UINT64_C(0x9e3779b97f4a7c15) ^ words[1]) * UINT64_C(0xd6e8feb86659fd93);
	for (*hash ^= *hash >> 32; map_get(k->ids, *hash, index); ++*hash)
		if (memcmp(k->items + *index * k->bytes, key, KEY_BYTES) == 0)
			return true;
	return false;
}

static uint32_t kind_of(uint32_t flags)
{
	return flags & ARC_SIGNAL  ? STORE_ARC_SIGNAL
	       : flags & ARC_START ? STORE_ARC_START
	       : flags & ARC_JUMP  ? STORE_ARC_JUMP
				   : STORE_ARC_CALL;
}

/* The index of the arc, added if new; -1 when memory ran out. */
static int64_t find_arc(struct simulation_graph *g, const struct simulation_graph_arc_key *key,
			size_t events)
{
	const struct keyed k = {&g->arc_ids, (const char *)g->arcs.items, sizeof(*g->arcs.items)};
	const size_t i = g->arcs.count;
	uint64_t hash, index;

	if (find_keyed(&k, key, &hash, &index))
		return (int64_t)index;
	if (!ARRAY_GROW(&g->arcs) ||
	    !array_reserve_in((void **)&g->arc_values, &g->arc_values_room, (i + 1) * events,
			      sizeof(*g->arc_values)) ||
	    map_set(&g->arc_ids, hash, i) != 0)
		return -1;
	g->arcs.items[g->arcs.count++] = (struct simulation_graph_arc){.is = *key};
	memset(g->arc_values + i * events, 0, events * sizeof(*g->arc_values));
	return (int64_t)i;
}

const char *recorder_on_arc(struct recorder *r, struct process *p, const struct record_header *h)
{
	const struct record_arc *a = (const void *)h;
	struct simulation_graph *g = &r->simulation.graph;
	const size_t events = r->simulation.events;
	const struct simulation_graph_arc_key key = {
		.caller = find_node(g, p, a->caller),
		.callee = find_node(g, p, a->callee),
		.location = a->pc != 0 ? (uint32_t)recorder_locate(r, p, a->pc, a->position) : 0,
		.kind = kind_of(a->flags) | (a->flags & ARC_NESTED ? SIMULATION_NESTED : 0),
	};
	int64_t i;

	if (a->events != events)
		return "a call with events that were not requested";
	if (key.callee == 0 || (key.caller == 0 && a->caller != 0))
		return "a call from or to an unknown function";
	if (p->arcs > MAX_ARCS)
		return "more calls than are kept";
	p->arcs -= (uint32_t)g->arcs.count;
	i = find_arc(g, &key, events);
	p->arcs += (uint32_t)g->arcs.count;
	if (i < 0) {
		out_of_memory(r);
		return NULL;
	}
	g->arcs.items[i].calls += a->calls;
	/*
	 * Skip recursive calls, which are inside an active call of the function. Otherwise, sums
	 * over its contexts would be too large.
	 */
	for (size_t k = 0; k < events && !(a->flags & ARC_RECURSIVE); k++)
		g->arc_values[(size_t)i * events + k] += record_arc_values(a)[k];
	r->simulation.has_news = true;
	return NULL;
}

/* Write an arc whose nodes are written. */
static int write_arc(struct simulation_graph *g, size_t i, unsigned events,
		     const struct naming *naming, struct store *store, struct err *err)
{
	struct simulation_graph_arc *a = &g->arcs.items[i];
	uint64_t *values = g->arc_values + i * events;
	const struct simulation_node *callee = &g->nodes.items[a->is.callee - 1];
	struct store_arc row = {
		.location_id = a->is.location != 0 ? (int64_t)a->is.location : STORE_NONE,
		.callee_id = callee->written_as,
		.kind = a->is.kind & ~SIMULATION_NESTED,
		.calls = a->calls,
		.values = values,
	};
	uint32_t caller;
	bool is_inside;

	if (made_nodes_at(g, a->is.caller, a->is.location, naming, store, &caller, err) != 0)
		return -1;
	callee = &g->nodes.items[a->is.callee - 1]; /* the array may have been moved */
	row.caller_id = caller != 0 ? (int64_t)caller : STORE_NONE;
	/* A call within one function: a jump to another entry, or recursion. */
	is_inside = made_nodes_are_same(g, caller, a->is.callee, naming);
	if (is_inside || (a->is.kind & SIMULATION_NESTED && made_nodes_are_one(g, callee)))
		memset(values, 0, events * sizeof(*values));
	if (is_inside && row.kind == STORE_ARC_JUMP)
		row.calls = 0;
	if (store_put_arc(store, &row, err) != 0)
		return -1;
	a->calls = 0;
	memset(values, 0, events * sizeof(*values));
	return 0;
}

static int write_arcs(struct simulation_graph *g, unsigned events, const struct naming *naming,
		      struct store *store, bool *waits, struct err *err)
{
	for (size_t i = 0; i < g->arcs.count; i++) {
		const struct simulation_graph_arc_key *a = &g->arcs.items[i].is;

		if (!is_written(g, a->caller) || !is_written(g, a->callee))
			*waits = true;
		else if (write_arc(g, i, events, naming, store, err) != 0)
			return -1;
	}
	return 0;
}

/* ---- Jumps ---- */

/* The jump, added if new; NULL when memory ran out. */
static struct simulation_graph_jump *find_jump(struct simulation_graph *g,
					       const struct simulation_graph_jump_key *key)
{
	const struct keyed k = {&g->jump_ids, (const char *)g->jumps.items,
				sizeof(*g->jumps.items)};
	uint64_t hash, index;

	if (find_keyed(&k, key, &hash, &index))
		return &g->jumps.items[index];
	if (!ARRAY_GROW(&g->jumps) || map_set(&g->jump_ids, hash, g->jumps.count) != 0)
		return NULL;
	g->jumps.items[g->jumps.count] = (struct simulation_graph_jump){.is = *key};
	return &g->jumps.items[g->jumps.count++];
}

const char *recorder_on_jump(struct recorder *r, struct process *p, const struct record_header *h)
{
	const struct record_jump *j = (const void *)h;
	struct simulation_graph *g = &r->simulation.graph;
	const struct simulation_graph_jump_key key = {
		.node = find_node(g, p, j->node),
		.from = (uint32_t)recorder_locate(r, p, j->from, j->position),
		.to = (uint32_t)recorder_locate(r, p, j->to, j->position),
		.conditional = j->conditional != 0,
	};
	struct simulation_graph_jump *jump;

	if (key.node == 0)
		return "a jump in an unknown function";
	if (p->jumps > MAX_JUMPS)
		return "more jumps than are kept";
	p->jumps -= (uint32_t)g->jumps.count;
	jump = key.from != 0 && key.to != 0 ? find_jump(g, &key) : NULL;
	p->jumps += (uint32_t)g->jumps.count;
	if (jump == NULL) {
		out_of_memory(r);
		return NULL;
	}
	jump->executed += j->executed;
	jump->taken += j->taken;
	r->simulation.has_news = true;
	return NULL;
}

static int write_jumps(struct simulation_graph *g, const struct naming *naming, struct store *store,
		       bool *waits, struct err *err)
{
	uint32_t node;

	for (size_t i = 0; i < g->jumps.count; i++) {
		struct simulation_graph_jump *j = &g->jumps.items[i];
		struct store_jump row = {
			.from_id = j->is.from,
			.to_id = j->is.to,
			.conditional = j->is.conditional != 0,
			.executed = j->executed,
			.taken = j->taken,
		};

		if (!is_written(g, j->is.node)) {
			*waits = true;
			continue;
		}
		if (made_nodes_at(g, j->is.node, j->is.from, naming, store, &node, err) != 0)
			return -1;
		row.node_id = node;
		if (store_put_jump(store, &row, err) != 0)
			return -1;
		j->executed = j->taken = 0;
	}
	return 0;
}

int simulation_graph_write(struct simulation_graph *g, unsigned events, const struct naming *naming,
			   const struct symbols *symbols, struct store *store, bool *waits,
			   struct err *err)
{
	*waits = false;
	if (write_nodes(g, naming, symbols, store, err) != 0 ||
	    write_costs(g, naming, store, waits, err) != 0 ||
	    write_arcs(g, events, naming, store, waits, err) != 0 ||
	    write_jumps(g, naming, store, waits, err) != 0)
		return -1;
	return 0;
}
