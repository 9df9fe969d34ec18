/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The filter variant: code that checks accesses to data, one by one or in runs (filter_runs.h).
 *
 * The clock has two values at a time, in lanes 0 and 1 of the counter register, so it advances only
 * at every other time.
 *
 * The engine handles accesses that straddle two lines. Aligned accesses never do, so code tests the
 * alignment: of the base register where that suffices, and once for each value of it. The stack
 * pointer is known to be aligned (filter_emit.c). Code for unaligned accesses exists only where one
 * has happened (filter_trust.h).
 */
#include "engine/core/util.h"
#include "engine/simulate/counts/segments.h"
#include "engine/simulate/emit/filter_check.h"
#include "engine/simulate/emit/filter_parts.h"
#include "engine/simulate/emit/filter_thunks.h"
#include "engine/simulate/miss/filter_pages.h"
#include "engine/simulate/miss/filter_references.h"
#include "engine/simulate/miss/filter_walk.h"
#include "engine/simulate/miss/uses.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/filter_conflicts.h"
#include "engine/simulate/state/filter_forms.h"
#include "engine/simulate/state/filter_sites.h"
#include "engine/simulate/state/filter_trust.h"

#define STUB_BYTES   5u /* a jump to a tail */
#define TICK_BYTES   10u
#define RELOAD_BYTES 9u

struct access {
	struct mem_op m;
	enum filter_check check;
	enum reg reg;  /* for the address, then for that of the stamp */
	bool is_live;  /* flags must be kept */
	bool borrows;  /* reg is rcx, whose value is in spill3 */
	bool is_used;  /* reg has held something else already */
	bool traps;    /* when unaligned: see filter_trust.h */
	bool is_early; /* the line of a run is looked up, and not touched yet */
	uint8_t *trap; /* rel8 of the branch to the trap */
	uint8_t *look; /* code that looks up the line; CHECK_ADDRESS: of the address in reg */
	/* rel32 of branches that are not set yet: to the cold part; to the engine */
	uint8_t *unaligned, *missed[2];
	uint8_t *island; /* rel8 of another branch to the engine */
};

/* ---- Islands: what jrcxz reaches ---- */

/* field: rel8 of a jrcxz to `to`. */
void filter_add_island(struct job *j, uint8_t *field, const uint8_t *to)
{
	engine_assert(j->islands < sizeof j->island / sizeof *j->island);
	j->island[j->islands++] = (struct island){field, to};
}

/* is_passed: control comes by here, and jumps over the islands. */
void filter_put_islands(struct job *j, bool is_passed)
{
	uint8_t *over = 0;

	if (!j->islands)
		return;
	if (is_passed) {
		emit_bytes(&j->o, (const uint8_t[]){0xeb, 0}, 2);
		over = j->o.p;
	}
	for (uint32_t i = 0; i < j->islands; i++) {
		int64_t reach = j->o.p - (j->island[i].field + 1);

		engine_assert(reach < 128);
		*j->island[i].field = (uint8_t)reach;
		emit_jump(&j->o, j->island[i].to);
	}
	if (over)
		over[-1] = (uint8_t)(j->o.p - over);
	j->islands = 0;
}

/* `bytes` more are about to be emitted. */
void filter_need_islands(struct job *j, uint32_t bytes)
{
	if (j->islands && j->o.p + bytes + 2 + 5 * j->islands > j->island[0].field + 1 + 127)
		filter_put_islands(j, true);
}

/* ---- Addresses ---- */

static bool names(const struct mem_op *m, enum reg r)
{
	return m->base == r || m->index == r;
}

void filter_put_tick(struct job *j)
{
	filter_need_islands(j, TICK_BYTES);
	emit_tick(&j->o, j->arena->data->tick);
}

/* reg = the address of the access, wherever the target's rcx is. */
static void emit_address(struct out *o, const struct access *a, bool is_first)
{
	if (a->borrows && !is_first && names(&a->m, RCX))
		emit_load_gs(o, RCX, T_SPILL3);
	job_lea_operand(o, a->reg, &a->m);
}

