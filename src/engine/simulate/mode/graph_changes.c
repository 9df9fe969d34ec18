/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ends calls that code follows, or makes them invalid; see graph_changes.h. */
#include "engine/simulate/mode/graph_changes.h"

#include "engine/core/util.h"
#include "engine/drive/collect.h"
#include "engine/simulate/calls/arcs_lines.h"
#include "engine/simulate/calls/filter_calls.h"
#include "engine/simulate/counts/graph.h"
#include "engine/simulate/mode/results.h"
#include "engine/simulate/plan/plan.h"
#include "engine/translate/world.h"

/* Functions that are active in other threads do not show meanwhile: so many did. */
static uint32_t shown;

/* The thread's calls change, up to end_change. */
static void begin_change(struct thread *t)
{
	struct sim_call_graph *const graph = graph_made();

	collect_lock();
	filter_calls_settle(t);
	shown = graph->shown_count;
	if (!arcs_are_of(t))
		graph->shown_count = 0;
}

static void end_change(struct thread *t)
{
	graph_made()->shown_count = shown;
	t->calls->is_due = true;
	collect_unlock();
}

void graph_break(struct thread *t)
{
	if (!t->calls)
		return;
	begin_change(t);
	sim_call_graph_end(graph_made(), &t->calls->stack, &t->calls->totals);
	end_change(t);
}

void graph_end(struct thread *t)
{
	struct sim_call_graph *const graph = graph_made();
	struct graph_thread *gt = t->calls;

	if (!gt)
		return;
	collect_lock();
	t->calls = 0;
	sim_call_stack_release(&gt->stack, graph);
	pages_put(gt, round_up(sizeof *gt, PAGE));
	collect_unlock();
}

void graph_signal(struct thread *t)
{
	if (!t->calls)
		return;
	begin_change(t);
	sim_call_graph_signal(graph_made(), &t->calls->stack, t->regs[RSP], &t->calls->totals);
	end_change(t);
}

void graph_signal_return(struct thread *t)
{
	if (!t->calls)
		return;
	collect_settle(t);
	begin_change(t);
	sim_call_graph_signal_return(graph_made(), &t->calls->stack, &t->calls->totals);
	end_change(t);
}

void graph_forget(struct process *p, uint64_t start, uint64_t end)
{
	struct sim_call_graph *const graph = graph_made();
	const bool is_apart = plan.turns && !filter_turn_is_own();

	if (!graph)
		return;
	if (is_apart)
		world_stop(thread_self(), 0);
	collect_lock();
	filter_calls_settle_all();
	results_flush_code(p, start, end);
	filter_forget_targets();
	arcs_forget_code(start, end);
	sim_call_graph_forget_code(graph, start, end);
	collect_unlock();
	if (is_apart)
		world_release();
}

void graph_forked(struct thread *t)
{
	graph_tell_all();
	filter_calls_settle_all();
	arcs_flush();
	if (t->calls)
		sim_call_graph_forked(graph_made(), &t->calls->stack, &t->calls->totals);
}
