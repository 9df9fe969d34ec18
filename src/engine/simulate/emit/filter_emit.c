/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The filter variant: what a segment checks and counts by itself, see filter.h.
 *
 * At its beginning a segment adds to the counter register and to its counter of executions. Before
 * the first instruction on another line of code, and before each access, it loads the line's cell,
 * and writes the time to the stamp. A register that the segment does not use holds the address
 * (scratch; the target's value is in the arena's spill2). Where the status flags are live, jrcxz
 * tests the cell, so it is in rcx (target's value in spill3 unless rcx is the scratch register).
 *
 * The stack pointer is a multiple of 8 wherever a segment begins. It is tested when the thread
 * enters the code cache, and behind all instructions that could change that. Once the test has
 * failed, code does not rely on it (filter_is_careful).
 */
#include "engine/core/util.h"
#include "engine/simulate/calls/nodes.h"
#include "engine/simulate/counts/segments.h"
#include "engine/simulate/emit/filter_check.h"
#include "engine/simulate/emit/filter_parts.h"
#include "engine/simulate/emit/filter_thunks.h"
#include "engine/simulate/miss/branches.h"
#include "engine/simulate/miss/filter_executions.h"
#include "engine/simulate/miss/filter_walk.h"
#include "engine/simulate/miss/filter_windows.h"
#include "engine/simulate/miss/uses.h"
#include "engine/simulate/miss/uses_code.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/filter_conflicts.h"
#include "engine/simulate/state/filter_counters.h"
#include "engine/simulate/state/filter_forms.h"
#include "engine/simulate/state/filter_sites.h"
#include "engine/translate/flags.h"
#include "engine/translate/job.h"

/* The most bytes of code: */
#define FETCH_MOST   84u  /* of a fetch up to its branches */
#define INSN_MOST    64u  /* of a copied instruction, and of what ends a segment */
#define GIVE_MOST    190u /* of one that uses the counter register */
#define COLD_STACK   14u
#define BRANCH_BYTES 6u /* of emit_jcc */

/* ---- Code ---- */

void filter_put_rcx_away(struct job *j)
{
	if (!j->has_rcx)
		emit_store_gs(&j->o, RCX, T_SPILL3);
	j->has_rcx = true;
}

/*
 * Fetches the instruction's lines, except the last one that this block has touched. Instructions on
 * two lines fetch both at once: if one is missing, the engine handles both.
 */
static void emit_fetch(struct job *j, uint32_t i, bool is_live)
{
	const struct insn *in = &j->in[i];
	uint64_t first = in->pc >> FILTER_LINE_SHIFT;
	uint64_t last = (in->pc + in->length - 1) >> FILTER_LINE_SHIFT;
	struct filter_site site = {.segment = j->trailer,
				   .index = (uint16_t)(i - j->first),
				   .flags = FILTER_SITE_CODE};
	const enum filter_stub stub = is_live ? FILTER_CODE_LIVE : FILTER_CODE;
	bool borrows = is_live && j->scratch2 != RCX;
	enum reg reg = is_live ? RCX : j->scratch2;
	uint8_t *field[2] = {0}, *cold;
	bool is_called;
	struct out o;

	if (!plan.fetches || (first == last && first == j->code_line))
		return;
	if (first != last && first == j->code_line)
		site.flags |= FILTER_SITE_PAIR;
	else if (first != last)
		site.flags |= FILTER_SITE_BOTH;
	if (plan.conflicts && i != j->first)
		filter_put_tick(j); /* its own time; a segment begins with another one */
	filter_need_islands(j, FETCH_MOST);
	if (borrows)
		filter_put_rcx_away(j);
	for (uint64_t line = first; line <= last; line++) {
		uint32_t cell = line == j->code_line ? 0 : filter_code_cell(line);

		if (line == j->code_line)
			continue;
		j->failed |= !cell;
		site.first = site.cell;
		site.line = line;
		site.cell = cell;
		emit_load_abs32(&j->o, reg, cell);
		if (is_live) {
			emit_bytes(&j->o, (const uint8_t[]){0xe3, 0}, 2); /* jrcxz */
			field[line - first] = j->o.p - 1;
		} else {
			emit_test32(&j->o, reg);
			field[line - first] = emit_branch(&j->o, FORM_JZ);
		}
		site.back = j->o.p;
		if (filter_state.code.by_use)
			emit_stamp(&j->o, reg, plan.conflicts && line != first);
	}
	if (borrows)
		emit_load_gs(&j->o, RCX, T_SPILL3);
	j->code_line = last;
	site.reg = (uint8_t)reg;
	is_called = filter_is_called(stub, site.flags);
	o.p = cold =
		filter_take_cold(j->arena, is_called ? FILTER_CALLED_BYTES : FILTER_CALL_BYTES,
				 site.flags & FILTER_SITE_BOTH ? SITE_BOTH_BYTES : SITE_CODE_BYTES);
	if (is_called)
		filter_emit_called(j->arena, &o, reg, stub, site.back);
	else
		filter_emit_call(j->arena, &o, reg, stub);
	j->failed |= !filter_put_site(&o, &site);
	for (uint32_t k = 0; k < 2; k++) {
		if (field[k] && is_live)
			filter_add_island(j, field[k], cold);
		else if (field[k])
			emit_set_branch(field[k], cold);
	}
}

/* ---- Segments ---- */

/* Is there anything to check from in[i] on? */
static bool looks_from(const struct job *j, uint32_t i)
{
	const uint64_t line = j->code_line;

	for (; i < j->end; i++) {
		const struct insn *in = &j->in[i];

		if (in->mem_count)
			return true;
		if (plan.fetches && (in->pc >> FILTER_LINE_SHIFT != line ||
				     (in->pc + in->length - 1) >> FILTER_LINE_SHIFT != line))
			return true;
	}
	return false;
}

static bool has_live(const struct job *j)
{
	uint8_t any = 0;

	for (uint32_t i = j->first; i < j->end; i++)
		any |= j->live[i];
	return any != 0;
}

/* May the instruction leave the stack pointer unaligned? */
static bool may_unalign_stack(const struct insn *in)
{
	return in->kind == INSN_PLAIN && !filter_keeps_stack(in);
}

/* An instruction that may unalign the stack pointer ends a segment, and is followed by a test. */
bool filter_fits(struct job *j, uint32_t end)
{
	if (!filter_is_careful && end - j->first >= 2 && may_unalign_stack(&j->in[end - 2]))
		return false;
	return job_free_registers(j, j->first, end) != 0;
}

void filter_begin_block(struct job *j)
{
	flags_find_live(j->in, j->insns, INSN_FLAGS, j->live);
	j->islands = 0;
	j->is_apart = false;
	branches_begin();
	filter_enter(j);
}

void filter_enter(struct job *j)
{
	j->code_line = UINT64_MAX;
	memset(j->aligned, 0, sizeof j->aligned);
}

/*
 * Saves the scratch register at the beginning of the segment. A direct branch that comes from code
 * where it is saved enters behind that: in a loop the store and the load would delay each
 * iteration.
 */
static void put_away(struct job *j)
{
	emit_store_near(&j->o, j->scratch2, &j->arena->data->spill2);
	if (!j->enters)
		return;
	engine_assert(j->o.p == j->enters->body + KEPT_BYTES);
	j->enters->kept = (uint8_t)(j->scratch2 + 1);
}

void filter_begin_segment(struct job *j)
{
	uint16_t free = job_free_registers(j, j->first, j->end);
	uint32_t number;

	j->islands = 0;
	filter_work.tails = 0;
	j->has_rcx = false;
	if (filter_walk_removes())
		j->code_line = UINT64_MAX; /* its line may have gone since the last segment */
	if (j->in[j->first].kind == INSN_REP || j->in[j->first].kind == INSN_ELEMENTS) {
		filter_enter(j);
		return;
	}
	j->desc = segments_new(j, job_accesses(j), &number);
	j->counter = plan.nodes ? 1 : filter_new_counter();
	if (!j->desc || !j->counter) {
		j->failed = true;
		j->desc = 0;
		return;
	}
	segments_of_trailer(number)->counter = j->counter;
	segments_of_trailer(number)->first_site = filter_next_site();
	if (nodes_count_all())
		segments_of_trailer(number)->passes = filter_new_plain_counter();
	if (plan.branches)
		branches_meet(j, segments_of_trailer(number));
	if (plan.uses && plan.fetches)
		j->failed |= !uses_code_meet(segments_of_trailer(number));
	j->trailer = number;
	filter_meet(j, number);
	if (plan.nodes && nodes_meet(segments_of_trailer(number)))
		j->counter = segments_of_trailer(number)->counter;
	else if (plan.nodes)
		j->failed = true;
	j->stack_is_aligned = !filter_is_careful;
	if (j->in[j->end - 1].pop_bytes % FILTER_STACK_ALIGN && !filter_is_careful) {
		filter_is_careful = true;
		j->failed = true; /* all code is made anew, that before it as well */
	}
	filter_begin_data(j);
	if (!j->live[j->first] && !looks_from(j, j->first) && !plan.nodes)
		return;
	if (has_live(j) && (free >> RCX & 1))
		free = 1u << RCX;
	if (job_choose_scratch2(j, free))
		put_away(j);
	j->borrows2 = j->scratch2;
}

/* Tests the stack pointer in rcx. */
static void test_stack_without_flags(struct job *j, const uint8_t *exit)
{
	struct out o;

	emit_store_gs(&j->o, RCX, T_SPILL3);
	emit_low_bits(&j->o, RSP, j->arena->data->aligned, 3);
	emit_bytes(&j->o, (const uint8_t[]){0xe3, 5}, 2); /* jrcxz */
	j->arena->cold -= COLD_STACK;
	o.p = j->arena->cold;
	emit_jump(&j->o, o.p);
	emit_load_gs(&o, RCX, T_SPILL3);
	emit_jump(&o, exit);
	emit_load_gs(&j->o, RCX, T_SPILL3);
}

/*
 * Tests the stack pointer. If it is not aligned, all code is dropped, and made anew without relying
 * on it.
 */
static void test_stack(struct job *j)
{
	const struct insn *last = &j->in[j->end - 1];
	struct code_exit *e =
		cache_new_exit(j->arena, j->block, EXIT_ODD_STACK, last->pc + last->length);

	if (!e) {
		j->failed = true;
		return;
	}
	e->more->after = (struct tally){0};
	if (j->end < j->insns && !j->live[j->end]) {
		emit_test8(&j->o, RSP, FILTER_STACK_ALIGN - 1);
		emit_jcc(&j->o, FORM_JNZ, cache_exit_stub(e));
	} else {
		test_stack_without_flags(j, cache_exit_stub(e));
	}
}

/* Behind the count: enters the engine if it is 0 now. */
static void put_trigger(struct job *j)
{
	const struct filter_site site = {.segment = j->trailer,
					 .reg = (uint8_t)j->scratch2,
					 .flags = FILTER_SITE_TRIGGER,
					 .back = j->o.p + BRANCH_BYTES};
	struct out o = {.p = filter_take_cold(j->arena, FILTER_CALL_BYTES, SITE_BYTES)};

	emit_jcc(&j->o, FORM_JZ, o.p);
	filter_emit_call(j->arena, &o, j->scratch2, FILTER_SLOW);
	j->failed |= !filter_put_site(&o, &site);
}

void filter_count(struct job *j)
{
	if (!j->desc)
		return;
	if (plan.nodes) {
		nodes_emit_count(j);
		return;
	}
	if (j->live[j->first]) {
		emit_count_abs(&j->o, j->scratch2, j->counter);
		return;
	}
	emit_add_abs(&j->o, j->counter);
	if (plan.windows && job_accesses(j) && j->scratch2 != NOREG)
		put_trigger(j);
}

/*
 * Restores the scratch register after the last check. Not directly before the branch that ends the
 * segment, because the processor fuses a comparison with the branch behind it.
 */
static void give_back(struct job *j)
{
	if (j->scratch2 != NOREG && !j->is_given_back)
		emit_load_near(&j->o, j->scratch2, &j->arena->data->spill2);
	j->is_given_back = true;
}

void filter_accesses(struct job *j, uint32_t i)
{
	const struct insn *in = &j->in[i];
	bool is_live = j->live[i] != 0;

	emit_fetch(j, i, is_live);
	filter_emit_data(j, i, is_live);
	if (in->mem_count > 1 && filter_walk_removes())
		j->code_line = UINT64_MAX; /* any of them may have taken it out */
	if (!looks_from(j, i + 1))
		give_back(j);
	filter_need_islands(j, (job_touches_counter(in) ? GIVE_MOST : INSN_MOST) +
				       (in->shows_x87 ? SHOW_MOST : 0));
	j->has_rcx = j->has_rcx && !(in->gprs_written >> RCX & 1);
	for (uint32_t written = in->gprs_written; written; written &= written - 1)
		j->aligned[__builtin_ctz(written)] = 0;
}

void filter_end(struct job *j, bool is_passed)
{
	if (is_passed)
		filter_put_islands(j, true);
	if (!j->desc)
		return;
	give_back(j);
	j->has_trailer = true;
	j->desc = 0;
}

void filter_leave(struct job *j)
{
	filter_put_islands(j, false);
	filter_put_tails(j);
	if (!filter_is_careful && may_unalign_stack(&j->in[j->end - 1]))
		test_stack(j);
	branches_pass(j);
	if (plan.nodes)
		nodes_end_segment(j);
}
