/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks of a thread. Programs change stacks unannounced (swapcontext and similar): the next
 * call or return shows it, as its stack pointer is not near the previous one. Most switches end in
 * a return to the very call that switched away, so a stack is identified by the address where it
 * was left.
 */
#include <stddef.h>

#include "sim/calls/frames.h"

/* A call this far down is a function with large variables; a farther one is on another stack. */
#define LARGEST_FRAME ((uint64_t)8 << 20)
/* How far outside its known part a call, or a return, still belongs to a stack. */
#define MARGIN	      ((uint64_t)64 << 10)
#define RETURN_MARGIN ((uint64_t)4 << 10)
/* Other stacks of a thread that are kept. */
#define MOST_FIBERS 1024u

static void free_fiber(struct sim_call_graph *g, struct sim_fiber *f)
{
	sim_frames_release(g, f);
	sim_give(g->memory, f, sizeof(*f));
}

static void unlink_fiber(struct sim_call_stack *s, const struct sim_fiber *f)
{
	struct sim_fiber **at = &s->fibers;

	while (*at != f)
		at = &(*at)->next;
	*at = f->next;
	s->fiber_count--;
}

static void switch_to(struct sim_call_graph *g, struct sim_call_stack *s, struct sim_fiber *to,
		      const struct sim_totals *totals)
{
	sim_frames_sleep(g, s, totals);
	s->fiber = to;
	sim_frames_wake(g, s, totals);
}

/* End a stack that is not running. Its calls ended when the thread left it. */
static void drop(struct sim_call_graph *g, struct sim_call_stack *s, struct sim_fiber *f)
{
	sim_frames_settle(g, f, &f->left);
	unlink_fiber(s, f);
	free_fiber(g, f);
}

/*
 * The stack that has not run for the longest time, except stacks of handlers and interrupted ones.
 */
static struct sim_fiber *oldest(const struct sim_call_stack *s)
{
	struct sim_fiber *found = NULL;

	for (struct sim_fiber *f = s->fibers; f != NULL; f = f->next)
		if (f != s->fiber && !f->is_interrupted && f->interrupted == NULL &&
		    (found == NULL || f->used < found->used))
			found = f;
	return found;
}

/* Add a new stack, which runs. Returns 0, or -1 without memory: then the old one keeps running. */
static int add_fiber(struct sim_call_graph *g, struct sim_call_stack *s,
		     const struct sim_totals *totals)
{
	struct sim_fiber *f;

	if (s->fiber_count >= MOST_FIBERS && (f = oldest(s)) != NULL)
		drop(g, s, f);
	f = sim_take(g->memory, sizeof(*f));
	if (f == NULL)
		return -1;
	f->left = *totals;
	f->node = SIM_NO_NODE;
	f->next = s->fibers;
	s->fibers = f;
	s->fiber_count++;
	if (s->fiber == NULL)
		s->fiber = f;
	else
		switch_to(g, s, f, totals);
	return 0;
}

/* ---- The choice of the stack ---- */

static bool covers(const struct sim_fiber *f, uint64_t sp, enum sim_move move)
{
	uint64_t margin = move == SIM_BY_CALL ? MARGIN : RETURN_MARGIN;

	return f->sp != 0 && sp + margin >= f->sp && sp <= f->high;
}

static uint64_t distance(const struct sim_fiber *f, uint64_t sp)
{
	return sp > f->sp ? sp - f->sp : f->sp - sp;
}

/* Find another stack that was left at sp, or else the nearest that covers it. */
static struct sim_fiber *find_other(const struct sim_call_stack *s, uint64_t sp, enum sim_move move)
{
	struct sim_fiber *found = NULL;

	for (struct sim_fiber *f = s->fibers; f != NULL; f = f->next) {
		if (f == s->fiber)
			continue;
		if (f->sp == sp)
			return f;
		if (covers(f, sp, move) && (found == NULL || distance(f, sp) < distance(found, sp)))
			found = f;
	}
	return found;
}

/* Tell whether sp belongs to the running stack, although it is outside its known part. */
static bool extends(const struct sim_fiber *f, uint64_t sp, enum sim_move move)
{
	if (f->sp == 0)
		return true;
	if (sp > f->high)
		return move != SIM_BY_RETURN_TO_ENTRY && sp - f->high < MARGIN;
	return sp > f->sp || f->sp - sp < (move == SIM_BY_CALL ? LARGEST_FRAME : RETURN_MARGIN);
}

static struct sim_fiber *handler_on(const struct sim_call_stack *s, const struct sim_fiber *below)
{
	struct sim_fiber *f = s->fibers;

	while (f != NULL && f->interrupted != below)
		f = f->next;
	return f;
}

