/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes of code made at run time, by name; see made_nodes.h. */
#include "collector/naming/made_nodes.h"

#include <string.h>

#include "base/array.h"
#include "collector/simulation/simulation.h"

/* Tell whether the node begins in a made function of this name. Node 0 does not. */
static bool is_of(const struct simulation_graph *g, uint32_t node,
		  const struct symbols_frame *function, const struct naming *naming)
{
	const struct symbols_frame *own;

	return node != 0 && g->nodes.items[node - 1].is_made &&
	       naming_knows(naming, g->nodes.items[node - 1].start, &own) && own != NULL &&
	       strcmp(own->function, function->function) == 0;
}

/*
 * Find the node of the function in the context of `like`. If there is none, write one with the id
 * `begins`.
 */
static int find_node(struct simulation_graph *g, uint32_t like, uint32_t begins,
		     const struct symbols_frame *function, struct store *store, uint32_t *id,
		     struct err *err)
{
	const struct simulation_node *n = &g->nodes.items[like - 1];
	const uint32_t caller = n->caller != 0 ? g->nodes.items[n->caller - 1].written_as : 0;
	struct store_node row = {
		.id = begins,
		.process_id = n->process,
		.thread = n->thread == UINT32_MAX ? STORE_NONE : (int64_t)n->thread,
		.function = function->function,
		.file = function->file,
		.caller_id = caller != 0 ? (int64_t)caller : STORE_NONE,
	};
	const uint64_t key = simulation_key(&row);
	uint64_t known;

	if (map_get(&g->made, key, &known)) {
		*id = (uint32_t)known;
		return 0;
	}
	*id = begins;
	if (map_set(&g->made, key, begins) != 0)
		return err_set(err, "out of memory");
	return store_put_node(store, &row, err);
}

int made_nodes_write(struct simulation_graph *g, size_t i, const struct symbols_frame *function,
		     const struct naming *naming, struct store *store, struct err *err)
{
	struct simulation_node *n = &g->nodes.items[i];
	const uint32_t caller = n->caller != 0 ? g->nodes.items[n->caller - 1].written_as : 0;

	if (strcmp(function->function, STORE_NAMELESS) != 0 &&
	    map_set(&g->has_names, (uint64_t)n->process, 1) != 0)
		return err_set(err, "out of memory");
	/* One part of the function entered another, which the engine took for a call. */
	if (is_of(g, caller, function, naming)) {
		n->written_as = caller;
		return 0;
	}
	return find_node(g, (uint32_t)i + 1, (uint32_t)i + 1, function, store, &n->written_as, err);
}

bool made_nodes_are_same(const struct simulation_graph *g, uint32_t a, uint32_t b,
			 const struct naming *naming)
{
	const struct symbols_frame *function;

	return a != 0 && g->nodes.items[a - 1].is_made &&
	       naming_knows(naming, g->nodes.items[a - 1].start, &function) && function != NULL &&
	       is_of(g, b, function, naming);
}

bool made_nodes_are_one(const struct simulation_graph *g, const struct simulation_node *node)
{
	return !map_get(&g->has_names, (uint64_t)node->process, &(uint64_t){0});
}

int made_nodes_at(struct simulation_graph *g, uint32_t node, int64_t location,
		  const struct naming *naming, struct store *store, uint32_t *id, struct err *err)
{
	const struct symbols_frame *function = NULL;
	const size_t next = g->nodes.count;
	struct simulation_node added;

	*id = node != 0 ? g->nodes.items[node - 1].written_as : 0;
	if (node == 0 || !g->nodes.items[node - 1].is_made || location <= 0 ||
	    !naming_knows(naming, location, &function) || function == NULL ||
	    is_of(g, node, function, naming) || next >= SIMULATION_FIRST_NODE - 1)
		return 0;
	if (!ARRAY_GROW(&g->nodes))
		return err_set(err, "out of memory");
	if (find_node(g, node, (uint32_t)next + 1, function, store, id, err) != 0)
		return -1;
	if (*id != next + 1)
		return 0;
	added = g->nodes.items[node - 1];
	added.start = location;
	added.written_as = *id;
	g->nodes.items[g->nodes.count++] = added;
	return 0;
}
