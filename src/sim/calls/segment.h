/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code segments, as the call graph sees them: their addresses, how they end, their function, and
 * their cells. A cell holds what a segment costs in one context.
 *
 * Who runs the code owns the segments, and does not move them while the call graph lives. The owner
 * fills in the description once; the rest begins as zeros and belongs to the call graph.
 */
#ifndef DWELL_SIM_CALLS_SEGMENT_H
#define DWELL_SIM_CALLS_SEGMENT_H

#include <stddef.h>
#include <stdint.h>

enum sim_segment_end {
	SIM_END_FALL,	/* into what follows; also a system call */
	SIM_END_BRANCH, /* conditional: to target, or into what follows */
	SIM_END_JUMP,	/* to target */
	SIM_END_JUMP_INDIRECT,
	SIM_END_CALL, /* to target; direct and indirect ones are from here on transfers */
	SIM_END_CALL_INDIRECT,
	SIM_END_RETURN,
	/* In place of the segment that is left, in a step (call_steps.h). */
	SIM_END_NOTHING, /* the step only enters */
	SIM_END_EVENT,	 /* it only counts */
	SIM_END_EVENTS,	 /* the same of several events */
};

/* The ends at which a frame is made or left: the stack pointer is known there. */
#define SIM_END_FIRST_TRANSFER SIM_END_CALL

/* What a segment costs in a node of the call graph. */
struct sim_cell {
	uint32_t node;
	uint32_t unused;
	/* The rest, see SIM_SHORT_SEGMENT. */
	struct sim_cell *next; /* the same segment in another node; NULL: the last one */
	uint64_t executions;   /* the owner's to count, see sim_call_graph_segment */
	uint64_t taken;	       /* of a SIM_END_BRANCH, if jumps are wanted: went to target */
	void *events;	       /* the owner's: the events of its instructions; begins as NULL */
	uint64_t flushed_executions, flushed_taken; /* the owner's: what has been sent of them */
};

struct sim_arc;

struct sim_segment {
	/* A step reads these 40 bytes; the owner may keep them in one cache line. */
	uint32_t node;	      /* that recent belongs to; 0: never executed */
	uint32_t function;    /* that pc belongs to, from sim_call_graph_function */
	struct sim_arc *arc;  /* that its end took most recently */
	struct sim_arc *from; /* by which it was entered when that was not plain; a hint */
	uint64_t end_pc;      /* of its last instruction */
	uint8_t end;	      /* enum sim_segment_end */
	uint8_t unused[7];
	/* The rest. */
	uint64_t pc;		 /* of its first instruction */
	uint64_t target;	 /* of a direct branch, jump or call; else 0 */
	struct sim_cell own;	 /* the first cell */
	struct sim_cell *recent; /* that of `node` */
};

/*
 * Bytes of a segment that suffice where nodes are functions of the whole process and jumps are not
 * counted. A segment then has one cell, and the call graph reads nothing beyond these bytes.
 */
#define SIM_SHORT_SEGMENT offsetof(struct sim_segment, own.next)

#endif
