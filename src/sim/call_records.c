/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records one after the other; see call_records.h. */
#include "sim/call_records.h"

#include <stddef.h>

#include "sim/quick_step.h"

/* Sites and arcs are far from each other: they are asked for so many records ahead. */
#define AHEAD	  12
#define ARC_AHEAD 6

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
	totals->event[0] += insns & (((uint64_t)1 << SIM_RECORD_MODIFIES) - 1);
	totals->event[1] += (uint32_t)accesses + (insns >> SIM_RECORD_MODIFIES);
	totals->event[2] += accesses >> 32;
}

void sim_call_graph_place(struct sim_call_graph *g, struct sim_segment *segment)
{
	if (segment->own.node == 0)
		segment->own.node = sim_contexts_root(&g->contexts, segment->function, UINT32_MAX);
}

static void add_events(struct sim_totals *totals, const struct sim_record *r)
{
	for (unsigned i = 0; i < SIM_RECORD_EVENT_COUNT; i++)
		totals->event[i] += (uint64_t)(int64_t)r->events[i];
	totals->changes++;
}

static void find_entered(struct sim_call_graph *g, const struct sim_trail *trail,
			 struct sim_site *site, const struct sim_record *r)
{
	struct sim_segment *entered;

	if (!site->is_fixed)
		site->pc = r->pc;
	entered = trail->segment_at(site->pc);
	site->entered = entered;
	site->arc = NULL;
	if (entered == NULL)
		return;
	site->function = entered->function;
	site->node = entered->node != 0
			     ? entered->node
			     : sim_contexts_root(&g->contexts, entered->function, UINT32_MAX);
}

/* Where the record of the site leads to; NULL: there is no code. */
SIM_QUICK struct sim_segment *entered_by(struct sim_call_graph *g, const struct sim_trail *trail,
					 struct sim_site *site, const struct sim_record *r)
{
	if (site->entered == NULL || (!site->is_fixed && site->pc != r->pc))
		find_entered(g, trail, site, r);
	return site->entered;
}

/* The arc to there that was taken last, or a known one. */
static struct sim_arc *arc_of(const struct sim_quick *q, struct sim_site *site)
{
	if (site->arc == NULL || site->arc->caller != q->node)
		site->arc = sim_quick_arc(q, site->left, site->entered);
	return site->arc;
}

SIM_QUICK bool quick_call(struct sim_call_graph *g, struct sim_quick *q, struct sim_site *site,
			  uint64_t sp, const struct sim_totals *totals)
{
	struct sim_arc *arc;

	if (q->top->sp <= sp || !sim_is_near(q->fiber, sp))
		return false;
	arc = sim_quick_flagged(q, arc_of(q, site), 0);
	if (arc == NULL || !sim_quick_has_room(g, q, totals))
		return false;
	q->fiber->sp = sp;
	sim_quick_push(q, arc, sp, totals);
	q->top->back = site->back;
	return true;
}

/* As sim_quick_return: the return address is the one behind the call that made the frame. */
SIM_QUICK bool quick_return(struct sim_call_graph *g, struct sim_quick *q,
			    const struct sim_record *r, const struct sim_totals *totals)
{
	const struct sim_frame *frame = q->top;
	const uint64_t sp = sim_record_sp(r);

	if (frame->sp != sp)
		return false;
	while (frame[-1].sp == sp)
		frame--;
	if (frame[-1].sp < sp || frame->back != r->pc)
		return false;
	q->fiber->sp = sp;
	do
		sim_quick_pop(g, q, totals);
	while (q->top >= frame);
	return true;
}

SIM_QUICK bool quick_jump(struct sim_call_graph *g, struct sim_quick *q, struct sim_site *site,
			  const struct sim_totals *totals)
{
	const struct sim_arc *top = q->top->arc;
	struct sim_arc *arc;

	if (site->node == q->node)
		return true;
	if (top->leads_on && top->callee == q->node && top->caller != 0)
		return sim_quick_lead_on(g, q, site->function, totals);
	arc = sim_quick_flagged(q, arc_of(q, site), SIM_ARC_JUMP);
	if (arc == NULL || arc->flags != SIM_ARC_JUMP || !sim_quick_has_room(g, q, totals))
		return false;
	sim_quick_push(q, arc, q->top->sp, totals);
	return true;
}

static __attribute__((noinline)) void step_slowly(struct sim_call_graph *g,
						  struct sim_call_stack *s,
						  const struct sim_trail *trail,
						  const struct sim_record *r,
						  const struct sim_totals *totals)
{
	const bool returns = r->site & SIM_RECORD_RETURN;
	struct sim_site *site = &trail->sites[r->site & ~SIM_RECORD_RETURN];
	struct sim_segment *entered;
	struct sim_frame *top;

	if (r->site == SIM_RECORD_ENTERS || returns)
		entered = trail->segment_at(r->pc);
	else
		entered = entered_by(g, trail, site, r);
	if (entered == NULL)
		return;
	if (r->site != SIM_RECORD_ENTERS)
		sim_call_graph_leave(s, site->left, &site->left->own, sim_record_sp(r));
	sim_call_graph_enter(g, s, entered, totals);
	if (r->site == SIM_RECORD_ENTERS || !site->is_call || s->fiber->count == 0)
		return;
	top = sim_top(s);
	if (top->sp == r->sp && top->arc->pc == site->left->end_pc)
		top->back = site->back;
}

/* `site` is that of a record, which is no return's. */
SIM_QUICK bool quick_step(struct sim_call_graph *g, struct sim_quick *q,
			  const struct sim_trail *trail, const struct sim_record *r,
			  const struct sim_totals *totals)
{
	struct sim_site *site = &trail->sites[r->site];

	if (r->pc - site->back < site->span) /* within its function: a switch */
		return true;
	if (entered_by(g, trail, site, r) == NULL)
		return false;
	return site->is_call ? quick_call(g, q, site, r->sp, totals)
			     : quick_jump(g, q, site, totals);
}

static void prefetch(const struct sim_trail *trail, const struct sim_record *r,
		     const struct sim_record *end)
{
	if (r + AHEAD >= end)
		return;
	__builtin_prefetch(&trail->sites[r[AHEAD].site & ~SIM_RECORD_RETURN]);
	__builtin_prefetch(trail->sites[r[ARC_AHEAD].site & ~SIM_RECORD_RETURN].arc);
}

void sim_call_graph_records(struct sim_call_graph *g, struct sim_call_stack *s,
			    struct sim_totals *totals, struct sim_trail *trail,
			    const struct sim_record *r, const struct sim_record *end)
{
	struct sim_quick q;

	sim_quick_load(&q, s, false);
	for (; r < end; r++) {
		bool done = false;

		prefetch(trail, r, end);
		if (r->site == SIM_RECORD_EVENTS) {
			add_events(totals, r);
			continue;
		}
		sim_trail_take(trail, r->lane, totals);
		if (q.top == NULL)
			done = false;
		else if (r->site & SIM_RECORD_RETURN)
			done = quick_return(g, &q, r, totals);
		else if (r->site != SIM_RECORD_ENTERS)
			done = quick_step(g, &q, trail, r, totals);
		if (done)
			continue;
		sim_quick_store(&q, s);
		step_slowly(g, s, trail, r, totals);
		sim_quick_load(&q, s, false);
	}
	sim_quick_store(&q, s);
}
