/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Remembered decodings. The head of an instruction (prefixes, opcode, modrm, sib) fixes its layout
 * and its effect; displacement and immediate are only values. The full decoder takes some 1500
 * cycles. So each head is decoded in full once, and later instances are copies with their own
 * values.
 *
 * A head is only remembered if the layout found here agrees with the full decoder's. Instructions
 * whose meaning depends on an immediate never are.
 */
#include "engine/decode/decode_memo.h"

#include <sys/mman.h>

#include "channel/sys.h"
#include "engine/core/util.h"

#define SLOTS 16384u

struct memo {
	uint64_t head; /* its bytes, low first */
	uint8_t head_bytes;
	uint8_t disp_bytes, imm_bytes;
	uint8_t encoded;  /* bit k: mem[k] takes the displacement */
	struct insn insn; /* its disp is the part beside the encoded one */
};

/* Accesses to the table are scattered: a memo is two cache lines, and all are one large page. */
#define LARGE_PAGE (2ul << 20)
_Static_assert(sizeof(struct memo) == 128 && SLOTS * sizeof(struct memo) == LARGE_PAGE, "");

static struct grow pages;
static struct memo *slots;

enum { NO = 0, M = 1, I8 = 2, IZ = 4, OK = 8 };

/* One-byte opcodes: modrm, immediate. 0: not remembered. */
static const uint8_t one_byte[256] = {
	[0x00] = M,
	M,
	M,
	M,
	I8,
	IZ,
	[0x08] = M,
	M,
	M,
	M,
	I8,
	IZ,
	[0x10] = M,
	M,
	M,
	M,
	I8,
	IZ,
	[0x18] = M,
	M,
	M,
	M,
	I8,
	IZ,
	[0x20] = M,
	M,
	M,
	M,
	I8,
	IZ,
	[0x28] = M,
	M,
	M,
	M,
	I8,
	IZ,
	[0x30] = M,
	M,
	M,
	M,
	I8,
	IZ,
	[0x38] = M,
	M,
	M,
	M,
	I8,
	IZ,
	[0x50] = OK,
	OK,
	OK,
	OK,
	OK,
	OK,
	OK,
	OK,
	OK,
	OK,
	OK,
	OK,
	OK,
	OK,
	OK,
	OK,
	[0x63] = M,
	[0x68] = IZ,
	M | IZ,
	I8,
	M | I8,
	[0x70] = I8,
	I8,
	I8,
	I8,
	I8,
	I8,
	I8,
	I8,
	I8,
	I8,
	I8,
	I8,
	I8,
	I8,
	I8,
	I8,
	[0x80] = M | I8,
	M | IZ,
	NO,
	M | I8,
	M,
	M,
	M,
	M,
	M,
	M,
	M,
	M,
	NO,
	M,
	NO,
	M,
	[0x90] = OK,
	OK,
	OK,
	OK,
	OK,
	OK,
	OK,
	OK,
	OK,
	OK,
	[0xa8] = I8,
	IZ,
	[0xb0] = I8,
	I8,
	I8,
	I8,
	I8,
	I8,
	I8,
	I8,
	IZ,
	IZ,
	IZ,
	IZ,
	IZ,
	IZ,
	IZ,
	IZ,
	[0xc0] = M | I8,
	M | I8,
	[0xc3] = OK,
	[0xc6] = M | I8,
	M | IZ,
	[0xc9] = OK,
	[0xd0] = M,
	M,
	M,
	M,
	[0xe8] = IZ,
	IZ,
	[0xeb] = I8,
	[0xf6] = M,
	M, /* see group3 */
	[0xfe] = M,
	M,
};

