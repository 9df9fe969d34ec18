/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that self-simulating code follows by itself: it keeps the stack of those, and sums for the
 * arcs of those that have returned. The call graph gets both when it must know. Only for a thread
 * whose stack runs. In graphs with contexts, or nodes of threads, the code knows the running node,
 * and names the arcs of calls (sim_call_graph_arc).
 *
 * The code must know which functions are active: sim_call_graph.shown has a cell for each, which
 * says so of the functions in the graph's own frames of the running stack; or `show` tells it.
 */
#ifndef DWELL_SIM_CALLS_OPEN_CALLS_H
#define DWELL_SIM_CALLS_OPEN_CALLS_H

#include "sim/calls/call_graph.h"

/* A call, or with SIM_ARC_JUMP a jump into another function. */
struct sim_open_call {
	uint32_t caller, callee; /* functions */
	uint64_t pc;
	uint64_t sp;	/* of its return address; unused for a jump */
	uint64_t back;	/* the return address; 0: unknown */
	uint32_t flags; /* SIM_ARC_JUMP, SIM_ARC_RECURSIVE */
};

/* Of calls that have returned; lanes as in struct sim_exit, none of which has overflowed. */
struct sim_sums {
	uint64_t calls, lane[2];
	const uint64_t
		*rare; /* the graph's events after the first SIM_OFTEN; NULL: none happened */
};

/*
 * The call is open; its costs count from now on. *arc: the call's arc, which is the same each time;
 * NULL: not known yet.
 */
void sim_call_graph_open(struct sim_call_graph *g, struct sim_call_stack *s,
			 const struct sim_open_call *c, struct sim_arc **arc,
			 const struct sim_totals *totals);

/* Add to the arc, which is as above. The call's stack pointer and return address are unused. */
void sim_call_graph_add(struct sim_call_graph *g, const struct sim_open_call *c,
			struct sim_arc **arc, const struct sim_sums *sums);

/*
 * For graphs with contexts, or nodes of threads: the arc of a call, or jump, from node `caller` to
 * a function, the newest activation of which has node `newest`; 0: it is not active. NULL without
 * memory.
 */
struct sim_arc *sim_call_graph_arc(struct sim_call_graph *g, uint32_t caller,
				   const struct sim_open_call *c, uint32_t newest);

/* The segment's cell in a node, which is made if needed. */
struct sim_cell *sim_call_graph_cell(struct sim_call_graph *g, struct sim_segment *segment,
				     uint32_t node);

/* The thread has executed a segment to its end, as in sim_call_graph_leave. */
void sim_call_graph_left(struct sim_call_graph *g, struct sim_call_stack *s,
			 struct sim_segment *segment, uint64_t sp);

/*
 * Control has gone from the end of `from` to another place in its function n times. node: that of
 * the function; 0: the only one that it has.
 */
void sim_call_graph_add_jumps(struct sim_call_graph *g, struct sim_segment *from, uint32_t node,
			      uint64_t target, uint64_t n);

/* Show the functions that are active on the running stack, or none of them. */
void sim_call_graph_show(const struct sim_call_graph *g, const struct sim_call_stack *s,
			 bool are_active);

#endif
