/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows steps one after the other; see call_steps.h. */
#include "sim/calls/call_steps.h"

#include "sim/calls/quick_step.h"

/* Segments are far apart in memory: prefetch this many steps ahead. */
#define AHEAD 8

struct sim_segment sim_step_nothing = {.end = SIM_END_NOTHING};
struct sim_segment sim_step_event = {.end = SIM_END_EVENT};
struct sim_segment sim_step_events = {.end = SIM_END_EVENTS};

static __attribute__((noinline)) void step_slowly(struct sim_call_graph *g,
						  struct sim_call_stack *s,
						  const struct sim_step *step,
						  const struct sim_totals *totals)
{
	struct sim_segment *left = step->left;

	if (left->end != SIM_END_NOTHING)
		sim_call_graph_leave(s, left, &left->own, step->sp);
	sim_call_graph_enter(g, s, step->entered, totals);
}

static void prefetch(const struct sim_step *step, const struct sim_step *end)
{
	if (step + AHEAD >= end)
		return;
	__builtin_prefetch(step[AHEAD].left);
	__builtin_prefetch(step[AHEAD].entered);
}

void sim_call_graph_steps(struct sim_call_graph *g, struct sim_call_stack *s,
			  struct sim_totals *totals, const struct sim_step *step,
			  const struct sim_step *end)
{
	struct sim_quick q;

	sim_quick_load(&q, s, false);
	for (; step < end; step++) {
		const struct sim_segment *left = step->left, *entered = step->entered;
		bool done;

		prefetch(step, end);
		if (left->end == SIM_END_EVENT) {
			sim_totals_add(totals, step->sp, step->counts);
			continue;
		}
		if (left->end == SIM_END_EVENTS) {
			sim_totals_add_each(totals, step->counts);
			continue;
		}
		sim_totals_take(totals, step->counts);
		if (left->end == SIM_END_NOTHING)
			done = false;
		else
			done = sim_quick_step(g, &q, left, entered, step->sp, totals);
		if (done && entered->node == q.node)
			continue;
		sim_quick_store(&q, s);
		if (done)
			sim_cells_choose(g, s, step->entered);
		else
			step_slowly(g, s, step, totals);
		sim_quick_load(&q, s, false);
	}
	sim_quick_store(&q, s);
}
