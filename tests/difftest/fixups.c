/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inputs that single instructions need to do more than fault: a small rcx for REP, a divisor that
 * does not overflow, a return address on the stack.
 */
#include <string.h>

#include "difftest/inputs.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Flags that popf may change here: not TF, AC, NT and those of the system. */
#define POPF_FLAGS 0x200cd5u

enum { RAX, RCX, RDX, RBX, RSP, RBP };

static void store(struct inputs *i, uint64_t address, uint64_t value, uint32_t bytes)
{
	void *to = place_scratch(i->place, address, bytes);

	if (to)
		memcpy(to, &value, bytes);
}

static uint64_t fetch(struct inputs *i, uint64_t address, uint32_t bytes)
{
	const void *from = place_scratch(i->place, address, bytes);
	uint64_t value = 0;

	if (from)
		memcpy(&value, from, bytes);
	return value;
}

static const ZydisDecodedOperand *operand(const struct inputs *i, unsigned int n,
					  ZydisOperandType type)
{
	const ZydisDecodedOperand *op = &i->d->ops[n];

	return n < i->d->insn.operand_count && op->type == type ? op : 0;
}

/* Where branches through a register or memory go: mostly to the snippet's own second end. */
static uint64_t branch_target(struct inputs *i)
{
	switch (rng_below(&i->rng, 24)) {
	case 0:
		return i->snippet->taken ^ 1ull << 62; /* not canonical */
	case 1:
		return i->place->scratch + SCRATCH_DATA; /* not executable */
	case 2:
		return i->place->scratch - 0x1000; /* not mapped */
	default:
		return i->snippet->taken;
	}
}

static void fix_branch(struct inputs *i)
{
	const ZydisDecodedOperand *reg = operand(i, 0, ZYDIS_OPERAND_TYPE_REGISTER);
	const ZydisDecodedOperand *mem = operand(i, 0, ZYDIS_OPERAND_TYPE_MEMORY);

	if (reg)
		inputs_set_register(i, reg->reg.value, branch_target(i));
	else if (mem)
		store(i, i->address, branch_target(i), 8);
}

static void fix_ret(struct inputs *i)
{
	store(i, i->in->gpr[RSP], branch_target(i), 8);
}

static void fix_rcx_small(struct inputs *i)
{
	uint64_t value = rng_one_in(&i->rng, 4) ? rng_next(&i->rng) : rng_below(&i->rng, 3);

	if (i->d->insn.address_width == 32)
		value |= rng_next(&i->rng) << 32;
	i->in->gpr[RCX] = value;
}

static void fix_bit_test(struct inputs *i)
{
	const ZydisDecodedOperand *mem = operand(i, 0, ZYDIS_OPERAND_TYPE_MEMORY);
	const ZydisDecodedOperand *reg = operand(i, 1, ZYDIS_OPERAND_TYPE_REGISTER);
	int64_t bit = (int64_t)rng_below(&i->rng, 4096) - 2048;

	if (!mem || !reg)
		return;
	if (ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, mem->mem.base) ==
		    ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg->reg.value) ||
	    ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, mem->mem.index) ==
		    ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg->reg.value))
		return;
	inputs_set_register(i, reg->reg.value, (uint64_t)bit);
}

/* Does a register with this number make the address of a memory operand? */
static int is_in_address(const struct inputs *i, ZydisRegister wide)
{
	for (unsigned int n = 0; n < i->d->insn.operand_count; n++) {
		const ZydisDecodedOperand *op = &i->d->ops[n];

		if (op->type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    (ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, op->mem.base) ==
			     wide ||
		     ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, op->mem.index) ==
			     wide))
			return 1;
	}
	return 0;
}

static void fix_divide(struct inputs *i)
{
	const ZydisDecodedOperand *reg = operand(i, 0, ZYDIS_OPERAND_TYPE_REGISTER);

	if (reg && (inputs_register(i, reg->reg.value) == 0))
		inputs_set_register(i, reg->reg.value, rng_next(&i->rng));
	if (rng_one_in(&i->rng, 4))
		return; /* likely to overflow */
	if (is_in_address(i, ZYDIS_REGISTER_RAX) || is_in_address(i, ZYDIS_REGISTER_RDX))
		return;
	if (i->d->insn.operand_width == 8)
		inputs_set_register(i, ZYDIS_REGISTER_AH, 0);
	else if (!reg || ZydisRegisterGetId(reg->reg.value) != RDX)
		i->in->gpr[RDX] = 0;
}

/* Half of the comparisons shall find what they look for. */
static void fix_compare_exchange(struct inputs *i)
{
	const ZydisDecodedOperand *reg = operand(i, 0, ZYDIS_OPERAND_TYPE_REGISTER);
	uint32_t bytes = i->d->ops[0].size / 8u;

	if (rng_one_in(&i->rng, 2) || is_in_address(i, ZYDIS_REGISTER_RAX))
		return;
	if (reg)
		i->in->gpr[RAX] = inputs_register(i, reg->reg.value);
	else if (bytes <= 8 && i->d->insn.mnemonic == ZYDIS_MNEMONIC_CMPXCHG)
		i->in->gpr[RAX] = fetch(i, i->address, bytes);
}

static void fix_compare_exchange_pair(struct inputs *i)
{
	uint32_t half = i->d->ops[0].size / 16u;

	if (rng_one_in(&i->rng, 2) || half > 8)
		return;
	if (is_in_address(i, ZYDIS_REGISTER_RAX) || is_in_address(i, ZYDIS_REGISTER_RDX))
		return;
	i->in->gpr[RAX] = fetch(i, i->address, half);
	i->in->gpr[RDX] = fetch(i, i->address + half, half);
}

