/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records one after the other; see call_records.h. */
#include "sim/call_records.h"

#include <stddef.h>

#include "sim/event_bits.h"
#include "sim/quick_step.h"

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

/* What the lanes count, the events that are often. */
SIM_QUICK void add_lanes(uint64_t *event, uint64_t accesses, uint64_t insns)
{
	event[0] += insns & (((uint64_t)1 << SIM_RECORD_MODIFIES) - 1);
	event[1] += (uint32_t)accesses + (insns >> SIM_RECORD_MODIFIES);
	event[2] += accesses >> 32;
}

SIM_QUICK void take(struct sim_trail *trail, const uint64_t lane[2], struct sim_totals *totals)
{
	const uint64_t accesses = lane[0] - trail->seen[0], insns = lane[1] - trail->seen[1];

	trail->seen[0] = lane[0];
	trail->seen[1] = lane[1];
	add_lanes(totals->event, accesses, insns);
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

/* One more of each event of these words. */
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

/*
 * The site as it is where it leads to what the record says, which is known; NULL: there is no code. An interpreter calls all that
 * it has from one place: to look for segment and arc each time was 5 % of perl's time.
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

/* The arc to there that was taken last, or a known one. */
SIM_QUICK struct sim_arc *arc_of(const struct sim_quick *q, struct sim_site *site)
{
	if (site->arc != NULL && site->arc->caller == q->node)
		return site->arc;
	return known_arc(q->node, site);
}

/* Are there, perhaps, events in it that are often, and that the lanes do not have: those of string instructions? */
SIM_QUICK bool has_often(const struct sim_record *r)
{
	return r->site == SIM_RECORD_HELD ||
	       (r->site == SIM_RECORD_EVENTS &&
		(r->events[0] | r->events[1] | r->events[2]) != 0);
}

/*
 * The end that follows r, if it is known already; nothing lies between but one record of events that the lanes have not. NULL:
 * not so.
 */
SIM_QUICK const struct sim_record *next_end(const struct sim_record *r,
					    const struct sim_record *end)
{
	r++;
	if (r < end && sim_record_is_of_events(r)) {
		if (has_often(r))
			return NULL;
		r++;
	}
	return r < end ? r : NULL;
}

/* The events of a record are the arc's. A byte of bits may stand for counters that it has not. */
static void add_to_arc(const struct sim_call_graph *g, struct sim_arc *arc,
		       const struct sim_trail *trail, const struct sim_record *r)
{
	const bool is_wide = trail->is_wide && (g->config.events - SIM_OFTEN) % 8 == 0;

	for (uint32_t i = 0; r->site == SIM_RECORD_WORDS && i < r->words; i++)
		sim_count_each_bit(arc->inclusive + SIM_OFTEN, trail->words[r->first_word + i],
				   is_wide);
	for (unsigned i = 0; r->site == SIM_RECORD_EVENTS && i < SIM_RECORD_EVENT_COUNT &&
			     i < g->config.events;
	     i++)
		arc->inclusive[i] += (uint64_t)(int64_t)r->events[i];
}

/* An arc was taken at `from`, and what it led to has ended at `to`, which is the next end; nothing was pushed for it. */
SIM_QUICK void pass(const struct sim_call_graph *g, struct sim_trail *trail, struct sim_arc *arc,
		    const struct sim_record *from, const struct sim_record *to,
		    struct sim_totals *totals)
{
	const bool is_outermost = !(arc->flags & SIM_ARC_RECURSIVE);

	arc->calls++;
	if (is_outermost)
		add_lanes(arc->inclusive, to->lane[0] - from->lane[0],
			  to->lane[1] - from->lane[1]);
	if (to == from + 1)
		return;
	add_events(totals, trail, from + 1);
	if (is_outermost)
		add_to_arc(g, arc, trail, from + 1);
}

/* ---- Frames that begin at what the lanes are ---- */

SIM_QUICK void begin_frame(struct sim_quick *q, struct sim_arc *arc, uint64_t sp,
			   const struct sim_record *r)
{
	sim_quick_open(q, arc, sp);
	q->top->often[0] = r->lane[0];
	q->top->often[1] = r->lane[1];
}

/* The topmost frame ends at r. */
SIM_QUICK void end_frame(const struct sim_call_graph *g, struct sim_quick *q,
			 struct sim_trail *trail, const struct sim_record *r,
			 struct sim_totals *totals)
{
	struct sim_frame *frame = q->top;

	if (frame < q->by_lanes) {
		take(trail, r->lane, totals);
		sim_quick_pop(g, q, totals);
		q->by_lanes = frame;
		return;
	}
	if (frame->outer == 0) {
		add_lanes(frame->arc->inclusive, r->lane[0] - frame->often[0],
			  r->lane[1] - frame->often[1]);
		if (q->fiber->rare_change[frame->rare] != totals->changes)
			sim_frames_add_rare(g, q->fiber, frame, totals);
	}
	sim_quick_close(g, q);
}

void sim_trail_settle(struct sim_trail *trail, struct sim_call_stack *s,
		      const struct sim_totals *totals)
{
	for (uint32_t i = s->fiber->count - trail->by_lanes; i < s->fiber->count; i++) {
		uint64_t *const often = s->fiber->frame[i].often;
		uint64_t since[SIM_OFTEN] = {0};

		add_lanes(since, trail->seen[0] - often[0], trail->seen[1] - often[1]);
		for (unsigned k = 0; k < SIM_OFTEN; k++)
			often[k] = totals->event[k] - since[k];
	}
	trail->by_lanes = 0;
}

static void load(struct sim_quick *q, struct sim_trail *trail, const struct sim_call_stack *s)
{
	if (trail->by_lanes == 0) {
		trail->since[0] = trail->seen[0];
		trail->since[1] = trail->seen[1];
	}
	sim_quick_load(q, s, false);
	q->by_lanes = q->fiber->frame + q->fiber->count - trail->by_lanes;
}

static void store(const struct sim_quick *q, struct sim_trail *trail, struct sim_call_stack *s)
{
	sim_quick_store(q, s);
	trail->by_lanes = (uint32_t)(q->fiber->frame + q->fiber->count - q->by_lanes);
}

/* Far from where one part of a lane would run into the next. */
static bool lasts_long(const struct sim_trail *trail)
{
	const uint64_t accesses = trail->seen[0] - trail->since[0];
	const uint64_t insns = trail->seen[1] - trail->since[1];

	return ((uint32_t)accesses | accesses >> 32) >> 29 ||
	       (insns & (((uint64_t)1 << SIM_RECORD_MODIFIES) - 1)) >> 31 ||
	       insns >> (SIM_RECORD_MODIFIES + 27);
}

/* Out of a stub that has a frame, because it is not known at once where its jump goes to, or nothing was known of it when it was entered. */
static __attribute__((noinline)) bool lead_on(struct sim_call_graph *g, struct sim_quick *q,
					      struct sim_trail *trail, const struct sim_site *site,
					      const struct sim_record *r,
					      struct sim_totals *totals)
{
	const struct sim_arc *stub = q->top->arc;
	const uint64_t sp = q->top->sp, back = q->top->back;
	struct sim_arc *arc = stub->other;

	if (arc == NULL || arc->function != site->function)
		return false;
	arc = sim_quick_flagged(q, arc, stub->flags & SIM_ARC_JUMP);
	if (arc == NULL)
		return false;
	end_frame(g, q, trail, r, totals);
	if (!sim_quick_has_room(g, q, totals)) {
		g->lost++;
		return true;
	}
	begin_frame(q, arc, sp, r);
	q->top->back = back;
	return true;
}

/* The frame of a call, and when it began. */
struct begun {
	struct sim_arc *arc;
	const struct sim_record *at;
	uint64_t sp, back;
};

/*
 * Does the call lead to a stub whose jump is the next end? Then *call is what the jump leads to, as in
 * sim_quick_lead_on, and the stub is passed.
 */
SIM_QUICK void pass_stub(struct sim_call_graph *g, const struct sim_quick *q,
			 struct sim_trail *trail, struct begun *call,
			 const struct sim_record *next, struct sim_totals *totals)
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
 * Follows the call at r. Where the next end is its return, or the jump of a stub, no frame is made for it, and the
 * return or jump is followed as well. Returns the last record that is followed; NULL: none.
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
	if (!sim_quick_has_room(g, q, totals)) {
		g->lost += call.at != r;
		return call.at != r ? call.at : NULL;
	}
	q->fiber->sp = call.sp;
	begin_frame(q, call.arc, call.sp, call.at);
	q->top->back = call.back;
	return call.at;
}

