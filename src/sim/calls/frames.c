/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of shadow stacks. Calls are cheap because the arc that a call last took is tried first,
 * and a look into an array tells whether a node is active.
 */
#include "sim/calls/quick_step.h"

#include <stddef.h>

#include "sim/base/event_bits.h"

#define FIRST_FRAMES 64u
#define FIRST_ACTIVE 256u

static bool has_contexts(const struct sim_call_graph *g)
{
	return g->config.depth != 0;
}

/* ---- Memory ---- */

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

/* Make room for the node and its function in the arrays of active nodes and functions. */
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
	struct sim_frame *frame = sim_take(g->memory, room * sizeof(*frame));

	if (frame == NULL)
		return false;
	for (uint32_t i = 0; i < f->count; i++)
		frame[i] = f->frame[i];
	sim_give(g->memory, f->frame, f->room * sizeof(*frame));
	f->frame = frame;
	f->room = room;
	return true;
}

static uint64_t rare_events(const struct sim_call_graph *g)
{
	return g->config.events > SIM_OFTEN ? g->config.events - SIM_OFTEN : 0;
}

static bool grow_rare(const struct sim_call_graph *g, struct sim_fiber *f)
{
	uint32_t room = f->rare_room == 0 ? FIRST_FRAMES : f->rare_room * 2;
	uint64_t words = rare_events(g) + 1;
	/* One allocation for both. */
	uint64_t *change = sim_take(g->memory, room * words * sizeof(*change));
	uint64_t *rare = change + room;

	if (change == NULL)
		return false;
	for (uint32_t i = 0; i < f->rare_count; i++)
		change[i] = f->rare_change[i];
	for (uint64_t i = 0; i < f->rare_count * (words - 1); i++)
		rare[i] = f->rare[i];
	sim_give(g->memory, f->rare_change, f->rare_room * words * sizeof(*change));
	f->rare_change = change;
	f->rare = rare;
	f->rare_room = room;
	return true;
}

bool sim_snapshots_take(const struct sim_call_graph *g, struct sim_fiber *f,
			const struct sim_frame *top, const struct sim_totals *totals)
{
	const uint64_t events = rare_events(g);

	f->rare_count = top != NULL ? top->rare + 1 : 0;
	if (f->rare_count == f->rare_room && !grow_rare(g, f))
		return false;
	f->rare_change[f->rare_count] = totals->changes;
	sim_numbers_copy(f->rare + f->rare_count * events, totals->event + SIM_OFTEN, events,
			 g->is_wide);
	f->rare_count++;
	return true;
}

/* Make room for one more frame. */
static bool has_room(const struct sim_call_graph *g, struct sim_fiber *f,
		     const struct sim_totals *totals)
{
	const struct sim_frame *top;

	if (f->count == f->room && !grow_frames(g, f))
		return false;
	top = f->count != 0 ? &f->frame[f->count - 1] : NULL;
	return sim_snapshot_is_new(f, totals) || sim_snapshots_take(g, f, top, totals);
}

void sim_frames_release(const struct sim_call_graph *g, struct sim_fiber *f)
{
	sim_give(g->memory, f->frame, f->room * sizeof(*f->frame));
	sim_give(g->memory, f->rare_change,
		 f->rare_room * (rare_events(g) + 1) * sizeof(*f->rare_change));
}

void sim_frames_add_rare(const struct sim_call_graph *g, const struct sim_fiber *f,
			 const struct sim_frame *frame, const struct sim_totals *totals)
{
	const uint64_t events = rare_events(g);

	sim_numbers_add_risen(frame->arc->inclusive + SIM_OFTEN, totals->event + SIM_OFTEN,
			      f->rare + frame->rare * events, events, g->is_wide);
}

/* ---- Active nodes ---- */

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

	s->made += f->arc->is_made;
	f->outer = s->active[node];
	s->active[node] = index + 1;
	sim_show(g, s->fiber, f, true);
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

	s->made -= f->arc->is_made;
	s->active[node] = f->outer;
	sim_show(g, s->fiber, f, false);
	if (has_contexts(g))
		s->active_function[sim_function_of(g, node)] = f->outer_function;
}

/* ---- Calls ---- */

/*
 * The node that a call leads to. If the function is among the last callers, it is the node of its
 * newest activation.
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

static bool is_nested(const struct sim_call_graph *g, const struct sim_call_stack *s, uint32_t node)
{
	return s->made != 0 && sim_is_made(g, node);
}

/* Link two arcs that differ only in recursion. */
static void introduce(struct sim_arc *a, struct sim_arc *b)
{
	if (a->leads_on || a->caller != b->caller || a->pc != b->pc || a->callee != b->callee ||
	    (a->flags ^ b->flags) != SIM_ARC_RECURSIVE)
		return;
	a->other = b;
	b->other = a;
}

