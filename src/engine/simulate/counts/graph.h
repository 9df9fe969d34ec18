/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call graph of a simulated process (sim/calls/call_graph.h): a stack of calls for each thread,
 * and the thread's events so far. The graph sees only segments that may leave their function;
 * events of the others are summed up in between. There are two ways to report a segment:
 *
 * Steps (graph_steps), many at once, where graph_takes_steps(): `left` and `entered` are a
 * segment's segment_graph(). Before a step with a segment is followed, graph_meet has seen the
 * segment, and one step has entered it, if only after sim_step_nothing. Each segment with
 * SEGMENT_LEAVES needs a step, unless `left` ends in no call or return, and `entered` is known to
 * belong to the same function.
 *
 * graph_enter and graph_leave, one by one, with up-to-date totals: for contexts and jumps, and
 * where the known path of a thread ends: at the end of a buffer, or at a fault. The two ways may
 * alternate. After graph_leave and graph_cut the next segment enters by graph_enter or after
 * sim_step_nothing.
 *
 * The lock of collect.h guards all of it, except where another one is named.
 */
#ifndef DWELL_ENGINE_SIMULATE_GRAPH_H
#define DWELL_ENGINE_SIMULATE_GRAPH_H

#include "engine/core/state.h"
#include "engine/decode/decode.h"
#include "engine/unwind/made_code.h"
#include "sim/calls/call_steps.h"
#include "sim/calls/open_calls.h"
#include "sim/calls/sites.h"

struct segment;
struct segment_insn;

struct graph_thread {
	struct sim_call_stack stack;
	struct sim_totals totals;
	bool is_due; /* the next segment must be reported to the graph */
};

/*
 * Does a cell count more than executions? If not, SIM_SHORT_SEGMENT suffices (sim/calls/segment.h).
 * Known from the start, like engine_follows_calls.
 */
bool graph_counts_in_cells(void);

/* Can all segments be reported by steps? Valid after graph_start. */
bool graph_takes_steps(void);

/*
 * The end of the function that contains pc. No segment, of any variant, continues beyond it. No
 * lock.
 */
uint64_t graph_function_end(uint64_t pc);

/*
 * Under the translate lock, before code is translated. graph_reach: control reaches pc, where a
 * function of made code may begin; true: older translations there were dropped. graph_look_at: the
 * same for the branch targets of the n instructions at `in`.
 */
bool graph_reach(uint64_t pc, enum made_way way);
void graph_look_at(const struct insn *in, uint32_t n);
/* A segment was made from that code. */
void graph_extend(const struct segment *s);

/* Start the graph of a process with `events` events. False: there is no memory. */
bool graph_start(uint32_t events);

/* The thread's part; NULL without a graph or memory. */
struct graph_thread *graph_of(struct thread *t);

/* Before the first execution of a segment: find its function, and set s->counts. */
void graph_meet(struct segment *s);
/* After that: does pc lie outside of its function? */
bool graph_is_elsewhere(const struct segment *s, uint64_t pc);
/* Give a node to a segment that was executed, perhaps without a step that entered it. */
void graph_place(struct segment *s);
/* The thread executes s, the first segment after one that may leave its function. */
struct sim_cell *graph_enter(struct graph_thread *gt, struct segment *s);
/* It has executed s, charged to `cell`. sp: the last entry of s. */
void graph_leave(struct graph_thread *gt, struct segment *s, struct sim_cell *cell, uint64_t sp);
/* It has executed s, but not to its end. */
void graph_cut(struct graph_thread *gt, struct segment *s, struct sim_cell *cell);

void graph_steps(struct graph_thread *gt, const struct sim_step *step, const struct sim_step *end);

/*
 * For the filter variant: an exit (sim/calls/sites.h); and the site of the end of a segment that
 * graph_meet has seen.
 */
void graph_exit(struct graph_thread *gt, struct sim_trail *trail, const struct sim_exit *m);
struct sim_site graph_site_of(struct segment *s, uint64_t pc);
/*
 * For code that follows calls by itself (sim/calls/open_calls.h). Functions are numbers;
 * graph_function makes them, under the translate lock. graph_begins: is pc the beginning of the
 * function? graph_is_in: does it overlap [start, end)?
 */
uint32_t graph_function(uint64_t pc);
uint32_t graph_kind(uint32_t function);
bool graph_begins(uint32_t function, uint64_t pc);
bool graph_is_in(uint32_t function, uint64_t start, uint64_t end);
void graph_open(struct graph_thread *gt, const struct sim_open_call *c, struct sim_arc **arc);
void graph_add_sums(const struct sim_open_call *c, struct sim_arc **arc,
		    const struct sim_sums *sums);
void graph_add_jumps(struct sim_segment *from, uint32_t node, uint64_t target, uint64_t n);
/*
 * For nodes that are more than functions: graph_node_arc is sim_call_graph_arc; graph_cell_of a
 * segment's cell; `show` that of sim_call_graph, for functions below count.
 */
struct sim_arc *graph_node_arc(uint32_t caller, const struct sim_open_call *c, uint32_t newest);
uint32_t graph_function_of_node(uint32_t node);
struct sim_cell *graph_cell_of(struct segment *s, uint32_t node);
void graph_show_nodes(void (*show)(uint32_t function, uint32_t newest, uint32_t node, bool active),
		      uint32_t count);
/* Show active functions in `cells`; those of a thread, or no longer; of none. */
void graph_show_active_in(uint8_t *cells, uint32_t count);
void graph_show_active(const struct graph_thread *gt, bool are_active);
void graph_clear_active(void);

/* graph_leave for the segment of a site. */
void graph_left(struct graph_thread *gt, struct sim_segment *s, uint64_t sp);

/* The place of the number of the instruction's cell (cells.h), in a context's cell. */
uint32_t *graph_cell_number(struct sim_cell *cell, struct segment *s, struct segment_insn *in);

/* Targets of jumps may now be beginnings of functions; atomic. */
extern bool graph_has_old_targets;

/* The graph; NULL: none was made. */
struct sim_call_graph *graph_made(void);
/* graph_flush_nodes sends all nodes again. */
void graph_tell_all(void);
/* Send new nodes; and the growth of arcs and jumps. */
void graph_flush_nodes(struct process *p);
void graph_flush(struct process *p);

#endif
