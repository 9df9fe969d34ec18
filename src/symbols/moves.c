/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads moves of registers; see moves.h. */
#include "symbols/moves.h"

#include <string.h>

enum { REX_B = 1, REX_X = 2, REX_R = 4, REX_W = 8 };

/* An instruction while it is read. */
struct reading {
	const unsigned char *bytes;
	size_t count, at;
	uint64_t address;
	unsigned rex;
	/* The operand by the byte ModRM. */
	unsigned reg, rm, base;
	bool is_register; /* rm is one */
	bool is_plain;	  /* memory without an index */
	int64_t displacement;
};

static unsigned take(struct reading *r)
{
	return r->at < r->count ? r->bytes[r->at++] : (r->at++, 0);
}

static int64_t take_signed(struct reading *r, unsigned bytes)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < bytes; i++)
		n |= (uint64_t)take(r) << 8 * i;
	return bytes == 1 ? (int8_t)n : (int32_t)n;
}

static void take_operand(struct reading *r, unsigned immediate)
{
	const unsigned modrm = take(r), mod = modrm >> 6;
	unsigned sib;

	r->reg = (modrm >> 3 & 7) | (r->rex & REX_R ? 8 : 0);
	r->rm = r->base = (modrm & 7) | (r->rex & REX_B ? 8 : 0);
	r->is_register = mod == 3;
	r->is_plain = !r->is_register;
	r->displacement = 0;
	if (r->is_register)
		return;
	if ((modrm & 7) == 4) {
		sib = take(r);
		r->base = (sib & 7) | (r->rex & REX_B ? 8 : 0);
		r->is_plain = (sib >> 3 & 7) == 4 && !(r->rex & REX_X);
		if ((sib & 7) == 5 && mod == 0) {
			r->is_plain = false;
			take_signed(r, 4);
		}
	} else if ((modrm & 7) == 5 && mod == 0) {
		r->displacement = take_signed(r, 4);
		r->base = MOVES_RIP;
		r->displacement += (int64_t)(r->address + r->at + immediate);
	}
	if (mod == 1 || mod == 2)
		r->displacement = take_signed(r, mod == 1 ? 1 : 4);
}

/* What an opcode of one byte does with its operand. */
enum use { UNKNOWN, STORES, LOADS, SETS_REG, SETS_RM, SETS_NOTHING };

static const struct {
	unsigned char opcode, use, immediate;
} opcodes[] = {
	{0x89, STORES, 0},	 {0x8b, LOADS, 0},	  {0x8d, SETS_REG, 0},
	{0x85, SETS_NOTHING, 0}, {0x84, SETS_NOTHING, 0}, {0x39, SETS_NOTHING, 0},
	{0x3b, SETS_NOTHING, 0}, {0x83, SETS_RM, 1},	  {0x81, SETS_RM, 4},
	{0xc7, SETS_RM, 4},	 {0xc6, SETS_NOTHING, 1}, {0x88, SETS_NOTHING, 0},
	{0x31, SETS_RM, 0},	 {0x33, SETS_REG, 0},	  {0x29, SETS_RM, 0},
	{0x2b, SETS_REG, 0},	 {0x01, SETS_RM, 0},	  {0x03, SETS_REG, 0},
	{0x63, SETS_REG, 0},	 {0x6b, SETS_REG, 1},	  {0x69, SETS_REG, 4},
	{0xc1, SETS_RM, 1},	 {0xd1, SETS_RM, 0},
};

/* Of these opcodes: all but comparisons, loads, and those that change a register. */
static bool writes_memory(unsigned opcode)
{
	static const unsigned char known[] = {0x89, 0x81, 0x83, 0xc7, 0xc6, 0x88,
					      0x31, 0x29, 0x01, 0xc1, 0xd1};

	return memchr(known, (int)opcode, sizeof(known)) != NULL;
}

/* In a group of operations with a constant. */
static bool is_comparison(const struct reading *r, unsigned opcode)
{
	return (opcode == 0x81 || opcode == 0x83) && (r->reg & 7) == 7;
}

static void set_operand(struct reading *r, enum use use, bool is_written, struct move *out)
{
	const bool is_whole = (r->rex & REX_W) != 0;

	out->base = r->base;
	out->displacement = r->displacement;
	out->writes = is_written && !r->is_register;
	if (use == STORES && is_whole && (r->is_register || r->is_plain)) {
		out->kind = r->is_register ? MOVE_COPY : MOVE_STORE;
		out->from = r->reg;
		out->to = r->rm;
		out->has_to = r->is_register;
	} else if (use == STORES && is_whole) {
		out->has_index = true;
		out->from = r->reg;
	} else if (use == LOADS && is_whole && (r->is_register || r->is_plain)) {
		out->kind = r->is_register ? MOVE_COPY : MOVE_LOAD;
		out->from = r->rm;
		out->to = r->reg;
		out->has_to = true;
	} else {
		out->has_to = use == LOADS || use == SETS_REG ||
			      ((use == STORES || use == SETS_RM) && r->is_register);
		out->to = use == LOADS || use == SETS_REG ? r->reg : r->rm;
	}
}

