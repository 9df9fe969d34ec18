/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many steps of a thread through its call graph at once. Code that executes segments records where
 * it left one for another function, or may have done so, and continues. The steps are followed
 * later in one loop, which knows the next step, and whose branches behave as the program's calls.
 * So a call and its return cost less than half as much as when reported one by one, and disturb no
 * other loop's branch prediction.
 *
 * Only for graphs without contexts and jumps (sim_call_graph_takes_steps): those need each
 * segment's cell.
 */
#ifndef DWELL_SIM_CALLS_CALL_STEPS_H
#define DWELL_SIM_CALLS_CALL_STEPS_H

#include "sim/calls/call_graph.h"

/*
 * The first SIM_OFTEN events (instructions, reads, writes) in one word, for sums. The sum must
 * restart at 0 before its parts of 24, 19 and 20 bits overflow. The highest bit is unused.
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
 *   left     entered
 *   s1       s2       s1 was executed to its end, and s2 comes next
 *   nothing  s2       s2 comes next; what came before was reported in another way, or nothing was
 *   event    any      sp is the number of an event, counts how often it happened
 *   events   any      counts has a bit for each event that happened, see sim_totals_add_each
 * In the first two lines sp is as in sim_call_graph_leave, and counts is the sum of SIM_COUNTS at
 * the end of s1.
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
 * Follow the steps from `step` up to `end`. Updates the totals; the caller counts the executions of
 * cells.
 */
void sim_call_graph_steps(struct sim_call_graph *g, struct sim_call_stack *s,
			  struct sim_totals *totals, const struct sim_step *step,
			  const struct sim_step *end);

#endif
