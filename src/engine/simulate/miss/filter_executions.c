/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Executions of segments, as their counters tell them; see filter_executions.h. */
#include "engine/simulate/miss/filter_executions.h"

#include "engine/simulate/calls/filter_calls.h"
#include "engine/simulate/calls/nodes.h"
#include "engine/simulate/counts/cells.h"
#include "engine/simulate/miss/branches.h"
#include "engine/simulate/miss/filter_references.h"
#include "engine/simulate/miss/filter_windows.h"
#include "engine/simulate/miss/uses.h"
#include "engine/simulate/miss/uses_code.h"
#include "engine/simulate/state/filter_counters.h"

/* With nodes that of executions in all of them. */
static uint64_t *counter_of(const struct segment *s)
{
	return counter_memory(plan.nodes ? s->passes : s->counter);
}

uint64_t filter_new_executions(const struct segment *s)
{
	const uint64_t *counter = counter_of(s);

	return plan.windows ? filter_window_executions(counter_number(s->counter), counter)
			    : *counter;
}

uint64_t filter_take_executions(struct segment *s)
{
	const uint64_t n = filter_new_executions(s);

	if (plan.uses)
		uses_code_counted(s);
	if (plan.windows)
		filter_window_take(counter_number(s->counter), counter_memory(s->counter));
	else
		*counter_of(s) = 0;
	s->executions += plan.nodes ? 0 : n; /* see nodes_take */
	return n;
}

void filter_count_executions(struct segment *s)
{
	uint64_t taken;

	if (!segment_has_counter(s))
		return;
	if (plan.nodes && !plan.references)
		return;
	branches_take(s);
	taken = filter_take_executions(s);
	if (plan.references)
		filter_references_executed(s, taken);
}

void filter_counter_triggers(struct segment *s)
{
	const uint64_t taken = filter_take_executions(s);

	if (plan.references)
		filter_references_began(s, taken);
	filter_window_trigger(counter_number(s->counter), counter_memory(s->counter));
}

uint32_t *filter_cell_number(struct segment *s, struct segment_insn *in)
{
	return plan.nodes ? nodes_cell_number(s, in) : &in->cell;
}

void filter_cut(struct thread *t)
{
	struct segment *s = segments_of_trailer(t->cut_segment);
	uint32_t insns = t->cut_insns - 1;

	t->cut_insns = 0;
	if (plan.nodes)
		nodes_execute(s, -(uint64_t)1);
	else
		s->executions--;
	branches_passed(t->cut_segment, segment_graph(s)->pc, 1);
	/* the thread's lanes have counted them */
	for (uint32_t i = 0; i < insns && i < s->insns; i++) {
		struct segment_insn *in = &segment_insns(s)[i];

		cells_add(filter_cell_number(s, in), 1, in->reads, in->writes);
	}
	if (plan.uses)
		uses_cut(s, insns + t->cut_tried);
	filter_calls_cut(t, s, insns);
	if (plan.references)
		filter_references_cut(t, s, insns);
}

uint32_t filter_new_counter(void)
{
	const uint32_t next = filter_next_counter();

	if (!next ||
	    (plan.windows && !filter_window_watch(counter_number(next), counter_memory(next))))
		return 0;
	return filter_new_plain_counter();
}
