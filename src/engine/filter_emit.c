/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The filter gear: what a segment asks and counts by itself, see filter.h.
 *
 * At its beginning a segment adds to the counter register and to its counter of executions. Before the
 * first instruction on another line of code, and before each access, it asks for the line's cell and
 * writes the time to the stamp that the cell leads to. A register that the segment does not name
 * holds the address (scratch, target value in spill2); where the status flags are live the question
 * is asked by jrcxz, so in rcx (target value in spill3 if it is not the scratch register).
 *
 * The clock has two values at a time, in lanes 0 and 1 of the counter register, so that it has to be
 * moved on for every other access only.
 *
 * An access that straddles two lines is left to the engine. None does that is aligned; so alignment is
 * what is tested, of the base register where that is enough. The stack pointer is tested once for a segment.
 */
#include "engine/filter_check.h"
#include "engine/filter_forms.h"
#include "engine/flags.h"
#include "engine/job.h"
#include "engine/segments.h"
#include "engine/util.h"

/* Bytes of code, at most: */
#define FETCH_MOST  84u /* of a fetch up to its branches */
#define INSN_MOST   64u /* of a copied instruction, and of what ends a segment */
#define GIVE_MOST   104u /* of one that the counter register is given to */
#define COLD_FETCH  17u /* as emit_call_engine makes them */
#define COLD_STACK  14u

struct access {
	const struct mem_op *m;
	enum filter_check check;
	enum reg reg; /* for the address, then the stamp's */
	bool is_live; /* flags must be kept */
	bool borrows; /* reg is rcx, whose value is in spill3 */
	uint32_t site;
	uint8_t *look; /* where the line is looked up; CHECK_ADDRESS: of the address in reg */
	/* rel32 of branches that are not set yet: to the cold part, and to the engine. */
	uint8_t *unaligned, *missed[2];
};

/* mov dword gs:[T_MISS_SITE], number; jmp to the engine */
static void emit_call_engine(const struct job *j, struct out *o, uint32_t site)
{
	emit_store_imm32_gs(o, T_MISS_SITE, site);
	emit_jump(o, j->arena->thunk_filter);
}

/* ---- Islands: what jrcxz reaches ---- */

/* rel8 of a jrcxz that wants to go to `to`. */
static void add_island(struct job *j, uint8_t *field, const uint8_t *to)
{
	engine_assert(j->islands < sizeof j->island / sizeof *j->island);
	j->island[j->islands++] = (struct island){ field, to };
}

