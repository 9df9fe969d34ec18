/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One instruction becomes
 *
 *	[filler]  [taken: mark 2, leave]  entry: instruction  mark 1, leave
 *
 * with "taken" behind or in front, for a branch only. "Leave" is a jump
 * through memory.
 */
#include "difftest/snippet.h"

#include <string.h>

#include "difftest/enumerate.h"
#include "difftest/state.h"

static void put(struct chunk *c, const void *bytes, uint32_t count)
{
	memcpy(c->base + c->used, bytes, count);
	c->used += count;
}

static uint64_t here(const struct chunk *c)
{
	return (uint64_t)(uintptr_t)c->base + c->used;
}

void chunk_init(struct chunk *c, const struct place *place, uint8_t *base)
{
	uint64_t leave = (uint64_t)(uintptr_t)difftest_leave;

	c->place = place;
	c->base = base;
	c->used = 0;
	put(c, &leave, sizeof(leave));
}

void chunk_put_leave(struct chunk *c)
{
	uint8_t jump[6] = {0xff, 0x25};
	int32_t disp = -(int32_t)(c->used + sizeof(jump));

	memcpy(jump + 2, &disp, sizeof(disp));
	put(c, jump, sizeof(jump));
}

/* mov byte [rip + marker], number: changes no register and no flag. */
static void put_mark(struct chunk *c, uint8_t number)
{
	uint8_t mov[7] = {0xc6, 0x05};
	int32_t disp = (int32_t)(c->place->scratch + SCRATCH_MARKER - here(c) - sizeof(mov));

	memcpy(mov + 2, &disp, sizeof(disp));
	mov[6] = number;
	put(c, mov, sizeof(mov));
}

int snippet_is_branch(const struct decoded *d)
{
	return d->insn.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE ||
	       (d->insn.attributes & ZYDIS_ATTRIB_IS_RELATIVE) ||
	       d->insn.mnemonic == ZYDIS_MNEMONIC_RET || d->insn.mnemonic == ZYDIS_MNEMONIC_XBEGIN;
}

static const ZydisDecodedOperand *registerless_operand(const struct decoded *d)
{
	for (unsigned int i = 0; i < d->insn.operand_count; i++) {
		const ZydisDecodedOperand *op = &d->ops[i];
		int rip = op->mem.base == ZYDIS_REGISTER_RIP || op->mem.base == ZYDIS_REGISTER_EIP;

		if (op->type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    (rip ||
		     (op->mem.base == ZYDIS_REGISTER_NONE && op->mem.index == ZYDIS_REGISTER_NONE)))
			return op;
	}
	return 0;
}

int snippet_fix_address(uint8_t *insn, uint64_t at, const struct place *place,
			const struct decoded *d, uint64_t target)
{
	const ZydisDecodedOperand *op = registerless_operand(d);
	uint64_t disp = target;

	if (!op || !d->insn.raw.disp.size)
		return 0;
	if (op->mem.base != ZYDIS_REGISTER_NONE)
		disp -= at + d->insn.length;
	if (op->mem.segment == ZYDIS_REGISTER_FS)
		disp -= place->scratch + SCRATCH_FS;
	memcpy(insn + d->insn.raw.disp.offset, &disp, d->insn.raw.disp.size / 8);
	return 1;
}

/* An index without a base: the displacement must not depend on chance. */
static void fix_index_only(uint8_t *insn, const struct place *place, const struct decoded *d)
{
	for (unsigned int i = 0; i < d->insn.operand_count; i++) {
		const ZydisDecodedOperand *op = &d->ops[i];
		uint32_t disp = (uint32_t)place->scratch + SCRATCH_DATA;

		if (op->type != ZYDIS_OPERAND_TYPE_MEMORY || op->mem.base != ZYDIS_REGISTER_NONE ||
		    op->mem.index == ZYDIS_REGISTER_NONE || d->insn.raw.disp.size != 32)
			continue;
		if (op->mem.segment == ZYDIS_REGISTER_FS)
			disp -= (uint32_t)place->scratch + SCRATCH_FS;
		memcpy(insn + d->insn.raw.disp.offset, &disp, sizeof(disp));
	}
}

static void fix_relative(uint8_t *insn, uint64_t at, const struct decoded *d, uint64_t target)
{
	int64_t distance = (int64_t)(target - (at + d->insn.length));

	for (unsigned int i = 0; i < 2; i++)
		if (d->insn.raw.imm[i].is_relative)
			memcpy(insn + d->insn.raw.imm[i].offset, &distance,
			       d->insn.raw.imm[i].size / 8);
}

/* ENTER with any frame and nesting would run off the scratch area. */
static void fix_enter(uint8_t *insn, const struct decoded *d)
{
	if (d->insn.mnemonic != ZYDIS_MNEMONIC_ENTER)
		return;
	insn[d->insn.raw.imm[0].offset + 1] &= 1;
	insn[d->insn.raw.imm[1].offset] &= 0xe7;
}

static void put_taken(struct chunk *c, struct snippet *out)
{
	out->taken = here(c);
	put_mark(c, 2);
	chunk_put_leave(c);
}

void snippet_put(struct chunk *c, const struct form *form, uint32_t number, struct rng *rng,
		 struct snippet *out)
{
	static const uint8_t xend[] = {0x0f, 0x01, 0xd5};
	const struct encoding *e = &form->encodings[number];
	struct decoded d;
	uint8_t *insn = 0;
	int taken_first = rng_one_in(rng, 2);
	uint64_t target = c->place->scratch + SCRATCH_DATA + rng_below(rng, 16) * 64;

	memset(out, 0, sizeof(*out));
	enumerate_decode(e->bytes, e->length, &d);
	out->form = form;
	out->encoding = e;
	out->number = number;
	for (uint32_t filler = rng_below(rng, 16); filler; filler--)
		c->base[c->used++] = 0xcc;
	if (snippet_is_branch(&d) && taken_first)
		put_taken(c, out);
	insn = c->base + c->used;
	out->entry = here(c);
	out->bytes = e->length;
	put(c, e->bytes, e->length);
	if (rng_one_in(rng, 4))
		target += rng_below(rng, 64);
	fix_index_only(insn, c->place, &d);
	if (snippet_fix_address(insn, out->entry, c->place, &d, target))
		out->target = target;
	fix_enter(insn, &d);
	if (snippet_is_branch(&d)) {
		/* A transaction that got this far has to end here. */
		if (d.insn.mnemonic == ZYDIS_MNEMONIC_XBEGIN)
			put(c, xend, sizeof(xend));
		put_mark(c, 1);
	}
	chunk_put_leave(c);
	if (snippet_is_branch(&d) && !taken_first)
		put_taken(c, out);
	fix_relative(insn, out->entry, &d, out->taken);
}