/* ---- Data ---- */

#define LINE_BYTES (1u << FILTER_LINE_SHIFT)
#define COLD_MOST  160u

/*
 * reg32 = offset of the access in its line; compares it with the last one that does not straddle.
 */
static void emit_compare_ends(struct out *o, const struct access *a, bool is_first)
{
	emit_address(o, a, is_first);
	emit_arith32(o, FORM_AND, a->reg, LINE_BYTES - 1);
	emit_arith32(o, FORM_CMP, a->reg, (uint8_t)(LINE_BYTES - a->m.size));
}

static enum filter_stub stub_of(const struct access *a)
{
	if (a->check == CHECK_ENGINE)
		return FILTER_SLOW;
	return a->is_live ? FILTER_DATA_LIVE : FILTER_DATA;
}

/* Stores the address, and enters the engine. */
static void emit_leave(const struct job *j, struct out *o, const struct access *a,
		       enum filter_stub stub)
{
	emit_address(o, a, false);
	emit_store_gs(o, a->reg, T_MISS_ADDRESS);
	filter_emit_call(j->arena, o, a->reg, stub);
}

/*
 * The cold part: tests both ends, if they may lie on two lines; stores the address, and enters the
 * engine. Returns the target of misses. If flags are not live, the zero flag is set for a miss, and
 * clear for an access that straddles.
 */
static const uint8_t *emit_cold(const struct job *j, struct out *o, const struct access *a,
				const uint8_t *back)
{
	const enum filter_stub stub = stub_of(a);
	const uint8_t *miss;

	if (a->unaligned) {
		uint8_t *straddles;

		emit_compare_ends(o, a, false);
		straddles = emit_branch(o, FORM_JA);
		if (a->check == CHECK_ADDRESS)
			emit_address(o, a, false);
		emit_jump(o, a->look);
		emit_set_branch(straddles, o->p);
	}
	miss = o->p;
	if (!filter_is_called(stub, 0)) {
		emit_leave(j, o, a, stub);
		return miss;
	}
	emit_address(o, a, false);
	filter_emit_called(j->arena, o, a->reg, stub, back);
	return miss;
}

/* Emits the cold part and the site, and sets the branches to it. Returns the target of misses. */
static const uint8_t *put_cold(struct job *j, const struct access *a,
			       const struct filter_site *site)
{
	uint8_t room[COLD_MOST], *begin;
	struct out o = {.p = room};
	const uint8_t *miss;

	emit_cold(j, &o, a, site->back);
	engine_assert(o.p <= room + sizeof room);
	begin = filter_take_cold(j->arena, (uint32_t)(o.p - room), SITE_BYTES);
	o.p = begin;
	miss = emit_cold(j, &o, a, site->back);
	j->failed |= !filter_put_site(&o, site);
	emit_set_branch(a->unaligned, begin);
	emit_set_branch(a->missed[0], miss);
	emit_set_branch(a->missed[1], miss);
	return miss;
}

/* Branches if r is not aligned. Changes flags. */
static void branch_if_unaligned(struct job *j, struct access *a, enum reg r)
{
	emit_test8(&j->o, r, (uint8_t)(a->m.size - 1));
	if (a->traps) {
		emit_bytes(&j->o, (const uint8_t[]){0x75, 0}, 2); /* jnz */
		a->trap = j->o.p - 1;
	} else {
		a->unaligned = emit_branch(&j->o, FORM_JNZ);
	}
}

/* Tests whether the access straddles. Changes flags. */
static void check_with_flags(struct job *j, struct access *a)
{
	if (a->check == CHECK_BASE) {
		branch_if_unaligned(j, a, (enum reg)a->m.base);
	} else if (a->check == CHECK_ENDS) {
		emit_compare_ends(&j->o, a, true);
		a->missed[0] = emit_branch(&j->o, FORM_JA);
	}
}

