/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code segments, as the call graph sees them: their addresses, their ends, their function, and
 * their cells. A cell holds the costs of a segment in one context.
 *
 * The code that executes segments owns them, and must not move them while the call graph lives. The
 * owner fills in the description once; the rest begins as zeros and belongs to the call graph.
 */
#ifndef DWELL_SIM_CALLS_SEGMENT_H
#define DWELL_SIM_CALLS_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sim_segment_end {
	SIM_END_FALL,	/* falls through; also a system call */
	SIM_END_BRANCH, /* conditional: to target, or falls through */
	SIM_END_JUMP,	/* to target */
	SIM_END_JUMP_INDIRECT,
	SIM_END_CALL, /* to target; calls, direct or indirect, and returns are transfers */
	SIM_END_CALL_INDIRECT,
	SIM_END_RETURN,
	/* Instead of the segment that is left, in a step (call_steps.h). */
	SIM_END_NOTHING, /* the step only enters */
	SIM_END_EVENT,	 /* the step only counts */
	SIM_END_EVENTS,	 /* the same for several events */
};

/* Ends at which a frame is made or ended: the stack pointer is known there. */
#define SIM_END_FIRST_TRANSFER SIM_END_CALL

/* The costs of a segment in a node of the call graph. */
struct sim_cell {
	uint32_t node;
	uint32_t owner; /* the owner's */
	/* The rest is omitted in short segments, see SIM_SHORT_SEGMENT. */
	struct sim_cell *next; /* the cell in another node; NULL: last */
	uint64_t executions;   /* counted by the owner, see sim_call_graph_segment */
	uint64_t taken;	       /* of a SIM_END_BRANCH, if jumps are counted: went to target */
	void *events;	       /* the owner's events of its instructions; begins as NULL */
	uint64_t flushed_executions, flushed_taken; /* the owner's: the parts already flushed */
};

struct sim_arc;

struct sim_segment {
	/* A step reads these 40 bytes; the owner may put them into one cache line. */
	uint32_t node;	      /* node of `recent`; 0: never executed */
	uint32_t function;    /* function of pc, from sim_call_graph_function */
	struct sim_arc *arc;  /* arc that its end took last */
	struct sim_arc *from; /* arc by which it was last entered, if that was not plain; a hint */
	uint64_t end_pc;      /* last instruction */
	uint8_t end;	      /* enum sim_segment_end */
	bool owner_counts_taken; /* sim_cell.taken is the owner's */
	uint8_t unused[2];
	uint32_t before; /* the owner's */
	/* The rest. */
	uint64_t pc;		  /* first instruction */
	uint64_t target;	  /* of a direct branch, jump or call; otherwise 0 */
	struct sim_cell own;	  /* the first cell */
	struct sim_cell *recent;  /* cell of `node` */
	struct sim_segment *next; /* the owner's */
};

/*
 * Size of a segment that suffices if nodes are functions of the whole process and jumps are not
 * counted. A segment then has one cell, and the call graph reads nothing beyond this size.
 */
#define SIM_SHORT_SEGMENT offsetof(struct sim_segment, own.next)

#endif
