/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes of the call graph in code made at run time. The engine has one for each place where such
 * code is entered; which of them are one function is known when the process has told its names, at
 * the end. Then nodes of one name, file and context are written as one. What ran under another name
 * than the node begins with is that function's, which was entered by a way that tells the engine
 * nothing.
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

/* Are they, or what they are written as, one function of such code? Of two contexts, perhaps. */
bool made_nodes_are_same(const struct simulation_graph *g, uint32_t a, uint32_t b,
			 const struct naming *naming);

/*
 * Has no code of the node's process that was made at run time a name? Then all of it is one
 * function. All nodes are written.
 */
bool made_nodes_are_one(const struct simulation_graph *g, const struct simulation_node *node);

/*
 * What is written for what happened at the location in this node: *id, an index + 1. The node is
 * written; no location is its beginning. Returns 0, or -1 with *err.
 */
int made_nodes_at(struct simulation_graph *g, uint32_t node, int64_t location,
		  const struct naming *naming, struct store *store, uint32_t *id, struct err *err);

#endif
