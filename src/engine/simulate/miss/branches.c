/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often conditional branches are taken; see branches.h. */
#include "engine/simulate/miss/branches.h"

#include "engine/core/util.h"
#include "engine/simulate/calls/nodes.h"
#include "engine/simulate/miss/filter_executions.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/filter_counters.h"
#include "engine/simulate/state/filter_forms.h"
#include "engine/translate/job.h"

static uint32_t passes_from;

/* Does the segment end in a branch, and not to what is behind it anyway? That one is taken. */
static bool may_pass(const struct segment *s)
{
	const struct sim_segment *g = segment_graph(s);

	return s->end == SEGMENT_BRANCH && g->target != g->pc + s->bytes;
}

/* ---- Code ---- */

void branches_begin(void)
{
	passes_from = 0;
}

/* May the code of a call begin here? Then other blocks enter it, see begin_segment. */
static bool may_end_in_call(const struct job *j, uint32_t i)
{
	while (i < j->insns && !insn_ends_segment(&j->in[i]))
		i++;
	return i < j->insns && insn_is_call(&j->in[i]);
}

/*
 * Does only the end of the segment before lead to in[i], in a segment that counts itself, and in
 * the same node?
 */
static bool is_behind_only(const struct job *j, uint32_t i)
{
	const struct insn *in = &j->in[i];

	return i < j->insns && !in->entry && in->kind != INSN_REP && in->kind != INSN_ELEMENTS &&
	       !may_end_in_call(j, i) && !(plan.nodes && job_leaves(j, in->pc));
}

static void count_pass(struct job *j, uint32_t counter)
{
	const uint8_t live = j->end < j->insns ? j->live[j->end] : INSN_FLAGS;

	if (plan.nodes) {
		nodes_emit_pass(j, counter);
		return;
	}
	if (!live) {
		emit_add_abs(&j->o, counter);
		return;
	}
	emit_store_gs(&j->o, RCX, T_SPILL4);
	emit_count_abs(&j->o, RCX, counter);
	emit_load_gs(&j->o, RCX, T_SPILL4);
}

void branches_pass(struct job *j)
{
	struct segment *s = segments_of_trailer(j->trailer);
	uint32_t counter;

	passes_from = 0;
	if (!plan.branches || j->failed || !may_pass(s))
		return;
	if (is_behind_only(j, j->end)) {
		passes_from = j->trailer + 1;
		return;
	}
	if (!plan.nodes)
		s->passes = filter_new_plain_counter();
	counter = plan.nodes ? nodes_pass_counter(s) : s->passes;
	j->failed |= !counter;
	if (counter)
		count_pass(j, counter);
}

void branches_meet(const struct job *j, struct segment *s)
{
	engine_assert(!passes_from || !j->in[j->first].entry);
	segment_graph(s)->owner_counts_taken = true;
	segment_graph(s)->before = passes_from;
	passes_from = 0;
}

/* ---- Counts ---- */

static uint64_t *taken(struct segment *s)
{
	return &segment_graph(s)->own.taken;
}

void branches_passed(uint32_t segment, uint64_t pc, int64_t n)
{
	const struct segment *s = plan.branches ? segments_of_trailer(segment) : 0;
	struct segment *before = s && segment_graph(s)->pc == pc ? segment_before(s) : 0;

	if (before && plan.nodes)
		nodes_pass(before, n);
	else if (before)
		*taken(before) -= (uint64_t)n;
}

void branches_take(struct segment *s)
{
	uint64_t *counter = (uint64_t *)(uintptr_t)s->passes;

	if (!plan.branches || !counter || plan.nodes)
		return;
	*taken(s) -= *counter;
	*counter = 0;
}

void branches_end(struct segment *s)
{
	branches_take(s);
	if (plan.branches && !plan.nodes)
		s->passes = 0;
}

void branches_report(struct segment *s)
{
	struct segment *next = segments_next(s);

	if (!plan.branches || !(s->flags & SEGMENT_FILTER) || s->end != SEGMENT_BRANCH ||
	    plan.nodes)
		return;
	*taken(s) += s->executions;
	if (!next || segment_graph(next)->before != segments_number(s) + 1)
		return;
	filter_count_executions(next);
	*taken(s) -= next->executions;
}
