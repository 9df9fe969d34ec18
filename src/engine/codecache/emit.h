/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instruction forms that the engine writes itself. Pure: bytes go to o->p,
 * where the caller provides room. None of them changes flags unless its name
 * says so.
 */
#ifndef DWELL_ENGINE_CODECACHE_EMIT_H
#define DWELL_ENGINE_CODECACHE_EMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/core/state.h"

/* mov [rsp-8], rcx: puts back the target's return address, which a return overwrote */
#define RETURN_REPAIR 0x48, 0x89, 0x4c, 0x24, 0xf8
/* lea rcx, [rcx+disp32] and lea rcx, [rcx+r11+disp8], without their displacements */
#define LEA_RCX_RCX	0x48, 0x8d, 0x89
#define LEA_RCX_RCX_R11 0x4a, 0x8d, 0x4c, 0x19
/* mov r11, gs:[rcx+8]; mov rcx, gs:[rcx] */
#define LOAD_SPILLS 0x65, 0x4c, 0x8b, 0x59, T_SPILL1, 0x65, 0x48, 0x8b, 0x09

struct out {
	uint8_t *p;
};

static inline void emit_bytes(struct out *o, const uint8_t *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		*o->p++ = b[i];
}

static inline void emit_u8(struct out *o, uint8_t v)
{
	*o->p++ = v;
}

static inline void emit_u32(struct out *o, uint32_t v)
{
	__builtin_memcpy(o->p, &v, 4);
	o->p += 4;
}

static inline void emit_u64(struct out *o, uint64_t v)
{
	__builtin_memcpy(o->p, &v, 8);
	o->p += 8;
}

/* jmp rel32 */
static inline void emit_jump(struct out *o, const uint8_t *to)
{
	emit_u8(o, 0xe9);
	emit_u32(o, (uint32_t)(to - (o->p + 4)));
}

/*
 * jmp [rip+2]; two bytes of padding; .quad to. o->p must be a multiple of 8:
 * the target may have alignment checks on.
 */
static inline void emit_jump_far(struct out *o, uint64_t to)
{
	emit_bytes(o, (const uint8_t[]){0xff, 0x25, 2, 0, 0, 0, 0x90, 0x90}, 8);
	emit_u64(o, to);
}

static inline void gs_operand(struct out *o, uint8_t opcode, uint8_t reg, uint32_t offset)
{
	emit_u8(o, 0x65);
	emit_u8(o, reg & 8 ? 0x4c : 0x48);
	emit_u8(o, opcode);
	emit_u8(o, (uint8_t)(0x04 | (reg & 7) << 3));
	emit_u8(o, 0x25);
	emit_u32(o, offset);
}

/* mov gs:[offset], reg */
static inline void emit_store_gs(struct out *o, enum reg r, uint32_t offset)
{
	gs_operand(o, 0x89, (uint8_t)r, offset);
}

/* mov reg, gs:[offset] */
static inline void emit_load_gs(struct out *o, enum reg r, uint32_t offset)
{
	gs_operand(o, 0x8b, (uint8_t)r, offset);
}

/* mov dword gs:[offset], value */
static inline void emit_store_imm32_gs(struct out *o, uint32_t offset, uint32_t value)
{
	emit_bytes(o, (const uint8_t[]){0x65, 0xc7, 0x04, 0x25}, 4);
	emit_u32(o, offset);
	emit_u32(o, value);
}

/* mov reg, imm: the shortest that holds it */
static inline void emit_mov_imm64(struct out *o, enum reg r, uint64_t v)
{
	if (v >> 32 == 0) {
		if (r & 8)
			emit_u8(o, 0x41);
		emit_u8(o, (uint8_t)(0xb8 | (r & 7)));
		emit_u32(o, (uint32_t)v);
		return;
	}
	emit_u8(o, r & 8 ? 0x49 : 0x48);
	emit_u8(o, (uint8_t)(0xb8 | (r & 7)));
	emit_u64(o, v);
}