/* The arc of a call; NULL when memory ran out. */
static struct sim_arc *arc_of(struct sim_call_graph *g, struct sim_call_stack *s,
			      const struct sim_call *c)
{
	struct sim_arc *arc = c->recent != NULL ? *c->recent : NULL;
	uint32_t callee, flags;
	bool folded;

	if (arc != NULL && arc->caller == c->caller && arc->pc == c->pc &&
	    arc->function == c->function && arc->flags == c->flags &&
	    !is_recursive(g, s, arc->callee) && !is_nested(g, s, arc->callee))
		return arc;
	callee = callee_of(g, s, c, &folded);
	if (callee == 0 || !has_places(g, s, callee))
		return NULL;
	flags = c->flags | (is_recursive(g, s, callee) ? SIM_ARC_RECURSIVE : 0) |
		(is_nested(g, s, callee) ? SIM_ARC_NESTED : 0);
	arc = sim_arcs_find(g, c->caller, c->pc, callee, flags);
	if (arc == NULL)
		return NULL;
	arc->function = folded ? 0 : c->function;
	g->contexts.items[callee].entered = true;
	if (c->recent != NULL) {
		if (*c->recent != NULL)
			introduce(*c->recent, arc);
		*c->recent = arc;
	}
	return arc;
}

bool sim_frames_open(struct sim_call_graph *g, struct sim_call_stack *s, struct sim_arc *arc,
		     uint64_t sp, const struct sim_totals *totals)
{
	struct sim_fiber *f = s->fiber;

	if (arc == NULL || !has_places(g, s, arc->callee) || !has_room(g, f, totals)) {
		g->lost++;
		return false;
	}
	sim_frame_begin(&f->frame[f->count++], f, s->node, arc, sp, totals);
	activate(g, s, f->count - 1);
	s->node = arc->callee;
	return true;
}

void sim_frames_push(struct sim_call_graph *g, struct sim_call_stack *s, const struct sim_call *c,
		     const struct sim_totals *totals)
{
	sim_frames_open(g, s, arc_of(g, s, c), c->sp, totals);
}

void sim_frames_chain(struct sim_call_graph *g, struct sim_call_stack *s, const struct sim_call *c,
		      const struct sim_totals *totals)
{
	struct sim_arc *arc = arc_of(g, s, c);
	uint32_t active = arc != NULL ? active_node(s, arc->callee) : 0;

	if (active != 0 && s->fiber->frame[active - 1].sp == c->sp) {
		arc->calls++;
		s->node = arc->callee;
	} else {
		sim_frames_open(g, s, arc, c->sp, totals);
	}
}

void sim_frames_pop(struct sim_call_graph *g, struct sim_call_stack *s,
		    const struct sim_totals *totals)
{
	struct sim_quick q;

	sim_quick_load(&q, s, has_contexts(g));
	sim_quick_pop(g, &q, totals);
	sim_quick_store(&q, s);
}

/* ---- All frames of a stack ---- */

void sim_frames_end(struct sim_call_graph *g, struct sim_call_stack *s,
		    const struct sim_totals *totals)
{
	while (s->fiber->count != 0)
		sim_frames_pop(g, s, totals);
	s->fiber->rare_count = 0;
	s->node = SIM_NO_NODE;
}

void sim_frames_restart(const struct sim_call_graph *g, struct sim_fiber *f,
			const struct sim_totals *totals)
{
	const uint64_t events = rare_events(g);

	for (uint32_t i = 0; i < f->count; i++) {
		f->frame[i].rare = 0;
		for (unsigned k = 0; k < SIM_OFTEN; k++)
			f->frame[i].often[k] = totals->event[k];
	}
	if (f->count == 0)
		return;
	/* All frames begin now, so one snapshot is enough. */
	f->rare_count = 1;
	f->rare_change[0] = totals->changes;
	for (uint64_t i = 0; i < events; i++)
		f->rare[i] = totals->event[SIM_OFTEN + i];
}

void sim_frames_settle(struct sim_call_graph *g, struct sim_fiber *f,
		       const struct sim_totals *totals)
{
	for (uint32_t i = 0; i < f->count; i++)
		if (f->frame[i].outer == 0)
			sim_frames_add(g, f, &f->frame[i], totals);
	sim_frames_restart(g, f, totals);
}

void sim_frames_sleep(struct sim_call_graph *g, struct sim_call_stack *s,
		      const struct sim_totals *totals)
{
	struct sim_fiber *f = s->fiber;

	for (uint32_t i = f->count; i-- > 0;)
		deactivate(g, s, i);
	f->left = *totals;
	f->node = s->node;
	f->used = ++s->switches;
}

/* Exclude the events on other stacks from the frames. */
static void shift(const struct sim_call_graph *g, struct sim_fiber *f,
		  const struct sim_totals *totals)
{
	const uint64_t events = rare_events(g);

	for (uint32_t i = 0; i < f->count; i++)
		for (unsigned k = 0; k < SIM_OFTEN; k++)
			f->frame[i].often[k] += totals->event[k] - f->left.event[k];
	if (totals->changes == f->left.changes)
		return;
	for (uint32_t i = 0; i < f->rare_count; i++) {
		for (uint64_t k = 0; k < events; k++)
			f->rare[i * events + k] +=
				totals->event[SIM_OFTEN + k] - f->left.event[SIM_OFTEN + k];
		if (f->rare_change[i] == f->left.changes)
			f->rare_change[i] = totals->changes;
	}
}

void sim_frames_wake(struct sim_call_graph *g, struct sim_call_stack *s,
		     const struct sim_totals *totals)
{
	for (uint32_t i = 0; i < s->fiber->count; i++)
		activate(g, s, i);
	shift(g, s->fiber, totals);
	s->node = s->fiber->node;
}
