/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules of call_graph.h for the common steps: calls by a known arc, returns from the topmost
 * frame, jumps within a function, out of stubs, and to other functions. These are more than 99 % of
 * the steps of sqlite3, python3, perl and cc1. Only for the files of the call graph.
 *
 * Everything is inlined, so that a loop of steps keeps its data in registers.
 */
#ifndef DWELL_SIM_CALLS_QUICK_STEP_H
#define DWELL_SIM_CALLS_QUICK_STEP_H

#include <stddef.h>

#include "sim/calls/frames.h"

/* A stack pointer farther away may be on another stack: see fibers.c. Few frames are larger. */
#define SIM_NEAR ((uint64_t)256 << 10)

#define SIM_QUICK static inline __attribute__((always_inline))

/* The part of a call stack that steps read or change; valid there only after a store. */
struct sim_quick {
	struct sim_fiber *fiber;
	struct sim_frame *top, *last; /* the topmost frame, or NULL; the last place for a frame */
	uint32_t *active;
	uint32_t *active_function; /* with contexts */
	uint32_t active_room, active_function_room;
	uint32_t node;
	uint32_t made;
	bool contexts;
};

SIM_QUICK void sim_quick_load(struct sim_quick *q, const struct sim_call_stack *s, bool contexts)
{
	struct sim_fiber *f = s->fiber;

	q->fiber = f;
	q->top = f->count != 0 ? &f->frame[f->count - 1] : NULL;
	q->last = f->room != 0 ? &f->frame[f->room - 1] : NULL;
	q->active = s->active;
	q->active_room = s->active_room;
	q->active_function = s->active_function;
	q->active_function_room = s->active_function_room;
	q->contexts = contexts;
	q->node = s->node;
	q->made = s->made;
}

SIM_QUICK void sim_quick_store(const struct sim_quick *q, struct sim_call_stack *s)
{
	if (q->top != NULL)
		q->fiber->count = (uint32_t)(q->top - q->fiber->frame) + 1;
	s->node = q->node;
	s->made = q->made;
}

/* Tell whether sp is on the fiber's stack for sure. */
SIM_QUICK bool sim_is_near(const struct sim_fiber *f, uint64_t sp)
{
	return f->sp - sp + SIM_NEAR < 2 * SIM_NEAR && sp <= f->high;
}

SIM_QUICK bool sim_quick_is_active(const struct sim_quick *q, uint32_t node)
{
	return node < q->active_room && q->active[node] != 0;
}

/*
 * The arc from the end of `left` to `entered`: the one that the end took last or, for an end with
 * several targets, the one that last entered the function. NULL if it is neither.
 */
SIM_QUICK struct sim_arc *sim_quick_arc(const struct sim_quick *q, const struct sim_segment *left,
					const struct sim_segment *entered)
{
	struct sim_arc *arc = left->arc;

	if (arc != NULL && arc->function == entered->function && arc->caller == q->node)
		return arc;
	arc = entered->from;
	if (arc != NULL && arc->function == entered->function && arc->caller == q->node &&
	    arc->pc == left->end_pc)
		return arc;
	return NULL;
}

/*
 * The arc with these flags; with SIM_ARC_RECURSIVE, too, if its callee is active, and
 * SIM_ARC_NESTED if made code is. NULL if it is unknown. With contexts, an active function always
 * means NULL.
 */
SIM_QUICK struct sim_arc *sim_quick_flagged(const struct sim_quick *q, struct sim_arc *arc,
					    unsigned flags)
{
	if (arc == NULL || arc->callee >= q->active_room)
		return NULL;
	if (q->contexts &&
	    (arc->function >= q->active_function_room || q->active_function[arc->function] != 0))
		return NULL;
	if (q->active[arc->callee] != 0)
		flags |= SIM_ARC_RECURSIVE;
	if (arc->is_made && q->made != 0)
		flags |= SIM_ARC_NESTED;
	if (arc->flags == flags)
		return arc;
	arc = arc->leads_on ? NULL : arc->other;
	return arc != NULL && arc->flags == flags ? arc : NULL;
}

/* Make sure that there is room for a frame that begins now, and for its snapshot. */
SIM_QUICK bool sim_quick_has_room(struct sim_call_graph *g, const struct sim_quick *q,
				  const struct sim_totals *totals)
{
	return q->top != q->last && (sim_snapshot_is_new(q->fiber, totals) ||
				     sim_snapshots_take(g, q->fiber, q->top, totals));
}

/* Push a frame, for which there is room. */
SIM_QUICK void sim_quick_push(const struct sim_call_graph *g, struct sim_quick *q,
			      struct sim_arc *arc, uint64_t sp, const struct sim_totals *totals)
{
	struct sim_frame *frame = ++q->top;
	const uint32_t place = (uint32_t)(frame - q->fiber->frame) + 1;

	sim_frame_begin(frame, q->fiber, q->node, arc, sp, totals);
	frame->outer = q->active[arc->callee];
	q->active[arc->callee] = place;
	if (__builtin_expect(g->shown_count != 0, 0))
		sim_show(g, q->fiber, frame, true);
	if (q->contexts)
		q->active_function[arc->function] = place;
	q->node = arc->callee;
	q->made += arc->is_made;
}

SIM_QUICK void sim_quick_pop(const struct sim_call_graph *g, struct sim_quick *q,
			     const struct sim_totals *totals)
{
	const struct sim_frame *frame = q->top--;
	const uint32_t callee = frame->arc->callee;

	if (frame->outer == 0)
		sim_frames_add(g, q->fiber, frame, totals);
	q->fiber->rare_count = frame->rare + 1;
	q->made -= frame->arc->is_made;
	q->active[callee] = frame->outer;
	if (__builtin_expect(g->shown_count != 0, 0))
		sim_show(g, q->fiber, frame, false);
	if (q->contexts)
		q->active_function[sim_function_of(g, callee)] = frame->outer_function;
	q->node = frame->caller;
}

