/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes of the call graph: functions in contexts. Two calls of a function have the same context,
 * and so the same node, if their last `depth` callers are the same ("reduced CCT", Weidendorfer,
 * Kowarschik, Trinitis 2004, section 2). With depth 0, a node is a function. A chain has no
 * function twice: a call of one of the last callers goes back to the node of its activation, so
 * that the number of nodes does not grow with the depth of recursion (footnote 3).
 */
#ifndef DWELL_SIM_CALLS_CONTEXTS_H
#define DWELL_SIM_CALLS_CONTEXTS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/memory.h"
#include "sim/base/table.h"

#define SIM_MAX_DEPTH 64

/* A function and its callers. Some nodes are only callers of others and are never executed. */
struct sim_node {
	uint32_t function;
	uint32_t caller;  /* node of its callers' chain, which is shorter; 0: none */
	uint32_t thread;  /* UINT32_MAX: all */
	uint32_t shorter; /* the same node without its farthest caller; 0: not computed yet */
	uint16_t length;  /* of the chain, including the function itself */
	bool entered;	  /* was executed itself */
};

struct sim_contexts {
	const struct sim_memory *memory;
	unsigned depth;
	struct sim_node *items; /* by number, from 1 */
	uint32_t count, room;	/* numbers below count are in use */
	struct sim_table table;
};

/* Returns 0, or -1 without memory; call sim_contexts_release in both cases. */
int sim_contexts_init(struct sim_contexts *c, unsigned depth, const struct sim_memory *memory);
void sim_contexts_release(struct sim_contexts *c);

/* The node of a root function. This and sim_contexts_child return 0 without memory. */
uint32_t sim_contexts_root(struct sim_contexts *c, uint32_t function, uint32_t thread);

/* The node of `function` called by node `caller`; the function must not be among its callers. */
uint32_t sim_contexts_child(struct sim_contexts *c, uint32_t caller, uint32_t function);

/* Tell whether the function is among the last `depth` of the chain that begins with this node. */
bool sim_contexts_has(const struct sim_contexts *c, uint32_t node, uint32_t function);

#endif
