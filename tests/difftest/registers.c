/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See registers.h. Addresses of the last x87 instruction and MXCSR are left out. */
#include "difftest/registers.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "difftest/run.h"
#include "difftest/state.h"
#include "engine/decode/registers.h"

/* Status flags, in the order of their bits in struct insn_registers. */
static const uint32_t flag_bits[] = {1, 4, 0x10, 0x40, 0x80, 0x800, 0x400};
#define FLAGS 7

/* In an XSAVE image: the status word, which has the top of the stack, the tags, the registers. */
#define X87_STATUS 2
#define X87_TOP	   0x38 /* in the second byte of the status word */
#define X87_TAGS   4
#define X87_AT	   32
#define X87_BYTES  10 /* of each 16 */

#define VECTOR_BYTES 64
#define LOW_BYTES    16 /* of a vector, which instructions of SSE write */

static struct run {
	struct machine_state in, out;
	uint8_t memory[SCRATCH_BYTES];
} first;
static uint8_t memory_before[SCRATCH_BYTES];

/* Where the vector register's bytes from `at` on are, and how many together; 0: not there. */
static uint8_t *vector_part(uint8_t *image, uint32_t reg, uint32_t at, uint32_t *bytes)
{
	const struct state_layout *l = state_layout();

	*bytes = at < 32 ? 16 : 32;
	if (reg >= 16)
		return l->zmm_16 ? image + l->zmm_16 + (reg - 16) * 64 + at : 0;
	if (at < 16)
		return image + 160 + reg * 16;
	if (at < 32)
		return l->ymm_high ? image + l->ymm_high + reg * 16 : 0;
	return l->zmm_high ? image + l->zmm_high + reg * 32 : 0;
}

/* Do bytes from..to of a vector register differ in two images? */
static int vectors_differ(struct machine_state *a, struct machine_state *b, uint32_t reg,
			  uint32_t from, uint32_t to)
{
	uint32_t bytes;

	for (uint32_t at = from; at < to; at += bytes) {
		const uint8_t *x = vector_part(a->xsave, reg, at, &bytes);
		const uint8_t *y = vector_part(b->xsave, reg, at, &bytes);

		if (x && memcmp(x, y, bytes) != 0)
			return 1;
	}
	return 0;
}

static int masks_differ(const struct machine_state *a, const struct machine_state *b, uint32_t k)
{
	const uint32_t at = state_layout()->mask + 8 * k;

	return state_layout()->mask && memcmp(a->xsave + at, b->xsave + at, 8) != 0;
}

static int x87_differs(const struct machine_state *a, const struct machine_state *b)
{
	const uint8_t *x = a->xsave, *y = b->xsave;

	for (uint32_t i = 0; i < 8; i++)
		if (memcmp(x + X87_AT + 16 * i, y + X87_AT + 16 * i, X87_BYTES) != 0)
			return 1;
	return x[X87_TAGS] != y[X87_TAGS] || ((x[X87_STATUS + 1] ^ y[X87_STATUS + 1]) & X87_TOP);
}

struct check {
	const struct snippet *s;
	const char *what;
	uint32_t breaches;
};

static void complain(struct check *c, const char *kind, uint32_t number)
{
	static const struct form *last;
	static uint32_t told;

	c->breaches++;
	told = c->s->form == last ? told + 1 : 0;
	last = c->s->form;
	if (told < 3)
		printf("%s encoding %u: %s %u %s\n", c->s->form->key, c->s->number, kind, number,
		       c->what);
}

/*
 * The registers of `out` must be those of `written` where r says that they are written, else those
 * of `kept`. Flags of `undefined` may be anything.
 */