static uint8_t log2_of(uint32_t size)
{
	return (uint8_t)__builtin_ctz(size);
}

/* Tests the alignment without flags; leaves unaligned accesses to the engine. */
static void check_without_flags(struct job *j, struct access *a)
{
	enum reg from = a->reg;

	if (a->check == CHECK_NONE)
		return;
	if (a->check == CHECK_BASE)
		from = (enum reg)a->m.base;
	else
		emit_address(&j->o, a, true);
	emit_low_bits(&j->o, from, j->arena->data->aligned, log2_of(a->m.size));
	if (a->traps) {
		emit_bytes(&j->o, (const uint8_t[]){0xe3, 1, FILTER_TRAP}, 3); /* jrcxz */
		return;
	}
	emit_bytes(&j->o, (const uint8_t[]){0xe3, 5}, 2); /* jrcxz */
	a->missed[0] = emit_jump_later(&j->o);
}

/* reg = line number of the address in `from`. */
static void emit_number_of_line(struct job *j, const struct access *a, enum reg from)
{
	const uint8_t high = 64 - FILTER_ADDRESS_BITS;

	if (a->is_live) {
		emit_bits(&j->o, a->reg, from, &j->arena->data->line_mask, high, FILTER_LINE_SHIFT);
		return;
	}
	if (a->reg != from)
		emit_mov(&j->o, a->reg, from);
	if (filter_expects_faults || filter_pieces.are_on) {
		emit_shl(&j->o, a->reg, high);
		emit_shr(&j->o, a->reg, high + FILTER_LINE_SHIFT);
	} else {
		emit_shr(&j->o, a->reg, FILTER_LINE_SHIFT);
	}
}

/* reg = line number of the access. */
static void emit_line(struct job *j, struct access *a)
{
	const struct mem_op *m = &a->m;
	bool is_first = !a->is_used && (!a->is_live || a->check == CHECK_NONE);

	a->look = j->o.p;
	if (filter_is_fixed(m)) {
		uint64_t address = (uint64_t)m->disp << (64 - FILTER_ADDRESS_BITS);

		emit_mov_imm64(&j->o, a->reg,
			       address >> (64 - FILTER_ADDRESS_BITS + FILTER_LINE_SHIFT));
		return;
	}
	if (filter_is_base_only(m) && m->disp == 0 && a->check != CHECK_ADDRESS &&
	    (is_first || m->base != RCX)) {
		emit_number_of_line(j, a, (enum reg)m->base);
		return;
	}
	emit_address(&j->o, a, is_first);
	if (a->check == CHECK_ADDRESS && !a->is_live) {
		branch_if_unaligned(j, a, a->reg);
		a->look = j->o.p;
	}
	emit_number_of_line(j, a, a->reg);
}

/* The most bytes of code of an access. */
static uint32_t access_most(const struct access *a)
{
	const uint32_t lea = 10, lea_fs = 24, reload = 9;
	uint32_t address = (a->m.fs ? lea_fs : lea) + (a->borrows ? reload : 0);
	uint32_t bytes = 80 + address + (a->borrows ? 2 * reload : 0) +
			 (filter_pieces.are_on ? FILTER_PIECE_MOST : 0) +
			 (plan.references ? FILTER_EXPECT_MOST : 0);

	if (a->check == CHECK_NONE || a->check == CHECK_ENGINE)
		return bytes;
	return bytes + address + 24;
}

/* Code that continues with the stamp's address in reg, if the line is in the cache. */
static void look_up(struct job *j, struct access *a)
{
	if (a->is_live)
		check_without_flags(j, a);
	else
		check_with_flags(j, a);
	emit_line(j, a);
	const uint8_t *trap = filter_emit_cell(j, a->reg, a->is_live, a->borrows) + FILTER_TRAP_AT;
	if (a->trap)
		*a->trap = (uint8_t)(trap - (a->trap + 1));
	if (a->is_live) {
		emit_bytes(&j->o, (const uint8_t[]){0xe3, 0}, 2); /* jrcxz */
		a->island = j->o.p - 1;
	} else {
		emit_test32(&j->o, a->reg);
		a->missed[1] = emit_branch(&j->o, FORM_JZ);
	}
}