static uint8_t two_byte(uint8_t op)
{
	if ((op >= 0x70 && op <= 0x73) || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2 ||
	    (op >= 0xc4 && op <= 0xc6))
		return M | I8;
	if ((op & 0xf0) == 0x80)
		return IZ;
	if ((op >= 0x10 && op <= 0x1f) || (op >= 0x28 && op <= 0x2f) || (op & 0xf0) == 0x40 ||
	    (op >= 0x50 && op <= 0x76) || (op & 0xf0) == 0x90 || op == 0xa3 || op == 0xa5 ||
	    op == 0xab || op == 0xad || op == 0xaf || (op >= 0xb0 && op <= 0xc1) || op >= 0xd0)
		return M;
	return op >= 0xc8 && op <= 0xcf ? OK : NO;
}

static uint8_t by_map(uint32_t map, uint8_t op)
{
	switch (map) {
	case 1:
		return op == 0x77 ? NO : two_byte(op) == IZ ? NO : two_byte(op);
	case 2:
		return M;
	case 3:
		return M | I8;
	default:
		return NO;
	}
}

struct layout {
	uint32_t head, disp, imm; /* bytes */
	bool operand16, wide, evex;
	bool group3; /* test has an immediate, not and neg have none */
};

/* Parses prefixes and opcode. Returns the opcode's form; *at becomes the offset behind it. */
static uint8_t find_opcode(const uint8_t *c, uint32_t room, uint32_t *at, struct layout *l)
{
	uint32_t i = 0;
	uint8_t op;

	for (; i < room; i++) {
		if (c[i] == 0x66)
			l->operand16 = true;
		else if (c[i] != 0xf2 && c[i] != 0xf3 && c[i] != 0xf0 && c[i] != 0x64)
			break;
	}
	if (i + 6 > room)
		return NO;
	if ((c[i] & 0xf0) == 0x40) {
		l->wide = c[i] & 8;
		i++;
	} else if (c[i] == 0xc5 || c[i] == 0xc4 || c[i] == 0x62) {
		uint32_t bytes = c[i] == 0xc5 ? 2 : c[i] == 0xc4 ? 3 : 4;
		uint32_t map = c[i] == 0xc5 ? 1 : c[i + 1] & (c[i] == 0xc4 ? 31 : 7);

		l->evex = c[i] == 0x62;
		*at = i + bytes + 1;
		return by_map(map, c[i + bytes]);
	}
	op = c[i++];
	if (op != 0x0f) {
		*at = i;
		l->group3 = (op & 0xfe) == 0xf6;
		if (one_byte[op] == IZ && op >= 0xb8 && l->wide && op <= 0xbf)
			return NO; /* imm64 */
		return one_byte[op];
	}
	op = c[i++];
	if (op == 0x38 || op == 0x3a) {
		*at = i + 1;
		return op == 0x38 ? M : M | I8;
	}
	*at = i;
	return two_byte(op);
}

static bool find_layout(const uint8_t *c, uint32_t room, struct layout *l)
{
	uint32_t at;
	uint8_t form = find_opcode(c, room, &at, l);
	uint8_t op;

	if (form == NO || at + 2 > room)
		return false;
	op = c[at - 1];
	if (form & M) {
		uint8_t modrm = c[at++], mod = modrm >> 6, rm = modrm & 7;

		if (l->group3 && (modrm & 0x30) == 0)
			form |= op == 0xf6 ? I8 : IZ;
		if (mod != 3 && rm == 4) {
			uint8_t sib = c[at++];

			if (mod == 0 && (sib & 7) == 5)
				l->disp = 4;
		} else if (mod == 0 && rm == 5) {
			l->disp = 4;
		}
		if (mod == 1)
			l->disp = 1;
		else if (mod == 2)
			l->disp = 4;
		if (l->evex && mod == 1)
			return false; /* a scaled displacement */
	}
	l->head = at;
	l->imm = form & I8 ? 1 : form & IZ ? (l->operand16 && !l->wide ? 2 : 4) : 0;
	return at <= 8 && at + l->disp + l->imm <= room;
}

