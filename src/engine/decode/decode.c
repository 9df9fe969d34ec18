/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instruction facts, drawn from Zydis; see decode.h. Does not emit. */
#include "engine/decode/decode.h"

#include <Zydis/Zydis.h>

#include "engine/core/state.h"
#include "engine/decode/decode_memo.h"
#include "engine/decode/unsaid.h"

static ZydisDecoder decoder;
/*
 * AMD's processors obey the operand size prefix of near branches; Intel's, and the decoder, do not.
 */
static bool has_short_branches;

int decode_init(void)
{
	has_short_branches = engine.amd;
	return ZYAN_SUCCESS(
		       ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64))
		       ? 0
		       : -1;
}

static uint8_t gpr_of(ZydisRegister r)
{
	if (r == ZYDIS_REGISTER_NONE)
		return NOREG;
	r = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
	if (r >= ZYDIS_REGISTER_RAX && r <= ZYDIS_REGISTER_R15)
		return (uint8_t)(r - ZYDIS_REGISTER_RAX);
	return NOREG;
}

static bool is_vector(ZydisRegister r)
{
	const ZydisRegisterClass c = ZydisRegisterGetClass(r);

	return c == ZYDIS_REGCLASS_XMM || c == ZYDIS_REGCLASS_YMM || c == ZYDIS_REGCLASS_ZMM;
}

static void set_vector(struct insn *in, const ZydisDecodedInstruction *z, ZydisRegister r,
		       bool is_written)
{
	const bool is_old = z->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY;

	if (!is_vector(r))
		return;
	in->touches_31 |= ZydisRegisterGetId(r) == 31;
	in->touches_13 |= ZydisRegisterGetId(r) >= 13 && ZydisRegisterGetId(r) <= 15;
	if (ZydisRegisterGetId(r) != 15)
		return;
	in->touches_15 = true;
	in->full_15 |= ZydisRegisterGetClass(r) != ZYDIS_REGCLASS_XMM;
	in->clears_15 |= is_written && !is_old;
}

/* The filter variant uses these if the target has nothing in them, see filter_rows.h. */
static bool is_high_vector(ZydisRegister r)
{
	return is_vector(r) && ZydisRegisterGetId(r) >= 29 && ZydisRegisterGetId(r) <= 30;
}

/* Saves, loads or clears state that includes zmm31. */
static bool is_state_insn(const ZydisDecodedInstruction *z)
{
	return z->meta.category == ZYDIS_CATEGORY_XSAVE ||
	       z->meta.category == ZYDIS_CATEGORY_XSAVEOPT;
}

/* The same of xmm15 alone. */
static bool is_old_state_insn(const ZydisDecodedInstruction *z)
{
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_FXSAVE:
	case ZYDIS_MNEMONIC_FXSAVE64:
	case ZYDIS_MNEMONIC_FXRSTOR:
	case ZYDIS_MNEMONIC_FXRSTOR64:
	case ZYDIS_MNEMONIC_VZEROALL:
		return true;
	default:
		return false;
	}
}

/* See x87.h. */
static bool is_x87_shown(const ZydisDecodedInstruction *z)
{
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_FNSTENV:
	case ZYDIS_MNEMONIC_FNSAVE:
	case ZYDIS_MNEMONIC_FXSAVE:
	case ZYDIS_MNEMONIC_FXSAVE64:
	case ZYDIS_MNEMONIC_XSAVE:
	case ZYDIS_MNEMONIC_XSAVE64:
	case ZYDIS_MNEMONIC_XSAVEC:
	case ZYDIS_MNEMONIC_XSAVEC64:
	case ZYDIS_MNEMONIC_XSAVEOPT:
	case ZYDIS_MNEMONIC_XSAVEOPT64:
		return true;
	default:
		return false;
	}
}

