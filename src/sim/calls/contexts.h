/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes of the call graph: functions in contexts. Two calls of a function are in the same context,
 * and so the same node, when their last `depth` callers are the same ("reduced CCT", Weidendorfer,
 * Kowarschik, Trinitis 2004, section 2); with a depth of 0 a node is a function. A function does
 * not stand twice in one chain: a call of what is among the last callers goes back to the node of
 * its activation, so that the number of nodes does not grow with the depth of recursion (footnote
 * 3).
 */
#ifndef DWELL_SIM_CALLS_CONTEXTS_H
#define DWELL_SIM_CALLS_CONTEXTS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/memory.h"
#include "sim/base/table.h"

#define SIM_MAX_DEPTH 64

/* A function and its callers. Some only stand for callers of others and are never executed. */
struct sim_node {
	uint32_t function;
	uint32_t caller;  /* node of the chain of its callers, which is shorter; 0: no more */
	uint32_t thread;  /* UINT32_MAX: of all */
	uint32_t shorter; /* the same without the farthest caller; 0: not asked for yet */
	uint16_t length;  /* of the chain, with the function itself */
	bool entered;	  /* it was executed, not only a caller in chains */
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

/* The node of a function that nobody called. 0 without memory; so in sim_contexts_child. */
uint32_t sim_contexts_root(struct sim_contexts *c, uint32_t function, uint32_t thread);

/* The node of `function` called by the node `caller`, if the function is not among its callers. */
uint32_t sim_contexts_child(struct sim_contexts *c, uint32_t caller, uint32_t function);

/* Is the function among the last `depth` of the chain that begins with this node? */
bool sim_contexts_has(const struct sim_contexts *c, uint32_t node, uint32_t function);

#endif
