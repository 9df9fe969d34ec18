/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call graph of a simulated process (sim/calls/call_graph.h): a stack of calls for each thread,
 * and the events of the thread so far. It is told of segments that may leave their function; what
 * lies between two of them is summed up only. There are two ways to tell:
 *
 * Steps (graph_steps), many at once, where graph_takes_steps(): `left` and `entered` of a step are
 * struct segment.graph. A segment has been through graph_meet before a step with it is followed,
 * and has been entered once by some step, if only after sim_step_nothing. A step is due for each
 * segment with SEGMENT_LEAVES; where `entered` is known to belong to the function of a `left` that
 * ends in no call and no return, it may be left out.
 *
 * graph_enter and graph_leave, one by one, with the totals up to date: for contexts and jumps, and
 * for the end of what is known of a thread's way: a buffer, a fault. Steps and these may follow
 * each other in any order; after graph_leave and graph_cut the next segment is told by graph_enter
 * or after sim_step_nothing.
 *
 * The lock of collect.h guards all of it, but where another is named.
 */
#ifndef DWELL_ENGINE_SIMULATE_GRAPH_H
#define DWELL_ENGINE_SIMULATE_GRAPH_H

#include "engine/core/state.h"
#include "engine/decode/decode.h"
#include "engine/unwind/made_code.h"
#include "sim/calls/call_records.h"
#include "sim/calls/call_steps.h"

struct segment;
struct segment_insn;

struct graph_thread {
	struct sim_call_stack stack;
	struct sim_totals totals;
	bool is_due; /* the next segment is one that the graph wants to know of */
};

/* Does each segment have a cell in each context that executes it? */
bool graph_has_cells(void);
/*
 * Or does it count in its own more than executions? Else segments are short (sim/calls/segment.h).
 * As engine_follows_calls.
 */
bool graph_counts_in_cells(void);

/* May all be told by steps? Once it has started. */
bool graph_takes_steps(void);

/*
 * Where the function ends that code at pc belongs to: no segment goes on beyond, whatever the
 * variant. No lock.
 */
uint64_t graph_function_end(uint64_t pc);

/*
 * Under the translate lock. Code is reached at pc: perhaps a function begins there, of code made at
 * run time. True: code that was translated there before is dropped. And what is about to be
 * translated: whatever its branches lead to is reached.
 */
bool graph_reach(uint64_t pc, enum made_way way);
void graph_look_at(const struct insn *in, uint32_t n);
/* A segment was made of it. */
void graph_extend(const struct segment *s);

/* The process begins, with so many events. False: there is no memory. */
bool graph_start(uint32_t events);

/* The thread's part; NULL when there is no graph, or no memory. */
struct graph_thread *graph_of(struct thread *t);

/* A segment that was never executed: find its function. Sets s->counts. */
void graph_meet(struct segment *s);
/* After that: does pc lie outside of its function? */
bool graph_is_elsewhere(const struct segment *s, uint64_t pc);
/* A segment that was executed, perhaps without a step that entered it, has a node. */
void graph_place(struct segment *s);
/* The thread executes s, which is the first segment after one that may leave its function. */
struct sim_cell *graph_enter(struct graph_thread *gt, struct segment *s);
/* It has executed s, in that cell. sp: the last of its entries. */
void graph_leave(struct graph_thread *gt, struct segment *s, struct sim_cell *cell, uint64_t sp);
/* It has executed s, but not to its end. */
void graph_cut(struct graph_thread *gt, struct segment *s, struct sim_cell *cell);

/* Steps of the thread, in order. */
void graph_steps(struct graph_thread *gt, const struct sim_step *step, const struct sim_step *end);

/*
 * The same as records (sim/calls/call_records.h), for the filter variant; and the site of the end
 * of a segment that the graph has met.
 */
void graph_records(struct graph_thread *gt, struct sim_trail *trail, const struct sim_record *r,
		   const struct sim_record *end);
struct sim_site graph_site_of(struct segment *s, uint64_t pc);
/* As graph_leave, of the segment of a site. */
void graph_left(struct graph_thread *gt, struct sim_segment *s, uint64_t sp);

/* Where the number of the instruction's cell (cells.h) is kept, for a cell of a context. */
uint32_t *graph_cell_number(struct sim_cell *cell, struct segment *s, struct segment_insn *in);

/* All calls of t end: it goes on without being followed, or not at all. Takes the lock. */
void graph_break(struct thread *t);
/*
 * t is about to run a signal handler, its buffer is empty; and has come back from one. Take the
 * lock.
 */
void graph_signal(struct thread *t);
void graph_signal_return(struct thread *t);

/* A file's code is not mapped any more: what is known of it is sent. Takes the lock. */
void graph_forget(struct process *p, uint64_t start, uint64_t end);

/* In a forked child, where t is the only thread. */
void graph_forked(struct thread *t);

/* Send the nodes that are new; and arcs and jumps, with what is new of them. */
void graph_flush_nodes(struct process *p);
void graph_flush(struct process *p);

#endif
