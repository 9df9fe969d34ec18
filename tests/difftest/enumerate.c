/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Enumerates encodings. For each skeleton a coarse check finds out whether anything decodes at all;
 * most do not, at a cost of 16 decodes.
 */
#include "difftest/enumerate.h"

#include <string.h>

/* Legacy prefixes that are tried; more than one of F2 and F3 means nothing new. */
static const uint8_t legacy_prefixes[] = {
	0,
	PREFIX_66,
	PREFIX_F2,
	PREFIX_F3,
	PREFIX_66 | PREFIX_F2,
	PREFIX_66 | PREFIX_F3,
	PREFIX_LOCK,
	PREFIX_LOCK | PREFIX_66,
	PREFIX_LOCK | PREFIX_F2,
	PREFIX_LOCK | PREFIX_F3,
};

struct walk {
	struct form_table *table;
	struct rng rng;
	int failed;
};

int enumerate_decode(const uint8_t *bytes, uint32_t length, struct decoded *d)
{
	static ZydisDecoder decoder;
	static int ready;

	if (!ready) {
		ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
		ready = 1;
	}
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, length, &d->insn, d->ops)) ? 0
											       : -1;
}

void enumerate_pick(struct rng *r, struct picks *p)
{
	uint64_t bits = rng_next(r), imm = rng_next(r);

	p->reg = bits & 31;
	p->base = (bits >> 5) & 31;
	p->index = (bits >> 10) & 31;
	p->scale = (bits >> 15) & 3;
	p->vvvv = (bits >> 17) & 31;
	p->mask = (uint8_t)(1 + (bits >> 22) % 7);
	p->zero = 0;
	p->disp = (int32_t)(bits >> 32);
	memcpy(p->imm, &imm, 8);
	p->imm[8] = (bits >> 26) & 1;
	/* Low registers only, often: no REX byte, and the high byte registers. */
	if (((bits >> 27) & 3) == 0) {
		p->reg &= 7;
		p->base &= 7;
		p->index &= 7;
	}
}

static int legacy_is_opcode(const struct skeleton *s)
{
	static const uint8_t prefixes[] = {0x0f, 0x26, 0x2e, 0x36, 0x3e, 0x64,
					   0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3};

	if (s->map == 0 && (s->opcode & 0xf0) == 0x40)
		return 0;
	if (s->map == 0)
		return !memchr(prefixes, s->opcode, sizeof(prefixes));
	return s->map != 1 || (s->opcode != 0x38 && s->opcode != 0x3a);
}

static int decodes(const struct skeleton *s, enum encode_address address, const struct picks *p)
{
	uint8_t bytes[ENCODE_BYTES];
	struct decoded d;

	encode_candidate(s, address, p, bytes);
	return enumerate_decode(bytes, INSTRUCTION_BYTES, &d) == 0;
}

/* Does anything decode, and does it with a second source register in vvvv? */
static int coarse_look(const struct skeleton *s, int *takes_vvvv)
{
	static const enum encode_address shapes[] = {ADDRESS_REGISTER, ADDRESS_RSP_INDEX_DISP8};
	int found = 0;

	*takes_vvvv = 0;
	for (unsigned int i = 0; i < 64; i++) {
		struct picks p = {.reg = i & 7, .base = 1, .index = 2, .scale = 1};

		p.vvvv = i & 16 ? 5 : 0;
		p.mask = i & 32 ? 1 : 0;
		if (s->class == ENCODE_LEGACY && i >= 16)
			break;
		if (s->class != ENCODE_EVEX && i >= 32)
			break;
		if (!decodes(s, shapes[(i >> 3) & 1], &p))
			continue;
		found = 1;
		*takes_vvvv |= p.vvvv != 0;
		if (*takes_vvvv)
			break;
	}
	return found;
}

/* Ways of addressing are told apart only where they change the bytes that matter. */
static enum encode_address address_of(const struct decoded *d, enum encode_address address)
{
	int prefixed = address >= ADDRESS_FS_BASE_INDEX;

	if (d->insn.raw.modrm.offset == 0 && !prefixed)
		return ADDRESS_REGISTER;
	return address;
}

static void try_candidate(struct walk *w, const struct skeleton *s, enum encode_address address,
			  const struct picks *p)
{
	uint8_t bytes[ENCODE_BYTES];
	struct decoded d;

	encode_candidate(s, address, p, bytes);
	if (enumerate_decode(bytes, INSTRUCTION_BYTES, &d))
		return;
	if (forms_add(w->table, s, address_of(&d, address), bytes, &d))
		w->failed = 1;
}

/* Legacy and VEX take 16 registers: bit 4 says "with an empty REX" or nothing. */
static void narrow(const struct skeleton *s, struct picks *p)
{
	if (s->class == ENCODE_EVEX)
		return;
	p->base &= 15;
	p->index &= 15;
	p->vvvv &= 15;
}

