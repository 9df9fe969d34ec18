/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows records one after the other; see call_records.h. */
#include "sim/calls/call_records.h"

#include <stddef.h>

#include "sim/base/event_bits.h"
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

SIM_QUICK void take(struct sim_trail *trail, const uint64_t lane[2], struct sim_totals *totals)
{
	const uint64_t accesses = lane[0] - trail->seen[0], insns = lane[1] - trail->seen[1];

	trail->seen[0] = lane[0];
	trail->seen[1] = lane[1];
	totals->event[0] += insns & (((uint64_t)1 << SIM_RECORD_MODIFIES) - 1);
	totals->event[1] += (uint32_t)accesses + (insns >> SIM_RECORD_MODIFIES);
	totals->event[2] += accesses >> 32;
}

void sim_trail_take(struct sim_trail *trail, const uint64_t lane[2], struct sim_totals *totals)
{
	take(trail, lane, totals);
}

void sim_call_graph_place(struct sim_call_graph *g, struct sim_segment *segment)
{
	if (segment->own.node == 0)
		segment->own.node = sim_contexts_root(&g->contexts, segment->function, UINT32_MAX);
}

/* Add one to each event in these words. */
static void add_words(struct sim_totals *totals, const struct sim_trail *trail,
		      const struct sim_record *r)
{
	const uint64_t *word = trail->words + r->first_word;

	for (const uint64_t *end = word + r->words; word < end; word++)
		sim_count_each_bit(totals->event + SIM_OFTEN, *word, trail->is_wide);
}

static void add_held(struct sim_totals *totals, struct sim_trail *trail)
{
	for (unsigned i = 0; i < SIM_GRAPH_EVENTS; i++) {
		totals->event[i] += trail->held[i];
		trail->held[i] = 0;
	}
}

SIM_QUICK void add_events(struct sim_totals *totals, struct sim_trail *trail,
			  const struct sim_record *r)
{
	if (r->site == SIM_RECORD_WORDS) {
		add_words(totals, trail, r);
	} else if (r->site == SIM_RECORD_HELD) {
		add_held(totals, trail);
	} else {
#pragma GCC unroll 9
		for (unsigned i = 0; i < SIM_RECORD_EVENT_COUNT; i++)
			totals->event[i] += (uint64_t)(int64_t)r->events[i];
	}
	totals->changes++;
}

void sim_trail_hold(struct sim_trail *trail, const struct sim_record *r)
{
	if (r->site == SIM_RECORD_WORDS) {
		struct sim_totals sum = {.changes = 0};

		add_words(&sum, trail, r);
		for (unsigned i = 0; i < SIM_GRAPH_EVENTS; i++)
			trail->held[i] += sum.event[i];
	} else if (r->site == SIM_RECORD_EVENTS) {
		for (unsigned i = 0; i < SIM_RECORD_EVENT_COUNT; i++)
			trail->held[i] += (uint64_t)(int64_t)r->events[i];
	}
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
	if (!sim_call_graph_takes_steps(g)) /* nobody asks for the node */
		return;
	site->node = entered->node != 0
			     ? entered->node
			     : sim_contexts_root(&g->contexts, entered->function, UINT32_MAX);
}

/* The segment that the record leads to; NULL if there is no code. */
SIM_QUICK struct sim_segment *entered_by(struct sim_call_graph *g, const struct sim_trail *trail,
					 struct sim_site *site, const struct sim_record *r)
{
	if (site->entered == NULL || (!site->is_fixed && site->pc != r->pc))
		find_entered(g, trail, site, r);
	return site->entered;
}

/*
 * The site for this record's target, which is known; NULL if there is no code. For interpreters,
 * which call everything from one place, looking up segment and arc each time took 5 % of perl's
 * time.
 */
SIM_QUICK struct sim_site *site_towards(struct sim_call_graph *g, const struct sim_trail *trail,
					struct sim_site *site, const struct sim_record *r)
{
	const uint64_t key = (r->pc ^ (uint64_t)r->site << 40) * 0x9e3779b97f4a7c15;
	struct sim_site *towards = &trail->towards[key >> (64 - SIM_TOWARDS_BITS)];