/* mov to, from */
static inline void emit_mov(struct out *o, enum reg to, enum reg from)
{
	emit_u8(o, (uint8_t)(0x48 | (from & 8 ? 4 : 0) | (to & 8 ? 1 : 0)));
	emit_u8(o, 0x89);
	emit_u8(o, (uint8_t)(0xc0 | (from & 7) << 3 | (to & 7)));
}

/* A modrm byte with SIB as needed and disp32: [base + disp] */
static inline void base_disp(struct out *o, uint8_t reg, uint8_t base, int32_t disp)
{
	bool small = disp >= -128 && disp < 128;

	emit_u8(o, (uint8_t)((small ? 0x40 : 0x80) | (reg & 7) << 3 | (base & 7)));
	if ((base & 7) == 4)
		emit_u8(o, 0x24);
	if (small)
		emit_u8(o, (uint8_t)disp);
	else
		emit_u32(o, (uint32_t)disp);
}

/* mov [base + disp], from */
static inline void emit_store(struct out *o, enum reg base, int32_t disp, enum reg from)
{
	emit_u8(o, (uint8_t)(0x48 | (from & 8 ? 4 : 0) | (base & 8 ? 1 : 0)));
	emit_u8(o, 0x89);
	base_disp(o, (uint8_t)from, (uint8_t)base, disp);
}

/* mov qword [base + disp], sign-extended imm32 */
static inline void emit_store_imm32(struct out *o, enum reg base, int32_t disp, uint32_t v)
{
	emit_u8(o, (uint8_t)(0x48 | (base & 8 ? 1 : 0)));
	emit_u8(o, 0xc7);
	base_disp(o, 0, (uint8_t)base, disp);
	emit_u32(o, v);
}

/* lea to, [base + disp] */
static inline void emit_lea(struct out *o, enum reg to, enum reg base, int32_t disp)
{
	emit_u8(o, (uint8_t)(0x48 | (to & 8 ? 4 : 0) | (base & 8 ? 1 : 0)));
	emit_u8(o, 0x8d);
	base_disp(o, (uint8_t)to, (uint8_t)base, disp);
}

/* Keep the four bytes about to be emitted after `before` others inside one 64-byte line. */
static inline void emit_align_field(struct out *o, uint32_t before)
{
	while ((((uintptr_t)o->p + before) & 63) > 60)
		emit_u8(o, 0x90);
}

/* vpaddq ymm31, ymm31, gs:[tally] */
static inline void emit_add_counts(struct out *o, uint32_t tally)
{
	emit_bytes(o, (const uint8_t[]){0x65, 0x62, 0x61, 0x85, 0x20, 0xd4, 0x3c, 0x25}, 8);
	emit_u32(o, tally);
}

/* vpaddq xmm15, xmm15, gs:[tally] */
static inline void emit_add_packed(struct out *o, uint32_t tally)
{
	emit_bytes(o, (const uint8_t[]){0x65, 0xc5, 0x01, 0xd4, 0x3c, 0x25}, 6);
	emit_u32(o, tally);
}

/* vpaddq xmm15, xmm15, [address] */
static inline void emit_add_packed_at(struct out *o, uint32_t address)
{
	emit_bytes(o, (const uint8_t[]){0xc5, 0x01, 0xd4, 0x3c, 0x25}, 5);
	emit_u32(o, address);
}

/* vpaddq ymm31, ymm31, [address] */
static inline void emit_add_counts_at(struct out *o, uint32_t address)
{
	emit_bytes(o, (const uint8_t[]){0x62, 0x61, 0x85, 0x20, 0xd4, 0x3c, 0x25}, 7);
	emit_u32(o, address);
}

/* paddq xmm15, gs:[tally] */
static inline void emit_add_sse(struct out *o, uint32_t tally)
{
	emit_bytes(o, (const uint8_t[]){0x65, 0x66, 0x44, 0x0f, 0xd4, 0x3c, 0x25}, 7);
	emit_u32(o, tally);
}