/* The first n bytes, 1 to 8, of at least 8. */
static uint64_t head_of(const uint8_t *c, uint32_t n)
{
	uint64_t v;

	__builtin_memcpy(&v, c, 8);
	return v << (64 - 8 * n) >> (64 - 8 * n);
}

static struct memo *slot_for(uint64_t head, uint32_t bytes)
{
	return &slots[(head * 0x9e3779b97f4a7c15ull + bytes) >> 50];
}

static int64_t signed_value(const uint8_t *p, uint32_t bytes)
{
	int16_t two;
	int32_t four;

	switch (bytes) {
	case 0:
		return 0;
	case 1:
		return (int8_t)*p;
	case 2:
		__builtin_memcpy(&two, p, 2);
		return two;
	default:
		__builtin_memcpy(&four, p, 4);
		return four;
	}
}

bool decode_memo_find(struct insn *in, uint64_t pc, const uint8_t *code, uint32_t room)
{
	struct layout l = {0};
	const struct memo *m;
	uint64_t head;
	int64_t disp;

	if (!slots || room < 15 || !find_layout(code, room, &l))
		return false;
	head = head_of(code, l.head);
	m = slot_for(head, l.head);
	if (m->head != head || m->head_bytes != l.head || m->disp_bytes != l.disp ||
	    m->imm_bytes != l.imm)
		return false;
	*in = m->insn;
	in->pc = pc;
	__builtin_memcpy(in->bytes, code, 15);
	disp = signed_value(code + l.head, l.disp);
	for (uint32_t k = 0; k < in->mem_count; k++)
		if (m->encoded >> k & 1)
			in->mem[k].disp +=
				disp +
				(in->mem[k].base == RIP_BASE ? (int64_t)(pc + in->length) : 0);
	if (in->target)
		in->target =
			pc + in->length + (uint64_t)signed_value(code + l.head + l.disp, l.imm);
	return true;
}

static bool depends_on_values(const struct insn *in)
{
	switch (in->kind) {
	case INSN_PLAIN:
	case INSN_JCC:
	case INSN_JMP: /* never INSN_JMP_INTO, which is decided later */
	case INSN_CALL:
	case INSN_JMP_IND:
	case INSN_CALL_IND:
	case INSN_RET:
		return in->gs_prefix || in->pop_bytes;
	default:
		return true;
	}
}

static bool make_room(void)
{
	uint64_t start;

	if (slots)
		return true;
	if (grow_init_whole(&pages, 2 * LARGE_PAGE) != 0)
		return false;
	start = round_up((uint64_t)(uintptr_t)pages.base, LARGE_PAGE);
	sys3(SYS_madvise, start, LARGE_PAGE, MADV_HUGEPAGE);
	pages.base = (uint8_t *)start;
	slots = grow_take(&pages, LARGE_PAGE);
	return true;
}

void decode_memo_keep(const struct insn *in, const uint8_t *code, uint32_t encoded,
		      const struct decode_places *places)
{
	struct layout l = {0};
	struct memo *m;
	int64_t disp;

	if (!make_room() || depends_on_values(in) || !find_layout(code, 15, &l) ||
	    l.head + l.disp + l.imm != in->length || places->disp_bytes != l.disp ||
	    places->imm_bytes != l.imm || (l.disp && in->disp_at != l.head) ||
	    (l.imm && places->imm_at != l.head + l.disp))
		return;
	m = slot_for(head_of(code, l.head), l.head);
	*m = (struct memo){.head = head_of(code, l.head),
			   .head_bytes = (uint8_t)l.head,
			   .disp_bytes = (uint8_t)l.disp,
			   .imm_bytes = (uint8_t)l.imm,
			   .encoded = (uint8_t)encoded,
			   .insn = *in};
	disp = signed_value(code + l.head, l.disp);
	for (uint32_t k = 0; k < in->mem_count; k++)
		if (encoded >> k & 1)
			m->insn.mem[k].disp -=
				disp +
				(in->mem[k].base == RIP_BASE ? (int64_t)(in->pc + in->length) : 0);
}
