/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The initial state of a snippet: random, but with pointers into the scratch area, and with the
 * inputs that the instruction needs to do anything.
 */
#ifndef DIFFTEST_INPUTS_H
#define DIFFTEST_INPUTS_H

#include "difftest/snippet.h"
#include "difftest/state.h"

/* Where a memory operand leads. */
enum input_kind {
	INPUT_ALIGNED, /* to 64 bytes */
	INPUT_UNALIGNED,
	INPUT_PAGE_EDGE, /* across two mapped pages */
	INPUT_FAULT,	 /* into, or across the edge of, what is not mapped */
	INPUT_NON_CANONICAL,
};

struct inputs {
	const struct place *place;
	struct machine_state *in;
	struct rng rng;
	enum input_kind kind;
	const struct decoded *d;
	const struct snippet *snippet;
	uint64_t address; /* of the last memory operand in modrm or a string */
	uint32_t address_count;
};

/* Make the pool of random images. Returns 0, or -1 with errno. */
int inputs_init(uint64_t seed);
void inputs_release(void);

/* From now on the stack pointer is an address in all inputs, see probe.h. */
void inputs_keep_stack(void);

/* Random registers, vectors and scratch; rsp in the stack part. `rng` and `place` are set. */
void inputs_random(struct inputs *i);

/*
 * inputs_random, and then all that the snippet's instruction wants. Reads
 * place, in, rng, d and snippet, chooses the kind.
 */
void inputs_prepare(struct inputs *i);

/* Write a register, of any width but a vector, as an instruction of that width would not: the
 * bits above it stay. */
void inputs_set_register(struct inputs *i, ZydisRegister reg, uint64_t value);
uint64_t inputs_register(const struct inputs *i, ZydisRegister reg);

/* A good XSAVE image from the pool, for instructions that load one. */
const uint8_t *inputs_image(struct inputs *i);

/* A value for MXCSR: rounding and flags at random, exceptions mostly masked. */
uint32_t inputs_mxcsr(struct rng *r);

/* The tables of what single instructions need; see fixups.c. */
void fixups_apply(struct inputs *i);

#endif