/* paddq xmm8 to 15, [address] */
static inline void emit_add_sse_at(struct out *o, uint8_t xmm, uint32_t address)
{
	emit_bytes(
		o,
		(const uint8_t[]){0x66, 0x44, 0x0f, 0xd4, (uint8_t)(0x04 | (xmm & 7) << 3), 0x25},
		6);
	emit_u32(o, address);
}

/* movdqa between gs:[at] and xmm8 to 15, by its opcode */
static inline void emit_move_sse(struct out *o, uint8_t opcode, uint8_t xmm, uint32_t at)
{
	emit_bytes(o,
		   (const uint8_t[]){0x65, 0x66, 0x44, 0x0f, opcode,
				     (uint8_t)(0x04 | (xmm & 7) << 3), 0x25},
		   7);
	emit_u32(o, at);
}

static inline void emit_store_sse(struct out *o, uint8_t xmm, uint32_t at)
{
	emit_move_sse(o, 0x7f, xmm, at);
}

static inline void emit_load_sse(struct out *o, uint8_t xmm, uint32_t at)
{
	emit_move_sse(o, 0x6f, xmm, at);
}

/* vmovq to, xmm31 */
static inline void emit_read_place(struct out *o, enum reg to)
{
	emit_bytes(o,
		   (const uint8_t[]){0x62, to & 8 ? 0x41 : 0x61, 0xfd, 0x08, 0x7e,
				     (uint8_t)(0xf8 | (to & 7))},
		   6);
}

/* mov dword gs:[T_USED31], 1; vmovdqa64 gs:[T_COUNTERS], ymm31; vmovdqu64 zmm31, gs:[T_APP31] */
static inline void emit_give_31(struct out *o)
{
	emit_store_imm32_gs(o, T_USED31, 1);
	emit_bytes(o, (const uint8_t[]){0x65, 0x62, 0x61, 0xfd, 0x28, 0x7f, 0x3c, 0x25}, 8);
	emit_u32(o, T_COUNTERS);
	emit_bytes(o, (const uint8_t[]){0x65, 0x62, 0x61, 0xfe, 0x48, 0x6f, 0x3c, 0x25}, 8);
	emit_u32(o, T_APP31);
}

/* vmovdqu64 gs:[T_APP31], zmm31; vmovdqa64 ymm31, gs:[T_COUNTERS] */
static inline void emit_take_31(struct out *o)
{
	emit_bytes(o, (const uint8_t[]){0x65, 0x62, 0x61, 0xfe, 0x48, 0x7f, 0x3c, 0x25}, 8);
	emit_u32(o, T_APP31);
	emit_bytes(o, (const uint8_t[]){0x65, 0x62, 0x61, 0xfd, 0x28, 0x6f, 0x3c, 0x25}, 8);
	emit_u32(o, T_COUNTERS);
}

/* vmovdqa gs:[at], xmm15 or ymm15; back */
static inline void emit_store_15(struct out *o, bool full, uint32_t at)
{
	emit_bytes(o, (const uint8_t[]){0x65, 0xc5, full ? 0x7d : 0x79, 0x7f, 0x3c, 0x25}, 6);
	emit_u32(o, at);
}

static inline void emit_load_15(struct out *o, bool full, uint32_t at)
{
	emit_bytes(o, (const uint8_t[]){0x65, 0xc5, full ? 0x7d : 0x79, 0x6f, 0x3c, 0x25}, 6);
	emit_u32(o, at);
}

/* mov qword gs:[at], 0 */
static inline void emit_clear_gs(struct out *o, uint32_t at)
{
	emit_bytes(o, (const uint8_t[]){0x65, 0x48, 0xc7, 0x04, 0x25}, 5);
	emit_u32(o, at);
	emit_u32(o, 0);
}

/* cmp qword gs:[at], 0; jne forward by `over` bytes */
static inline void emit_jump_unless_0(struct out *o, uint32_t at, uint8_t over)
{
	emit_bytes(o, (const uint8_t[]){0x65, 0x48, 0x83, 0x3c, 0x25}, 5);
	emit_u32(o, at);
	emit_bytes(o, (const uint8_t[]){0, 0x75, over}, 3);
}

#endif
