/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instruction forms of the filter variant, besides those of emit.h. */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_FORMS_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_FORMS_H

#include "engine/codecache/emit.h"
#include "engine/simulate/state/filter.h"
#include "sim/cache/entry.h"

/* Second bytes of conditional branches. */
enum { FORM_JZ = 0x84, FORM_JNZ = 0x85, FORM_JA = 0x87 };
/* Extensions of emit_arith32. */
enum { FORM_AND = 4, FORM_CMP = 7 };

static inline void operand_abs(struct out *o, uint8_t reg, uint32_t address)
{
	emit_u8(o, (uint8_t)(0x04 | (reg & 7) << 3));
	emit_u8(o, 0x25);
	emit_u32(o, address);
}

/* [rip + distance], at the end of an instruction */
static inline void operand_near(struct out *o, uint8_t reg, const void *at)
{
	emit_u8(o, (uint8_t)(0x05 | (reg & 7) << 3));
	emit_u32(o, (uint32_t)((const uint8_t *)at - (o->p + 4)));
}

/* mov [at], r and mov r, [at], near */
static inline void emit_store_near(struct out *o, enum reg r, const uint64_t *at)
{
	emit_bytes(o, (const uint8_t[]){r & 8 ? 0x4c : 0x48, 0x89}, 2);
	operand_near(o, (uint8_t)r, at);
}

static inline void emit_load_near(struct out *o, enum reg r, const uint64_t *at)
{
	emit_bytes(o, (const uint8_t[]){r & 8 ? 0x4c : 0x48, 0x8b}, 2);
	operand_near(o, (uint8_t)r, at);
}

/* pext to, from, [mask] */
static inline void emit_pext(struct out *o, enum reg to, enum reg from, const uint64_t *mask)
{
	emit_bytes(o,
		   (const uint8_t[]){0xc4, to & 8 ? 0x62 : 0xe2,
				     (uint8_t)(0x82 | (~(uint32_t)from & 15) << 3), 0xf5},
		   4);
	operand_near(o, (uint8_t)to, mask);
}

/* movq xmm13, r, or movq r, xmm13 */
static inline void emit_move_13(struct out *o, enum reg r, bool back)
{
	emit_bytes(o,
		   (const uint8_t[]){0x66, r & 8 ? 0x4d : 0x4c, 0x0f, back ? 0x7e : 0x6e,
				     (uint8_t)(0xe8 | (r & 7))},
		   5);
}

/* psllq xmm13, by, or psrlq */
static inline void emit_shift_13(struct out *o, bool right, uint8_t by)
{
	emit_bytes(o, (const uint8_t[]){0x66, 0x41, 0x0f, 0x73, right ? 0xd5 : 0xf5, by}, 6);
}

/*
 * `to` = what is left of `from`, shifted left, then right by that and `right`. Changes no flags.
 * (All processors with AVX-512 have a quick pext, `mask` being what it takes. Others lack it, or
 * take hundreds of cycles.)
 */
static inline void emit_bits(struct out *o, enum reg to, enum reg from, const uint64_t *mask,
			     uint8_t left, uint8_t right)
{
	if (engine_vector_counter == COUNTER_YMM31) {
		emit_pext(o, to, from, mask);
		return;
	}
	emit_move_13(o, from, false);
	emit_shift_13(o, false, left);
	if (right)
		emit_shift_13(o, true, (uint8_t)(left + right));
	emit_move_13(o, to, true);
}

/* rcx = 0 if the lowest n bits of `from` are; aligned[n] has these bits. Changes no flags. */
static inline void emit_low_bits(struct out *o, enum reg from, const uint64_t aligned[], uint8_t n)
{
	emit_bits(o, RCX, from, &aligned[n], (uint8_t)(64 - n), 0);
}

/* shl reg, by: changes flags */
static inline void emit_shl(struct out *o, enum reg r, uint8_t by)
{
	emit_bytes(o, (const uint8_t[]){r & 8 ? 0x49 : 0x48, 0xc1, (uint8_t)(0xe0 | (r & 7)), by},
		   4);
}

/* shr reg, by: changes flags */
static inline void emit_shr(struct out *o, enum reg r, uint8_t by)
{
	emit_bytes(o, (const uint8_t[]){r & 8 ? 0x49 : 0x48, 0xc1, (uint8_t)(0xe8 | (r & 7)), by},
		   4);
}

/* mov reg32, [reg * 4 + FILTER_CELLS] */
static inline void emit_load_cell(struct out *o, enum reg r)
{
	if (r & 8)
		emit_u8(o, 0x46);
	emit_bytes(o,
		   (const uint8_t[]){0x8b, (uint8_t)(0x04 | (r & 7) << 3),
				     (uint8_t)(0x85 | (r & 7) << 3)},
		   3);
	emit_u32(o, FILTER_CELLS);
}

/* mov reg32, [second + reg * 4 + FILTER_CELLS] */
static inline void emit_load_cell_behind(struct out *o, enum reg r, enum reg second)
{
	const uint8_t rex = (uint8_t)(0x40 | (r & 8 ? 6 : 0) | (second & 8 ? 1 : 0));

	emit_bytes(o,
		   (const uint8_t[]){rex, 0x8b, (uint8_t)(0x84 | (r & 7) << 3),
				     (uint8_t)(0x80 | (r & 7) << 3 | (second & 7))},
		   4);
	emit_u32(o, FILTER_CELLS);
}

/* mov reg, [reg * 8 + address] */
static inline void emit_load_indexed(struct out *o, enum reg r, uint32_t address)
{
	emit_bytes(o,
		   (const uint8_t[]){r & 8 ? 0x4e : 0x48, 0x8b, (uint8_t)(0x04 | (r & 7) << 3),
				     (uint8_t)(0xc5 | (r & 7) << 3)},
		   4);
	emit_u32(o, address);
}