static void draw(struct walk *w, const struct skeleton *s, int takes_vvvv, unsigned int reg,
		 unsigned int masking, struct picks *p)
{
	enumerate_pick(&w->rng, p);
	p->reg = (uint8_t)((p->reg & ~7u) | reg);
	if (!takes_vvvv)
		p->vvvv = 0;
	if (masking == 0)
		p->mask = 0;
	p->zero = masking == 2;
	narrow(s, p);
	/* Without an index, a far displacement would put the stack pointer far away. */
	if ((p->base & 15) == 4 && (p->index & 15) == 4)
		p->disp = (int8_t)p->disp;
	/* General registers end at 15; half of the draws stay there. */
	if (rng_one_in(&w->rng, 2)) {
		p->reg &= 15;
		p->base &= 15;
		p->vvvv &= 15;
	}
}

static void refine(struct walk *w, const struct skeleton *s, int takes_vvvv)
{
	unsigned int maskings = s->class == ENCODE_EVEX ? 3 : 1;

	for (unsigned int masking = 0; masking < maskings; masking++) {
		for (unsigned int reg = 0; reg < 8; reg++) {
			for (unsigned int a = 0; a < ADDRESS_KINDS; a++) {
				struct picks p;

				draw(w, s, takes_vvvv, reg, masking, &p);
				try_candidate(w, s, (enum encode_address)a, &p);
			}
			/* Registers are where most choices are. */
			for (unsigned int i = 0; i < 3; i++) {
				struct picks p;

				draw(w, s, takes_vvvv, reg, masking, &p);
				try_candidate(w, s, ADDRESS_REGISTER, &p);
			}
		}
	}
}

/* The whole modrm byte is an opcode to some: x87, 0F 01, and the like. */
static void walk_modrm(struct walk *w, const struct skeleton *s)
{
	for (unsigned int i = 0; i < 64; i++) {
		struct picks p;

		draw(w, s, 0, i >> 3, 0, &p);
		p.reg &= 7;
		p.base = i & 7;
		try_candidate(w, s, ADDRESS_REGISTER, &p);
	}
}

/* 3DNow! has its opcode where others have an immediate. */
static void walk_3dnow(struct walk *w, const struct skeleton *s)
{
	for (unsigned int i = 0; i < 256; i++) {
		struct picks p;

		draw(w, s, 0, i & 7, 0, &p);
		p.imm[0] = (uint8_t)i;
		try_candidate(w, s, ADDRESS_REGISTER, &p);
		try_candidate(w, s, ADDRESS_RSP_INDEX_DISP8, &p);
	}
}

static void walk_skeleton(struct walk *w, const struct skeleton *s)
{
	int takes_vvvv = 0;

	if (w->failed)
		return;
	if (s->class == ENCODE_LEGACY && s->map == 1 && s->opcode == 0x0f)
		walk_3dnow(w, s);
	else if (coarse_look(s, &takes_vvvv))
		refine(w, s, takes_vvvv);
	/* A form with one good modrm byte is beyond a coarse look. */
	if (s->class == ENCODE_LEGACY || s->class == ENCODE_VEX)
		walk_modrm(w, s);
}

static void walk_legacy(struct walk *w)
{
	for (unsigned int i = 0; i < 4 * 256; i++)
		for (unsigned int p = 0; p < sizeof(legacy_prefixes); p++)
			for (unsigned int rex_w = 0; rex_w < 2; rex_w++) {
				struct skeleton s = {.class = ENCODE_LEGACY,
						     .map = (uint8_t)(i >> 8),
						     .opcode = (uint8_t)i,
						     .prefix = legacy_prefixes[p],
						     .w = (uint8_t)rex_w};

				if (legacy_is_opcode(&s))
					walk_skeleton(w, &s);
			}
}

static void walk_vector(struct walk *w, enum encode_class class, unsigned int first_map,
			unsigned int last_map)
{
	unsigned int lengths = class == ENCODE_EVEX ? 4 : 2;
	unsigned int flags = class == ENCODE_EVEX ? 4 : 2;

	for (unsigned int map = first_map; map <= last_map; map++)
		for (unsigned int i = 0; i < 256 * 4; i++)
			for (unsigned int l = 0; l < lengths; l++)
				for (unsigned int f = 0; f < flags; f++) {
					struct skeleton s = {.class = (uint8_t) class,
							     .map = (uint8_t)map,
							     .opcode = (uint8_t)(i >> 2),
							     .prefix = i & 3,
							     .w = f & 1,
							     .l = (uint8_t)l,
							     .b = (uint8_t)(f >> 1)};

					walk_skeleton(w, &s);
				}
}

int enumerate_forms(struct form_table *t, uint64_t seed)
{
	struct walk w = {.table = t, .rng = {.state = seed}};

	walk_legacy(&w);
	walk_vector(&w, ENCODE_VEX, 1, 3);
	walk_vector(&w, ENCODE_XOP, 8, 10);
	walk_vector(&w, ENCODE_EVEX, 1, 3);
	walk_vector(&w, ENCODE_EVEX, 5, 6);
	return w.failed ? -1 : 0;
}
