/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A simulation as a run mode: in the filter variant where possible, else replayed. */
#include "engine/core/records.h"
#include "engine/core/util.h"
#include "engine/drive/buffers.h"
#include "engine/drive/collect.h"
#include "engine/simulate/calls/filter_calls.h"
#include "engine/simulate/miss/filter_strings.h"
#include "engine/simulate/miss/uses.h"
#include "engine/simulate/mode/filter_end.h"
#include "engine/simulate/mode/filter_life.h"
#include "engine/simulate/mode/filter_scheduler.h"
#include "engine/simulate/mode/graph_changes.h"
#include "engine/simulate/mode/results.h"
#include "engine/simulate/mode/scheduler.h"
#include "engine/simulate/mode/stretches.h"
#include "engine/simulate/replay/replay.h"
#include "engine/simulate/replay/replay_multi.h"
#include "engine/translate/world.h"

/* What was asked for, and has no memory. Once for all processes that fork. */
static void say_what_is_missing(void)
{
	static bool is_said;

	if (!is_said && engine_counts_data() && !plan.data)
		say("misses are not counted by data structure, as a limit of address space or data "
		    "(ulimit -v, ulimit -d) leaves no room for their tables");
	if (!is_said && plan.data && engine_counts_references() && !plan.references)
		say("references are not counted, as there is no room for their tables");
	if (!is_said && engine.config.asks & SIM_ASK_SAMPLE && !plan.stretches)
		say("all accesses are simulated, as there is no room for the tables of a sample");
	is_said = true;
}

/* Why the run is slow. */
static void say_replay(struct process *p)
{
	char text[512];

	if (filter_is_on() || engine.config.asks & SIM_ASK_NO_FILTER)
		return;
	text_make(
		text, sizeof text,
		"each access is replayed through the caches, which takes several times as long as "
		"code that looks into them: that needs %s ('dwell simulate --plan' tells all)",
		plan.why);
	records_message(p, text);
}

/* A forked child has what its parent had. */
static bool start_ways(void)
{
	static bool is_started;

	if (is_started)
		return true;
	if (!replay_start())
		return false;
	is_started = true;
	if (plan.way != SIM_WAY_REPLAY &&
	    !(plan.several ? filter_start_multi(&replay_multi) : filter_start(replay_hierarchy())))
		plan_replay();
	return true;
}

static bool start(struct thread *t)
{
	if (!start_ways()) {
		records_message(t->process, "there is no memory for the simulated caches");
		return false;
	}
	if (engine.config.asks & SIM_ASK_SETS && !filter_is_on()) {
		say("nothing is simulated, as there is no room for the tables of --sets");
		return false;
	}
	say_replay(t->process);
	say_what_is_missing();
	stretches_begin(t);
	uses_seed(t->process->order);
	return true;
}

/* At the start; later on stretches_tick decides in a sampled run. */
static enum code_variant_id first_variant(void)
{
	return plan.stretches ? VARIANT_COUNT : filter_choose_variant();
}

static void turn(struct thread *t, uint64_t total, bool on)
{
	if (plan.stretches) {
		stretches_turn(t, total, on);
		return;
	}
	__atomic_store_n(&engine.variant, on ? filter_choose_variant() : VARIANT_COUNT,
			 __ATOMIC_SEQ_CST);
	world_kick(t);
}

static void tick(struct thread *t, uint64_t total)
{
	t->unsampled = false;
	results_flush_when_due(t->process);
	if (t->variant == VARIANT_FILTER) { /* often enough that its lanes do not overflow */
		filter_calls_settle(t);
		results_flush_when_due(t->process);
	}
	collect_follow_control(t, total);
	if (plan.stretches)
		stretches_tick(t, total);
	else
		collect_tick_in(t, engine.report_ns);
}