	if (site->entered == NULL || site->is_fixed || site->pc == r->pc)
		return entered_by(g, trail, site, r) != NULL ? site : NULL;
	if (towards->pc == r->pc && towards->left == site->left && towards->entered != NULL)
		return towards;
	*towards = *site;
	find_entered(g, trail, towards, r);
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

/*
 * The record of the next end, with at most one record of events before it; NULL if it has not been
 * written yet.
 */
SIM_QUICK const struct sim_record *next_end(const struct sim_record *r,
					    const struct sim_record *end)
{
	r += r + 1 < end && (r[1].site == SIM_RECORD_EVENTS || r[1].site == SIM_RECORD_WORDS) ? 2
											      : 1;
	return r < end ? r : NULL;
}

/*
 * Add the events of a record to the arc. A byte of bits may have more bits than there are counters.
 */
static void add_to_arc(const struct sim_call_graph *g, struct sim_arc *arc,
		       const struct sim_trail *trail, const struct sim_record *r)
{
	const bool is_wide = trail->is_wide && (g->config.events - SIM_OFTEN) % 8 == 0;

	for (uint32_t i = 0; r->site == SIM_RECORD_WORDS && i < r->words; i++)
		sim_count_each_bit(arc->inclusive + SIM_OFTEN, trail->words[r->first_word + i],
				   is_wide);
	for (unsigned i = 0;
	     r->site == SIM_RECORD_EVENTS && i < SIM_RECORD_EVENT_COUNT && i < g->config.events;
	     i++)
		arc->inclusive[i] += (uint64_t)(int64_t)r->events[i];
}

/*
 * An arc was taken at `from`, and the call ended at `to`, the next end; no frame was made for it.
 */
SIM_QUICK void pass(const struct sim_call_graph *g, struct sim_trail *trail, struct sim_arc *arc,
		    const struct sim_record *from, const struct sim_record *to,
		    struct sim_totals *totals)
{
	const uint64_t accesses = to->lane[0] - from->lane[0];
	const uint64_t insns = to->lane[1] - from->lane[1];
	const bool is_outermost = !(arc->flags & SIM_ARC_RECURSIVE);

	arc->calls++;
	if (is_outermost) {
		arc->inclusive[0] += insns & (((uint64_t)1 << SIM_RECORD_MODIFIES) - 1);
		arc->inclusive[1] += (uint32_t)accesses + (insns >> SIM_RECORD_MODIFIES);
		arc->inclusive[2] += accesses >> 32;
	}
	if (to == from + 1)
		return;
	add_events(totals, trail, from + 1);
	if (is_outermost)
		add_to_arc(g, arc, trail, from + 1);
}

/* A call, and where it began. */
struct begun {
	struct sim_arc *arc;
	const struct sim_record *at;
	uint64_t sp, back;
};

/*
 * If the call leads to a stub whose jump is the next end, skip the stub: *call becomes the call
 * that the jump leads to, as in sim_quick_lead_on.
 */
SIM_QUICK void pass_stub(struct sim_call_graph *g, const struct sim_quick *q,
			 struct sim_trail *trail, struct begun *call, const struct sim_record *next,
			 struct sim_totals *totals)
{
	struct sim_site *site = &trail->sites[next->site];
	struct sim_arc *arc = call->arc->other;

	if (next->site < SIM_FIRST_SITE || site->is_call || next->pc - site->back < site->span ||
	    entered_by(g, trail, site, next) == NULL || site->node == call->arc->callee ||
	    arc == NULL || arc->function != site->function)
		return;
	arc = sim_quick_flagged(q, arc, call->arc->flags & SIM_ARC_JUMP);
	if (arc == NULL)
		return;
	pass(g, trail, call->arc, call->at, next, totals);
	call->arc = arc;
	call->at = next;
}

/*
 * Follow the call at r. If the next end is its return, or the jump of a stub, follow that, too,
 * without making a frame. Returns the last record that was followed, or NULL for none.
 */
SIM_QUICK const struct sim_record *quick_call(struct sim_call_graph *g, struct sim_quick *q,
					      struct sim_trail *trail, struct sim_site *site,
					      const struct sim_record *r,
					      const struct sim_record *end,
					      struct sim_totals *totals)
{
	struct begun call = {.at = r, .sp = r->sp, .back = site->back};
	const struct sim_record *next;

	if (q->top->sp <= call.sp || !sim_is_near(q->fiber, call.sp))
		return NULL;
	call.arc = sim_quick_flagged(q, arc_of(q, site), 0);
	if (call.arc == NULL)
		return NULL;
	next = next_end(r, end);
	if (next != NULL && call.arc->leads_on && !(next->site & SIM_RECORD_RETURN)) {
		pass_stub(g, q, trail, &call, next, totals);
		if (call.at == next)
			next = next_end(next, end);
	}
	if (next != NULL && (next->site & SIM_RECORD_RETURN) && sim_record_sp(next) == call.sp &&
	    next->pc == call.back) {
		pass(g, trail, call.arc, call.at, next, totals);
		q->fiber->sp = call.sp;
		return next;
	}
	take(trail, call.at->lane, totals);
	if (!sim_quick_has_room(g, q, totals)) {
		g->lost += call.at != r;
		return call.at != r ? call.at : NULL;
	}
	q->fiber->sp = call.sp;
	sim_quick_push(g, q, call.arc, call.sp, totals);
	q->top->back = call.back;
	return call.at;
}

/*
 * Like sim_quick_return, but compares the return address with the one of the call that made the
 * frame.
 */
SIM_QUICK bool quick_return(struct sim_call_graph *g, struct sim_quick *q, struct sim_trail *trail,
			    const struct sim_record *r, struct sim_totals *totals)
{
	const struct sim_frame *frame = q->top;
	const uint64_t sp = sim_record_sp(r);

	if (frame->sp != sp)
		return false;
	while (frame[-1].sp == sp)
		frame--;
	if (frame[-1].sp < sp || frame->back != r->pc)
		return false;
	take(trail, r->lane, totals);
	q->fiber->sp = sp;
	do
		sim_quick_pop(g, q, totals);
	while (q->top >= frame);
	return true;
}

/*
 * Returns the last record that was followed: r, or the next end if that is the jump of a stub; NULL
 * for none.
 */
SIM_QUICK const struct sim_record *quick_jump(struct sim_call_graph *g, struct sim_quick *q,
					      struct sim_trail *trail, struct sim_site *site,
					      const struct sim_record *r,
					      const struct sim_record *end,
					      struct sim_totals *totals)
{
	const struct sim_arc *top = q->top->arc;
	struct begun jump = {.at = r};
	const struct sim_record *next;

