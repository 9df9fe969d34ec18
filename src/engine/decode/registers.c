/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers read and written, drawn from Zydis; see registers.h. latency.c has the classes. */
#include "engine/decode/registers.h"

#include <Zydis/Zydis.h>

#include "engine/decode/latency.h"
#include "engine/decode/unsaid.h"

#define STATUS_FLAGS 63u
#define OLD_VECTORS  0xffffu /* xmm0 to xmm15 */

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static bool is_old(const ZydisDecodedInstruction *z)
{
	return z->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY ||
	       z->encoding == ZYDIS_INSTRUCTION_ENCODING_3DNOW;
}

/* Does it write nothing for some values or on some processors? The decoder does not say so. */
static bool may_keep_target(const ZydisDecodedInstruction *z)
{
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_BSF:
	case ZYDIS_MNEMONIC_BSR:
	case ZYDIS_MNEMONIC_RDSSPD:
	case ZYDIS_MNEMONIC_RDSSPQ:
		return true;
	default:
		return false;
	}
}

/* May a register that is written keep its old value, whole or in part? */
static bool is_kept(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
	const ZydisRegisterClass kind = ZydisRegisterGetClass(op->reg.value);
	const bool merges = z->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX &&
			    z->avx.mask.reg > ZYDIS_REGISTER_K0 &&
			    z->avx.mask.mode == ZYDIS_MASK_MODE_MERGING;

	if ((op->actions & ZYDIS_OPERAND_ACTION_CONDWRITE) || may_keep_target(z))
		return true;
	switch (kind) {
	case ZYDIS_REGCLASS_GPR8:
	case ZYDIS_REGCLASS_GPR16:
		return true;
	case ZYDIS_REGCLASS_XMM:
		return merges || (is_old(z) && op->size < 128);
	case ZYDIS_REGCLASS_YMM:
	case ZYDIS_REGCLASS_ZMM:
		return merges;
	default:
		return false;
	}
}

static void add_register(struct insn_registers *r, ZydisRegister reg, bool reads, bool writes)
{
	const ZydisRegister whole =
		ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
	const uint32_t bit = 1u << (ZydisRegisterGetId(reg) & 31);

	switch (ZydisRegisterGetClass(reg)) {
	case ZYDIS_REGCLASS_GPR8:
	case ZYDIS_REGCLASS_GPR16:
	case ZYDIS_REGCLASS_GPR32:
	case ZYDIS_REGCLASS_GPR64:
		r->gprs_read |= (uint16_t)(reads ? 1u << (whole - ZYDIS_REGISTER_RAX) : 0);
		r->gprs_written |= (uint16_t)(writes ? 1u << (whole - ZYDIS_REGISTER_RAX) : 0);
		break;
	case ZYDIS_REGCLASS_XMM:
	case ZYDIS_REGCLASS_YMM:
	case ZYDIS_REGCLASS_ZMM:
		r->vectors_read |= reads ? bit : 0;
		r->vectors_written |= writes ? bit : 0;
		break;
	case ZYDIS_REGCLASS_MASK:
		r->masks_read |= (uint8_t)(reads ? bit : 0);
		r->masks_written |= (uint8_t)(writes ? bit : 0);
		break;
	case ZYDIS_REGCLASS_X87:
	case ZYDIS_REGCLASS_MMX:
		r->x87 = true;
		break;
	default:
		break;
	}
}