/* mov reg, [address], or mov [address], reg */
static inline void emit_move_abs(struct out *o, enum reg r, uint32_t address, bool stores)
{
	emit_bytes(o, (const uint8_t[]){r & 8 ? 0x4c : 0x48, stores ? 0x89 : 0x8b}, 2);
	operand_abs(o, (uint8_t)r, address);
}

/* mov reg32, [address] */
static inline void emit_load_abs32(struct out *o, enum reg r, uint32_t address)
{
	if (r & 8)
		emit_u8(o, 0x44);
	emit_u8(o, 0x8b);
	operand_abs(o, (uint8_t)r, address);
}

/* mov reg, [address]; lea reg, [reg + 1]; mov [address], reg */
static inline void emit_count_abs(struct out *o, enum reg r, uint32_t address)
{
	emit_bytes(o, (const uint8_t[]){r & 8 ? 0x4c : 0x48, 0x8b}, 2);
	operand_abs(o, (uint8_t)r, address);
	emit_lea(o, r, r, 1);
	emit_bytes(o, (const uint8_t[]){r & 8 ? 0x4c : 0x48, 0x89}, 2);
	operand_abs(o, (uint8_t)r, address);
}

/* add qword [address], 1: changes flags */
static inline void emit_add_abs(struct out *o, uint32_t address)
{
	emit_bytes(o, (const uint8_t[]){0x48, 0x83}, 2);
	operand_abs(o, 0, address);
	emit_u8(o, 1);
}

/* vpaddq ymm31, ymm31, [tick]; or paddq xmm15, [tick] */
static inline void emit_tick(struct out *o, const uint64_t *tick)
{
	if (engine_vector_counter == COUNTER_SSE) {
		emit_bytes(o, (const uint8_t[]){0x66, 0x44, 0x0f, 0xd4}, 4);
		operand_near(o, 15, tick);
		return;
	}
	emit_bytes(o, (const uint8_t[]){0x62, 0x61, 0x85, 0x20, 0xd4}, 5);
	operand_near(o, 31, tick);
}

/* vmovq [r], xmm31, or vmovhps of lane 1; or movq, movhps of xmm15 */
static inline void emit_stamp(struct out *o, enum reg r, bool second)
{
	if (engine_vector_counter == COUNTER_SSE) {
		if (!second)
			emit_u8(o, 0x66);
		emit_bytes(o, (const uint8_t[]){r & 8 ? 0x45 : 0x44, 0x0f, second ? 0x17 : 0xd6},
			   3);
	} else {
		emit_bytes(o,
			   (const uint8_t[]){0x62, r & 8 ? 0x41 : 0x61, second ? 0x7c : 0xfd, 0x08,
					     second ? 0x17 : 0xd6},
			   5);
	}
	emit_u8(o, (uint8_t)(((r & 7) == 5 ? 0x40 : 0) | 0x38 | (r & 7)));
	if ((r & 7) == 4)
		emit_u8(o, 0x24);
	if ((r & 7) == 5)
		emit_u8(o, 0);
}

/* mov byte [reg + FILTER_TO_OWNERS], SIM_DIRTY */
static inline void emit_mark_dirty(struct out *o, enum reg r)
{
	if (r & 8)
		emit_u8(o, 0x41);
	emit_bytes(o, (const uint8_t[]){0xc6, (uint8_t)(0x80 | (r & 7))}, 2);
	if ((r & 7) == 4)
		emit_u8(o, 0x24);
	emit_u32(o, FILTER_TO_OWNERS);
	emit_u8(o, SIM_DIRTY);
}

/* test r8, imm8: changes flags */
static inline void emit_test8(struct out *o, enum reg r, uint8_t v)
{
	if (r >= 4)
		emit_u8(o, r & 8 ? 0x41 : 0x40);
	emit_bytes(o, (const uint8_t[]){0xf6, (uint8_t)(0xc0 | (r & 7)), v}, 3);
}

/* test r32, r32: changes flags */
static inline void emit_test32(struct out *o, enum reg r)
{
	if (r & 8)
		emit_u8(o, 0x45);
	emit_bytes(o, (const uint8_t[]){0x85, (uint8_t)(0xc0 | (r & 7) << 3 | (r & 7))}, 2);
}

/* and r32, v (extension 4) or cmp r32, v (7): changes flags */
static inline void emit_arith32(struct out *o, uint8_t extension, enum reg r, uint8_t v)
{
	if (r & 8)
		emit_u8(o, 0x41);
	emit_bytes(o, (const uint8_t[]){0x83, (uint8_t)(0xc0 | extension << 3 | (r & 7)), v}, 3);
}

static inline void emit_jcc(struct out *o, uint8_t condition, const uint8_t *to)
{
	emit_u8(o, 0x0f);
	emit_u8(o, condition);
	emit_u32(o, (uint32_t)(to - (o->p + 4)));
}

/* emit_jcc to a target not yet known: returns the field for emit_set_branch. */
static inline uint8_t *emit_branch(struct out *o, uint8_t condition)
{
	emit_bytes(o, (const uint8_t[]){0x0f, condition, 0, 0, 0, 0}, 6);
	return o->p - 4;
}

/* jmp rel32 to a target not yet known: returns the field for emit_set_branch. */
static inline uint8_t *emit_jump_later(struct out *o)
{
	emit_bytes(o, (const uint8_t[]){0xe9, 0, 0, 0, 0}, 5);
	return o->p - 4;
}

static inline void emit_set_branch(uint8_t *field, const uint8_t *to)
{
	int32_t distance = (int32_t)(to - (field + 4));

	if (field)
		__builtin_memcpy(field, &distance, 4);
}

#endif