/* As sim_quick_return: the return address is the one behind the call that made the frame. */
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
	q->fiber->sp = sp;
	do
		end_frame(g, q, trail, r, totals);
	while (q->top >= frame);
	return true;
}

/* Returns the last record that is followed: r or, if it leads to a stub whose jump is the next end, that. NULL: none. */
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
	if (top->leads_on && top->callee == q->node && top->caller != 0)
		return lead_on(g, q, trail, site, r, totals) ? r : NULL;
	if (sim_quick_is_active(q, site->node)) {
		const struct sim_frame *last = sim_quick_back_to(g, q, site->entered, site->node);

		if (last == NULL)
			return NULL;
		while (q->top > last)
			end_frame(g, q, trail, r, totals);
		q->node = site->node;
		return r;
	}
	jump.arc = sim_quick_flagged(q, arc_of(q, site), SIM_ARC_JUMP);
	if (jump.arc == NULL || jump.arc->flags != SIM_ARC_JUMP)
		return NULL;
	next = jump.arc->leads_on ? next_end(r, end) : NULL;
	if (next != NULL && !(next->site & SIM_RECORD_RETURN))
		pass_stub(g, q, trail, &jump, next, totals);
	if (!sim_quick_has_room(g, q, totals)) {
		g->lost += jump.at != r;
		return jump.at != r ? jump.at : NULL;
	}
	begin_frame(q, jump.arc, q->top->sp, jump.at);
	return jump.at;
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

/* Returns the last record that is followed, r or one behind it; NULL: none. */
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
	if (r->pc - site->back < site->span) /* within its function: a switch */
		return r;
	site = site_towards(g, trail, site, r);
	if (site == NULL)
		return NULL;
	if (site->is_call)
		return quick_call(g, q, trail, site, r, end, totals);
	return quick_jump(g, q, trail, site, r, end, totals);
}

/* Steps that nothing waits for have left the totals as they were. */
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
	struct sim_quick q;

	g->is_wide = trail->is_wide;
	load(&q, trail, s);
	for (; r < end; r++) {
		if (sim_record_is_of_events(r)) {
			if (has_often(r)) {
				store(&q, trail, s);
				take_last(trail, first, r, totals);
				sim_trail_settle(trail, s, totals);
				load(&q, trail, s);
			}
			add_events(totals, trail, r);
			continue;
		}
		last = quick_step(g, &q, trail, r, end, totals);
		if (last != NULL) {
			r = last;
			continue;
		}
		take(trail, r->lane, totals);
		store(&q, trail, s);
		sim_trail_settle(trail, s, totals);
		step_slowly(g, s, trail, r, totals);
		load(&q, trail, s);
	}
	store(&q, trail, s);
	take_last(trail, first, end, totals);
	if (lasts_long(trail))
		sim_trail_settle(trail, s, totals);
	g->is_wide = false;
}
