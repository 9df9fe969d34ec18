/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an instruction reads or writes: the size of a value, and whether it is an integer or a
 * number with a fraction. Members of unions are told apart so.
 */
#include <Zydis/Zydis.h>
#include <unistd.h>

#include "symbols/private.h"

size_t symbols_read_code(const struct symbols_file *f, uint64_t address, unsigned char *bytes,
			 size_t count)
{
	for (size_t i = 0; i < f->segment_count; i++) {
		const struct symbols_segment *g = &f->segments[i];
		ssize_t n;

		if (address < g->address || address - g->address >= g->bytes)
			continue;
		n = pread(f->fd, bytes, count, (off_t)(g->offset + (address - g->address)));
		return n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Moves of vectors copy values of all kinds. */
static bool copies_anything(ZydisMnemonic m)
{
	static const ZydisMnemonic moves[] = {
		ZYDIS_MNEMONIC_MOVUPS,	    ZYDIS_MNEMONIC_MOVAPS,     ZYDIS_MNEMONIC_MOVUPD,
		ZYDIS_MNEMONIC_MOVAPD,	    ZYDIS_MNEMONIC_MOVDQU,     ZYDIS_MNEMONIC_MOVDQA,
		ZYDIS_MNEMONIC_MOVQ,	    ZYDIS_MNEMONIC_MOVD,       ZYDIS_MNEMONIC_VMOVUPS,
		ZYDIS_MNEMONIC_VMOVAPS,	    ZYDIS_MNEMONIC_VMOVUPD,    ZYDIS_MNEMONIC_VMOVAPD,
		ZYDIS_MNEMONIC_VMOVDQU,	    ZYDIS_MNEMONIC_VMOVDQA,    ZYDIS_MNEMONIC_VMOVQ,
		ZYDIS_MNEMONIC_VMOVD,	    ZYDIS_MNEMONIC_VMOVDQU8,   ZYDIS_MNEMONIC_VMOVDQU16,
		ZYDIS_MNEMONIC_VMOVDQU32,   ZYDIS_MNEMONIC_VMOVDQU64,  ZYDIS_MNEMONIC_VMOVDQA32,
		ZYDIS_MNEMONIC_VMOVDQA64,   ZYDIS_MNEMONIC_MOVHPS,     ZYDIS_MNEMONIC_MOVLPS,
		ZYDIS_MNEMONIC_PREFETCHT0,  ZYDIS_MNEMONIC_PREFETCHT1, ZYDIS_MNEMONIC_PREFETCHT2,
		ZYDIS_MNEMONIC_PREFETCHNTA, ZYDIS_MNEMONIC_PREFETCHW,
	};

	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++)
		if (moves[i] == m)
			return true;
	return false;
}

static enum symbols_form form_of(const ZydisDecodedOperand *o)
{
	switch (o->element_type) {
	case ZYDIS_ELEMENT_TYPE_FLOAT16:
	case ZYDIS_ELEMENT_TYPE_FLOAT32:
	case ZYDIS_ELEMENT_TYPE_FLOAT64:
	case ZYDIS_ELEMENT_TYPE_FLOAT80:
		return SYMBOLS_FORM_FLOAT;
	case ZYDIS_ELEMENT_TYPE_INT:
	case ZYDIS_ELEMENT_TYPE_UINT:
		return SYMBOLS_FORM_INTEGER;
	default:
		return SYMBOLS_FORM_UNKNOWN;
	}
}

static bool is_of_memory(const ZydisDecodedOperand *o)
{
	return o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.type == ZYDIS_MEMOP_TYPE_MEM &&
	       o->size > 0;
}

bool symbols_find_operand(struct symbols_file *f, uint64_t address, struct symbols_operand *out)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	unsigned char bytes[SYMBOLS_CODE_BYTES];
	const size_t count = symbols_read_code(f, address, bytes, sizeof(bytes));
	ZydisDecodedInstruction in;
	ZydisDecoder decoder;

	*out = (struct symbols_operand){.bytes = 0};
	if (ZYAN_FAILED(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
	    ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, bytes, count, &in, operands)))
		return false;
	for (uint8_t i = 0; i < in.operand_count; i++) {
		const ZydisDecodedOperand *o = &operands[i];

		if (!is_of_memory(o))
			continue;
		if (copies_anything(in.mnemonic)) {
			out->bytes = in.raw.prefix_count > 0 || o->size <= 64 ? o->size / 8 : 0;
			return true;
		}
		out->bytes = (o->element_size > 0 ? o->element_size : o->size) / 8;
		out->form = form_of(o);
		return true;
	}
	return false;
}