static bool read_operand(struct reading *r, unsigned opcode, struct move *out)
{
	for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
		if (opcodes[i].opcode != opcode)
			continue;
		take_operand(r, opcodes[i].immediate);
		r->at += opcodes[i].immediate;
		set_operand(r, (enum use)opcodes[i].use,
			    writes_memory(opcode) && !is_comparison(r, opcode), out);
		return true;
	}
	return false;
}

/* Moves of vector registers, and others that change no general register. */
static bool is_of_vectors(unsigned opcode)
{
	static const unsigned char known[] = {0x10, 0x11, 0x12, 0x13, 0x16, 0x17, 0x28, 0x29,
					      0x57, 0x5a, 0x6c, 0x6e, 0x6f, 0x7f, 0xd6, 0xef};

	return memchr(known, (int)opcode, sizeof(known)) != NULL;
}

static bool read_two_bytes(struct reading *r, struct move *out)
{
	const unsigned opcode = take(r);
	int64_t distance;

	if (opcode == 0x84 || opcode == 0x85) { /* je, jne */
		distance = take_signed(r, 4);
		out->kind = opcode == 0x85 ? MOVE_JUMP_SET : MOVE_OTHER;
		out->target = r->address + r->at + (uint64_t)distance;
		return true;
	}
	/* cmov; imul; movzx and movsx */
	if (opcode >> 4 == 4 || opcode == 0xaf || (opcode & ~9u) == 0xb6) {
		take_operand(r, 0);
		out->to = r->reg;
		out->has_to = true;
		return true;
	}
	if (opcode == 0x1f || is_of_vectors(opcode)) {
		take_operand(r, 0);
		out->base = r->base;
		out->displacement = r->displacement;
		out->writes =
			!r->is_register && memchr("\x11\x13\x29\x7f\xd6", (int)opcode, 5) != NULL;
		return true;
	}
	return false;
}

static bool read_jump(struct reading *r, unsigned opcode, struct move *out)
{
	static const struct {
		unsigned char opcode, bytes, kind;
	} jumps[] = {
		{0x74, 1, MOVE_OTHER}, {0x75, 1, MOVE_JUMP_SET}, {0xeb, 1, MOVE_JUMP},
		{0xe9, 4, MOVE_JUMP},  {0xe8, 4, MOVE_CALL},
	};
	int64_t distance;

	for (size_t i = 0; i < sizeof(jumps) / sizeof(jumps[0]); i++) {
		if (jumps[i].opcode != opcode)
			continue;
		distance = take_signed(r, jumps[i].bytes);
		out->kind = (enum move_kind)jumps[i].kind;
		out->target = r->address + r->at + (uint64_t)distance;
		return true;
	}
	return false;
}

static bool read_opcode(struct reading *r, struct move *out)
{
	unsigned byte = take(r);

	while (byte == 0x66 || byte == 0xf3 || byte == 0xf2)
		byte = take(r);
	if (byte >> 4 == 4) {
		r->rex = byte;
		byte = take(r);
	}
	if (byte == 0x0f)
		return read_two_bytes(r, out);
	if (byte == 0x90)
		return true;
	if (byte == 0x98) { /* cdqe */
		out->to = MOVES_RAX;
		out->has_to = true;
		return true;
	}
	if (byte == 0xc3) {
		out->kind = MOVE_RETURN;
		return true;
	}
	if (byte >> 3 == 0x58 >> 3 || byte == 0xc9) { /* pop; leave */
		out->to = byte == 0xc9 ? MOVES_RBP : (byte & 7) | (r->rex & REX_B ? 8 : 0);
		out->has_to = true;
		return true;
	}
	if (byte >> 3 == 0xb8 >> 3) { /* mov register, immediate */
		out->to = (byte & 7) | (r->rex & REX_B ? 8 : 0);
		out->has_to = true;
		r->at += r->rex & REX_W ? 8 : 4;
		return true;
	}
	return read_jump(r, byte, out) || read_operand(r, byte, out);
}

bool moves_read(const unsigned char *bytes, size_t count, uint64_t address, struct move *out)
{
	struct reading r = {.bytes = bytes, .count = count, .address = address};

	*out = (struct move){.kind = MOVE_OTHER};
	if (!read_opcode(&r, out) || r.at > count)
		return false;
	out->length = (unsigned)r.at;
	return true;
}