/* End handlers on top of the running stack that a jump has left, the newest one first. */
static void drop_handlers(struct sim_call_graph *g, struct sim_call_stack *s)
{
	while (s->fiber->is_interrupted) {
		struct sim_fiber *f = handler_on(s, s->fiber);

		while (f != NULL && f->is_interrupted)
			f = handler_on(s, f);
		if (f == NULL) {
			s->fiber->is_interrupted = false;
			return;
		}
		f->interrupted->is_interrupted = false;
		drop(g, s, f);
	}
}

void sim_fibers_choose(struct sim_call_graph *g, struct sim_call_stack *s, uint64_t sp,
		       enum sim_move move, const struct sim_totals *totals)
{
	struct sim_fiber *f = s->fiber, *other = find_other(s, sp, move);

	/*
	 * If both stacks are possible, stay on this one, unless the other was left exactly at sp.
	 */
	if ((covers(f, sp, move) && (other == NULL || other->sp != sp)) ||
	    (other == NULL && extends(f, sp, move))) {
		if (f->sp == 0 || sp > f->high)
			f->high = sp;
		return;
	}
	if (other == NULL) {
		if (add_fiber(g, s, totals) == 0)
			s->fiber->high = sp;
		s->root_flags = SIM_ARC_START;
		return;
	}
	switch_to(g, s, other, totals);
	drop_handlers(g, s);
	/* Its memory is used for a new stack. */
	if (move == SIM_BY_RETURN_TO_ENTRY && other->sp != sp) {
		sim_frames_end(g, s, totals);
		s->root_flags = SIM_ARC_START;
	}
}

/* ---- Signals ---- */

void sim_call_graph_signal(struct sim_call_graph *g, struct sim_call_stack *s, uint64_t sp,
			   const struct sim_totals *totals)
{
	struct sim_fiber *below = s->fiber;

	below->transfer = s->transfer;
	below->last = s->last;
	below->cell = s->cell;
	below->last_sp = s->sp;
	if (add_fiber(g, s, totals) != 0) {
		g->lost++;
		return;
	}
	below->is_interrupted = true;
	s->fiber->interrupted = below;
	s->fiber->sp = s->fiber->high = sp;
	s->last = NULL;
	s->transfer = SIM_TRANSFERS;
	s->root_flags = SIM_ARC_SIGNAL;
}

void sim_call_graph_signal_return(struct sim_call_graph *g, struct sim_call_stack *s,
				  const struct sim_totals *totals)
{
	struct sim_fiber *handler = s->fiber, *below = handler->interrupted;

	if (below == NULL) { /* the interrupted stack is unknown */
		sim_call_graph_unfinished(s);
		return;
	}
	sim_frames_end(g, s, totals);
	switch_to(g, s, below, totals);
	unlink_fiber(s, handler);
	free_fiber(g, handler);
	below->is_interrupted = false;
	s->transfer = below->transfer;
	s->last = below->last;
	s->cell = below->cell;
	s->sp = below->last_sp;
	if (s->node == SIM_NO_NODE)
		s->root_flags = SIM_ARC_START;
}

/* ---- The stacks of a thread ---- */

int sim_call_stack_init(struct sim_call_stack *s, struct sim_call_graph *g, uint32_t thread)
{
	static const struct sim_totals nothing;

	*s = (struct sim_call_stack){.node = SIM_NO_NODE,
				     .transfer = SIM_TRANSFERS,
				     .thread = thread,
				     .root_flags = SIM_ARC_START};
	return add_fiber(g, s, &nothing);
}

void sim_call_stack_release(struct sim_call_stack *s, struct sim_call_graph *g)
{
	while (s->fibers != NULL) {
		struct sim_fiber *next = s->fibers->next;

		free_fiber(g, s->fibers);
		s->fibers = next;
	}
	sim_give(g->memory, s->active, s->active_room * sizeof(*s->active));
	sim_give(g->memory, s->active_function,
		 s->active_function_room * sizeof(*s->active_function));
	*s = (struct sim_call_stack){0};
}

void sim_call_graph_settle(struct sim_call_graph *g, struct sim_call_stack *s,
			   const struct sim_totals *totals)
{
	for (struct sim_fiber *f = s->fibers; f != NULL; f = f->next)
		sim_frames_settle(g, f, f == s->fiber ? totals : &f->left);
}

void sim_call_graph_end(struct sim_call_graph *g, struct sim_call_stack *s,
			const struct sim_totals *totals)
{
	struct sim_fiber *next;

	for (struct sim_fiber *f = s->fibers; f != NULL; f = next) {
		next = f->next;
		if (f != s->fiber)
			drop(g, s, f);
	}
	sim_frames_end(g, s, totals);
	s->fiber->interrupted = NULL;
	s->fiber->is_interrupted = false;
	s->fiber->sp = s->fiber->high = 0;
	s->last = NULL;
	s->transfer = SIM_TRANSFERS;
	s->root_flags = SIM_ARC_START;
}