/* Chooses the test of an instruction's access: none, if its base was tested before. */
static void choose_check(struct job *j, struct access *a, enum filter_check check,
			 const struct insn *in)
{
	a->check = check;
	if (check == CHECK_BASE && j->aligned[a->m.base] >= log2_of(a->m.size))
		a->check = CHECK_NONE;
	a->traps = (a->check == CHECK_BASE || a->check == CHECK_ADDRESS) && !a->borrows &&
		   !j->is_apart && filter_trusts(in->pc) &&
		   !(plan.uses && in->mem_count > 1); /* the others would count twice */
}

/* Behind the access its base is known to be aligned. */
static void note_aligned(struct job *j, const struct access *a)
{
	if (a->traps && a->check == CHECK_BASE)
		j->aligned[a->m.base] = log2_of(a->m.size);
}

static void borrow(struct job *j, struct access *a)
{
	a->borrows = a->is_live && a->reg != RCX;
	if (!a->borrows)
		return;
	filter_put_rcx_away(j);
	a->reg = RCX;
}

/* Code that touches the line whose stamp's address is in reg. */
static void put_stamp(struct job *j, enum reg reg, bool is_second, bool dirties)
{
	if (filter_state.data.by_use)
		emit_stamp(&j->o, reg, is_second);
	if (dirties && filter_walk_marks())
		emit_mark_dirty(&j->o, reg);
}

/* ---- One by one ---- */

static struct filter_site site_of(struct job *j, const struct access *a, uint32_t n, bool is_second)
{
	return (struct filter_site){
		.back = j->o.p,
		.segment = j->trailer,
		.index = (uint16_t)n,
		.reg = (uint8_t)a->reg,
		.flags = is_second ? FILTER_SITE_SECOND : 0,
		.span = (uint8_t)(a->m.size - 1),
		.column = a->m.kind == ACCESS_STORE ? 2 : 1,
	};
}

/* Counts the reference of access n, whose place is in a->reg. Flags may be live. */
static void put_reference(struct job *j, const struct access *a, uint32_t n, bool is_live)
{
	const bool is_explicit = j->is_apart || (is_live && !a->is_live);
	struct filter_site site;
	uint8_t *field, *begin, room[COLD_MOST];
	struct out o = {.p = room};

	if (!plan.references)
		return;
	field = is_explicit ? emit_jump_later(&j->o)
			    : filter_emit_expect(&j->o, a->reg, filter_next_site(), a->is_live);
	site = site_of(j, a, n, false);
	site.flags = FILTER_SITE_REFERENCE | (is_explicit ? FILTER_SITE_EXPLICIT : 0);
	site.column = 1;
	emit_leave(j, &o, a, FILTER_REFER);
	begin = filter_take_cold(j->arena, (uint32_t)(o.p - room), SITE_BYTES);
	o.p = begin;
	emit_leave(j, &o, a, FILTER_REFER);
	filter_reference_begin(filter_next_site());
	j->failed |= !filter_put_site(&o, &site);
	emit_set_branch(field, begin);
}

/* Counts the use of the line, whose stamp's address is in a->reg. */
static void put_use(struct job *j, const struct access *a)
{
	if (!uses_are_counted_in_code() || a->check == CHECK_ENGINE)
		return;
	filter_need_islands(j, uses_emit_most(&a->m) + RELOAD_BYTES);
	uses_emit(&j->o, a->reg, &a->m, a->is_live, a->borrows);
}

