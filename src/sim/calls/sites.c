/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exits of segments; see sites.h. */
#include "sim/calls/sites.h"

#include <stddef.h>

#include "sim/calls/call_steps.h"
#include "sim/calls/quick_step.h"

struct sim_site sim_site_of(const struct sim_call_graph *g, struct sim_segment *left, uint64_t pc,
			    uint64_t behind)
{
	const struct sim_function *f = &g->functions.items[left->function];
	struct sim_site site = {.left = left, .pc = pc, .is_fixed = pc != 0};

	site.is_call = left->end >= SIM_END_FIRST_TRANSFER && left->end != SIM_END_RETURN;
	if (site.is_call && behind >= f->start && behind < f->end)
		site.back = behind;
	if (left->end == SIM_END_JUMP_INDIRECT && !site.is_fixed &&
	    f->end - f->start <= UINT32_MAX) {
		site.back = f->start;
		site.span = (uint32_t)(f->end - f->start);
	}
	return site;
}

void sim_trail_take(struct sim_trail *trail, const uint64_t lane[2], struct sim_totals *totals)
{
	const uint64_t accesses = lane[0] - trail->seen[0], insns = lane[1] - trail->seen[1];

	trail->seen[0] = lane[0];
	trail->seen[1] = lane[1];
	totals->event[0] += insns & (((uint64_t)1 << SIM_LANE_MODIFIES) - 1);
	totals->event[1] += (uint32_t)accesses + (insns >> SIM_LANE_MODIFIES);
	totals->event[2] += accesses >> 32;
}

void sim_call_graph_place(struct sim_call_graph *g, struct sim_segment *segment)
{
	if (segment->own.node == 0)
		segment->own.node = sim_contexts_root(&g->contexts, segment->function, UINT32_MAX);
}

static void find_entered(struct sim_call_graph *g, const struct sim_trail *trail,
			 struct sim_site *site, const struct sim_exit *x)
{
	struct sim_segment *entered;

	if (!site->is_fixed)
		site->pc = x->pc;
	entered = trail->segment_at(site->pc);
	site->entered = entered;
	site->arc = NULL;
	if (entered == NULL)
		return;
	site->function = entered->function;
	if (!sim_call_graph_takes_steps(g)) /* nobody asks for the node */
		return;
	site->node = entered->node != 0
			     ? entered->node
			     : sim_contexts_root(&g->contexts, entered->function, UINT32_MAX);
}

/* The segment that the exit leads to; NULL if there is no code. */
SIM_QUICK struct sim_segment *entered_by(struct sim_call_graph *g, const struct sim_trail *trail,
					 struct sim_site *site, const struct sim_exit *x)
{
	if (site->entered == NULL || (!site->is_fixed && site->pc != x->pc))
		find_entered(g, trail, site, x);
	return site->entered;
}

/*
 * The site for this exit's target, which is known; NULL if there is no code. For interpreters,
 * which call everything from one place, looking up segment and arc each time took 5 % of perl's
 * time.
 */
SIM_QUICK struct sim_site *site_towards(struct sim_call_graph *g, const struct sim_trail *trail,
					struct sim_site *site, const struct sim_exit *x)
{
	const uint64_t key = (x->pc ^ (uint64_t)x->site << 40) * 0x9e3779b97f4a7c15;
	struct sim_site *towards = &trail->towards[key >> (64 - SIM_TOWARDS_BITS)];

	if (site->entered == NULL || site->is_fixed || site->pc == x->pc)
		return entered_by(g, trail, site, x) != NULL ? site : NULL;
	if (towards->pc == x->pc && towards->left == site->left && towards->entered != NULL)
		return towards;
	*towards = *site;
	find_entered(g, trail, towards, x);
	return towards->entered != NULL ? towards : NULL;
}

static __attribute__((noinline)) struct sim_arc *known_arc(uint32_t node, struct sim_site *site)
{
	const struct sim_quick q = {.node = node};

	site->arc = sim_quick_arc(&q, site->left, site->entered);
	return site->arc;
}

/* The arc to the target that was taken last, or another known one. */
SIM_QUICK struct sim_arc *arc_of(const struct sim_quick *q, struct sim_site *site)
{
	if (site->arc != NULL && site->arc->caller == q->node)
		return site->arc;
	return known_arc(q->node, site);
}

static bool quick_call(struct sim_call_graph *g, struct sim_quick *q, struct sim_site *site,
		       const struct sim_exit *x, const struct sim_totals *totals)
{
	struct sim_arc *arc;

	if (q->top->sp <= x->sp || !sim_is_near(q->fiber, x->sp))
		return false;
	arc = sim_quick_flagged(q, arc_of(q, site), 0);
	if (arc == NULL || !sim_quick_has_room(g, q, totals))
		return false;
	q->fiber->sp = x->sp;
	sim_quick_push(g, q, arc, x->sp, totals);
	q->top->back = site->back;
	return true;
}