SIM_QUICK bool sim_quick_call(struct sim_call_graph *g, struct sim_quick *q,
			      const struct sim_segment *left, const struct sim_segment *entered,
			      uint64_t sp, const struct sim_totals *totals)
{
	struct sim_arc *arc;

	if (q->top->sp <= sp || !sim_is_near(q->fiber, sp))
		return false;
	arc = sim_quick_flagged(q, sim_quick_arc(q, left, entered), 0);
	if (arc == NULL || !sim_quick_has_room(g, q, totals))
		return false;
	q->fiber->sp = sp;
	sim_quick_push(g, q, arc, sp, totals);
	return true;
}

/* Return to the caller of the topmost frame, past frames that began by jumps. */
SIM_QUICK bool sim_quick_return(struct sim_call_graph *g, struct sim_quick *q,
				const struct sim_segment *entered, uint64_t sp,
				const struct sim_totals *totals)
{
	const struct sim_frame *frame = q->top;

	if (frame->sp != sp)
		return false;
	while (frame[-1].sp == sp) /* no return ends a root, which is the first frame */
		frame--;
	if (frame[-1].sp < sp || entered->node != frame->caller)
		return false;
	q->fiber->sp = sp;
	do
		sim_quick_pop(g, q, totals);
	while (q->top >= frame);
	return true;
}

/* Go from a stub to the called function. */
SIM_QUICK bool sim_quick_lead_on(struct sim_call_graph *g, struct sim_quick *q, uint32_t function,
				 const struct sim_totals *totals)
{
	const struct sim_arc *stub = q->top->arc;
	const uint64_t sp = q->top->sp, back = q->top->back;
	struct sim_arc *arc = stub->other;

	if (arc == NULL || arc->function != function)
		return false;
	arc = sim_quick_flagged(q, arc, stub->flags & SIM_ARC_JUMP);
	if (arc == NULL)
		return false;
	sim_quick_pop(g, q, totals);
	if (!sim_quick_has_room(g, q, totals)) {
		g->lost++;
		return true;
	}
	sim_quick_push(g, q, arc, sp, totals);
	q->top->back = back;
	return true;
}

/*
 * A jump into the middle of a function that is already active goes back to it, mostly from a part
 * that the compiler has separated. Returns false for other jumps.
 */
SIM_QUICK bool sim_quick_go_back(const struct sim_call_graph *g, struct sim_quick *q,
				 const struct sim_segment *entered, uint32_t node,
				 const struct sim_totals *totals)
{
	if (q->contexts || !sim_quick_is_active(q, node) || sim_is_entry(g, entered))
		return false;
	for (const struct sim_frame *last = q->fiber->frame + q->active[node]; q->top >= last;)
		sim_quick_pop(g, q, totals);
	q->node = node;
	return true;
}

/*
 * A jump to the beginning of a function that such a jump has made active since the call: it just
 * continues. Interpreters that end each handler with a jump to the next do this. Returns false for
 * other jumps, or if the arc is unknown.
 */
SIM_QUICK bool sim_quick_chain(const struct sim_call_graph *g, struct sim_quick *q,
			       const struct sim_segment *entered, struct sim_arc *arc)
{
	arc = sim_quick_flagged(q, arc, SIM_ARC_JUMP);
	if (arc == NULL || !(arc->flags & SIM_ARC_RECURSIVE) || !sim_is_entry(g, entered) ||
	    q->fiber->frame[q->active[arc->callee] - 1].sp != q->top->sp)
		return false;
	arc->calls++;
	q->node = arc->callee;
	return true;
}

SIM_QUICK bool sim_quick_jump(struct sim_call_graph *g, struct sim_quick *q,
			      const struct sim_segment *left, const struct sim_segment *entered,
			      const struct sim_totals *totals)
{
	const struct sim_arc *top = q->top->arc;
	struct sim_arc *arc;

	if (entered->node == q->node)
		return true;
	if (top->leads_on && top->callee == q->node && top->caller != 0)
		return sim_quick_lead_on(g, q, entered->function, totals);
	if (sim_quick_go_back(g, q, entered, entered->node, totals))
		return true;
	arc = sim_quick_arc(q, left, entered);
	if (sim_quick_chain(g, q, entered, arc))
		return true;
	arc = sim_quick_flagged(q, arc, SIM_ARC_JUMP);
	/* Jumps to active functions have their own rules, above. */
	if (arc == NULL || (arc->flags & ~SIM_ARC_NESTED) != SIM_ARC_JUMP ||
	    !sim_quick_has_room(g, q, totals))
		return false;
	sim_quick_push(g, q, arc, q->top->sp, totals);
	return true;
}

/* `left` was left for `entered`. Returns false, with nothing done, if it needs the slow rules. */
SIM_QUICK bool sim_quick_step(struct sim_call_graph *g, struct sim_quick *q,
			      const struct sim_segment *left, const struct sim_segment *entered,
			      uint64_t sp, const struct sim_totals *totals)
{
	if (q->top == NULL)
		return false;
	if (left->end < SIM_END_FIRST_TRANSFER)
		return sim_quick_jump(g, q, left, entered, totals);
	if (left->end == SIM_END_RETURN)
		return sim_quick_return(g, q, entered, sp, totals);
	return sim_quick_call(g, q, left, entered, sp, totals);
}

#endif
