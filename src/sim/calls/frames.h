/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frames of shadow stacks; only for the files of the call graph. */
#ifndef DWELL_SIM_CALLS_FRAMES_H
#define DWELL_SIM_CALLS_FRAMES_H

#include "sim/calls/call_graph.h"

/* A call to follow. */
struct sim_call {
	uint32_t caller; /* node; 0: a root */
	uint32_t function;
	uint64_t pc, sp;
	uint32_t flags;		 /* SIM_ARC_JUMP or those of a root */
	struct sim_arc **recent; /* the call site's most recent arc; may be NULL */
};

static inline struct sim_frame *sim_top(const struct sim_call_stack *s)
{
	return &s->fiber->frame[s->fiber->count - 1];
}

static inline uint32_t sim_function_of(const struct sim_call_graph *g, uint32_t node)
{
	return g->contexts.items[node].function;
}

/* Tell whether the node is a stub or resolver: its caller calls what it jumps to. */
static inline bool sim_leads_on(const struct sim_call_graph *g, uint32_t node)
{
	uint8_t kind = g->functions.items[sim_function_of(g, node)].kind;

	return kind == SIM_FUNCTION_STUB || kind == SIM_FUNCTION_RESOLVER;
}

/* Tell whether it is code made at run time. */
static inline bool sim_is_made(const struct sim_call_graph *g, uint32_t node)
{
	return g->functions.items[sim_function_of(g, node)].kind == SIM_FUNCTION_MADE;
}

/* See open_calls.h: the frame, on f, has become active, or is no longer. */
static inline void sim_show(const struct sim_call_graph *g, const struct sim_fiber *f,
			    const struct sim_frame *frame, bool is_active)
{
	const uint32_t node = frame->arc->callee, function = sim_function_of(g, node),
		       outer = g->config.depth != 0 ? frame->outer_function : frame->outer;
	uint32_t newest = node;

	if (function >= g->shown_count)
		return;
	if (g->show == NULL) {
		g->shown[function] = is_active || frame->outer != 0;
		return;
	}
	if (!is_active)
		newest = outer != 0 ? f->frame[outer - 1].arc->callee : 0;
	g->show(function, newest, node, is_active || frame->outer != 0);
}

/* Tell whether the segment is the beginning of its function. */
static inline bool sim_is_entry(const struct sim_call_graph *g, const struct sim_segment *segment)
{
	const struct sim_function *f = &g->functions.items[segment->function];

	return f->start == segment->pc && f->kind != SIM_FUNCTION_UNKNOWN;
}

/*
 * Take a snapshot of the other events for a frame above `top` (NULL: the first frame). It replaces
 * the snapshots of frames that have ended. Returns false without memory.
 */
bool sim_snapshots_take(const struct sim_call_graph *g, struct sim_fiber *f,
			const struct sim_frame *top, const struct sim_totals *totals);
static inline bool sim_snapshot_is_new(const struct sim_fiber *f, const struct sim_totals *totals)
{
	return f->rare_count != 0 && f->rare_change[f->rare_count - 1] == totals->changes;
}

/* The slow part of sim_frames_add: the other events have changed since the frame began. */
void sim_frames_add_rare(const struct sim_call_graph *g, const struct sim_fiber *f,
			 const struct sim_frame *frame, const struct sim_totals *totals);

/* A call begins; the newest snapshot is up to date. The caller sets outer and outer_function. */
static inline void sim_frame_begin(struct sim_frame *frame, const struct sim_fiber *f,
				   uint32_t caller, struct sim_arc *arc, uint64_t sp,
				   const struct sim_totals *totals)
{
	frame->sp = sp;
	frame->arc = arc;
	frame->caller = caller;
	frame->outer = 0;
	frame->outer_function = 0;
	frame->rare = f->rare_count - 1;
	frame->back = 0;
#pragma GCC unroll 3
	for (unsigned i = 0; i < SIM_OFTEN; i++)
		frame->often[i] = totals->event[i];
	arc->calls++;
}