/*
 * Like sim_quick_return, but compares the return address with the one of the call that made the
 * frame.
 */
static bool quick_return(struct sim_call_graph *g, struct sim_quick *q, const struct sim_exit *x,
			 const struct sim_totals *totals)
{
	const struct sim_frame *frame = q->top;
	const uint64_t sp = sim_exit_sp(x);

	if (frame->sp != sp)
		return false;
	while (frame[-1].sp == sp)
		frame--;
	if (frame[-1].sp < sp || frame->back != x->pc)
		return false;
	q->fiber->sp = sp;
	do
		sim_quick_pop(g, q, totals);
	while (q->top >= frame);
	return true;
}

static bool quick_jump(struct sim_call_graph *g, struct sim_quick *q, struct sim_site *site,
		       const struct sim_totals *totals)
{
	const struct sim_arc *top = q->top->arc;
	struct sim_arc *arc;

	if (site->node == q->node)
		return true;
	if (top->leads_on && top->callee == q->node && top->caller != 0)
		return sim_quick_lead_on(g, q, site->function, totals);
	if (sim_quick_is_active(q, site->node))
		return sim_quick_chain(g, q, site->entered, arc_of(q, site)) ||
		       sim_quick_go_back(g, q, site->entered, site->node, totals);
	arc = sim_quick_flagged(q, arc_of(q, site), SIM_ARC_JUMP);
	if (arc == NULL || (arc->flags & ~SIM_ARC_NESTED) != SIM_ARC_JUMP ||
	    !sim_quick_has_room(g, q, totals))
		return false;
	sim_quick_push(g, q, arc, q->top->sp, totals);
	return true;
}

/* Store the arc that the slow rules found in the site for this target, which had none. */
static void keep_arc(struct sim_call_graph *g, const struct sim_trail *trail, struct sim_site *site,
		     const struct sim_exit *x)
{
	struct sim_arc *arc = site->left->arc;

	site = site_towards(g, trail, site, x);
	if (site != NULL && arc != NULL && arc->function == site->function)
		site->arc = arc;
}

static __attribute__((noinline)) void step_slowly(struct sim_call_graph *g,
						  struct sim_call_stack *s,
						  const struct sim_trail *trail,
						  const struct sim_exit *x,
						  const struct sim_totals *totals)
{
	const bool returns = x->site & SIM_EXIT_RETURN;
	struct sim_site *site = &trail->sites[x->site & ~SIM_EXIT_RETURN];
	struct sim_segment *entered;
	struct sim_frame *top;

	if (x->site == SIM_EXIT_ENTERS || returns)
		entered = trail->segment_at(x->pc);
	else
		entered = entered_by(g, trail, site, x);
	if (entered == NULL)
		return;
	if (x->site != SIM_EXIT_ENTERS) {
		sim_call_graph_leave(s, site->left, sim_cells_left(g, s, site->left),
				     sim_exit_sp(x));
	}
	sim_call_graph_enter(g, s, entered, totals);
	if (x->site == SIM_EXIT_ENTERS || s->fiber->count == 0)
		return;
	if (!returns)
		keep_arc(g, trail, site, x);
	if (!site->is_call)
		return;
	top = sim_top(s);
	if (top->sp == x->sp && top->arc->pc == site->left->end_pc)
		top->back = site->back;
}

static bool quick_step(struct sim_call_graph *g, struct sim_quick *q, struct sim_trail *trail,
		       const struct sim_exit *x, const struct sim_totals *totals)
{
	struct sim_site *site;

	if (q->top == NULL || x->site == SIM_EXIT_ENTERS)
		return false;
	if (x->site & SIM_EXIT_RETURN)
		return quick_return(g, q, x, totals);
	site = &trail->sites[x->site];
	if (x->pc - site->back < site->span) /* within the function: a switch */
		return true;
	site = site_towards(g, trail, site, x);
	if (site == NULL)
		return false;
	return site->is_call ? quick_call(g, q, site, x, totals) : quick_jump(g, q, site, totals);
}

void sim_call_graph_exit(struct sim_call_graph *g, struct sim_call_stack *s,
			 struct sim_totals *totals, struct sim_trail *trail,
			 const struct sim_exit *x)
{
	struct sim_quick q;
	bool is_done;

	sim_trail_take(trail, x->lane, totals);
	sim_quick_load(&q, s, false);
	is_done = sim_call_graph_takes_steps(g) && quick_step(g, &q, trail, x, totals);
	sim_quick_store(&q, s);
	if (!is_done)
		step_slowly(g, s, trail, x, totals);
}