static void compare(struct check *c, const struct insn_registers *r, struct machine_state *out,
		    struct machine_state *written, struct machine_state *kept, uint64_t undefined)
{
	for (uint32_t i = 0; i < 16; i++) {
		const struct machine_state *m = r->gprs_written >> i & 1 ? written : kept;

		if (out->gpr[i] != m->gpr[i])
			complain(c, "general register", i);
	}
	for (uint32_t i = 0; i < FLAGS; i++) {
		const struct machine_state *m = r->flags_written >> i & 1 ? written : kept;

		if ((out->flags ^ m->flags) & flag_bits[i] & ~undefined)
			complain(c, "flag", i);
	}
	for (uint32_t i = 0; i < 32; i++) {
		const int is_written = r->vectors_written >> i & 1;
		struct machine_state *low = is_written ? written : kept;
		struct machine_state *high = is_written && !r->keeps_upper ? written : kept;

		if (vectors_differ(out, low, i, 0, LOW_BYTES) ||
		    vectors_differ(out, high, i, LOW_BYTES, VECTOR_BYTES))
			complain(c, "vector register", i);
	}
	for (uint32_t i = 0; i < 8; i++)
		if (masks_differ(out, r->masks_written >> i & 1 ? written : kept, i))
			complain(c, "mask register", i);
	if (x87_differs(out, r->x87 ? written : kept))
		complain(c, "state of x87", 0);
}

static void draw_bytes(struct rng *rng, uint8_t *to, uint32_t bytes)
{
	for (uint32_t at = 0; at < bytes; at += 8) {
		const uint64_t word = rng_next(rng);

		memcpy(to + at, &word, 8);
	}
}

/* Other values in all that is not read. */
static void change_unread(const struct place *place, const struct insn_registers *r,
			  struct rng *rng)
{
	struct machine_state *in = &difftest_in;
	uint32_t bytes;

	for (uint32_t i = 0; i < 16; i++)
		if (!(r->gprs_read >> i & 1))
			/* the stack pointer stays an address */
			in->gpr[i] =
				i == 4 ? place->scratch + SCRATCH_STACK + 8 * rng_below(rng, 64)
				       : rng_next(rng);
	for (uint32_t i = 0; i < FLAGS; i++)
		if (!(r->flags_read >> i & 1) && rng_one_in(rng, 2))
			in->flags ^= flag_bits[i];
	for (uint32_t i = 0; i < 32; i++)
		for (uint32_t at = 0; at < VECTOR_BYTES; at += bytes) {
			uint8_t *part = vector_part(in->xsave, i, at, &bytes);

			if (part && !(r->vectors_read >> i & 1))
				draw_bytes(rng, part, bytes);
		}
	for (uint32_t i = 0; state_layout()->mask && i < 8; i++)
		if (!(r->masks_read >> i & 1))
			draw_bytes(rng, in->xsave + state_layout()->mask + 8 * i, 8);
	for (uint32_t i = 0; !r->x87 && i < 8; i++)
		draw_bytes(rng, in->xsave + X87_AT + 16 * i, 8); /* the fractions */
}

/* The same where the bytes of an image do not say what the processor has in it. */
static int is_plain_image(const struct machine_state *m)
{
	uint64_t present;

	memcpy(&present, m->xsave + 512, 8);
	return (present & difftest_components) == difftest_components;
}

uint32_t registers_check(const struct place *place, const struct snippet *s,
			 const struct decoded *d, struct rng *rng)
{
	uint8_t *memory = place_scratch(place, place->scratch, SCRATCH_BYTES);
	const uint64_t undefined = d->insn.cpu_flags ? d->insn.cpu_flags->undefined : 0;
	struct check c = {.s = s, .what = "changes, but is not written"};
	struct insn_registers r;
	struct outcome o;

	if (decode_registers((const uint8_t *)(uintptr_t)s->entry, s->bytes, &r) !=
	    d->insn.length) {
		complain(&c, "the length of", 0);
		return c.breaches;
	}
	if (!is_plain_image(&difftest_in))
		return 0;
	first.in = difftest_in;
	memcpy(memory_before, memory, SCRATCH_BYTES);
	run_snippet(&o);
	if (run_fault()->signal)
		return 0;
	first.out = difftest_out;
	memcpy(first.memory, memory, SCRATCH_BYTES);
	compare(&c, &r, &first.out, &first.out, &first.in, 0);
	if (s->form->unstable)
		return c.breaches;

	memcpy(memory, memory_before, SCRATCH_BYTES);
	change_unread(place, &r, rng);
	run_snippet(&o);
	c.what = "is not the same, if what is not read changes";
	if (run_fault()->signal)
		complain(&c, "the signal", (uint32_t)run_fault()->signal);
	else
		compare(&c, &r, &difftest_out, &first.out, &difftest_in, undefined);
	if (memcmp(memory, first.memory, SCRATCH_BYTES) != 0)
		complain(&c, "memory", 0);
	return c.breaches;
}
