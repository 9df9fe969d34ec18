/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls of a profile without those that close a cycle: each caller's part of a node's cost. */
#ifndef DWELL_EXPORT_CALL_GRAPH_H
#define DWELL_EXPORT_CALL_GRAPH_H

#include "export/columns.h"

struct call {
	size_t from, to; /* nodes; from is CALL_ROOT where there is no caller */
	uint64_t calls;
	bool is_back; /* it would close a cycle */
	double *cost; /* by column: of the calls; later the part of all that the callee costs */
};

#define CALL_ROOT SIZE_MAX

struct call_graph {
	struct call *items; /* by from, to; roots last */
	size_t count;
	size_t *first; /* by node: its first call; one more at the end */
	size_t *order; /* nodes, callers before those that they call */
	size_t node_count;
	double *memory;
	bool several_callers; /* of one node, somewhere */
};

/* Each node is reached from a root. Returns -1 when memory runs out. */
int call_graph_init(struct call_graph *g, const struct export_data *d,
		    const struct export_columns *c, struct err *err);
void call_graph_release(struct call_graph *g);

#endif