/* Access n of the segment: operand *m of instruction `in`. */
static void emit_access(struct job *j, const struct insn *in, const struct mem_op *m, uint32_t n,
			bool is_live)
{
	struct access a = {.m = *m, .reg = j->scratch2};
	enum filter_check check = filter_check_of(in, m, j->stack_is_aligned);
	bool is_second = filter_work.plan.time[n] % 2;
	struct filter_site site;
	const uint8_t *miss;

	if ((m->fs && is_live && a.reg != RCX && names(m, RCX)) ||
	    (m->kind != ACCESS_LOAD && filter_walk_sends_stores()))
		check = CHECK_ENGINE;
	a.is_live = is_live && check != CHECK_ENGINE;
	a.borrows = a.is_live && a.reg != RCX;
	choose_check(j, &a, check, in);
	filter_need_islands(j, access_most(&a));
	borrow(j, &a);
	if (a.check == CHECK_ENGINE)
		a.missed[0] = emit_jump_later(&j->o);
	else
		look_up(j, &a);
	site = site_of(j, &a, n, is_second);
	put_stamp(j, a.reg, is_second, m->kind != ACCESS_LOAD);
	put_reference(j, &a, n, is_live);
	miss = put_cold(j, &a, &site);
	if (a.island)
		filter_add_island(j, a.island, miss);
	put_use(j, &a);
	if (a.borrows)
		emit_load_gs(&j->o, RCX, T_SPILL3);
	note_aligned(j, &a);
}

/* ---- Runs ---- */

/* Looks up the line of a run's byte at `offset` from the base; `number`: filter_put_run's. */
static void emit_line_of_run(struct job *j, struct access a, int64_t offset, bool is_second,
			     bool dirties, uint32_t number, const uint8_t *stub)
{
	a.m.disp = offset;
	filter_need_islands(j, access_most(&a));
	look_up(j, &a);
	if (!a.is_early)
		put_stamp(j, a.reg, is_second, dirties);
	if (number)
		emit_set_branch(filter_emit_expect(&j->o, a.reg, number, a.is_live), stub);
	emit_set_branch(a.unaligned, stub);
	emit_set_branch(a.missed[0], stub);
	emit_set_branch(a.missed[1], stub);
	if (a.island)
		filter_add_island(j, a.island, stub);
}

/* Looks up both lines of a run, and touches them. */
static void emit_lines_of_run(struct job *j, struct access *a, const struct filter_run *run,
			      bool is_second, uint32_t number)
{
	const uint8_t *stub = j->arena->cold;
	const bool low_is_second = is_second || run->low_is_last;

	a->is_early = run->low_waits;
	emit_line_of_run(j, *a, run->low, low_is_second, run->dirties, number, stub);
	note_aligned(j, a);
	a->check = CHECK_NONE;
	a->is_used = true;
	a->is_early = false;
	emit_line_of_run(j, *a, run->high, is_second, run->dirties, number, stub);
	if (run->low_waits)
		emit_line_of_run(j, *a, run->low, low_is_second, run->dirties, number, stub);
}

/* Emits the run that begins with access k of in[i]. */
static void emit_run(struct job *j, uint32_t i, uint32_t k, const struct filter_run *run,
		     bool is_live)
{
	const bool is_second = filter_work.plan.time[run->first] % 2;
	struct filter_tail *tail = &filter_work.tail[filter_work.tails++];
	struct access a = {.m = j->in[i].mem[k], .is_live = is_live, .reg = j->scratch2};
	bool is_aligned = run->size == 1 || (a.m.base == RSP && j->stack_is_aligned);
	const uint32_t number =
		plan.references ? filter_put_run(j->trailer, run->first, run->members) : 0;

	j->failed |= plan.references && !number;
	if (number)
		filter_reference_begin(number);
	a.m.size = run->size;
	a.borrows = a.is_live && a.reg != RCX;
	choose_check(j, &a, is_aligned ? CHECK_NONE : CHECK_BASE, &j->in[i]);
	filter_need_islands(j, access_most(&a));
	j->arena->cold -= STUB_BYTES;
	borrow(j, &a);
	emit_lines_of_run(j, &a, run, is_second, number);
	*tail = (struct filter_tail){.run = run,
				     .insn = i,
				     .access = k,
				     .is_live = is_live,
				     .borrows = a.borrows,
				     .stack_is_aligned = j->stack_is_aligned,
				     .aligned = j->aligned[a.m.base],
				     .stub = j->arena->cold};
	if (a.borrows)
		emit_load_gs(&j->o, RCX, T_SPILL3);
	tail->back = j->o.p;
}

