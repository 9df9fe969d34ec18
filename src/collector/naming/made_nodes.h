/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes of the call graph in code made at run time. The engine has one node for each entry into
 * made code. The process's names, known at the end, show which nodes are one function. Nodes with
 * the same name, file and context are then written as one. If a location's name differs from that
 * of its node's beginning, it belongs to another function, whose entry the engine did not see.
 */
#ifndef DWELL_COLLECTOR_NAMING_MADE_NODES_H
#define DWELL_COLLECTOR_NAMING_MADE_NODES_H

#include "collector/simulation/simulation_graph.h"

/*
 * Write node `i` (index), or find the node that it is written as. Its callers must be written, and
 * its function known. Returns 0, or -1 with *err.
 */
int made_nodes_write(struct simulation_graph *g, size_t i, const struct symbols_frame *function,
		     const struct naming *naming, struct store *store, struct err *err);

/* Tell whether the nodes are one function of made code; their contexts may differ. */
bool made_nodes_are_same(const struct simulation_graph *g, uint32_t a, uint32_t b,
			 const struct naming *naming);

/*
 * Tell whether made code of the process has no names at all; then all of it is one function. Call
 * it when all nodes are written.
 */
bool made_nodes_are_one(const struct simulation_graph *g, const struct simulation_node *node);

/*
 * *id: the node (index + 1) for events at the location in this node, which must be written.
 * Location 0 is the beginning of the node. Returns 0, or -1 with *err.
 */
int made_nodes_at(struct simulation_graph *g, uint32_t node, int64_t location,
		  const struct naming *naming, struct store *store, uint32_t *id, struct err *err);

#endif
