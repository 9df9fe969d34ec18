/* SPDX-License-Identifier: GPL-2.0-or-later */
/* String and vector instructions of the filter variant leave the code, and C simulates them. */
#include "engine/simulate/miss/filter_strings.h"
#include "engine/core/run_mode.h"
#include "engine/simulate/calls/filter_calls.h"
#include "engine/simulate/calls/nodes.h"
#include "engine/simulate/counts/cells.h"
#include "engine/simulate/counts/segments.h"
#include "engine/simulate/miss/filter_access.h"
#include "engine/simulate/miss/filter_executions.h"
#include "engine/simulate/miss/filter_walk.h"
#include "engine/simulate/miss/filter_windows.h"
#include "engine/simulate/miss/uses.h"
#include "engine/simulate/miss/uses_code.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/filter.h"
#include "sim/base/bits.h"
#include "sim/cache/cache.h"

#define MOST_LANES 32u

static uint64_t last_elements[MOST_LANES]; /* of the last vector instruction */

/* The only instruction of a segment. */
static void count(struct segment *s, uint64_t insns, uint64_t reads, uint64_t writes)
{
	cells_add(filter_cell_number(s, segment_insns(s)), insns, reads, writes);
	filter_calls_count(CELL_INSTRUCTIONS, (int64_t)insns);
	filter_calls_count(CELL_READS, (int64_t)reads);
	filter_calls_count(CELL_WRITES, (int64_t)writes);
}

/* Each touch has its own time. */
static uint64_t next_time(struct thread *t)
{
	return t->clock += 2;
}

/*
 * The number of iterations behind i, of n, that touch the lines of i only. They change times only,
 * and not their order. A cache that may evict one of these lines for another needs each iteration.
 */
static uint64_t same_lines(const struct repeat *rep, uint64_t i, uint64_t n)
{
	const struct sim_cache *c = filter_cache_of(&filter_state.data);
	uint64_t least = n - i - 1,
		 step = (uint64_t)(rep->step < 0 ? -(int64_t)rep->step : rep->step);

	if ((rep->accesses > 1 && (c->replacement != SIM_REPLACE_LRU || c->ways < rep->accesses)) ||
	    !step)
		return 0;
	for (uint32_t k = 0; k < rep->accesses; k++) {
		uint64_t at = rep->address[k] + i * (uint64_t)rep->step;
		const uint64_t line = at >> FILTER_LINE_SHIFT;
		uint64_t in_line = at & ((1u << FILTER_LINE_SHIFT) - 1), room;

		if (in_line + rep->size > 1u << FILTER_LINE_SHIFT ||
		    (plan.walks && !*filter_data_cell(line)) ||
		    (rep->kind[k] == ACCESS_STORE && filter_walk_sends_stores()))
			return 0;
		room = rep->step < 0 ? in_line : (1u << FILTER_LINE_SHIFT) - in_line - rep->size;
		least = room / step < least ? room / step : least;
	}
	/* the last of them makes the lines younger than those that a prefetcher has brought */
	return least - (least && filter_walk_prefetches());
}

static void execute(struct segment *s, uint64_t n)
{
	if (plan.nodes)
		nodes_execute(s, n);
	else
		s->executions += n;
}

/* Fetch the instruction of s. */
static void begin(struct thread *t, struct segment *s)
{
	filter_access.site = 0;
	filter_access.segment = s;
	if (plan.uses)
		uses_code_reach(0, 0);
	filter_fetch(s, segment_insns(s), next_time(t));
	filter_access.pc = filter_pc_of(s, segment_insns(s));
}

/* Iterations from i on, so many, use the line of the k-th access. */
static void use_again(const struct repeat *rep, uint32_t k, uint64_t i, uint64_t n)
{
	const uint64_t first = rep->address[k] + i * (uint64_t)rep->step,
		       last = first + (n - 1) * (uint64_t)rep->step;

	uses_touch_again(first < last ? first : last, (first < last ? last : first) + rep->size - 1,
			 n);
}

/* As Valgrind counts: one instruction for each iteration, and one that finds the end. */
void filter_repeat(struct thread *t, uint32_t trailer, const struct repeat *rep)
{
	struct segment *s = segments_of_trailer(trailer);
	struct segment_insn *in = segment_insns(s);
	uint64_t n = rep->iterations, writes = 0;

	execute(s, 1);
	begin(t, s);
	for (uint32_t k = 0; k < rep->accesses; k++)
		writes += rep->kind[k] == ACCESS_STORE;
	if (n)
		count(s, n, n * (rep->accesses - writes), n * writes);
	filter_access_repeat(rep);
	filter_window_repeat(rep);
	for (uint64_t i = 0, more; i < n; i += 1 + more) {
		for (uint32_t k = 0; k < rep->accesses; k++)
			filter_touch(in, rep->address[k] + i * (uint64_t)rep->step, rep->size,
				     rep->kind[k], next_time(t));
		more = same_lines(rep, i, n);
		for (uint32_t k = 0; k < rep->accesses && more && plan.uses; k++)
			use_again(rep, k, i + 1, more);
	}
}

void filter_elements(struct thread *t, uint32_t trailer, const uint64_t *entries, uint32_t n)
{
	struct segment *s = segments_of_trailer(trailer);
	const struct segment_access *a = segment_accesses(s);
	struct segment_insn *in = segment_insns(s);
	bool write = a->kind == ACCESS_STORE;

	execute(s, 1);
	if (n)
		count(s, 0, write ? 0 : n, write ? n : 0);
	if (t->vector_kept)
		return;
	begin(t, s);
	filter_access_elements(entries, n);
	filter_window_elements(filter_access.pc, entries, n, a);
	for (uint32_t i = 0; i < n; i++) {
		filter_touch(in, STREAM_ADDRESS(entries[i]), a->size, a->kind, next_time(t));
		last_elements[i % MOST_LANES] = STREAM_ADDRESS(entries[i]);
	}
}

/* Lanes that are not done will be accessed once more. */
static void undo_accesses(const struct segment *s, uint32_t lanes, uint32_t done)
{
	const uint64_t pc = filter_pc_of(s, segment_insns(s)), *address = last_elements;

	if (plan.uses)
		uses_undo_fetch(s, 0);
	for (; lanes; lanes &= lanes - 1, address++) {
		if (!(lanes & -lanes & ~done))
			continue;
		if (plan.uses)
			uses_undo(*address, segment_accesses(s)->size);
		filter_access_take_back(pc, *address);
	}
}

void filter_undo_elements(const struct thread *t, uint32_t done)
{
	const uint32_t lanes = t->vector.lanes;
	struct segment *s = segments_of_trailer(t->vector_segment);
	bool write = segment_accesses(s)->kind == ACCESS_STORE;
	const uint32_t n = sim_count_bits(lanes & ~done);

	execute(s, -(uint64_t)1);
	if (!t->vector_kept)
		undo_accesses(s, lanes, done);
	count(s, 0, write ? 0 : -(uint64_t)n, write ? -(uint64_t)n : 0);
}
