/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs for tests of the call graph, written segment by segment. A function is 0x1000 bytes of
 * code, so that address 0x7010 is in function 7, which begins at 0x7000.
 */
#ifndef DWELL_TESTS_UNIT_CALL_PROGRAM_H
#define DWELL_TESTS_UNIT_CALL_PROGRAM_H

#include <stdint.h>

#include "sim/calls/call_graph.h"

#define EVENTS 5    /* 0: instructions; 1: three times as many of something */
#define RARE   0x80 /* a bit of pc: one of event 3 happens, and two of event 4 */

#define PROGRAM_SEGMENTS 4096

struct program {
	struct sim_call_graph graph;
	struct sim_call_stack stack;
	struct sim_totals totals;
	uint8_t kind[256]; /* enum sim_function_kind, of each function */
	struct sim_segment segment[PROGRAM_SEGMENTS];
	unsigned segments;
	struct sim_memory memory;
	uint64_t taken; /* bytes */
};

/* What was counted on arcs between two functions, with all the flags given and none of `not`. */
struct arcs {
	uint64_t calls, inclusive[EVENTS];
	unsigned count;
};

#define NO_CALLER 0u

void program_begin(struct program *p, unsigned depth, bool jumps);
/* All calls end; the memory is kept. */
void program_end(struct program *p);
/* Checks that all memory of it is given back. */
void program_release(struct program *p);

/* Takes of memory that still succeed. */
extern uint64_t program_takes_left;

/* The segment at pc that ends so. */
struct sim_segment *program_segment(struct program *p, uint64_t pc, enum sim_segment_end end,
				    uint64_t target);
/* Execute the segment at pc that ends so; it costs one instruction. */
struct sim_cell *program_run(struct program *p, uint64_t pc, enum sim_segment_end end,
			     uint64_t target, uint64_t sp);
/* The same on another stack than p->stack. */
struct sim_cell *program_run_on(struct program *p, struct sim_call_stack *stack, uint64_t pc,
				enum sim_segment_end end, uint64_t target, uint64_t sp);

static inline struct sim_cell *plain(struct program *p, uint64_t pc)
{
	return program_run(p, pc, SIM_END_FALL, 0, 0);
}

static inline void call(struct program *p, uint64_t pc, uint64_t sp)
{
	program_run(p, pc, SIM_END_CALL, 0, sp);
}

static inline void leave(struct program *p, uint64_t pc, uint64_t sp)
{
	program_run(p, pc, SIM_END_RETURN, 0, sp);
}

static inline void jump(struct program *p, uint64_t pc)
{
	program_run(p, pc, SIM_END_JUMP_INDIRECT, 0, 0);
}

struct arcs program_arcs(struct program *p, unsigned caller, unsigned callee, unsigned flags,
			 unsigned not_flags);
/* The function of the node that runs. */
unsigned program_runs(const struct program *p);
#define ALL_FUNCTIONS 0u
/* Executions in all cells of the function's nodes. */
uint64_t program_self(const struct program *p, unsigned function);

#endif
