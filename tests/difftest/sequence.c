/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random sequences, with forward branches, calls and string instructions, and readers of flags in
 * between. Two registers hold pointers and one an index during the whole sequence: instructions
 * that would overwrite them are not used.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "difftest/campaign.h"
#include "difftest/enumerate.h"

#define COUNT(table)	(sizeof(table) / sizeof((table)[0]))
#define SEQUENCE_BYTES	512u
#define SEQUENCES_CHUNK 256u
#define RSP		4u

struct sequence {
	uint64_t start; /* of its subroutine, in front of the entry */
	uint64_t entry;
	uint32_t bytes; /* from the start on */
	uint32_t number;
	uint8_t pointers[2];
	uint8_t index;
	uint8_t use_fs;
};

struct writer {
	struct campaign *c;
	struct chunk *chunk;
	struct rng rng;
	struct sequence *s;
	uint8_t *skip; /* displacement of a branch over the next instruction, or 0 */
	uint8_t *slot; /* 8 bytes in the chunk, for one jump or call through memory; 0 if used */
	int flat;      /* the stack may not be used */
};

static struct {
	uint32_t *forms; /* numbers of those that may be drawn; the same wherever this runs */
	uint32_t count;
	uint32_t legacy; /* the first of them are plain legacy ones */
} pool;

/*
 * Not in sequences: what needs registers of its own, stores the place of an
 * instruction, loads a whole state from random memory, or mostly faults.
 */
static const ZydisMnemonic unfit[] = {
	ZYDIS_MNEMONIC_POPF,	   ZYDIS_MNEMONIC_POPFD,    ZYDIS_MNEMONIC_POPFQ,
	ZYDIS_MNEMONIC_ENTER,	   ZYDIS_MNEMONIC_LEAVE,    ZYDIS_MNEMONIC_FNSTENV,
	ZYDIS_MNEMONIC_FNSAVE,	   ZYDIS_MNEMONIC_FLDENV,   ZYDIS_MNEMONIC_FRSTOR,
	ZYDIS_MNEMONIC_FXSAVE,	   ZYDIS_MNEMONIC_FXSAVE64, ZYDIS_MNEMONIC_FXRSTOR,
	ZYDIS_MNEMONIC_FXRSTOR64,  ZYDIS_MNEMONIC_XSAVE,    ZYDIS_MNEMONIC_XSAVE64,
	ZYDIS_MNEMONIC_XSAVEC,	   ZYDIS_MNEMONIC_XSAVEC64, ZYDIS_MNEMONIC_XSAVEOPT,
	ZYDIS_MNEMONIC_XSAVEOPT64, ZYDIS_MNEMONIC_XRSTOR,   ZYDIS_MNEMONIC_XRSTOR64,
	ZYDIS_MNEMONIC_LDMXCSR,	   ZYDIS_MNEMONIC_VLDMXCSR, ZYDIS_MNEMONIC_XGETBV,
	ZYDIS_MNEMONIC_RDPKRU,	   ZYDIS_MNEMONIC_INT3,	    ZYDIS_MNEMONIC_INT1,
	ZYDIS_MNEMONIC_UD0,	   ZYDIS_MNEMONIC_UD1,	    ZYDIS_MNEMONIC_UD2,
	ZYDIS_MNEMONIC_RDFSBASE,   ZYDIS_MNEMONIC_RDGSBASE, ZYDIS_MNEMONIC_XEND,
	ZYDIS_MNEMONIC_DIV,	   ZYDIS_MNEMONIC_IDIV,
};

static int is_unfit(ZydisMnemonic m)
{
	for (size_t i = 0; i < COUNT(unfit); i++)
		if (unfit[i] == m)
			return 1;
	return 0;
}

static int is_protected(const struct sequence *s, ZydisRegister reg)
{
	ZydisRegister wide = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
	unsigned int number = (unsigned int)(wide - ZYDIS_REGISTER_RAX);

	if (wide < ZYDIS_REGISTER_RAX || wide > ZYDIS_REGISTER_R15)
		return 0;
	return number == s->pointers[0] || number == s->pointers[1] || number == s->index ||
	       number == RSP;
}