/* Checks a run's accesses one by one. Registers are as at the first access. */
static void emit_tail(struct job *j, const struct filter_tail *tail)
{
	const uint32_t first = tail->run->first, end = first + tail->run->members;
	uint32_t i = tail->insn, k = tail->access;

	j->has_rcx = tail->borrows;
	if (tail->borrows)
		emit_load_gs(&j->o, RCX, T_SPILL3);
	j->stack_is_aligned = tail->stack_is_aligned;
	memset(j->aligned, 0, sizeof j->aligned);
	j->aligned[j->in[i].mem[k].base] = tail->aligned;
	for (uint32_t n = first; n < end; n++, k++) {
		struct mem_op m;

		for (; k == j->in[i].mem_count; k = 0)
			i++;
		m = j->in[i].mem[k];
		if (m.base == RSP)
			m.disp += filter_work.plan.moved[n] - filter_work.plan.moved[first];
		emit_access(j, &j->in[i], &m, n, tail->is_live);
	}
	emit_jump(&j->o, tail->back);
	filter_put_islands(j, false);
}

#define TAIL_MOST   64u
#define MEMBER_MOST 260u

void filter_put_tails(struct job *j)
{
	uint8_t *hot = j->o.p, aligned[sizeof j->aligned];

	memcpy(aligned, j->aligned, sizeof aligned);
	j->is_apart = true;
	for (uint32_t i = 0; i < filter_work.tails; i++) {
		const struct filter_tail *tail = &filter_work.tail[i];
		struct out stub = {tail->stub};
		uint8_t *end = j->arena->cold;

		j->arena->cold -= TAIL_MOST + tail->run->members * MEMBER_MOST;
		j->o.p = j->arena->cold;
		emit_jump(&stub, j->o.p);
		emit_tail(j, tail);
		engine_assert(j->o.p <= end);
		filter_give_cold(j->arena, j->o.p, end);
	}
	memcpy(j->aligned, aligned, sizeof aligned);
	j->is_apart = false;
	j->o.p = hot;
	filter_work.tails = 0;
}

/* ---- */

void filter_begin_data(struct job *j)
{
	const struct filter_rules rules = {
		.set_bytes = plan.conflicts ? 0 : filter_walk_apart(),
		.splits_lines = plan.fetches,
		.marks_stores = filter_walk_marks(),
		.tells_pages = plan.pages,
		.splits_insns = filter_walk_removes(),
		.stores_leave = filter_walk_sends_stores(),
		.one_by_one = uses_are_counted_in_code() || filter_expects_faults,
	};

	filter_work.tails = 0;
	filter_work.next_run = 0;
	filter_plan_accesses(&filter_work.plan, &j->in[j->first], j->end - j->first, &rules);
}

void filter_emit_data(struct job *j, uint32_t i, bool is_live)
{
	const struct insn *in = &j->in[i];
	const uint8_t *time = filter_work.plan.time;

	for (uint32_t k = 0; k < in->mem_count; k++) {
		const uint32_t n = j->next_entry++;
		const struct filter_run *run = &filter_work.plan.run[filter_work.next_run];

		if (n && time[n] != time[n - 1] && time[n] % 2 == 0)
			filter_put_tick(j);
		if (filter_work.next_run == filter_work.plan.runs || n < run->first) {
			emit_access(j, in, &in->mem[k], n, is_live);
			continue;
		}
		if (n == run->first)
			emit_run(j, i, k, run, is_live);
		filter_work.next_run += n == run->first + run->members - 1u;
	}
}