/* Has a memory operand, but makes no access that counts. */
static bool is_no_access(const ZydisDecodedInstruction *z)
{
	switch (z->meta.category) {
	case ZYDIS_CATEGORY_PREFETCH:
	case ZYDIS_CATEGORY_PREFETCHWT1:
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP:
	case ZYDIS_CATEGORY_CLFLUSHOPT:
	case ZYDIS_CATEGORY_CLWB:
	case ZYDIS_CATEGORY_CLDEMOTE:
	case ZYDIS_CATEGORY_MPX:
		return true;
	default:
		return z->mnemonic == ZYDIS_MNEMONIC_CLFLUSH || z->mnemonic == ZYDIS_MNEMONIC_LEA ||
		       z->mnemonic == ZYDIS_MNEMONIC_INVLPG;
	}
}

static uint8_t access_kind(const ZydisDecodedInstruction *z, ZydisOperandActions a)
{
	bool reads = a & ZYDIS_OPERAND_ACTION_MASK_READ,
	     writes = a & ZYDIS_OPERAND_ACTION_MASK_WRITE;

	/* Merging under a mask reads nothing from memory that it stores to. */
	if (reads && writes && z->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX)
		return ACCESS_STORE;
	return (uint8_t)((reads ? ACCESS_LOAD : 0) | (writes ? ACCESS_STORE : 0));
}

/* Address of a memory operand in terms of the registers before the instruction runs. */
static void set_address(struct insn *in, const ZydisDecodedInstruction *z,
			const ZydisDecodedOperand *op, struct mem_op *m)
{
	m->base = op->mem.base == ZYDIS_REGISTER_RIP || op->mem.base == ZYDIS_REGISTER_EIP
			  ? RIP_BASE
			  : gpr_of(op->mem.base);
	m->index = gpr_of(op->mem.index);
	m->scale = op->mem.scale;
	m->fs = op->mem.segment == ZYDIS_REGISTER_FS;
	m->narrow = z->address_width == 32;
	m->disp = op->mem.disp.value;
	if (m->base == RIP_BASE)
		m->disp += (int64_t)(in->pc + in->length);
	if (op->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN && m->base == RSP) {
		/* the stack's addresses have 64 bits, whatever the prefix of a call */
		m->narrow = false;
		if (z->mnemonic == ZYDIS_MNEMONIC_LEAVE)
			m->base = RBP;
		else if (m->kind & ACCESS_STORE)
			m->disp -= m->size;
	} else if (z->mnemonic == ZYDIS_MNEMONIC_POP && m->base == RSP) {
		m->disp += op->size / 8; /* pop [rsp+x] computes its address after the pop */
	}
}

static void add_memory(struct insn *in, const ZydisDecodedInstruction *z,
		       const ZydisDecodedOperand *op)
{
	struct mem_op *m = &in->mem[in->mem_count];

	if (op->mem.type == ZYDIS_MEMOP_TYPE_AGEN || op->mem.type == ZYDIS_MEMOP_TYPE_MIB ||
	    is_no_access(z) || in->mem_count == MAX_MEM_OPS)
		return;
	m->kind = access_kind(z, op->actions);
	if (m->kind == 0)
		return;
	m->size = op->size ? op->size / 8 : 1;
	set_address(in, z, op, m);
	if (m->kind & ACCESS_STORE)
		in->writes_memory = true;
	if (op->mem.type == ZYDIS_MEMOP_TYPE_VSIB) {
		in->kind = INSN_ELEMENTS;
		in->vector_index = (uint8_t)ZydisRegisterGetId(op->mem.index);
		m->index = NOREG;
		m->size = op->element_size ? op->element_size / 8 : m->size;
	}
	in->mem_count++;
}