static void consume(struct thread *t, uint64_t here, uint64_t n, uint64_t total)
{
	(void)here;
	(void)n;
	if (!t->process->profiling || t->buf == t->buf_start)
		return;
	replay_buffer(t);
	if (records_abandoned()) {
		collect_give_up(t);
		return;
	}
	if (t->buf - t->buf_start < BUFFER_ENTRIES / 2 && !records_asked(t->process))
		return; /* a frequent caller, such as a system call */
	results_flush_when_due(t->process);
	t->buf = t->buf_start = t->buf_memory;
	collect_follow_control(t, total);
}

static bool wants_repeat(struct thread *t, uint32_t segment, uint64_t n)
{
	return segment && (t->variant == VARIANT_FILTER || t->variant == VARIANT_STREAM ||
			   (plan.stretches && stretches_reach(t, n)));
}

static void repeat(struct thread *t, uint32_t segment, const struct repeat *r)
{
	if (plan.stretches)
		stretches_repeat(t, segment, r);
	else if (t->variant == VARIANT_FILTER)
		filter_repeat(t, segment, r);
	else
		replay_put_repeat(t, segment, r);
}

static void elements(struct thread *t, uint64_t pc, uint32_t segment, const uint64_t *entries,
		     uint32_t n)
{
	(void)pc;
	if (segment && t->variant == VARIANT_FILTER)
		filter_elements(t, segment, entries, n);
	else if (segment && t->variant == VARIANT_STREAM)
		replay_put_elements(t, segment, entries, n);
}

static uint32_t count_of(uint32_t lanes)
{
	uint32_t n = 0;

	for (; lanes; lanes &= lanes - 1)
		n++;
	return n;
}

/* Of the last instruction in the buffer, keeps the entries of the lanes in `done`. */
static void keep_entries(struct thread *t, uint32_t done)
{
	uint64_t *entry, *to, trailer;

	trailer = t->buf[-1];
	entry = to = t->buf - 1 - count_of(t->vector.lanes);
	for (uint32_t rest = t->vector.lanes; rest; rest &= rest - 1, entry++)
		if (done & rest & -rest)
			*to++ = *entry;
	if (done)
		*to++ = segment_cut_trailer(trailer, 0, false);
	t->buf = to;
}

static void undo_elements(struct thread *t, uint32_t done)
{
	if (t->variant == VARIANT_FILTER)
		filter_undo_elements(t, done);
	else if (t->variant == VARIANT_STREAM)
		keep_entries(t, done);
}

static void turn_over(struct thread *t)
{
	if (plan.stretches)
		stretches_look(t);
}

static bool before_code(struct thread *t, bool *is_changed)
{
	if (t->turn_is_over) {
		t->turn_is_over = false;
		scheduler_pass(t);
	}
	*is_changed = scheduler_take(t);
	if (*is_changed)
		return false;
	*is_changed = filter_must_renew(t);
	if (*is_changed) {
		filter_renews(t);
		world_empty_cache(t);
	}
	return true;
}

static void leave_variant(struct thread *t, enum code_variant_id wanted)
{
	if (plan.stretches && t->variant == VARIANT_FILTER)
		stretches_leave(t);
	else if (plan.stretches)
		stretches_enter(t, wanted);
	if (t->variant == VARIANT_FILTER)
		filter_turn_leave(t);
	if (t->variant == VARIANT_STREAM ? wanted != VARIANT_FILTER : wanted == VARIANT_COUNT)
		graph_break(t);
}

static void end(struct thread *t, bool is_over, uint64_t total)
{
	(void)total;
	if (plan.stretches)
		stretches_end(t);
	if (is_over) {
		uses_finish();
		replay_end();
	}
	results_flush(t->process);
}

const struct run_mode simulate_mode = {
	.is_controlled = true,
	.start = start,
	.variant = first_variant,
	.turn = turn,
	.tick = tick,
	.consume = consume,
	.wants_repeat = wants_repeat,
	.repeat = repeat,
	.elements = elements,
	.undo_elements = undo_elements,
	.turn_over = turn_over,
	.before_code = before_code,
	.leave_variant = leave_variant,
	.end = end,
};
