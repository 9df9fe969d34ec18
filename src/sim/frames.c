/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of shadow stacks. What makes calls cheap: the arc that a call took last is tried first, and
 * whether a node is active is one look into an array. A call and its return cost 15 ns with
 * nine events, most of it for copying and subtracting them.
 */
#include "sim/frames.h"

#include <stddef.h>

#define FIRST_FRAMES 64u
#define FIRST_ACTIVE 256u

static bool has_contexts(const struct sim_call_graph *g)
{
	return g->config.depth != 0;
}

/* ---- Room ---- */

static uint32_t *bigger(const struct sim_call_graph *g, uint32_t *items, uint32_t *room,
			uint32_t index)
{
	uint32_t wanted = *room == 0 ? FIRST_ACTIVE : *room;
	uint32_t *more;

	while (wanted <= index)
		wanted *= 2;
	more = sim_take(g->memory, wanted * sizeof(*more));
	if (more == NULL)
		return NULL;
	for (uint32_t i = 0; i < *room; i++)
		more[i] = items[i];
	sim_give(g->memory, items, *room * sizeof(*items));
	*room = wanted;
	return more;
}

/* Have places for the node and its function in the arrays of what is active. */
static bool has_places(const struct sim_call_graph *g, struct sim_call_stack *s, uint32_t node)
{
	uint32_t function = sim_function_of(g, node);
	uint32_t *more;

	if (node >= s->active_room) {
		more = bigger(g, s->active, &s->active_room, node);
		if (more == NULL)
			return false;
		s->active = more;
	}
	if (has_contexts(g) && function >= s->active_function_room) {
		more = bigger(g, s->active_function, &s->active_function_room, function);
		if (more == NULL)
			return false;
		s->active_function = more;
	}
	return true;
}

static bool grow_frames(const struct sim_call_graph *g, struct sim_fiber *f)
{
	uint32_t room = f->room == 0 ? FIRST_FRAMES : f->room * 2;
	uint64_t events = g->config.events;
	struct sim_frame *frame = sim_take(g->memory, room * sizeof(*frame));
	uint64_t *snapshot = sim_take(g->memory, room * events * sizeof(*snapshot));

	if (frame == NULL || snapshot == NULL) {
		sim_give(g->memory, frame, room * sizeof(*frame));
		sim_give(g->memory, snapshot, room * events * sizeof(*snapshot));
		return false;
	}
	for (uint32_t i = 0; i < f->count; i++)
		frame[i] = f->frame[i];
	for (uint64_t i = 0; i < f->count * events; i++)
		snapshot[i] = f->snapshot[i];
	sim_give(g->memory, f->frame, f->room * sizeof(*frame));
	sim_give(g->memory, f->snapshot, f->room * events * sizeof(*snapshot));
	f->frame = frame;
	f->snapshot = snapshot;
	f->room = room;
	return true;
}

/* ---- What is active ---- */

static uint32_t active_node(const struct sim_call_stack *s, uint32_t node)
{
	return node < s->active_room ? s->active[node] : 0;
}

static uint32_t active_function(const struct sim_call_stack *s, uint32_t function)
{
	return function < s->active_function_room ? s->active_function[function] : 0;
}

uint32_t sim_frames_active(struct sim_call_graph *g, const struct sim_call_stack *s,
			   uint32_t function)
{
	if (has_contexts(g))
		return active_function(s, function);
	return active_node(s, sim_contexts_child(&g->contexts, s->node, function));
}

static void activate(const struct sim_call_graph *g, struct sim_call_stack *s, uint32_t index)
{
	struct sim_frame *f = &s->fiber->frame[index];
	uint32_t node = f->arc->callee;

	f->outer = s->active[node];
	s->active[node] = index + 1;
	if (has_contexts(g)) {
		uint32_t function = sim_function_of(g, node);

		f->outer_function = s->active_function[function];
		s->active_function[function] = index + 1;
	}
}

static void deactivate(const struct sim_call_graph *g, struct sim_call_stack *s, uint32_t index)
{
	const struct sim_frame *f = &s->fiber->frame[index];
	uint32_t node = f->arc->callee;

	s->active[node] = f->outer;
	if (has_contexts(g))
		s->active_function[sim_function_of(g, node)] = f->outer_function;
}

/* ---- Calls ---- */

/*
 * The node that a call leads to. A function that is among the last callers already goes on in the
 * node of its newest activation.
 */
static uint32_t callee_of(struct sim_call_graph *g, const struct sim_call_stack *s,
			  const struct sim_call *c, bool *folded)
{
	uint32_t active;

	*folded = false;
	if (c->caller == 0)
		return sim_contexts_root(&g->contexts, c->function,
					 g->config.separate_threads ? s->thread : UINT32_MAX);
	active = has_contexts(g) ? active_function(s, c->function) : 0;
	if (active != 0 && sim_contexts_has(&g->contexts, c->caller, c->function)) {
		*folded = true;
		return s->fiber->frame[active - 1].arc->callee;
	}
	return sim_contexts_child(&g->contexts, c->caller, c->function);
}

static bool is_recursive(const struct sim_call_graph *g, const struct sim_call_stack *s,
			 uint32_t node)
{
	return has_contexts(g) ? active_function(s, sim_function_of(g, node)) != 0
			       : active_node(s, node) != 0;
}

