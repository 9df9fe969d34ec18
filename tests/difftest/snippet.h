/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lays out snippets in a chunk of code, with their exits. */
#ifndef DIFFTEST_SNIPPET_H
#define DIFFTEST_SNIPPET_H

#include "difftest/forms.h"
#include "difftest/place.h"
#include "difftest/rng.h"

/* A chunk that is being filled. */
struct chunk {
	const struct place *place;
	uint8_t *base;
	uint32_t used;
};

struct snippet {
	uint64_t entry;
	uint64_t taken;	 /* where a branch goes; leaves marker 2 and ends */
	uint64_t target; /* of a memory operand that needs no register, or 0 */
	const struct form *form;
	const struct encoding *encoding;
	uint32_t number; /* of the encoding in its form */
	uint32_t bytes;	 /* code from `entry` on, without the way out */
};

/* The most that one instruction takes in a chunk, ways out included. */
#define SNIPPET_BYTES 96

/* Start a chunk: its first bytes hold the address of difftest_leave. */
void chunk_init(struct chunk *c, const struct place *place, uint8_t *base);

static inline uint32_t chunk_room(const struct chunk *c)
{
	return CODE_CHUNK_BYTES - c->used;
}

/* Append a jump to difftest_leave that needs no register and no stack. */
void chunk_put_leave(struct chunk *c);

/*
 * Append one instruction with its ways out. Displacements and branch targets
 * that need a known address are filled in. The caller saw to the room.
 */
void snippet_put(struct chunk *c, const struct form *form, uint32_t number, struct rng *rng,
		 struct snippet *out);

/* Does it go elsewhere than to the next instruction, when it does not fault? */
int snippet_is_branch(const struct decoded *d);

/*
 * Fill in the displacement of a memory operand without registers (rip, moffs,
 * absolute) so that it hits `target`; `at` is where the instruction stands.
 * Returns 1 if there was one.
 */
int snippet_fix_address(uint8_t *insn, uint64_t at, const struct place *place,
			const struct decoded *d, uint64_t target);

#endif
