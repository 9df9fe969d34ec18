/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables between rooms; see rooms.h. */
#include "engine/run/rooms.h"

#include "engine/codecache/cache.h"
#include "engine/core/run_mode.h"
#include "engine/core/upward.h"
#include "engine/drive/collect.h"
#include "engine/drive/marks.h"
#include "engine/run/dispatch.h"
#include "engine/run/hook_calls.h"
#include "engine/run/threads.h"
#include "engine/sample/budget.h"
#include "engine/simulate/counts/graph.h"
#include "engine/simulate/counts/segments.h"
#include "engine/simulate/miss/filter_notes.h"
#include "engine/simulate/miss/filter_references.h"
#include "engine/translate/job.h"

static const struct translate_simulation simulation = {
	.describe = segments_describe,
	.describe_elements = segments_of_elements,
	.look_at = graph_look_at,
	.function_end = graph_function_end,
};

static const struct translate_observer plain = {
	.is_marked = marks_at,
	.decode_mark = marks_decode,
	.took = budget_translated,
};

static const struct translate_observer simulated = {
	.is_marked = marks_at,
	.decode_mark = marks_decode,
	.took = budget_translated,
	.simulation = &simulation,
};

#define MODE(id, name, number) [number] = &name##_mode,
static const struct run_mode *const modes[] = {CHANNEL_MODES(MODE)};
#undef MODE

void rooms_open(void)
{
	const uint32_t mode = engine.config.mode; /* 0: nobody listens */

	upward = (struct upward){
		.dispatch = dispatch_go_on,
		.wait_and_dispatch = dispatch_wait_and_go_on,
		.hook_called = hook_calls_answer,
		.thread_start = threads_begin,
		.code_use = cache_use,
		.look_at_accesses = collect_look,
		.look_at_misses = filter_look_at_misses,
		.allocation_begins = filter_allocation_begins,
		.allocation_returns = filter_allocation_returns,
		.forget_owners = filter_references_forget,
	};
	code_variants[VARIANT_COUNT] = &count_variant;
	code_variants[VARIANT_STREAM] = &stream_variant;
	code_variants[VARIANT_FILTER] = &filter_variant;
	code_variants[VARIANT_APPROACH] = &approach_variant;
	run_mode = mode < sizeof modes / sizeof *modes && modes[mode] ? modes[mode] : &count_mode;
	translate_observer = engine_simulates() ? &simulated : &plain;
}
