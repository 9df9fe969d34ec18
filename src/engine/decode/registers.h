/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The registers that an instruction reads and writes, and how long its result takes: what a chain
 * of instructions is found with that wait for each other. Asked for on demand; the translator needs
 * less (decode.h).
 *
 * Written is what it may change. Read is all that a result depends on, in registers and in memory:
 * the old value of a register of which it writes a part, or under a condition, too. What needs no
 * value is not read, as in `xor eax, eax`. Taken as constant, so neither read nor written: control
 * words and sticky flags of MXCSR, bases of segments, and what the kernel or the system keeps.
 */
#ifndef DWELL_ENGINE_DECODE_REGISTERS_H
#define DWELL_ENGINE_DECODE_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

/* Status flags are as in decode.h, INSN_FLAGS. */
#define REGISTERS_DIRECTION_FLAG 64u

/* By latency of the result. Memory that an arithmetic instruction reads is not in its class. */
enum latency_class {
	LATENCY_NONE,	 /* no result: nop, prefetch */
	LATENCY_INTEGER, /* of general registers and flags, a cycle each */
	LATENCY_MOVE,	 /* a copy of a register, which may cost nothing */
	LATENCY_MULTIPLY,
	LATENCY_DIVIDE,
	LATENCY_LOAD, /* and nothing else */
	LATENCY_STORE,
	LATENCY_BRANCH, /* calls and returns, too */
	LATENCY_VECTOR, /* integer and bitwise, of lanes */
	LATENCY_VECTOR_MULTIPLY,
	LATENCY_SHUFFLE, /* between lanes */
	LATENCY_FP_ADD,	 /* compare, minimum, round, too */
	LATENCY_FP_MULTIPLY,
	LATENCY_FP_FUSED,
	LATENCY_FP_DIVIDE, /* and square root */
	LATENCY_CONVERT,   /* between numbers of different kinds, or kinds of registers */
	LATENCY_ATOMIC,	   /* with a lock */
	LATENCY_STRING,
	LATENCY_OTHER, /* system instructions, transcendental functions, ciphers */
};

struct insn_registers {
	uint16_t gprs_read, gprs_written;
	uint32_t vectors_read, vectors_written;
	uint8_t masks_read, masks_written; /* k0 to k7 */
	uint8_t flags_read, flags_written;
	bool x87; /* reads and writes the registers of x87 and MMX, as one */
	/* Of vectors written the bits above 127 stay as they are, which counts as no read. */
	bool keeps_upper;
	uint8_t latency; /* enum latency_class */
};

/*
 * Find them for the instruction at `code`, of which `room` bytes are readable. Returns its length,
 * or 0 if the bytes are none. Pure; but the decoder may use vector registers.
 */
uint32_t decode_registers(const uint8_t *code, uint32_t room, struct insn_registers *r);

#endif