/* Do all source operands hold the same register, so that the result is the same for each value? */
static bool is_of_equal_sources(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
	const uint32_t first = is_old(z) ? 0 : 1;

	/* under a mask, lanes may be kept */
	if (z->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX && z->avx.mask.reg > ZYDIS_REGISTER_K0)
		return false;
	return z->operand_count_visible == first + 2 &&
	       op[first].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       op[first + 1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       op[first].reg.value == op[first + 1].reg.value &&
	       ZydisRegisterGetClass(op[first].reg.value) != ZYDIS_REGCLASS_GPR8 &&
	       ZydisRegisterGetClass(op[first].reg.value) != ZYDIS_REGCLASS_GPR16;
}

/* Its result is a constant, or for sbb that of a flag, if its sources are equal. */
static bool is_constant(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
	static const ZydisMnemonic constant[] = {
		ZYDIS_MNEMONIC_XOR,	 ZYDIS_MNEMONIC_SBB,	  ZYDIS_MNEMONIC_SUB,
		ZYDIS_MNEMONIC_CMP,	 ZYDIS_MNEMONIC_PXOR,	  ZYDIS_MNEMONIC_XORPS,
		ZYDIS_MNEMONIC_XORPD,	 ZYDIS_MNEMONIC_PANDN,	  ZYDIS_MNEMONIC_ANDNPS,
		ZYDIS_MNEMONIC_ANDNPD,	 ZYDIS_MNEMONIC_PSUBB,	  ZYDIS_MNEMONIC_PSUBW,
		ZYDIS_MNEMONIC_PSUBD,	 ZYDIS_MNEMONIC_PSUBQ,	  ZYDIS_MNEMONIC_PCMPGTB,
		ZYDIS_MNEMONIC_PCMPGTW,	 ZYDIS_MNEMONIC_PCMPGTD,  ZYDIS_MNEMONIC_PCMPGTQ,
		ZYDIS_MNEMONIC_PCMPEQB,	 ZYDIS_MNEMONIC_PCMPEQW,  ZYDIS_MNEMONIC_PCMPEQD,
		ZYDIS_MNEMONIC_PCMPEQQ,	 ZYDIS_MNEMONIC_VPXOR,	  ZYDIS_MNEMONIC_VPXORD,
		ZYDIS_MNEMONIC_VPXORQ,	 ZYDIS_MNEMONIC_VXORPS,	  ZYDIS_MNEMONIC_VXORPD,
		ZYDIS_MNEMONIC_VPANDN,	 ZYDIS_MNEMONIC_VPANDND,  ZYDIS_MNEMONIC_VPANDNQ,
		ZYDIS_MNEMONIC_VANDNPS,	 ZYDIS_MNEMONIC_VANDNPD,  ZYDIS_MNEMONIC_VPSUBB,
		ZYDIS_MNEMONIC_VPSUBW,	 ZYDIS_MNEMONIC_VPSUBD,	  ZYDIS_MNEMONIC_VPSUBQ,
		ZYDIS_MNEMONIC_VPCMPGTB, ZYDIS_MNEMONIC_VPCMPGTW, ZYDIS_MNEMONIC_VPCMPGTD,
		ZYDIS_MNEMONIC_VPCMPGTQ, ZYDIS_MNEMONIC_VPCMPEQB, ZYDIS_MNEMONIC_VPCMPEQW,
		ZYDIS_MNEMONIC_VPCMPEQD, ZYDIS_MNEMONIC_VPCMPEQQ, ZYDIS_MNEMONIC_KXORB,
		ZYDIS_MNEMONIC_KXORW,	 ZYDIS_MNEMONIC_KXORD,	  ZYDIS_MNEMONIC_KXORQ,
		ZYDIS_MNEMONIC_KXNORB,	 ZYDIS_MNEMONIC_KXNORW,	  ZYDIS_MNEMONIC_KXNORD,
		ZYDIS_MNEMONIC_KXNORQ,
	};

	for (uint32_t i = 0; i < COUNT(constant); i++)
		if (constant[i] == z->mnemonic)
			return is_of_equal_sources(z, op);
	return false;
}

static void add_operand(struct insn_registers *r, const ZydisDecodedInstruction *z,
			const ZydisDecodedOperand *op, bool needs_values)
{
	const bool writes = op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	const bool reads = op->actions & ZYDIS_OPERAND_ACTION_MASK_READ;

	if (op->type == ZYDIS_OPERAND_TYPE_MEMORY) {
		add_register(r, op->mem.base, true, false);
		add_register(r, op->mem.index, true, false);
	} else if (op->type == ZYDIS_OPERAND_TYPE_REGISTER) {
		add_register(r, op->reg.value,
			     needs_values && (reads || (writes && is_kept(z, op))), writes);
	}
}

/* Whole states, of which the decoder names no register. */
static void add_states(struct insn_registers *r, const ZydisDecodedInstruction *z)
{
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_FXSAVE:
	case ZYDIS_MNEMONIC_FXSAVE64:
		r->vectors_read |= OLD_VECTORS;
		r->x87 = true;
		return;
	case ZYDIS_MNEMONIC_FXRSTOR:
	case ZYDIS_MNEMONIC_FXRSTOR64:
		r->vectors_written |= OLD_VECTORS;
		r->x87 = r->keeps_upper = true;
		return;
	case ZYDIS_MNEMONIC_EMMS:
	case ZYDIS_MNEMONIC_FEMMS:
		r->x87 = true;
		return;
	case ZYDIS_MNEMONIC_VZEROALL:
		r->vectors_written |= OLD_VECTORS;
		return;
	case ZYDIS_MNEMONIC_VZEROUPPER:
		r->vectors_read |= OLD_VECTORS;
		r->vectors_written |= OLD_VECTORS;
		return;
	default:
		break;
	}
	if (z->meta.category != ZYDIS_CATEGORY_XSAVE && z->meta.category != ZYDIS_CATEGORY_XSAVEOPT)
		return;
	r->vectors_read = UINT32_MAX;
	r->masks_read = UINT8_MAX;
	r->x87 = true;
	if (z->mnemonic == ZYDIS_MNEMONIC_XRSTOR || z->mnemonic == ZYDIS_MNEMONIC_XRSTOR64) {
		r->vectors_written = UINT32_MAX;
		r->masks_written = UINT8_MAX;
	}
}

