/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many steps of a thread through its call graph at once. Who executes segments writes down where
 * one of them was left for another function, or may have been, and goes on; what it has written is
 * followed later in one loop, which knows what comes next and whose branches go as those of the
 * program's calls. So a call and its return cost less than half of what telling them one by one
 * does, and spoil no other loop's prediction of branches.
 *
 * Only for graphs without contexts and jumps (sim_call_graph_takes_steps): those want each
 * segment's cell.
 */
#ifndef DWELL_SIM_CALLS_CALL_STEPS_H
#define DWELL_SIM_CALLS_CALL_STEPS_H

#include "sim/calls/call_graph.h"

/*
 * The first SIM_OFTEN events (instructions, reads, writes) in one word, to be summed up. The sum
 * must begin at 0 often enough: its parts have 24, 19 and 20 bits. The highest bit means nothing.
 */
#define SIM_COUNTS(insns, reads, writes) \
	((uint64_t)(insns) | (uint64_t)(reads) << 24 | (uint64_t)(writes) << 43)

/* The sum of SIM_COUNTS restarts at 0. */
static inline void sim_totals_restart(struct sim_totals *t)
{
	t->packed = 0;
}

/* The sum of SIM_COUNTS is now `counts`: add its growth to t. */
static inline void sim_totals_take(struct sim_totals *t, uint64_t counts)
{
	const uint64_t new = counts - t->packed;

	t->packed = counts;
	t->event[0] += new & 0xffffff;
	t->event[1] += new >> 24 & 0x7ffff;
	t->event[2] += new >> 43 & 0xfffff;
}

/* Add `amount` to an event. */
static inline void sim_totals_add(struct sim_totals *t, uint64_t event, uint64_t amount)
{
	t->event[event] += amount;
	t->changes += event >= SIM_OFTEN;
}

/* Add one to each event whose bit is set; bit 0 is number SIM_OFTEN. */
static inline void sim_totals_add_each(struct sim_totals *t, uint64_t bits)
{
	for (; bits != 0; bits &= bits - 1)
		t->event[SIM_OFTEN + __builtin_ctzll(bits)]++;
	t->changes++;
}

/*
 * left  entered
 *  s1    s2     s1 was executed to its end, and s2 comes next
 *  nothing s2   s2 comes next; what was before it has been told in another way, or nothing was
 *  event  any   sp is the number of an event, counts how often it happened
 *  events any   counts has a bit for each event that happened, as sim_totals_add_each wants it
 * The first two lines: sp as in sim_call_graph_leave; counts is the sum of SIM_COUNTS at the end of
 * s1.
 */
struct sim_step {
	struct sim_segment *left, *entered;
	uint64_t sp;
	uint64_t counts;
};

extern struct sim_segment sim_step_nothing, sim_step_event, sim_step_events;

static inline bool sim_call_graph_takes_steps(const struct sim_call_graph *g)
{
	return g->config.depth == 0 && !g->config.separate_threads && !g->config.jumps;
}

/*
 * Follow the steps from `step` up to `end`. Updates the totals; the caller counts executions of
 * cells.
 */
void sim_call_graph_steps(struct sim_call_graph *g, struct sim_call_stack *s,
			  struct sim_totals *totals, const struct sim_step *step,
			  const struct sim_step *end);

#endif
