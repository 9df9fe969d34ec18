/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts prefixes, opcode, modrm, sib, displacement and immediate in their order. */
#include "difftest/encode.h"

#include <string.h>

#define NO_REGISTER 0xff

struct address_shape {
	uint8_t segment; /* prefix, or 0 */
	uint8_t address32;
	uint8_t mod;
	uint8_t sib;   /* 1: always with a sib byte */
	uint8_t base;  /* fixed base, or NO_REGISTER: drawn */
	uint8_t index; /* 1: drawn; 0: none */
	uint8_t disp;  /* bytes */
};

/* With mod 0, base number 5 means "no base" in a sib byte and rip without one. */
static const struct address_shape shapes[ADDRESS_KINDS] = {
	[ADDRESS_REGISTER] = {0, 0, 3, 0, NO_REGISTER, 0, 0},
	[ADDRESS_BASE] = {0, 0, 0, 0, NO_REGISTER, 0, 0},
	[ADDRESS_BASE_DISP8] = {0, 0, 1, 0, NO_REGISTER, 0, 1},
	[ADDRESS_BASE_INDEX_DISP32] = {0, 0, 2, 1, NO_REGISTER, 1, 4},
	[ADDRESS_RIP] = {0, 0, 0, 0, 5, 0, 4},
	[ADDRESS_RSP_DISP8] = {0, 0, 1, 1, 4, 0, 1},
	[ADDRESS_RSP_INDEX_DISP8] = {0, 0, 1, 1, 4, 1, 1},
	[ADDRESS_ABSOLUTE] = {0, 0, 0, 1, 5, 0, 4},
	[ADDRESS_INDEX_DISP32] = {0, 0, 0, 1, 5, 1, 4},
	[ADDRESS_FS_BASE_INDEX] = {0x64, 0, 1, 1, NO_REGISTER, 1, 1},
	[ADDRESS_FS_ABSOLUTE] = {0x64, 0, 0, 1, 5, 0, 4},
	[ADDRESS_GS_BASE] = {0x65, 0, 1, 0, NO_REGISTER, 0, 1},
	[ADDRESS_32_BASE_INDEX] = {0, 1, 1, 1, NO_REGISTER, 1, 1},
	[ADDRESS_32_RIP] = {0, 1, 0, 0, 5, 0, 4},
};

/* What an address comes to, before it is laid out. */
struct operand {
	struct address_shape shape;
	uint8_t base;
	uint8_t index;
	uint8_t x; /* bits 3 of index and base, as REX has them */
	uint8_t b;
};

static struct operand resolve(enum encode_address address, const struct picks *p)
{
	struct operand o = {.shape = shapes[address]};

	o.base = o.shape.base == NO_REGISTER ? p->base : o.shape.base;
	o.index = o.shape.index ? p->index : 4;
	o.b = (o.base >> 3) & 1;
	o.x = address == ADDRESS_REGISTER ? (o.base >> 4) & 1 : (o.index >> 3) & 1;
	if (o.shape.mod == 3 || o.shape.base == 5)
		return o;
	if ((o.base & 7) == 4)
		o.shape.sib = 1;
	if (o.shape.mod == 0 && (o.base & 7) == 5) {
		o.shape.mod = 1;
		o.shape.disp = 1;
	}
	return o;
}

static uint8_t *put_operand(uint8_t *at, const struct operand *o, const struct picks *p)
{
	uint8_t reg = (uint8_t)((p->reg & 7) << 3);

	*at++ = (uint8_t)(o->shape.mod << 6 | reg | (o->shape.sib ? 4 : (o->base & 7)));
	if (o->shape.sib)
		*at++ = (uint8_t)(p->scale << 6 | (o->index & 7) << 3 | (o->base & 7));
	memcpy(at, &p->disp, o->shape.disp);
	return at + o->shape.disp;
}

static uint8_t *put_legacy(uint8_t *at, const struct skeleton *s, const struct operand *o,
			   const struct picks *p)
{
	static const uint8_t escapes[4] = {0, 0, 0x38, 0x3a};
	uint8_t rex = (uint8_t)(s->w << 3 | ((p->reg >> 3) & 1) << 2 | o->x << 1 | o->b);

	if (s->prefix & PREFIX_LOCK)
		*at++ = 0xf0;
	if (s->prefix & PREFIX_66)
		*at++ = 0x66;
	if (s->prefix & PREFIX_F2)
		*at++ = 0xf2;
	if (s->prefix & PREFIX_F3)
		*at++ = 0xf3;
	/* Bit 4 of reg asks for an empty REX: that makes spl and sil of ah and dh. */
	if (rex || (p->reg & 16))
		*at++ = (uint8_t)(0x40 | rex);
	if (s->map)
		*at++ = 0x0f;
	if (s->map >= 2)
		*at++ = escapes[s->map];
	*at++ = s->opcode;
	return at;
}

/* VEX with three bytes; XOP has the same layout behind another first byte. */
static uint8_t *put_vex(uint8_t *at, const struct skeleton *s, const struct operand *o,
			const struct picks *p)
{
	uint8_t r = (p->reg >> 3) & 1;
	uint8_t last = (uint8_t)(((~p->vvvv & 15) << 3) | (s->l & 1) << 2 | s->prefix);

	if (s->class == ENCODE_VEX && s->map == 1 && !s->w && !o->x && !o->b && (p->imm[8] & 1)) {
		*at++ = 0xc5;
		*at++ = (uint8_t)((r ^ 1) << 7 | last);
	} else {
		*at++ = s->class == ENCODE_VEX ? 0xc4 : 0x8f;
		*at++ = (uint8_t)((r ^ 1) << 7 | (o->x ^ 1) << 6 | (o->b ^ 1) << 5 | s->map);
		*at++ = (uint8_t)(s->w << 7 | last);
	}
	*at++ = s->opcode;
	return at;
}

static uint8_t *put_evex(uint8_t *at, const struct skeleton *s, const struct operand *o,
			 const struct picks *p)
{
	uint8_t r = (p->reg >> 3) & 1, r2 = (p->reg >> 4) & 1;
	uint8_t v2 = o->shape.index && (o->index & 16) ? 1 : (p->vvvv >> 4) & 1;

	*at++ = 0x62;
	*at++ = (uint8_t)((r ^ 1) << 7 | (o->x ^ 1) << 6 | (o->b ^ 1) << 5 | (r2 ^ 1) << 4 |
			  s->map);
	*at++ = (uint8_t)(s->w << 7 | (~p->vvvv & 15) << 3 | 4 | s->prefix);
	*at++ = (uint8_t)(p->zero << 7 | s->l << 5 | s->b << 4 | (v2 ^ 1) << 3 | p->mask);
	*at++ = s->opcode;
	return at;
}

void encode_candidate(const struct skeleton *s, enum encode_address address, const struct picks *p,
		      uint8_t out[ENCODE_BYTES])
{
	struct operand o = resolve(address, p);
	uint8_t *at = out;

	memset(out, 0, ENCODE_BYTES);
	if (o.shape.segment)
		*at++ = o.shape.segment;
	if (o.shape.address32)
		*at++ = 0x67;
	if (s->class == ENCODE_LEGACY)
		at = put_legacy(at, s, &o, p);
	else if (s->class == ENCODE_EVEX)
		at = put_evex(at, s, &o, p);
	else
		at = put_vex(at, s, &o, p);
	at = put_operand(at, &o, p);
	memcpy(at, p->imm, sizeof(p->imm) - 1);
}
