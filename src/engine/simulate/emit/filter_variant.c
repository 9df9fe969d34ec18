/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The filter variant as a code variant; see code_variant.h. */
#include "engine/codecache/code_variant.h"
#include "engine/simulate/calls/arcs.h"
#include "engine/simulate/calls/filter_calls.h"
#include "engine/simulate/counts/graph.h"
#include "engine/simulate/counts/segments.h"
#include "engine/simulate/emit/filter_parts.h"
#include "engine/simulate/emit/filter_thunks.h"
#include "engine/simulate/miss/filter_taken.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/filter.h"
#include "engine/simulate/state/filter_sites.h"

struct filter_work filter_work;

static bool leaves(const struct job *j, uint64_t pc)
{
	return graph_is_elsewhere(segments_of_trailer(j->trailer), pc);
}

static uint32_t new_step(struct job *j, uint64_t pc)
{
	return filter_new_call_site(segments_of_trailer(j->trailer), pc);
}

void filter_meet(struct job *j, uint32_t trailer)
{
	if (!plan.arcs)
		return;
	j->trailer = trailer;
	if (!filter_calls_meet(segments_of_trailer(trailer)))
		j->failed = true;
}

static void begin_block(struct job *j)
{
	job_stream_block(j);
	filter_begin_block(j);
}

static void enter(struct job *j)
{
	job_stream_forget(j);
	filter_enter(j);
}

static void begin(struct job *j)
{
	filter_begin_segment(j);
	filter_put_turn(j);
}

static void behind_count(struct job *j, const uint8_t *counted)
{
	(void)counted;
	filter_count(j);
}

static void end(struct job *j)
{
	const uint8_t kind = j->in[j->end - 1].kind;

	/* records may be too long for jrcxz to reach an island behind them */
	filter_end(j, plan.arcs || (kind != INSN_RET && kind != INSN_JMP && kind != INSN_JMP_IND));
}

static void leave(struct job *j)
{
	filter_leave(j);
	job_stream_leave(j);
}

static void emit_stubs(struct arena *a, struct out *o)
{
	filter_emit_thunks(a, o);
	arcs_emit_thunks(a, o);
}

static void write_constants(struct arena_data *d)
{
	filter_write_constants(d);
	d->far = ~((1ull << A_NEAR_LOG) - 1);
}

static bool follows_calls(void)
{
	return plan.arcs;
}

static const struct code_calls calls = {
	.steps = &arcs_steps,
	.are_followed = follows_calls,
	.leaves = leaves,
	.new_step = new_step,
};

const struct code_variant filter_variant = {
	.is_timed = true,
	.meet = filter_meet,
	.describes = true,
	.calls = &calls,
	.emit_stubs = emit_stubs,
	.write_constants = write_constants,
	.forget = filter_forget_sites,
	.begin_block = begin_block,
	.enter = enter,
	.fits = filter_fits,
	.begin = begin,
	.behind_count = behind_count,
	.accesses = filter_accesses,
	.end = end,
	.leave = leave,
};