static int operand_fits(const struct sequence *s, const ZydisDecodedOperand *op)
{
	int hidden = op->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;

	if (op->type == ZYDIS_OPERAND_TYPE_REGISTER) {
		if (hidden && op->reg.value == ZYDIS_REGISTER_RSP)
			return 1; /* push and pop */
		return !(op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) ||
		       !is_protected(s, op->reg.value);
	}
	if (op->type != ZYDIS_OPERAND_TYPE_MEMORY || op->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
		return 1;
	if (op->mem.type == ZYDIS_MEMOP_TYPE_VSIB)
		return 0;
	return !hidden || op->mem.base == ZYDIS_REGISTER_RSP;
}

static int fits(const struct sequence *s, const struct decoded *d)
{
	ZyanU64 bad = ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE |
		      ZYDIS_ATTRIB_IS_PRIVILEGED;

	if ((d->insn.attributes & bad) || snippet_is_branch(d) || is_unfit(d->insn.mnemonic))
		return 0;
	for (unsigned int i = 0; i < d->insn.operand_count; i++)
		if (!operand_fits(s, &d->ops[i]))
			return 0;
	/* A bit offset in a register reaches anywhere. */
	return d->insn.meta.category != ZYDIS_CATEGORY_BITBYTE ||
	       d->ops[0].type != ZYDIS_OPERAND_TYPE_MEMORY ||
	       d->ops[1].type != ZYDIS_OPERAND_TYPE_REGISTER;
}

/* A subroutine that changes its return address may never end. */
static int uses_stack(const struct decoded *d)
{
	for (unsigned int i = 0; i < d->insn.operand_count; i++) {
		const ZydisDecodedOperand *op = &d->ops[i];

		if (op->type == ZYDIS_OPERAND_TYPE_REGISTER && op->reg.value == ZYDIS_REGISTER_RSP)
			return 1;
		if (op->type == ZYDIS_OPERAND_TYPE_MEMORY && op->mem.base == ZYDIS_REGISTER_RSP)
			return 1;
	}
	return 0;
}

static uint8_t *put(struct writer *w, const uint8_t *bytes, uint32_t count)
{
	uint8_t *at = w->chunk->base + w->chunk->used;

	memcpy(at, bytes, count);
	w->chunk->used += count;
	return at;
}

/* The branch in front, if any, jumps to here. */
static void land(struct writer *w)
{
	if (w->skip)
		*w->skip = (uint8_t)(w->chunk->base + w->chunk->used - (w->skip + 1));
	w->skip = 0;
}

static void draw_operands(struct writer *w, enum encode_address address, struct picks *p)
{
	struct rng *r = &w->rng;

	enumerate_pick(r, p);
	if (rng_one_in(r, 2))
		p->mask = 0;
	if (rng_one_in(r, 2))
		p->vvvv &= 15;
	else if (rng_one_in(r, 2))
		p->vvvv = 0;
	p->zero = p->mask && rng_one_in(r, 3);
	if (address == ADDRESS_REGISTER) {
		p->base &= rng_one_in(r, 2) ? 15 : 31;
		return;
	}
	p->base = w->s->pointers[rng_below(r, 2)];
	p->index = w->s->index;
	p->disp = ((int32_t)rng_below(r, 3) - 1) * 64;
}

static int draw_address(struct writer *w)
{
	static const uint8_t addresses[] = {
		ADDRESS_REGISTER, ADDRESS_REGISTER,	     ADDRESS_BASE,	ADDRESS_BASE_DISP8,
		ADDRESS_RIP,	  ADDRESS_BASE_INDEX_DISP32, ADDRESS_RSP_DISP8, ADDRESS_RIP,
		ADDRESS_GS_BASE,  ADDRESS_ABSOLUTE,
	};

	if (w->s->use_fs && rng_one_in(&w->rng, 3))
		return ADDRESS_FS_ABSOLUTE;
	return addresses[rng_below(&w->rng, COUNT(addresses))];
}

static const struct form *draw_form(struct writer *w)
{
	uint32_t bound = pool.legacy && rng_one_in(&w->rng, 2) ? pool.legacy : pool.count;

	return &w->c->table->forms[pool.forms[rng_below(&w->rng, bound)]];
}

static int put_random(struct writer *w)
{
	enum encode_address address = (enum encode_address)draw_address(w);
	const struct form *f = draw_form(w);
	uint64_t target = w->c->place.scratch + SCRATCH_DATA + 0x400 + rng_below(&w->rng, 16) * 64;
	uint8_t bytes[ENCODE_BYTES];
	struct picks p;
	struct decoded d;

	draw_operands(w, address, &p);
	if (f->skeleton.class != ENCODE_EVEX) {
		p.base &= 15;
		p.vvvv &= 15;
	}
	encode_candidate(&f->skeleton, address, &p, bytes);
	if (enumerate_decode(bytes, INSTRUCTION_BYTES, &d) || d.insn.mnemonic != f->mnemonic ||
	    !fits(w->s, &d) || (w->flat && uses_stack(&d)) ||
	    w->c->states[f - w->c->table->forms] != FORM_RAN)
		return -1;
	/* Absolute addresses do not reach the far place. */
	if (address == ADDRESS_ABSOLUTE && w->c->place.scratch >> 31)
		return -1;
	snippet_fix_address(bytes, (uint64_t)(uintptr_t)w->chunk->base + w->chunk->used,
			    &w->c->place, &d, target);
	put(w, bytes, d.insn.length);
	return 0;
}

static uint8_t free_register(struct writer *w)
{
	for (;;) {
		uint8_t reg = (uint8_t)rng_below(&w->rng, 16);

		if (reg != RSP && reg != w->s->pointers[0] && reg != w->s->pointers[1] &&
		    reg != w->s->index)
			return reg;
	}
}

/* Something that reads the flags; returns 1 if it is a branch over the next instruction. */
static int put_flag_reader(struct writer *w)
{
	uint8_t to = free_register(w), from = (uint8_t)rng_below(&w->rng, 16);
	uint8_t condition = (uint8_t)rng_below(&w->rng, 16);
	uint8_t rex = (uint8_t)(0x48 | (to >> 3) << 2 | from >> 3);
	uint8_t modrm = (uint8_t)(0xc0 | (to & 7) << 3 | (from & 7));
	uint8_t setcc[] = {(uint8_t)(0x40 | to >> 3), 0x0f, (uint8_t)(0x90 | condition),
			   (uint8_t)(0xc0 | (to & 7))};
	uint8_t cmov[] = {rex, 0x0f, (uint8_t)(0x40 | condition), modrm};
	uint8_t adc[] = {rex, rng_one_in(&w->rng, 2) ? 0x13 : 0x1b, modrm};
	uint8_t rotate[] = {(uint8_t)(0x48 | to >> 3), 0xd1, (uint8_t)(0xd0 | (to & 7))};
	uint8_t branch[] = {(uint8_t)(0x70 | condition), 0};
	uint8_t pushf = 0x9c;

	switch (rng_below(&w->rng, 7)) {
	case 0:
		put(w, setcc, sizeof(setcc));
		return 0;
	case 1:
		put(w, cmov, sizeof(cmov));
		return 0;
	case 2:
		put(w, adc, sizeof(adc));
		return 0;
	case 3:
		put(w, rotate, sizeof(rotate));
		return 0;
	case 4:
		put(w, &pushf, 1);
		return 0;
	default:
		if (rng_one_in(&w->rng, 8))
			branch[0] = 0xeb;
		w->skip = put(w, branch, sizeof(branch)) + 1;
		return 1;
	}
}

static uint8_t *here(const struct writer *w)
{
	return w->chunk->base + w->chunk->used;
}

/* An indirect jump or call, with the flags live across it. The slot serves once. */
static void put_through_slot(struct writer *w, uint8_t modrm, uint64_t target)
{
	uint8_t bytes[6] = {0xff, modrm};
	int32_t disp = (int32_t)(w->slot - (here(w) + sizeof(bytes)));

	if (!target)
		target = (uint64_t)(uintptr_t)here(w) + sizeof(bytes);
	memcpy(bytes + 2, &disp, sizeof(disp));
	memcpy(w->slot, &target, sizeof(target));
	put(w, bytes, sizeof(bytes));
	w->slot = 0;
}

/* A string instruction between the two pointers, with a small count. */
static void put_string(struct writer *w)
{
	static const uint8_t opcodes[] = {0xa4, 0xa5, 0xa6, 0xa7, 0xaa,
					  0xab, 0xac, 0xad, 0xae, 0xaf};
	uint8_t other = w->s->pointers[1];
	/* lea rdi, [rbx + 8]; lea rsi, [other], by a sib byte as r12 needs it; mov ecx, count */
	uint8_t setup[] = {0x48, 0x8d, 0x7b, 8, 0x49, 0x8d, 0x74, (uint8_t)(0x20 | (other & 7)), 0};
	uint8_t count[] = {0xb9, (uint8_t)rng_below(&w->rng, 9), 0, 0, 0};
	uint8_t string[] = {rng_one_in(&w->rng, 2) ? 0xf2 : 0xf3,
			    (uint8_t)(0x40 | rng_below(&w->rng, 2) << 3),
			    opcodes[rng_below(&w->rng, COUNT(opcodes))]};

	put(w, setup, sizeof(setup));
	put(w, count, sizeof(count));
	put(w, string, sizeof(string));
}

static void put_call(struct writer *w)
{
	uint8_t call[5] = {0xe8};
	int32_t disp = (int32_t)((uint8_t *)(uintptr_t)w->s->start - (here(w) + sizeof(call)));

	memcpy(call + 1, &disp, sizeof(disp));
	put(w, call, sizeof(call));
}

/* Ways of going on that a translator has to link, with the flags as they are. */
static void put_transfer(struct writer *w)
{
	uint32_t roll = rng_below(&w->rng, 4);

	if (roll == 0 && w->slot)
		put_through_slot(w, 0x25, 0);
	else if (roll == 1 && w->slot)
		put_through_slot(w, 0x15, w->s->start);
	else if (roll == 2 && w->s->index != 6 && w->s->index != 7)
		put_string(w);
	else
		put_call(w);
}

/* One or two instructions that leave the stack alone, and back. */
static void put_subroutine(struct writer *w)
{
	uint8_t ret = 0xc3;

	w->s->start = (uint64_t)(uintptr_t)here(w);
	w->flat = 1;
	for (uint32_t n = 0, tries = 0; n < 2 && tries < 100; tries++)
		n += put_random(w) == 0;
	w->flat = 0;
	put(w, &ret, 1);
}

static void put_sequence(struct writer *w)
{
	uint32_t wanted = 3 + rng_below(&w->rng, 10);
	uint32_t tries = 0;

	w->s->pointers[0] = 3;
	w->s->pointers[1] = 12 + (uint8_t)rng_below(&w->rng, 4);
	w->s->index = 5 + (uint8_t)rng_below(&w->rng, 7);
	w->s->use_fs = (uint8_t)rng_one_in(&w->rng, 8);
	w->skip = 0;
	w->slot = here(w);
	w->chunk->used += 8;
	put_subroutine(w);
	w->s->entry = (uint64_t)(uintptr_t)here(w);
	for (uint32_t n = 0; n < wanted && tries < 1000; tries++) {
		uint8_t *skip = w->skip;

		if (put_random(w))
			continue;
		n++;
		if (skip)
			land(w);
		if (rng_below(&w->rng, 5) < 2)
			put_flag_reader(w);
		else if (rng_one_in(&w->rng, 8))
			put_transfer(w);
	}
	land(w);
	w->s->bytes = (uint32_t)((uint64_t)(uintptr_t)here(w) - w->s->start);
	chunk_put_leave(w->chunk);
}

static void prepare(struct campaign *c, const struct sequence *s, struct inputs *in)
{
	uint64_t data = c->place.scratch + SCRATCH_DATA + 0x400;

	inputs_random(in);
	in->in->use_fs = s->use_fs;
	in->in->target = s->entry;
	in->in->gpr[s->pointers[0]] = data + rng_below(&in->rng, 16) * 64;
	in->in->gpr[s->pointers[1]] = data + rng_below(&in->rng, 16) * 64;
	in->in->gpr[s->index] = (uint64_t)((int64_t)rng_below(&in->rng, 5) - 2) * 64;
	in->in->gpr[RSP] &= ~15ull;
}

static void run_sequence(struct campaign *c, const struct sequence *s)
{
	uint64_t h = 0;

	c->progress->item = s->number;
	if (c->verbose)
		campaign_disassemble((const uint8_t *)(uintptr_t)s->start, s->bytes, s->start);
	for (uint32_t run = 0; run < c->sequence_runs; run++) {
		struct inputs in = {.place = &c->place, .in = &difftest_in};
		struct outcome o;

		in.rng.state = rng_mix(c->seed + s->number * 64ull + run);
		prepare(c, s, &in);
		run_snippet(&o);
		h = rng_mix(h + run_digest(&o));
		if (c->verbose) {
			printf("  seq-%05" PRIu32 " run %" PRIu32 " %016" PRIx64 "\n", s->number,
			       run, run_digest(&o));
			run_print(stdout, &o);
		}
	}
	printf("seq-%05" PRIu32 " %016" PRIx64 "\n", s->number, h);
	if (c->forked)
		fflush(stdout);
}

static int64_t run_chunk(struct campaign *c, uint32_t first, uint32_t end)
{
	struct sequence sequences[SEQUENCES_CHUNK];
	uint8_t *base = place_chunk_map(c->next_chunk);
	struct chunk chunk;
	uint32_t n = 0;

	if (!base)
		return -1;
	chunk_init(&chunk, &c->place, base);
	for (; n < SEQUENCES_CHUNK && first + n < end && chunk_room(&chunk) > SEQUENCE_BYTES; n++) {
		struct writer w = {.c = c, .chunk = &chunk, .s = &sequences[n]};

		w.rng.state = rng_mix(c->seed ^ 0x5e9) + first + n;
		w.s->number = first + n;
		put_sequence(&w);
	}
	if (place_chunk_seal(base))
		return -1;
	for (uint32_t i = 0; i < n; i++)
		run_sequence(c, &sequences[i]);
	place_chunk_unmap(base);
	return (int64_t)first + n;
}

static void sequence_died(struct campaign *c, uint32_t item, int status)
{
	(void)c;
	printf("seq-%05" PRIu32 " died-with-status-%04x\n", item, (unsigned int)status);
}

static int is_plain_legacy(const struct form *f)
{
	return f->skeleton.class == ENCODE_LEGACY && (f->skeleton.prefix & ~PREFIX_66) == 0;
}

static int pool_init(struct campaign *c)
{
	pool.count = 0;
	pool.legacy = 0;
	pool.forms = malloc(c->table->count * sizeof(*pool.forms) + 1);
	if (!pool.forms)
		return -1;
	for (int plain = 1; plain >= 0; plain--) {
		for (uint32_t i = 0; i < c->table->count; i++) {
			const struct form *f = &c->table->forms[i];

			if (!f->excluded && !f->unstable && !is_unfit(f->mnemonic) &&
			    is_plain_legacy(f) == plain)
				pool.forms[pool.count++] = i;
		}
		if (plain)
			pool.legacy = pool.count;
	}
	return 0;
}

int campaign_sequences(struct campaign *c)
{
	static const struct campaign_work work = {run_chunk, sequence_died};
	int result = 0;

	if (pool_init(c))
		return -1;
	if (pool.count)
		result = campaign_drive(c, &work, c->sequence_first, c->sequence_end);
	free(pool.forms);
	return result;
}
