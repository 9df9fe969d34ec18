/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that counts the use of a line of data; see uses.h. */
#include "engine/core/layout.h"
#include "engine/core/util.h"
#include "engine/simulate/miss/uses.h"
#include "engine/translate/job.h"

#define BIAS_AT 8

enum { OP_ADD_IMM8 = 0x83, OP_LOAD = 0x8b, OP_STORE = 0x89 };

/* An instruction with the operand [r * 2 + USES_TO_LIVE + at]; reg: its other operand. */
static void with_live(struct out *o, bool is_wide, uint8_t opcode, uint8_t reg, enum reg r,
		      int32_t at)
{
	const uint8_t rex = (uint8_t)((is_wide ? 8 : 0) | (reg & 8 ? 4 : 0) | (r & 8 ? 2 : 0));

	if (rex)
		emit_u8(o, 0x40 | rex);
	emit_u8(o, opcode);
	emit_u8(o, (uint8_t)(0x04 | (reg & 7) << 3));
	emit_u8(o, (uint8_t)(0x45 | (r & 7) << 3));
	emit_u32(o, (uint32_t)(USES_TO_LIVE + at));
}

static bool names(const struct mem_op *m, enum reg r)
{
	return m->base == r || m->index == r;
}

static enum reg choose(const struct mem_op *m, enum reg but)
{
	static const enum reg some[] = {RAX, RDX, RSI, RDI};

	for (uint32_t i = 0; i < sizeof some / sizeof *some; i++)
		if (!names(m, some[i]) && some[i] != but)
			return some[i];
	engine_assert(false);
	return NOREG;
}

/* r += base + index * scale + disp, modulo 2^32: changes no flags. */
static void add(struct out *o, enum reg r, uint8_t base, uint8_t index, uint8_t scale, int64_t disp)
{
	const struct mem_op m = {.base = base,
				 .index = index,
				 .scale = scale,
				 .disp = (int32_t)disp,
				 .narrow = true};

	job_lea_operand(o, r, &m);
}

/* r += the address: needs no other register. */
static void add_operand(struct out *o, enum reg r, const struct mem_op *m)
{
	if (m->base >= NOREG) {
		add(o, r, (uint8_t)r, m->index, m->scale, m->disp);
		return;
	}
	add(o, r, m->base, (uint8_t)r, 1, m->disp);
	if (m->index != NOREG)
		add(o, r, (uint8_t)r, m->index, m->scale, 0);
}

/* The same by way of q. */
static void add_operand_with(struct out *o, enum reg r, enum reg q, const struct mem_op *m,
			     bool rcx_is_away)
{
	struct mem_op at = *m;

	if (rcx_is_away && names(m, RCX)) {
		emit_load_gs(o, q, T_SPILL3);
		at.base = at.base == RCX ? (uint8_t)q : at.base;
		at.index = at.index == RCX ? (uint8_t)q : at.index;
	}
	job_lea_operand(o, q, &at);
	add(o, r, (uint8_t)r, (uint8_t)q, 1, 0);
}

/* Stores 0xff to the bytes from [r] on. */
static void mark(struct out *o, enum reg r, uint32_t bytes)
{
	const uint8_t high = r & 8 ? 1 : 0;

	for (uint32_t at = 0; at < bytes; at += 8) {
		const uint32_t left = bytes - at;

		if (left >= 8) {
			emit_store_imm32(o, r, (int32_t)at, UINT32_MAX);
			continue;
		}
		if (left == 2)
			emit_u8(o, 0x66);
		if (high)
			emit_u8(o, 0x41);
		emit_u8(o, left == 1 ? 0xc6 : 0xc7);
		base_disp(o, 0, (uint8_t)r, 0);
		for (uint32_t i = 0; i < left; i++)
			emit_u8(o, 0xff);
	}
}

uint32_t uses_emit_most(const struct mem_op *m)
{
	return (m->fs ? 100 : 80) + ((m->size + 7u) & ~7u);
}

void uses_emit(struct out *o, enum reg r, const struct mem_op *m, bool keeps_flags,
	       bool rcx_is_away)
{
	const bool needs_other = keeps_flags || m->fs;
	const enum reg q = needs_other ? choose(m, r) : NOREG;

	if (needs_other)
		emit_store_gs(o, q, T_REGS + 8 * q);
	if (keeps_flags) {
		with_live(o, true, OP_LOAD, (uint8_t)q, r, 0);
		emit_lea(o, q, q, 1);
		with_live(o, true, OP_STORE, (uint8_t)q, r, 0);
	} else {
		with_live(o, true, OP_ADD_IMM8, 0, r, 0);
		emit_u8(o, 1);
	}
	with_live(o, false, OP_LOAD, (uint8_t)r, r, BIAS_AT);
	if (needs_other)
		add_operand_with(o, r, q, m, rcx_is_away);
	else
		add_operand(o, r, m);
	mark(o, r, m->size);
	if (needs_other)
		emit_load_gs(o, q, T_REGS + 8 * q);
}
