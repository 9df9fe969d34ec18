/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calls of a profile without those that close a cycle, and each caller's part of a node's cost.
 */
#ifndef DWELL_EXPORT_CALL_GRAPH_H
#define DWELL_EXPORT_CALL_GRAPH_H

#include "export/columns.h"

struct call {
	size_t from, to; /* nodes; from is CALL_ROOT for no caller */
	uint64_t calls;
	bool is_back; /* closes a cycle */
	double *cost; /* by column: cost of the calls; later their part of the callee's cost */
};

#define CALL_ROOT SIZE_MAX

struct call_graph {
	struct call *items; /* sorted by from, to; roots last */
	size_t count;
	size_t *first; /* by node: its first call; count + 1 items */
	size_t *order; /* nodes, callers before callees */
	size_t node_count;
	double *memory;
	bool several_callers; /* some node has several callers */
};

/* Make the graph; every node is reachable from a root. Returns -1 when memory runs out. */
int call_graph_init(struct call_graph *g, const struct export_data *d,
		    const struct export_columns *c, struct err *err);
void call_graph_release(struct call_graph *g);

#endif
