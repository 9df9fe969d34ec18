/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Candidate instructions as bytes. This file knows the places of bits, not their meaning: the
 * decoder decides afterwards what is an instruction, and its length.
 */
#ifndef DIFFTEST_ENCODE_H
#define DIFFTEST_ENCODE_H

#include <stdint.h>

enum encode_class {
	ENCODE_LEGACY,
	ENCODE_VEX,
	ENCODE_XOP,
	ENCODE_EVEX,
};

/* How the r/m operand is given: a register, or memory in one of these ways. */
enum encode_address {
	ADDRESS_REGISTER,
	ADDRESS_BASE,
	ADDRESS_BASE_DISP8,
	ADDRESS_BASE_INDEX_DISP32,
	ADDRESS_RIP,
	ADDRESS_RSP_DISP8,
	ADDRESS_RSP_INDEX_DISP8,
	ADDRESS_ABSOLUTE,
	ADDRESS_INDEX_DISP32,
	ADDRESS_FS_BASE_INDEX,
	ADDRESS_FS_ABSOLUTE,
	ADDRESS_GS_BASE,
	ADDRESS_32_BASE_INDEX, /* with the address-size prefix */
	ADDRESS_32_RIP,
	ADDRESS_KINDS,
};

/* Legacy prefixes, any of them together. */
enum encode_prefix {
	PREFIX_66 = 1,
	PREFIX_F2 = 2,
	PREFIX_F3 = 4,
	PREFIX_LOCK = 8,
};

/* The part of an encoding that is walked systematically. */
struct skeleton {
	uint8_t class; /* enum encode_class */
	uint8_t map;   /* legacy: 0 one byte, 1 0F, 2 0F38, 3 0F3A; else as encoded */
	uint8_t opcode;
	uint8_t prefix; /* legacy: enum encode_prefix; else pp, 0 to 3 */
	uint8_t w;
	uint8_t l; /* vector length; EVEX: also rounding */
	uint8_t b; /* EVEX broadcast or rounding */
};

/* The part that is drawn. */
struct picks {
	uint8_t reg;   /* modrm.reg, 0 to 31 */
	uint8_t base;  /* modrm.rm or base, 0 to 31 */
	uint8_t index; /* 0 to 31 */
	uint8_t scale; /* 0 to 3 */
	uint8_t vvvv;  /* 0 to 31; 0 encodes as "none" */
	uint8_t mask;  /* aaa */
	uint8_t zero;  /* z */
	int32_t disp;
	uint8_t imm[9];
};

#define ENCODE_BYTES 32

/*
 * Lay out one candidate. `out` gets ENCODE_BYTES, of which the first bytes are
 * the candidate: its length is for the decoder to say.
 */
void encode_candidate(const struct skeleton *s, enum encode_address address, const struct picks *p,
		      uint8_t out[ENCODE_BYTES]);

#endif