/* The arc of a call; NULL when memory ran out. */
static struct sim_arc *arc_of(struct sim_call_graph *g, struct sim_call_stack *s,
			      const struct sim_call *c)
{
	struct sim_arc *arc = c->recent != NULL ? *c->recent : NULL;
	uint32_t callee, flags;
	bool folded;

	if (arc != NULL && arc->caller == c->caller && arc->pc == c->pc && !arc->folded &&
	    sim_function_of(g, arc->callee) == c->function) {
		flags = c->flags | (is_recursive(g, s, arc->callee) ? SIM_ARC_RECURSIVE : 0);
		/* What is folded is recursive, but not all that is recursive is folded. */
		if (arc->flags == flags && (!(flags & SIM_ARC_RECURSIVE) || !has_contexts(g)))
			return arc;
	}
	callee = callee_of(g, s, c, &folded);
	if (callee == 0)
		return NULL;
	flags = c->flags | (is_recursive(g, s, callee) ? SIM_ARC_RECURSIVE : 0);
	arc = sim_arcs_find(g, c->caller, c->pc, callee, flags);
	if (arc == NULL || !has_places(g, s, callee))
		return NULL;
	arc->folded = folded;
	g->contexts.items[callee].entered = true;
	if (c->recent != NULL)
		*c->recent = arc;
	return arc;
}

static void push_arc(struct sim_call_graph *g, struct sim_call_stack *s, struct sim_arc *arc,
		     uint64_t sp, const uint64_t *totals)
{
	struct sim_fiber *f = s->fiber;
	const unsigned events = g->config.events;
	uint64_t *snapshot = f->snapshot + (uint64_t)f->count * events;

	f->frame[f->count] = (struct sim_frame){.sp = sp, .arc = arc, .caller = s->node};
	for (unsigned i = 0; i < events; i++)
		snapshot[i] = totals[i];
	activate(g, s, f->count++);
	arc->calls++;
	s->node = arc->callee;
}

void sim_frames_push(struct sim_call_graph *g, struct sim_call_stack *s, const struct sim_call *c,
		     const uint64_t *totals)
{
	struct sim_fiber *f = s->fiber;
	struct sim_arc *arc = arc_of(g, s, c);

	if (arc == NULL || !has_places(g, s, arc->callee) ||
	    (f->count == f->room && !grow_frames(g, f)))
		g->lost++;
	else
		push_arc(g, s, arc, c->sp, totals);
}

void sim_frames_chain(struct sim_call_graph *g, struct sim_call_stack *s, const struct sim_call *c,
		      const uint64_t *totals)
{
	struct sim_fiber *f = s->fiber;
	struct sim_arc *arc = arc_of(g, s, c);
	uint32_t active = arc != NULL ? active_node(s, arc->callee) : 0;

	if (active != 0 && f->frame[active - 1].sp == c->sp) {
		arc->calls++;
		s->node = arc->callee;
	} else if (arc == NULL || !has_places(g, s, arc->callee) ||
		   (f->count == f->room && !grow_frames(g, f))) {
		g->lost++;
	} else {
		push_arc(g, s, arc, c->sp, totals);
	}
}

void sim_frames_pop(struct sim_call_graph *g, struct sim_call_stack *s, const uint64_t *totals)
{
	struct sim_fiber *f = s->fiber;
	const unsigned events = g->config.events;
	const struct sim_frame *frame = &f->frame[--f->count];

	if (frame->outer == 0) {
		const uint64_t *snapshot = f->snapshot + (uint64_t)f->count * events;
		uint64_t *inclusive = frame->arc->inclusive;

		for (unsigned i = 0; i < events; i++)
			inclusive[i] += totals[i] - snapshot[i];
	}
	deactivate(g, s, f->count);
	s->node = frame->caller;
}

/* ---- All frames of a stack ---- */

void sim_frames_end(struct sim_call_graph *g, struct sim_call_stack *s, const uint64_t *totals)
{
	while (s->fiber->count != 0)
		sim_frames_pop(g, s, totals);
	s->node = SIM_NO_NODE;
}

void sim_frames_settle(struct sim_call_graph *g, struct sim_fiber *f, const uint64_t *totals)
{
	const unsigned events = g->config.events;

	for (uint32_t i = 0; i < f->count; i++) {
		const struct sim_frame *frame = &f->frame[i];
		uint64_t *snapshot = f->snapshot + (uint64_t)i * events;

		for (unsigned k = 0; k < events; k++) {
			if (frame->outer == 0)
				frame->arc->inclusive[k] += totals[k] - snapshot[k];
			snapshot[k] = totals[k];
		}
	}
}

void sim_frames_sleep(struct sim_call_graph *g, struct sim_call_stack *s, const uint64_t *totals)
{
	struct sim_fiber *f = s->fiber;

	for (uint32_t i = f->count; i-- > 0;)
		deactivate(g, s, i);
	for (unsigned k = 0; k < g->config.events; k++)
		f->left[k] = totals[k];
	f->node = s->node;
	f->used = ++s->switches;
}

void sim_frames_wake(struct sim_call_graph *g, struct sim_call_stack *s, const uint64_t *totals)
{
	struct sim_fiber *f = s->fiber;
	const unsigned events = g->config.events;

	for (uint32_t i = 0; i < f->count; i++) {
		activate(g, s, i);
		/* What happened elsewhere is not theirs. */
		for (unsigned k = 0; k < events; k++)
			f->snapshot[(uint64_t)i * events + k] += totals[k] - f->left[k];
	}
	s->node = f->node;
}