/* What comes here goes on behind the islands, unless nothing does. */
static void put_islands(struct job *j, bool is_passed)
{
	uint8_t *over = 0;

	if (!j->islands)
		return;
	if (is_passed) {
		emit_bytes(&j->o, (const uint8_t[]){ 0xeb, 0 }, 2);
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
static void need_islands(struct job *j, uint32_t bytes)
{
	if (j->islands &&
	    j->o.p + bytes + 2 + 5 * j->islands > j->island[0].field + 1 + 127)
		put_islands(j, true);
}

/* ---- Addresses ---- */

static bool names(const struct mem_op *m, enum reg r)
{
	return m->base == r || m->index == r;
}

/* reg = the address of the access, wherever the value of rcx is meanwhile. */
static void emit_address(struct out *o, const struct access *a, bool is_first)
{
	if (a->borrows && !is_first && names(a->m, RCX))
		emit_load_gs(o, RCX, T_SPILL3);
	job_lea_operand(o, a->reg, a->m);
}

/* ---- Data ---- */

#define LINE_BYTES (1u << FILTER_LINE_SHIFT)
#define COLD_MOST  160u

/* reg32 = place in its line of the access's first byte; compared with the last one that does not straddle. */
static void emit_compare_ends(struct out *o, const struct access *a, bool is_first)
{
	emit_address(o, a, is_first);
	emit_arith32(o, FORM_AND, a->reg, LINE_BYTES - 1);
	emit_arith32(o, FORM_CMP, a->reg, (uint8_t)(LINE_BYTES - a->m->size));
}

/* The cold part: a look at both ends, if it is wanted; the address to memory, and to the engine. */
static void emit_cold(const struct job *j, struct out *o, const struct access *a, bool looks_at_ends)
{
	if (looks_at_ends) {
		uint8_t *straddles;

		emit_compare_ends(o, a, false);
		straddles = emit_branch(o, FORM_JA);
		if (a->check == CHECK_ADDRESS)
			emit_address(o, a, false);
		emit_jump(o, a->look);
		emit_set_branch(straddles, o->p);
	}
	emit_address(o, a, false);
	emit_store_gs(o, a->reg, T_MISS_ADDRESS);
	emit_call_engine(j, o, a->site);
}

/* Writes it, and sets the branches to it. Returns where misses go. */
static const uint8_t *put_cold(struct job *j, const struct access *a)
{
	uint8_t room[COLD_MOST], *miss;
	struct out o = { .p = room };
	uint32_t all, part;

	emit_cold(j, &o, a, a->unaligned);
	all = (uint32_t)(o.p - room);
	o.p = room;
	emit_cold(j, &o, a, false);
	part = (uint32_t)(o.p - room);
	engine_assert(all <= sizeof room);
	j->arena->cold -= all;
	o.p = j->arena->cold;
	emit_cold(j, &o, a, a->unaligned);
	miss = j->arena->cold + all - part;
	emit_set_branch(a->unaligned, j->arena->cold);
	emit_set_branch(a->missed[0], miss);
	emit_set_branch(a->missed[1], miss);
	return miss;
}

/* Does it straddle? The flags may be changed. */
static void check_with_flags(struct job *j, struct access *a)
{
	if (a->check == CHECK_BASE) {
		emit_test8(&j->o, (enum reg)a->m->base, (uint8_t)(a->m->size - 1));
		a->unaligned = emit_branch(&j->o, FORM_JNZ);
	} else if (a->check == CHECK_ENDS) {
		emit_compare_ends(&j->o, a, true);
		a->missed[0] = emit_branch(&j->o, FORM_JA);
	}
}

/* The same without: is it aligned? If not, the engine sees. */
static void check_without_flags(struct job *j, struct access *a)
{
	enum reg from = a->reg;

	if (a->check == CHECK_NONE)
		return;
	if (a->check == CHECK_BASE)
		from = (enum reg)a->m->base;
	else
		emit_address(&j->o, a, true);
	emit_pext(&j->o, RCX, from,
		  FILTER_ALIGN_MASKS + 8u * (uint32_t)__builtin_ctz(a->m->size));
	emit_bytes(&j->o, (const uint8_t[]){ 0xe3, 5 }, 2); /* jrcxz */
	a->missed[0] = emit_jump_later(&j->o);
}

/* The number of its line to reg. */
static void emit_line(struct job *j, struct access *a)
{
	const struct mem_op *m = a->m;
	bool is_first = !a->is_live || a->check == CHECK_NONE;

	a->look = j->o.p;
	if (filter_is_fixed(m)) {
		uint64_t address = (uint64_t)m->disp << (64 - FILTER_ADDRESS_BITS);

		emit_mov_imm64(&j->o, a->reg,
			       address >> (64 - FILTER_ADDRESS_BITS + FILTER_LINE_SHIFT));
		return;
	}
	if (filter_is_base_only(m) && m->disp == 0 && a->check != CHECK_ADDRESS &&
	    (is_first || m->base != RCX)) {
		emit_pext(&j->o, a->reg, (enum reg)m->base, FILTER_LINE_MASK);
		return;
	}
	emit_address(&j->o, a, is_first);
	if (a->check == CHECK_ADDRESS && !a->is_live) {
		emit_test8(&j->o, a->reg, (uint8_t)(m->size - 1));
		a->unaligned = emit_branch(&j->o, FORM_JNZ);
		a->look = j->o.p;
	}
	emit_pext(&j->o, a->reg, a->reg, FILTER_LINE_MASK);
}

static uint32_t new_site(struct job *j, const struct filter_site *site)
{
	uint32_t number = filter_new_site(site);

	if (!number)
		j->failed = true;
	return number;
}

/* Bytes of code, at most, of an access. */
static uint32_t access_most(const struct access *a)
{
	const uint32_t lea = 10, lea_fs = 24, reload = 9;
	uint32_t address = (a->m->fs ? lea_fs : lea) + (a->borrows ? reload : 0);
	uint32_t bytes = 56 + address + (a->borrows ? 2 * reload : 0);

	if (a->check == CHECK_NONE || a->check == CHECK_ENGINE)
		return bytes;
	return bytes + address + 17;
}

static void emit_data(struct job *j, const struct insn *in, const struct mem_op *m, bool is_live)
{
	const uint32_t n = j->next_entry++;
	struct filter_site site = { .segment = j->trailer, .index = (uint16_t)n };
	struct access a = { .m = m, .check = filter_check_of(in, m, j->stack_is_aligned), .reg = j->scratch2 };
	uint8_t *island = 0;
	const uint8_t *miss;

	if (m->fs && is_live && a.reg != RCX && names(m, RCX))
		a.check = CHECK_ENGINE;
	a.is_live = is_live && a.check != CHECK_ENGINE;
	a.borrows = a.is_live && a.reg != RCX;
	need_islands(j, access_most(&a));
	if (n && n % 2 == 0)
		emit_tick(&j->o);
	if (a.borrows) {
		emit_store_gs(&j->o, RCX, T_SPILL3);
		a.reg = RCX;
	}
	if (a.check == CHECK_ENGINE) {
		a.missed[0] = emit_jump_later(&j->o);
	} else {
		if (a.is_live)
			check_without_flags(j, &a);
		else
			check_with_flags(j, &a);
		emit_line(j, &a);
		emit_load_cell(&j->o, a.reg);
		if (a.is_live) {
			emit_bytes(&j->o, (const uint8_t[]){ 0xe3, 0 }, 2); /* jrcxz */
			island = j->o.p - 1;
		} else {
			emit_test32(&j->o, a.reg);
			a.missed[1] = emit_branch(&j->o, FORM_JZ);
		}
	}
	site.back = (uint64_t)(uintptr_t)j->o.p;
	site.reg = (uint8_t)a.reg;
	site.flags = (n % 2 ? FILTER_SITE_SECOND : 0) |
		     (a.check == CHECK_ENGINE ? FILTER_SITE_SLOW : 0);
	site.span = (uint8_t)(m->size - 1);
	site.column = m->kind == ACCESS_STORE ? 2 : 1;
	a.site = new_site(j, &site);
	emit_stamp(&j->o, a.reg, n % 2);
	if (a.borrows)
		emit_load_gs(&j->o, RCX, T_SPILL3);
	miss = put_cold(j, &a);
	if (island)
		add_island(j, island, miss);
}

/* ---- Code ---- */

/*
 * The lines of the instruction that are not the last one touched by this block. Instructions
 * on two lines are fetched from both at once: one of them missing, the engine looks at both.
 */
static void emit_fetch(struct job *j, uint32_t i, bool is_live)
{
	const struct insn *in = &j->in[i];
	uint64_t first = in->pc >> FILTER_LINE_SHIFT;
	uint64_t last = (in->pc + in->length - 1) >> FILTER_LINE_SHIFT;
	struct filter_site site = { .segment = j->trailer, .index = (uint16_t)(i - j->first),
				    .address = in->pc + in->length - 1,
				    .flags = FILTER_SITE_CODE };
	bool borrows = is_live && j->scratch2 != RCX;
	enum reg reg = is_live ? RCX : j->scratch2;
	uint8_t *field[2] = { 0 };
	struct out o;

	if (!filter_has_code() || (first == last && first == j->code_line))
		return;
	if (first != last)
		site.flags |= first == j->code_line ? FILTER_SITE_PAIR : FILTER_SITE_SLOW;
	need_islands(j, FETCH_MOST);
	if (borrows)
		emit_store_gs(&j->o, RCX, T_SPILL3);
	for (uint64_t line = first; line <= last; line++) {
		uint32_t cell = line == j->code_line ? 0 : filter_code_cell(line);

		if (line == j->code_line)
			continue;
		j->failed |= !cell;
		emit_load_abs32(&j->o, reg, cell);
		if (is_live) {
			emit_bytes(&j->o, (const uint8_t[]){ 0xe3, 0 }, 2); /* jrcxz */
			field[line - first] = j->o.p - 1;
		} else {
			emit_test32(&j->o, reg);
			field[line - first] = emit_branch(&j->o, FORM_JZ);
		}
		site.back = (uint64_t)(uintptr_t)j->o.p;
		emit_stamp(&j->o, reg, false);
	}
	if (borrows)
		emit_load_gs(&j->o, RCX, T_SPILL3);
	j->code_line = last;
	site.reg = (uint8_t)reg;
	j->arena->cold -= COLD_FETCH;
	o.p = j->arena->cold;
	emit_call_engine(j, &o, new_site(j, &site));
	for (uint32_t k = 0; k < 2; k++) {
		if (field[k] && is_live)
			add_island(j, field[k], j->arena->cold);
		else if (field[k])
			emit_set_branch(field[k], j->arena->cold);
	}
}

/* ---- Segments ---- */

/* Is there an access for which it is worth to know? */
static bool wants_aligned_stack(const struct job *j)
{
	for (uint32_t i = j->first; i < j->end; i++) {
		for (uint32_t k = 0; k < j->in[i].mem_count; k++) {
			const struct mem_op *m = &j->in[i].mem[k];

			if (m->base == RSP && filter_is_base_only(m) && m->size > 1 && m->size <= FILTER_STACK_ALIGN)
				return true;
		}
		if (!filter_keeps_stack(&j->in[i]))
			return false;
	}
	return false;
}

static bool needs_scratch(const struct job *j)
{
	uint64_t line = j->code_line;

	if (j->live[j->first])
		return true;
	for (uint32_t i = j->first; i < j->end; i++) {
		const struct insn *in = &j->in[i];

		if (in->mem_count || in->pc >> FILTER_LINE_SHIFT != line ||
		    (in->pc + in->length - 1) >> FILTER_LINE_SHIFT != line)
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

bool job_filter_fits(const struct job *j, uint32_t end)
{
	return job_free_registers(j, j->first, end) != 0;
}

void job_filter_block(struct job *j)
{
	flags_find_live(j->in, j->insns, INSN_FLAGS, j->live);
	j->code_line = UINT64_MAX;
	j->islands = 0;
}

void job_filter_entry(struct job *j)
{
	j->code_line = UINT64_MAX;
}

void job_filter_begin(struct job *j)
{
	uint16_t free = job_free_registers(j, j->first, j->end);
	uint32_t number;

	j->islands = 0;
	if (j->in[j->first].kind == INSN_REP || j->in[j->first].kind == INSN_ELEMENTS) {
		j->code_line = UINT64_MAX;
		return;
	}
	j->desc = segments_new(j, job_accesses(j), &number);
	j->counter = filter_new_counter();
	if (!j->desc || !j->counter) {
		j->failed = true;
		j->desc = 0;
		return;
	}
	segments_of_trailer(number)->counter = j->counter;
	j->trailer = number;
	job_steps_meet(j, number);
	if (!needs_scratch(j))
		return;
	if (has_live(j) && (free >> RCX & 1))
		free = 1u << RCX;
	job_choose_scratch2(j, free);
	j->borrows2 = j->scratch2;
}

/* In rcx, whose value is in the slot. */
static void test_stack_without_flags(struct job *j, uint32_t slot, const uint8_t *exit)
{
	struct out o;

	emit_pext(&j->o, RCX, RSP, FILTER_ALIGN_MASKS + 8 * 3);
	emit_bytes(&j->o, (const uint8_t[]){ 0xe3, 5 }, 2); /* jrcxz */
	j->arena->cold -= COLD_STACK;
	o.p = j->arena->cold;
	emit_jump(&j->o, o.p);
	emit_load_gs(&o, RCX, slot);
	emit_jump(&o, exit);
}

/* The block is given up where its stack pointer is odd: others do without knowing. */
static void test_stack(struct job *j)
{
	struct code_exit *e = cache_new_exit(j->arena, j->block, EXIT_ODD_STACK, j->in[j->first].pc);

	if (!e) {
		j->failed = true;
		return;
	}
	e->more->after = j->after[0];
	j->stack_is_aligned = true;
	if (!j->live[j->first]) {
		emit_test8(&j->o, RSP, FILTER_STACK_ALIGN - 1);
		emit_jcc(&j->o, FORM_JNZ, cache_exit_stub(e));
	} else if (j->scratch2 == RCX) {
		test_stack_without_flags(j, T_SPILL2, cache_exit_stub(e));
	} else {
		emit_store_gs(&j->o, RCX, T_SPILL3);
		test_stack_without_flags(j, T_SPILL3, cache_exit_stub(e));
		emit_load_gs(&j->o, RCX, T_SPILL3);
	}
}

void job_filter_count(struct job *j)
{
	j->stack_is_aligned = false;
	if (!j->desc)
		return;
	if (!filter_is_careful && wants_aligned_stack(j))
		test_stack(j);
	if (j->live[j->first])
		emit_count_abs(&j->o, j->scratch2, j->counter);
	else
		emit_add_abs(&j->o, j->counter);
}

void job_filter_accesses(struct job *j, uint32_t i)
{
	const struct insn *in = &j->in[i];
	bool is_live = j->live[i] != 0;

	emit_fetch(j, i, is_live);
	for (uint32_t k = 0; k < in->mem_count; k++)
		emit_data(j, in, &in->mem[k], is_live);
	j->stack_is_aligned = j->stack_is_aligned && filter_keeps_stack(in);
	need_islands(j, in->touches_31 ? GIVE_MOST : INSN_MOST);
}

void job_filter_end(struct job *j, bool is_passed)
{
	if (is_passed)
		put_islands(j, true);
	if (!j->desc)
		return;
	if (j->scratch2 != NOREG)
		emit_load_gs(&j->o, j->scratch2, T_SPILL2);
	j->has_trailer = true;
	j->desc = 0;
}

void job_filter_leave(struct job *j)
{
	put_islands(j, false);
}
