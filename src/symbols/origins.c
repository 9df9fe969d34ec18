/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goes backwards from an instruction; see origins.h. A register holds a pointer if a variable that
 * DWARF places there does, or if the value was copied or computed from one, or loaded from memory
 * whose type is known.
 */
#include "symbols/origins.h"

#include <Zydis/Zydis.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

#include "symbols/moves.h"

#define MOST_CODE  ((size_t)1 << 16) /* bytes of a function, before the instruction */
#define MOST_DEPTH 8		     /* copies of copies */
#define MOST_BACK  2000		     /* instructions between two copies */
#define KEPT	   0xf028u	     /* registers that a call keeps: rbx, rbp, r12 to r15 */
#define NOWHERE	   MOVES_REGISTERS

struct origins {
	struct frame frame;
	unsigned char *code; /* of the function */
	uint64_t start;
	size_t bytes;
	uint32_t *places; /* of its instructions in `code` */
	size_t count;
	ZydisDecoder decoder;
};

struct decoded {
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static bool decode(const struct origins *o, size_t place, struct decoded *d)
{
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&o->decoder, o->code + place, o->bytes - place,
						   &d->in, d->operands));
}

/* Read the function up to, and with, the instruction around `at`. */
static bool read_function(struct origins *o, uint64_t at)
{
	Dwarf_Die function = o->frame.scopes[0];
	struct decoded d;
	Dwarf_Addr low;
	size_t place = 0;

	if (o->frame.scope_count == 0 || dwarf_lowpc(&function, &low) != 0)
		return false;
	o->start = low - o->frame.shift;
	if (o->start > at || at - o->start > MOST_CODE)
		return false;
	o->bytes = at - o->start + SYMBOLS_CODE_BYTES;
	o->code = calloc(1, o->bytes);
	o->places = calloc(o->bytes, sizeof(*o->places));
	if (o->code == NULL || o->places == NULL)
		return false;
	o->bytes = symbols_read_code(o->frame.f, o->start, o->code, o->bytes);
	for (; place <= at - o->start && place < o->bytes; place += d.in.length) {
		if (!decode(o, place, &d))
			return false;
		o->places[o->count++] = (uint32_t)place;
	}
	return o->count > 0 && place > at - o->start;
}

static bool begin(struct origins *o, const struct frame *s, uint64_t at)
{
	*o = (struct origins){.frame = *s};
	return ZYAN_SUCCESS(ZydisDecoderInit(&o->decoder, ZYDIS_MACHINE_MODE_LONG_64,
					     ZYDIS_STACK_WIDTH_64)) &&
	       read_function(o, at);
}

static void end(struct origins *o)
{
	free(o->code);
	free(o->places);
}

/* The number of a general register of any width. */
static unsigned number_of(ZydisRegister r)
{
	const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);

	return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15
		       ? (unsigned)(whole - ZYDIS_REGISTER_RAX)
		       : NOWHERE;
}

static bool writes(const struct decoded *d, unsigned number)
{
	if (d->in.mnemonic == ZYDIS_MNEMONIC_CALL)
		return !(KEPT >> number & 1);
	for (uint8_t i = 0; i < d->in.operand_count; i++)
		if (d->operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    d->operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
		    number_of(d->operands[i].reg.value) == number)
			return true;
	return false;
}

/* The last instruction before number i that writes the register; SIZE_MAX: none. */
static size_t last_write(const struct origins *o, unsigned number, size_t i, struct decoded *d)
{
	const size_t first = i > MOST_BACK ? i - MOST_BACK : 0;

	while (i-- > first)
		if (decode(o, o->places[i], d) && writes(d, number))
			return i;
	return SIZE_MAX;
}

static void go_to(struct origins *o, size_t i)
{
	frame_enter(&o->frame, o->start + o->places[i]);
}

static uint64_t size_of(Dwarf_Die *type)
{
	Dwarf_Word bytes;

	return dwarf_aggregate_size(type, &bytes) == 0 ? bytes : 0;
}

static bool points_to(struct origins *o, unsigned number, size_t i, int depth, Dwarf_Die *pointee);

/* The type of a variable with a fixed address. */
static bool fixed_type(struct origins *o, uint64_t address, Dwarf_Die *type, uint64_t *offset)
{
	uint64_t start;

	if (!symbols_variable_die(o->frame.f, address, type, &start) ||
	    symbols_type_of(type, type) == NULL)
		return false;
	*offset = address - start;
	return true;
}

