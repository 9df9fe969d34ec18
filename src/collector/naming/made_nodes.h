/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes of the call graph in code made at run time. The engine has one for each entry into made
 * code. The process's names at the end show which nodes are one function: nodes of one name, file
 * and context are then written as one. A location whose name differs from that of the node's
 * beginning belongs to another function, entered unseen by the engine.
 */
#ifndef DWELL_COLLECTOR_NAMING_MADE_NODES_H
#define DWELL_COLLECTOR_NAMING_MADE_NODES_H

#include "collector/simulation/simulation_graph.h"

/*
 * Write node `i` (index), whose callers are written and whose function is known, or find what it is
 * written as. 0, or -1 with *err.
 */
int made_nodes_write(struct simulation_graph *g, size_t i, const struct symbols_frame *function,
		     const struct naming *naming, struct store *store, struct err *err);

/* Are the nodes one function of made code? Their contexts may differ. */
bool made_nodes_are_same(const struct simulation_graph *g, uint32_t a, uint32_t b,
			 const struct naming *naming);

/*
 * Does the process's code made at run time have no names at all? Then all of it is one function.
 * Call it when all nodes are written.
 */
bool made_nodes_are_one(const struct simulation_graph *g, const struct simulation_node *node);

/*
 * The node, *id (an index + 1), for events at the location in this node, which is already written.
 * Location 0 is the node's beginning. Returns 0, or -1 with *err.
 */
int made_nodes_at(struct simulation_graph *g, uint32_t node, int64_t location,
		  const struct naming *naming, struct store *store, uint32_t *id, struct err *err);

#endif