	if (site->node == q->node)
		return r;
	if (top->leads_on && top->callee == q->node && top->caller != 0) {
		take(trail, r->lane, totals);
		return sim_quick_lead_on(g, q, site->function, totals) ? r : NULL;
	}
	if (sim_quick_is_active(q, site->node)) {
		take(trail, r->lane, totals);
		return sim_quick_chain(g, q, site->entered, arc_of(q, site)) ||
				       sim_quick_go_back(g, q, site->entered, site->node, totals)
			       ? r
			       : NULL;
	}
	jump.arc = sim_quick_flagged(q, arc_of(q, site), SIM_ARC_JUMP);
	if (jump.arc == NULL || (jump.arc->flags & ~SIM_ARC_NESTED) != SIM_ARC_JUMP)
		return NULL;
	next = jump.arc->leads_on ? next_end(r, end) : NULL;
	if (next != NULL && !(next->site & SIM_RECORD_RETURN))
		pass_stub(g, q, trail, &jump, next, totals);
	take(trail, jump.at->lane, totals);
	if (!sim_quick_has_room(g, q, totals)) {
		g->lost += jump.at != r;
		return jump.at != r ? jump.at : NULL;
	}
	sim_quick_push(g, q, jump.arc, q->top->sp, totals);
	return jump.at;
}

/* Store the arc that the slow rules found in the site for this target, which had none. */
static void keep_arc(struct sim_call_graph *g, const struct sim_trail *trail, struct sim_site *site,
		     const struct sim_record *r)
{
	struct sim_arc *arc = site->left->arc;

	site = site_towards(g, trail, site, r);
	if (site != NULL && arc != NULL && arc->function == site->function)
		site->arc = arc;
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
	if (r->site != SIM_RECORD_ENTERS) {
		sim_call_graph_leave(s, site->left, sim_cells_left(g, s, site->left),
				     sim_record_sp(r));
	}
	sim_call_graph_enter(g, s, entered, totals);
	if (r->site == SIM_RECORD_ENTERS || s->fiber->count == 0)
		return;
	if (!returns)
		keep_arc(g, trail, site, r);
	if (!site->is_call)
		return;
	top = sim_top(s);
	if (top->sp == r->sp && top->arc->pc == site->left->end_pc)
		top->back = site->back;
}

/* Returns the last record that was followed, r or a later one; NULL for none. */
SIM_QUICK const struct sim_record *quick_step(struct sim_call_graph *g, struct sim_quick *q,
					      struct sim_trail *trail, const struct sim_record *r,
					      const struct sim_record *end,
					      struct sim_totals *totals)
{
	struct sim_site *site;

	if (q->top == NULL || r->site == SIM_RECORD_ENTERS)
		return NULL;
	if (r->site & SIM_RECORD_RETURN)
		return quick_return(g, q, trail, r, totals) ? r : NULL;
	site = &trail->sites[r->site];
	if (r->pc - site->back < site->span) /* within the function: a switch */
		return r;
	site = site_towards(g, trail, site, r);
	if (site == NULL)
		return NULL;
	if (site->is_call)
		return quick_call(g, q, trail, site, r, end, totals);
	return quick_jump(g, q, trail, site, r, end, totals);
}

/* Steps that did not need the totals have not updated them: do so at the end. */
static void take_last(struct sim_trail *trail, const struct sim_record *r,
		      const struct sim_record *end, struct sim_totals *totals)
{
	while (end > r && sim_record_is_of_events(end - 1))
		end--;
	if (end > r)
		take(trail, end[-1].lane, totals);
}

void sim_call_graph_records(struct sim_call_graph *g, struct sim_call_stack *s,
			    struct sim_totals *totals, struct sim_trail *trail,
			    const struct sim_record *r, const struct sim_record *end)
{
	const struct sim_record *const first = r, *last;
	const bool is_quick = sim_call_graph_takes_steps(g);
	struct sim_quick q;

	g->is_wide = trail->is_wide;
	sim_quick_load(&q, s, false);
	for (; r < end; r++) {
		if (sim_record_is_of_events(r)) {
			add_events(totals, trail, r);
			continue;
		}
		last = is_quick ? quick_step(g, &q, trail, r, end, totals) : NULL;
		if (last != NULL) {
			r = last;
			continue;
		}
		take(trail, r->lane, totals);
		sim_quick_store(&q, s);
		step_slowly(g, s, trail, r, totals);
		sim_quick_load(&q, s, false);
	}
	sim_quick_store(&q, s);
	take_last(trail, first, end, totals);
	g->is_wide = false;
}