static void fix_frame(struct inputs *i)
{
	i->in->gpr[RBP] = i->place->scratch + SCRATCH_STACK + 0x400 + rng_below(&i->rng, 32) * 8;
}

static void fix_popf(struct inputs *i)
{
	store(i, i->in->gpr[RSP], (rng_next(&i->rng) & POPF_FLAGS) | 2, 8);
}

static void fix_save(struct inputs *i)
{
	/* Components that this program does not own stay out of it. */
	i->in->gpr[RAX] &= difftest_components;
	i->in->gpr[RDX] &= ~0xffffffffull;
	if (rng_one_in(&i->rng, 4))
		i->in->gpr[RAX] = difftest_components;
}

static void load_image(struct inputs *i, uint32_t bytes)
{
	void *to = place_scratch(i->place, i->address, bytes);

	if (to)
		memcpy(to, inputs_image(i), bytes);
}

static void fix_restore(struct inputs *i)
{
	fix_save(i);
	load_image(i, state_layout()->bytes);
}

static void fix_fxrstor(struct inputs *i)
{
	load_image(i, 512);
}

static void fix_ldmxcsr(struct inputs *i)
{
	store(i, i->address, inputs_mxcsr(&i->rng), 4);
}

/* x87 environments as snippets load them: a control word like other ones, no pending garbage. */
static void fix_environment(struct inputs *i)
{
	uint8_t *to = place_scratch(i->place, i->address, 28);

	if (!to)
		return;
	to[0] |= 0x7f;
	to[4] &= 0x80;
}

/* ecx chooses a register of the system; most choices only fault. */
static void fix_ecx_choice(struct inputs *i)
{
	if (!rng_one_in(&i->rng, 4))
		i->in->gpr[RCX] &= ~0xffffffffull;
}

static const struct {
	ZydisMnemonic mnemonic;
	void (*apply)(struct inputs *i);
} fixups[] = {
	{ZYDIS_MNEMONIC_CALL, fix_branch},
	{ZYDIS_MNEMONIC_JMP, fix_branch},
	{ZYDIS_MNEMONIC_RET, fix_ret},
	{ZYDIS_MNEMONIC_LOOP, fix_rcx_small},
	{ZYDIS_MNEMONIC_LOOPE, fix_rcx_small},
	{ZYDIS_MNEMONIC_LOOPNE, fix_rcx_small},
	{ZYDIS_MNEMONIC_JRCXZ, fix_rcx_small},
	{ZYDIS_MNEMONIC_JECXZ, fix_rcx_small},
	{ZYDIS_MNEMONIC_BT, fix_bit_test},
	{ZYDIS_MNEMONIC_BTS, fix_bit_test},
	{ZYDIS_MNEMONIC_BTR, fix_bit_test},
	{ZYDIS_MNEMONIC_BTC, fix_bit_test},
	{ZYDIS_MNEMONIC_DIV, fix_divide},
	{ZYDIS_MNEMONIC_IDIV, fix_divide},
	{ZYDIS_MNEMONIC_CMPXCHG, fix_compare_exchange},
	{ZYDIS_MNEMONIC_CMPXCHG8B, fix_compare_exchange_pair},
	{ZYDIS_MNEMONIC_CMPXCHG16B, fix_compare_exchange_pair},
	{ZYDIS_MNEMONIC_ENTER, fix_frame},
	{ZYDIS_MNEMONIC_LEAVE, fix_frame},
	{ZYDIS_MNEMONIC_POPF, fix_popf},
	{ZYDIS_MNEMONIC_POPFD, fix_popf},
	{ZYDIS_MNEMONIC_POPFQ, fix_popf},
	{ZYDIS_MNEMONIC_XSAVE, fix_save},
	{ZYDIS_MNEMONIC_XSAVE64, fix_save},
	{ZYDIS_MNEMONIC_XSAVEC, fix_save},
	{ZYDIS_MNEMONIC_XSAVEC64, fix_save},
	{ZYDIS_MNEMONIC_XSAVEOPT, fix_save},
	{ZYDIS_MNEMONIC_XSAVEOPT64, fix_save},
	{ZYDIS_MNEMONIC_XRSTOR, fix_restore},
	{ZYDIS_MNEMONIC_XRSTOR64, fix_restore},
	{ZYDIS_MNEMONIC_FXRSTOR, fix_fxrstor},
	{ZYDIS_MNEMONIC_FXRSTOR64, fix_fxrstor},
	{ZYDIS_MNEMONIC_LDMXCSR, fix_ldmxcsr},
	{ZYDIS_MNEMONIC_VLDMXCSR, fix_ldmxcsr},
	{ZYDIS_MNEMONIC_FLDENV, fix_environment},
	{ZYDIS_MNEMONIC_FRSTOR, fix_environment},
	{ZYDIS_MNEMONIC_XGETBV, fix_ecx_choice},
	{ZYDIS_MNEMONIC_RDPKRU, fix_ecx_choice},
};

void fixups_apply(struct inputs *i)
{
	const ZyanU64 repeats =
		ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;

	if (i->d->insn.attributes & repeats) {
		uint64_t high = i->d->insn.address_width == 32 ? rng_next(&i->rng) << 32 : 0;

		i->in->gpr[RCX] = high | rng_below(&i->rng, 24);
	}
	for (size_t n = 0; n < COUNT(fixups); n++)
		if (fixups[n].mnemonic == i->d->insn.mnemonic)
			fixups[n].apply(i);
}