/* The type that the operand of instruction i lies in, and where in it. */
static bool memory_type(struct origins *o, const ZydisDecodedOperand *m, size_t i, int depth,
			Dwarf_Die *type, uint64_t *offset)
{
	const unsigned base = number_of(m->mem.base), index = number_of(m->mem.index);
	struct frame_wanted w = {.is_slot = true};
	int64_t bytes;
	struct decoded d;

	if (m->mem.base == ZYDIS_REGISTER_RIP && decode(o, o->places[i], &d))
		return fixed_type(
			o, o->start + o->places[i] + d.in.length + (uint64_t)m->mem.disp.value,
			type, offset);
	if (m->mem.base == ZYDIS_REGISTER_NONE)
		return fixed_type(o, (uint64_t)m->mem.disp.value, type, offset);
	go_to(o, i);
	if (frame_place(&o->frame, base, m->mem.disp.value, &w.slot) &&
	    frame_find(&o->frame, &w, type, offset))
		return true;
	if ((base == NOWHERE || !points_to(o, base, i, depth + 1, type)) &&
	    (index == NOWHERE || m->mem.scale > 1 || !points_to(o, index, i, depth + 1, type)))
		return false;
	bytes = (int64_t)size_of(type);
	if (bytes <= 0)
		return false;
	*offset = (uint64_t)((m->mem.disp.value % bytes + bytes) % bytes);
	return true;
}

/* What the pointer in the operand points to. */
static bool loaded_pointer(struct origins *o, const ZydisDecodedOperand *m, size_t i, int depth,
			   Dwarf_Die *pointee)
{
	Dwarf_Die type, member;
	uint64_t offset;

	return memory_type(o, m, i, depth, &type, &offset) &&
	       symbols_member_at(&type, offset, &member) && frame_pointee(&member, pointee);
}

static bool is_memory(const ZydisDecodedOperand *x)
{
	return x->type == ZYDIS_OPERAND_TYPE_MEMORY && x->mem.segment != ZYDIS_REGISTER_FS &&
	       x->mem.segment != ZYDIS_REGISTER_GS;
}

/* The same for a value that instruction i has computed. */
static bool computed(struct origins *o, unsigned number, const struct decoded *d, size_t i,
		     int depth, Dwarf_Die *pointee)
{
	const ZydisDecodedOperand *from = &d->operands[1];
	const unsigned other =
		from->type == ZYDIS_OPERAND_TYPE_REGISTER ? number_of(from->reg.value) : NOWHERE;
	uint64_t offset;

	switch (d->in.mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
		if (is_memory(from))
			return from->size == 64 && loaded_pointer(o, from, i, depth, pointee);
		return other != NOWHERE && points_to(o, other, i, depth + 1, pointee);
	case ZYDIS_MNEMONIC_LEA:
		return memory_type(o, from, i, depth, pointee, &offset);
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
		return points_to(o, number, i, depth + 1, pointee) ||
		       (other != NOWHERE && points_to(o, other, i, depth + 1, pointee));
	default:
		return false;
	}
}

/* What the register points to before instruction i. */
static bool points_to(struct origins *o, unsigned number, size_t i, int depth, Dwarf_Die *pointee)
{
	const struct frame_wanted w = {.number = number};
	Dwarf_Die type, member;
	struct decoded d;
	uint64_t offset;
	size_t last;

	if (depth > MOST_DEPTH || number >= NOWHERE)
		return false;
	go_to(o, i);
	if (frame_find(&o->frame, &w, &type, &offset))
		return symbols_member_at(&type, offset, &member) && frame_pointee(&member, pointee);
	last = last_write(o, number, i, &d);
	return last != SIZE_MAX && computed(o, number, &d, last, depth, pointee);
}

bool origins_of_store(const struct frame *s, uint64_t at, unsigned registers, Dwarf_Die *pointee)
{
	struct origins o;
	struct decoded d;
	bool found = false;

	if (begin(&o, s, at) && decode(&o, o.places[o.count - 1], &d) &&
	    d.in.mnemonic == ZYDIS_MNEMONIC_MOV && is_memory(&d.operands[0]) &&
	    d.operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER && d.operands[1].size == 64) {
		const unsigned from = number_of(d.operands[1].reg.value);

		found = from < NOWHERE && registers >> from & 1 &&
			loaded_pointer(&o, &d.operands[0], o.count - 1, 0, pointee);
	}
	end(&o);
	return found;
}

bool origins_constant(const struct frame *s, uint64_t at, unsigned number, uint64_t *address)
{
	struct origins o;
	struct decoded d;
	bool found = false;

	if (begin(&o, s, at)) {
		const size_t i = last_write(&o, number, o.count - 1, &d);

		found = i != SIZE_MAX && d.in.mnemonic == ZYDIS_MNEMONIC_LEA &&
			d.operands[1].mem.base == ZYDIS_REGISTER_RIP;
		if (found)
			*address = o.start + o.places[i] + d.in.length +
				   (uint64_t)d.operands[1].mem.disp.value;
	}
	end(&o);
	return found;
}