/* Returns a bit for each of in->mem that is encoded in modrm. */
static uint32_t add_operands(struct insn *in, const ZydisDecodedInstruction *z,
			     const ZydisDecodedOperand *op)
{
	uint32_t encoded = 0;

	for (int i = 0; i < z->operand_count; i++) {
		const ZydisDecodedOperand *o = &op[i];

		if (o->type == ZYDIS_OPERAND_TYPE_REGISTER) {
			uint8_t g = gpr_of(o->reg.value);

			if (g != NOREG)
				in->gprs |= (uint16_t)(1u << g);
			if (g != NOREG && (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
				in->gprs_written |= (uint16_t)(1u << g);
			set_vector(in, z, o->reg.value,
				   o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE);
			in->writes_high |= is_high_vector(o->reg.value);
		} else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY) {
			uint8_t b = gpr_of(o->mem.base), x = gpr_of(o->mem.index);

			if (b != NOREG)
				in->gprs |= (uint16_t)(1u << b);
			if (x != NOREG)
				in->gprs |= (uint16_t)(1u << x);
			set_vector(in, z, o->mem.index, false);
			in->gs_prefix |= o->mem.segment == ZYDIS_REGISTER_GS;
			in->rip_relative |= o->mem.base == ZYDIS_REGISTER_RIP ||
					    o->mem.base == ZYDIS_REGISTER_EIP;
			uint32_t before = in->mem_count;

			add_memory(in, z, o);
			if (in->mem_count > before &&
			    o->encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM)
				encoded |= 1u << before;
		}
	}
	return encoded;
}

/*
 * An instruction loads before it stores, though movs and pop name their target first. Returns
 * `encoded` for the new order.
 */
static uint32_t put_load_first(struct insn *in, uint32_t encoded)
{
	const struct mem_op first = in->mem[0];

	if (in->mem_count != 2 || first.kind != ACCESS_STORE || in->mem[1].kind != ACCESS_LOAD)
		return encoded;
	in->mem[0] = in->mem[1];
	in->mem[1] = first;
	return (encoded & 1) << 1 | encoded >> 1;
}

static void count_accesses(struct insn *in)
{
	if (in->kind == INSN_REP || in->kind == INSN_ELEMENTS)
		return;
	for (int i = 0; i < in->mem_count; i++) {
		in->loads += in->mem[i].kind == ACCESS_LOAD;
		in->stores += in->mem[i].kind == ACCESS_STORE;
		in->modifies += in->mem[i].kind == ACCESS_MODIFY;
	}
}

static bool is_relative(const ZydisDecodedOperand *op)
{
	return op[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && op[0].imm.is_relative;
}

static uint8_t branch_kind(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
	if (z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return INSN_UNSUPPORTED;
	/* branches of an extinct processor: illegal on all others */
	if (z->meta.branch_type != ZYDIS_BRANCH_TYPE_NONE &&
	    z->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		return INSN_TRAP;
	/* xend is in the category of branches, too */
	if (z->meta.category == ZYDIS_CATEGORY_COND_BR && !is_relative(op))
		return INSN_PLAIN;
	switch (z->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		switch (z->mnemonic) {
		case ZYDIS_MNEMONIC_LOOP:
		case ZYDIS_MNEMONIC_LOOPE:
		case ZYDIS_MNEMONIC_LOOPNE:
		case ZYDIS_MNEMONIC_JCXZ:
		case ZYDIS_MNEMONIC_JECXZ:
		case ZYDIS_MNEMONIC_JRCXZ:
			return INSN_LOOP;
		case ZYDIS_MNEMONIC_XBEGIN:
			return INSN_XBEGIN;
		default:
			return INSN_JCC;
		}
	case ZYDIS_CATEGORY_UNCOND_BR:
		if (z->mnemonic != ZYDIS_MNEMONIC_JMP)
			return z->mnemonic == ZYDIS_MNEMONIC_XABORT ? INSN_PLAIN : INSN_UNSUPPORTED;
		return is_relative(op) ? INSN_JMP : INSN_JMP_IND;
	case ZYDIS_CATEGORY_CALL:
		return is_relative(op) ? INSN_CALL : INSN_CALL_IND;
	case ZYDIS_CATEGORY_RET:
		return z->mnemonic == ZYDIS_MNEMONIC_RET ? INSN_RET : INSN_UNSUPPORTED;
	default:
		return INSN_PLAIN;
	}
}

/* Writes the %gs base, which is the engine's. */
static bool writes_segment(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_LGS:
	case ZYDIS_MNEMONIC_WRGSBASE:
		return true;
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_POP:
		return op[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		       op[0].reg.value == ZYDIS_REGISTER_GS;
	default:
		return false;
	}
}

/* Faults outside the kernel whatever its operands: may be copied and will trap. */
static bool is_privileged_branch(const ZydisDecodedInstruction *z)
{
	return z->mnemonic == ZYDIS_MNEMONIC_RSM || z->mnemonic == ZYDIS_MNEMONIC_SYSRET ||
	       z->mnemonic == ZYDIS_MNEMONIC_SYSEXIT;
}

/*
 * Near branches with 16-bit operands (has_short_branches): natively they end in a fault at the
 * bottom of memory. No compiler emits them.
 */
static bool is_short_branch(const ZydisDecodedInstruction *z)
{
	return has_short_branches && (z->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE) &&
	       !z->raw.rex.W &&
	       (z->meta.category == ZYDIS_CATEGORY_COND_BR ||
		z->meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
		z->meta.category == ZYDIS_CATEGORY_CALL || z->meta.category == ZYDIS_CATEGORY_RET);
}

static uint8_t kind_of(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
	uint8_t kind = is_privileged_branch(z) ? INSN_TRAP : branch_kind(z, op);

	if (is_short_branch(z))
		return INSN_UNSUPPORTED;
	if (kind != INSN_PLAIN)
		return kind;
	if (writes_segment(z, op))
		return INSN_UNSUPPORTED;
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_SYSCALL:
		return INSN_SYSCALL;
	case ZYDIS_MNEMONIC_RDGSBASE:
		return INSN_RDGSBASE;
	case ZYDIS_MNEMONIC_INT3:
	case ZYDIS_MNEMONIC_INT1:
	case ZYDIS_MNEMONIC_INT:
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_HLT:
		return INSN_TRAP;
	case ZYDIS_MNEMONIC_SYSENTER:
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
		return INSN_UNSUPPORTED;
	default:
		break;
	}
	if (z->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE))
		if (z->meta.category == ZYDIS_CATEGORY_STRINGOP)
			return INSN_REP;
	return INSN_PLAIN;
}

/* The status flags of an EFLAGS word. */
static uint8_t status_flags(uint32_t eflags)
{
	return (uint8_t)((eflags & 1) | (eflags >> 1 & 2) | (eflags >> 2 & 4) | (eflags >> 3 & 8) |
			 (eflags >> 3 & 16) | (eflags >> 6 & 32));
}

/* May it leave the flags unchanged, although the decoder says that it sets them? */
static bool is_conditional_on_count(const ZydisDecodedInstruction *z)
{
	return z->meta.category == ZYDIS_CATEGORY_SHIFT ||
	       z->meta.category == ZYDIS_CATEGORY_ROTATE || z->mnemonic == ZYDIS_MNEMONIC_SHLD ||
	       z->mnemonic == ZYDIS_MNEMONIC_SHRD ||
	       (z->attributes &
		(ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE));
}

/*
 * Undefined flags count as unchanged, except the auxiliary carry of bitwise operations, which all
 * processors clear.
 */
static void set_flags(struct insn *in, const ZydisDecodedInstruction *z)
{
	uint32_t set;

	if (!z->cpu_flags)
		return;
	set = z->cpu_flags->modified | z->cpu_flags->set_0 | z->cpu_flags->set_1;
	in->sets_flags = set != 0;
	in->flags_read = status_flags(z->cpu_flags->tested);
	if (is_conditional_on_count(z))
		return;
	in->flags_written = status_flags(set);
	if (z->meta.category == ZYDIS_CATEGORY_LOGICAL && (in->flags_written | 4) == INSN_FLAGS)
		in->flags_written = INSN_FLAGS;
}

static void set_elements(struct insn *in, const ZydisDecodedInstruction *z,
			 const ZydisDecodedOperand *op)
{
	/* lanes: as many as the narrower of the data and the index vector holds */
	ZydisRegister index = ZYDIS_REGISTER_NONE, data = ZYDIS_REGISTER_NONE;

	for (int i = 0; i < z->operand_count_visible; i++) {
		if (op[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
			index = op[i].mem.index;
		else if (op[i].type == ZYDIS_OPERAND_TYPE_REGISTER && data == ZYDIS_REGISTER_NONE &&
			 (ZydisRegisterGetClass(op[i].reg.value) == ZYDIS_REGCLASS_XMM ||
			  ZydisRegisterGetClass(op[i].reg.value) == ZYDIS_REGCLASS_YMM ||
			  ZydisRegisterGetClass(op[i].reg.value) == ZYDIS_REGCLASS_ZMM))
			data = op[i].reg.value;
	}
	/* a union: only the member of the encoding is valid */
	bool wide_data =
		z->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX ? z->raw.evex.W : z->raw.vex.W;
	uint32_t element = wide_data ? 8 : 4;
	/* as in vgatherqps: the mnemonic's Q gives the index width, and so do the widths */
	uint32_t index_bytes = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, index) / 8;
	uint32_t data_bytes =
		data ? ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, data) / 8 : index_bytes;

	in->vector_index_64 = (z->opcode & 1) != 0;
	uint32_t by_index = index_bytes / (in->vector_index_64 ? 8 : 4);
	uint32_t by_data = data_bytes / element;

	in->elements = (uint16_t)(by_index < by_data ? by_index : by_data);
	in->mem[0].size = (uint16_t)element;
	/* gathers read and write lanes under a mask, but are loads */
	in->mem[0].kind = z->meta.category == ZYDIS_CATEGORY_SCATTER ? ACCESS_STORE : ACCESS_LOAD;
	in->mask_reg = 255;
	if (z->operand_count > 2 && op[2].type == ZYDIS_OPERAND_TYPE_REGISTER)
		in->vector_mask = (uint8_t)ZydisRegisterGetId(op[2].reg.value);
	if (z->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX)
		in->mask_reg = (uint8_t)ZydisRegisterGetId(z->avx.mask.reg);
}

bool decode_known(struct insn *in, uint64_t pc, const uint8_t *code, uint32_t room)
{
	return decode_memo_find(in, pc, code, room);
}

#define MOST_INSN_BYTES 15

int decode_insn(struct insn *in, uint64_t pc, const uint8_t *code, uint32_t room)
{
	ZydisDecodedInstruction z;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	uint32_t encoded;
	ZyanStatus status = ZydisDecoderDecodeFull(&decoder, code, room, &z, op);

	if (!ZYAN_SUCCESS(status))
		return status == ZYDIS_STATUS_INSTRUCTION_TOO_LONG ||
				       (status == ZYDIS_STATUS_NO_MORE_DATA &&
					room >= MOST_INSN_BYTES)
			       ? DECODE_TOO_LONG
			       : -1;
	*in = (struct insn){.pc = pc, .length = z.length, .opcode = (uint16_t)z.mnemonic};
	for (int i = 0; i < z.length; i++)
		in->bytes[i] = code[i];
	in->kind = kind_of(&z, op);
	encoded = put_load_first(in, add_operands(in, &z, op));
	in->gprs |= unsaid_gprs(&z);
	in->gprs_written |= unsaid_gprs(&z);
	if (in->kind == INSN_ELEMENTS)
		set_elements(in, &z, op);
	in->touches_31 |= is_state_insn(&z);
	in->state_15 = is_state_insn(&z) || is_old_state_insn(&z);
	in->touches_15 |= in->state_15;
	in->touches_13 |= in->state_15;
	in->full_15 |= in->state_15;
	in->clears_upper = z.mnemonic == ZYDIS_MNEMONIC_VZEROUPPER;
	in->writes_high |= is_state_insn(&z);
	in->shows_x87 = is_x87_shown(&z);
	set_flags(in, &z);
	in->modrm_at = z.attributes & ZYDIS_ATTRIB_HAS_MODRM ? z.raw.modrm.offset : 0;
	in->disp_at = z.raw.disp.offset;
	if (in->kind == INSN_JCC)
		in->condition = z.opcode & 15;
	if (in->kind == INSN_RET && z.operand_count_visible)
		in->pop_bytes = (uint16_t)op[0].imm.value.u;
	if (z.operand_count && is_relative(op))
		in->target = pc + z.length + op[0].imm.value.u;
	count_accesses(in);
	if (room >= 15) {
		struct decode_places places = {
			(uint8_t)(z.raw.disp.size / 8), z.raw.imm[0].offset,
			(uint8_t)((z.raw.imm[0].size + z.raw.imm[1].size) / 8)};

		decode_memo_keep(in, code, encoded, &places);
	}
	return 0;
}
