/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contexts, and costs by thread, in code of the filter variant (docs/decisions/nodes-in-line.md).
 * A node of the call graph is a function in a context. The low page says which node runs, and where
 * its counts are; only steps that leave a function change that. Code of a segment counts there.
 *
 *   low page:  | node | its counts | ...                                      A_NODE, A_COUNTS
 *   slots:     | node 0 | node 1 | ...                                        N_*
 *   counts:    | 0 | executions of a segment | misses of its sites ... | ...  of one node
 *              behind executions with --jumps: how often it has passed on (branches.h)
 *   cells:     | function 0 | function 1 | ...  the newest active node of each, or 0
 *
 * Line use and references need executions in all nodes: code also counts these, in `passes`.
 *
 * Code names a node by the offset of its slot. Counts of a function have the same places in each of
 * its nodes; a segment's place is its `counter`.
 *
 * A line (arcs.h) belongs to a site and the node that runs there, so each step looks for its line
 * in a table. If the function that it leads to is active, another line is looked for, by the first
 * one and the function's newest node.
 */
#ifndef DWELL_ENGINE_SIMULATE_ARCS_NODES_H
#define DWELL_ENGINE_SIMULATE_ARCS_NODES_H

/* struct node_slot */
#define N_COUNTS 0
#define N_ACTIVE 8  /* u32: the node is active */
#define N_RAN	 12 /* u32: it ran since its counts were taken */
#define N_SHIFT	 5

/* struct node_towards */
#define NT_TARGET      0
#define NT_SITE	       8
#define NT_NODE	       12
#define NT_LINE	       16
#define NT_CELL	       20
#define NT_SHIFT       5
#define NT_BITS	       16
#define NT_MASK	       0xfffe /* two places belong together */
#define NT_SITE_FACTOR 41
#define NT_NODE_FACTOR 1103
/* Instead of a site: a line's number, and this. The node is the newest one of its callee. */
#define NT_AGAIN 0x80000000

/* In F_LINE: its node was active before, so nothing that happens in the frame is a cost of it. */
#define F_WAS_ACTIVE 1

#ifndef __ASSEMBLER__

#include "engine/core/state.h"
#include "engine/simulate/plan/plan.h"

struct job;
struct segment;
struct segment_insn;
struct sim_cell;

/* Called once, before code is made, if the graph has nodes of more than functions. */
bool nodes_start(void);

/* The node that runs from now on; and that runs. */
void nodes_run(uint32_t node);
uint32_t nodes_running(void);

/* The offset of the node's slot; it has counts from now on. */
uint32_t nodes_prepare(uint32_t node);
/* The cell of a function's newest active node. NULL: there is none, it needs the rules. */
uint32_t *nodes_cell_of(uint32_t function);
/* A frame, whose line leads to that node, has never begun. */
void nodes_undo(uint32_t node, uint32_t *cell, uint32_t old, bool was_active);

/*
 * For arcs.S: find, or make, a line that code has not found; code finds it then. False: the step
 * needs the rules. `number` is that of a step, as in T_MISS_SITE.
 */
bool nodes_look(uint32_t number, uint64_t target);
bool nodes_look_again(uint32_t again);
bool nodes_lead_on(uint32_t stub, uint64_t target);
/* All lines are about to be forgotten. */
void nodes_forget_lines(void);

/* Are executions in all nodes counted, too? */
static inline bool nodes_count_all(void)
{
	return plan.nodes && (plan.references || (plan.uses && plan.fetches));
}

/* Emitting: a segment was made: give it a place for its counts; count it; it has ended. */
bool nodes_meet(struct segment *s);
void nodes_emit_count(struct job *j);
void nodes_end_segment(const struct job *j);

/*
 * How often a segment has passed on: where nodes count that; emitting: count it; in the running
 * node it was n times more.
 */
uint32_t nodes_pass_counter(const struct segment *s);
void nodes_emit_pass(struct job *j, uint32_t counter);
void nodes_pass(const struct segment *s, int64_t n);

/* Move all counts to cells. A cell that got some has an `owner` of 1. */
void nodes_take(void);
/* The same; no code is left. */
void nodes_forget_code(void);
/* Of the running node: the number of the cell of an instruction of s. */
uint32_t *nodes_cell_number(struct segment *s, struct segment_insn *in);
/* s was executed n times more. */
void nodes_execute(struct segment *s, uint64_t n);
/* Where the misses of a site count in the node that a note says. */
struct node_misses {
	uint32_t first, last;
};
struct node_misses *nodes_misses(uint32_t node, uint32_t site);
/* With several hierarchies: the number of the cell of the site's instruction there; NULL: lost. */
uint32_t *nodes_number(uint32_t node, uint32_t site);

#endif
#endif