/* Add the events since the frame began to its arc. */
static inline void sim_frames_add(const struct sim_call_graph *g, const struct sim_fiber *f,
				  const struct sim_frame *frame, const struct sim_totals *totals)
{
	struct sim_arc *arc = frame->arc;

#pragma GCC unroll 3
	for (unsigned i = 0; i < SIM_OFTEN; i++)
		arc->inclusive[i] += totals->event[i] - frame->often[i];
	if (__builtin_expect(f->rare_change[frame->rare] != totals->changes, 0))
		sim_frames_add_rare(g, f, frame, totals);
}

/*
 * Follow a call: push a frame, and run its node. Without memory the call is lost, and counted as
 * lost.
 */
void sim_frames_push(struct sim_call_graph *g, struct sim_call_stack *s, const struct sim_call *c,
		     const struct sim_totals *totals);

/* Push a frame for the arc (NULL: it is lost), and run its node. False: it is lost. */
bool sim_frames_open(struct sim_call_graph *g, struct sim_call_stack *s, struct sim_arc *arc,
		     uint64_t sp, const struct sim_totals *totals);

/* End the topmost frame; its caller runs. */
void sim_frames_pop(struct sim_call_graph *g, struct sim_call_stack *s,
		    const struct sim_totals *totals);

/*
 * Follow a jump to the first instruction of a function, which ends together with the topmost frame.
 * If an earlier such jump has made it active there, no frame is made.
 */
void sim_frames_chain(struct sim_call_graph *g, struct sim_call_stack *s, const struct sim_call *c,
		      const struct sim_totals *totals);

/* The index + 1 of the function's newest frame on the running stack; 0: not active. */
uint32_t sim_frames_active(struct sim_call_graph *g, const struct sim_call_stack *s,
			   uint32_t function);

/* End all frames of the running stack. */
void sim_frames_end(struct sim_call_graph *g, struct sim_call_stack *s,
		    const struct sim_totals *totals);
/* Free the memory of the frames. */
void sim_frames_release(const struct sim_call_graph *g, struct sim_fiber *f);
/* Count the frames' costs from now on. */
void sim_frames_restart(const struct sim_call_graph *g, struct sim_fiber *f,
			const struct sim_totals *totals);
/*
 * Add the frames' costs so far to their arcs. `totals`: the thread's current ones, or for a stack
 * that is not running those when it was left.
 */
void sim_frames_settle(struct sim_call_graph *g, struct sim_fiber *f,
		       const struct sim_totals *totals);

/*
 * The thread leaves the running stack for another one, or comes back: its nodes become inactive, or
 * active again.
 */
void sim_frames_sleep(struct sim_call_graph *g, struct sim_call_stack *s,
		      const struct sim_totals *totals);
void sim_frames_wake(struct sim_call_graph *g, struct sim_call_stack *s,
		     const struct sim_totals *totals);

/* Change the running stack if sp belongs to another one; see fibers.c. */
enum sim_move { SIM_BY_CALL, SIM_BY_RETURN, SIM_BY_RETURN_TO_ENTRY };
void sim_fibers_choose(struct sim_call_graph *g, struct sim_call_stack *s, uint64_t sp,
		       enum sim_move move, const struct sim_totals *totals);

/* Initialise the counts; g has its memory and configuration. */
void sim_arcs_init(struct sim_call_graph *g);
void sim_arcs_release(struct sim_call_graph *g);

/* Find or add the arc. Returns NULL without memory. */
struct sim_arc *sim_arcs_find(struct sim_call_graph *g, uint32_t caller, uint64_t pc,
			      uint32_t callee, uint32_t flags);
/* Find or add the segment's cell for the node. */
struct sim_cell *sim_cells_find(struct sim_call_graph *g, struct sim_segment *segment,
				uint32_t node);
/* Find or add the segment's cell for the running node, and make it the segment's recent one. */
struct sim_cell *sim_cells_choose(struct sim_call_graph *g, const struct sim_call_stack *s,
				  struct sim_segment *segment);

/* The cell of a segment that the running node has executed. */
struct sim_cell *sim_cells_left(struct sim_call_graph *g, const struct sim_call_stack *s,
				struct sim_segment *segment);

/* Find or add the jump from the end of `from`, in that cell. Returns NULL without room. */
struct sim_jump *sim_jumps_find(struct sim_call_graph *g, const struct sim_segment *from,
				const struct sim_cell *cell, uint64_t target);

#endif