/* Carry, parity, auxiliary, zero, sign, overflow, direction: a bit each. */
static uint8_t flag_bits(uint32_t eflags)
{
	return (uint8_t)((eflags & 1) | (eflags >> 1 & 2) | (eflags >> 2 & 4) | (eflags >> 3 & 8) |
			 (eflags >> 3 & 16) | (eflags >> 6 & 32) |
			 (eflags >> 4 & REGISTERS_DIRECTION_FLAG));
}

/* May it leave the flags as they are, as a shift by 0 does? */
static bool may_keep_flags(const ZydisDecodedInstruction *z)
{
	return z->meta.category == ZYDIS_CATEGORY_SHIFT ||
	       z->meta.category == ZYDIS_CATEGORY_ROTATE || z->mnemonic == ZYDIS_MNEMONIC_SHLD ||
	       z->mnemonic == ZYDIS_MNEMONIC_SHRD ||
	       (z->attributes &
		(ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE));
}

static void add_flags(struct insn_registers *r, const ZydisDecodedInstruction *z)
{
	const ZydisAccessedFlags *f = z->cpu_flags;

	if (z->mnemonic == ZYDIS_MNEMONIC_VPTEST || z->mnemonic == ZYDIS_MNEMONIC_VTESTPS ||
	    z->mnemonic == ZYDIS_MNEMONIC_VTESTPD)
		r->flags_written = STATUS_FLAGS;
	if (!f)
		return;
	r->flags_read = flag_bits(f->tested);
	r->flags_written |= flag_bits(f->modified | f->set_0 | f->set_1 | f->undefined);
	if (may_keep_flags(z))
		r->flags_read |= r->flags_written;
}

static uint32_t mask_number(const ZydisDecodedOperand *op)
{
	return (uint32_t)(op->reg.value - ZYDIS_REGISTER_K0);
}

uint32_t decode_registers(const uint8_t *code, uint32_t room, struct insn_registers *r)
{
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction z;
	ZydisDecoder decoder;
	bool needs_values;

	*r = (struct insn_registers){0};
	if (!ZYAN_SUCCESS(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, room, &z, op)))
		return 0;
	needs_values = !is_constant(&z, op);
	for (uint32_t i = 0; i < z.operand_count; i++)
		add_operand(r, &z, &op[i], needs_values);
	if (z.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX && z.avx.mask.reg > ZYDIS_REGISTER_K0)
		add_register(r, z.avx.mask.reg, true, false);
	r->gprs_read |= unsaid_gprs(&z);
	r->gprs_written |= unsaid_gprs(&z);
	/* It writes two masks, the named one and the other of its pair. */
	if (z.mnemonic == ZYDIS_MNEMONIC_VP2INTERSECTD ||
	    z.mnemonic == ZYDIS_MNEMONIC_VP2INTERSECTQ)
		add_register(r, (ZydisRegister)(ZYDIS_REGISTER_K0 + (mask_number(&op[0]) ^ 1)),
			     false, true);
	r->keeps_upper = is_old(&z) && r->vectors_written;
	r->x87 |= z.meta.isa_ext == ZYDIS_ISA_EXT_X87;
	add_states(r, &z);
	add_flags(r, &z);
	r->latency = latency_of(&z, op);
	return z.length;
}
