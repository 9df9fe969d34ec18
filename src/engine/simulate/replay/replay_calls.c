/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between replaying and the call graph; see replay_calls.h. */
#include "engine/simulate/replay/replay_calls.h"

#include "engine/simulate/counts/cells.h"
#include "engine/simulate/plan/plan.h"

_Static_assert(CELL_FIRST_MISS == SIM_OFTEN, "bits of events begin with the first miss");

/*
 * Stand-ins for a last segment: `idle` writes no step; `due` writes one that only enters the next.
 */
static struct {
	struct segment segment;
	struct sim_segment graph; /* see segment_graph */
} idle, due = {{.counts = SEGMENT_LEAVES}, {.end = SIM_END_NOTHING}};

static struct sim_step steps[REPLAY_STEPS + REPLAY_MORE];

struct replay_calls replay_calls = {
	.next = steps, .limit = steps + REPLAY_STEPS, .last = &idle.segment};

void replay_calls_follow(void)
{
	struct replay_calls *c = &replay_calls;

	if (c->next != steps)
		graph_steps(c->thread, steps, c->next);
	c->next = steps;
}

/* Add the sum over segments to the thread's totals. */
static void take_counts(void)
{
	replay_calls_follow();
	sim_totals_take(&replay_calls.thread->totals, replay_calls.counts);
}

/* Report the segment whose entries begin at p to the graph. */
static void enter_at(const uint64_t *p)
{
	struct sim_cell *cell;

	if (p >= replay_calls.end)
		return; /* it begins in the next buffer */
	while (!(*p >> 63))
		p++;
	cell = graph_enter(replay_calls.thread, segments_of_trailer(*p));
	replay_calls.cell = plan.contexts ? cell : 0;
}

void replay_calls_begin(struct graph_thread *thread, const uint64_t *p, const uint64_t *end)
{
	struct replay_calls *c = &replay_calls;

	c->thread = thread;
	c->end = end;
	c->cell = 0;
	c->counts = 0;
	c->last = &idle.segment;
	c->is_direct = thread && !graph_takes_steps();
	c->step_bytes = thread && !c->is_direct ? sizeof *c->next : 0;
	if (!thread)
		return;
	sim_totals_restart(&thread->totals);
	if (thread->is_due && c->is_direct)
		enter_at(p);
	else if (thread->is_due)
		c->last = &due.segment;
}

void replay_calls_end(const uint64_t *end)
{
	struct replay_calls *c = &replay_calls;
	struct segment *last = c->last;

	if (!c->thread)
		return;
	take_counts();
	if (c->is_direct)
		return;
	c->thread->is_due = last == &due.segment;
	if (last != &due.segment && last->counts & SEGMENT_LEAVES)
		graph_leave(c->thread, last, &segment_graph(last)->own,
			    last->accesses ? end[-2] : 0);
}

void replay_calls_meet(struct segment *s)
{
	struct replay_calls *c = &replay_calls;
	struct sim_cell *cell;

	if (!c->is_direct) {
		graph_meet(s);
		if (c->next >= c->limit)
			replay_calls_follow();
		*c->next++ = (struct sim_step){.left = &sim_step_nothing,
					       .entered = segment_graph(s),
					       .counts = c->counts};
		return;
	}
	take_counts();
	cell = graph_enter(c->thread, s);
	c->cell = plan.contexts ? cell : 0;
}

void replay_left(struct segment *s, const uint64_t *next)
{
	struct sim_cell *cell = replay_calls.cell ? replay_calls.cell : &segment_graph(s)->own;

	take_counts();
	if (cell != &segment_graph(s)->own) {
		s->executions--;
		cell->executions++;
	}
	graph_leave(replay_calls.thread, s, cell, s->accesses ? next[-2] : 0);
	enter_at(next);
}

void replay_calls_cut(struct segment *s, const uint64_t *next)
{
	struct replay_calls *c = &replay_calls;

	take_counts();
	graph_cut(c->thread, s, c->cell ? c->cell : &segment_graph(s)->own);
	if (c->is_direct)
		enter_at(next);
	else
		c->last = &due.segment;
}

void replay_calls_count(uint32_t event, uint64_t amount)
{
	struct replay_calls *c = &replay_calls;

	if (!c->thread)
		return;
	if (c->is_direct) {
		sim_totals_add(&c->thread->totals, event, amount);
		return;
	}
	if (c->next >= c->limit)
		replay_calls_follow();
	*c->next++ = (struct sim_step){
		.left = &sim_step_event, .entered = &sim_step_event, .sp = event, .counts = amount};
}

void replay_calls_count_each(uint64_t bits)
{
	struct replay_calls *c = &replay_calls;

	if (!c->thread)
		return;
	if (c->is_direct) {
		sim_totals_add_each(&c->thread->totals, bits);
		return;
	}
	if (c->next >= c->limit)
		replay_calls_follow();
	*c->next++ = (struct sim_step){
		.left = &sim_step_events, .entered = &sim_step_events, .counts = bits};
}

void replay_calls_count_all(const uint64_t *events)
{
	if (!replay_calls.thread)
		return;
	for (uint32_t i = 0; i < replay_calls.events; i++)
		if (events[i])
			replay_calls_count(i, events[i]);
}
