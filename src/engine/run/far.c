/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Far transfers within the code segment; see far.h. */
#include "engine/run/far.h"

#include "engine/core/util.h"
#include "engine/run/signals.h"
#include "engine/unwind/call_stack.h"

#define CODE_SEGMENT  0x33u
#define STACK_SEGMENT 0x2bu
#define MOST_BYTES    15
#define REX_W	      8u
#define REX_X	      2u
#define REX_B	      1u
#define NESTED_TASK   0x4000u

struct form {
	uint8_t opcode;
	uint8_t rex;
	const uint8_t *rest; /* behind the opcode */
	uint32_t width;	     /* of values popped and pushed */
	uint64_t pc;
};

static uint64_t reg(const struct thread *t, uint32_t low, uint32_t high)
{
	return t->regs[low | (high ? 8 : 0)];
}

/* The address of the operand; *end becomes the end of the instruction. */
static uint64_t operand(const struct thread *t, const struct form *f, uint64_t *end)
{
	const uint8_t *p = f->rest;
	uint32_t mod = *p >> 6, rm = *p & 7;
	uint64_t a = 0;
	bool wide = mod == 2, relative = false;
	int32_t disp = 0;

	p++;
	if (rm == 4) {
		uint32_t sib = *p++, index = sib >> 3 & 7, base = sib & 7;

		if (index != 4 || (f->rex & REX_X))
			a = reg(t, index, f->rex & REX_X) << (sib >> 6);
		if (base == 5 && mod == 0)
			wide = true;
		else
			a += reg(t, base, f->rex & REX_B);
	} else if (rm == 5 && mod == 0) {
		wide = relative = true;
	} else {
		a = reg(t, rm, f->rex & REX_B);
	}
	if (wide)
		memcpy(&disp, p, 4);
	else if (mod == 1)
		disp = (int8_t)*p;
	p += wide ? 4 : mod == 1 ? 1 : 0;
	*end = f->pc + (uint64_t)(p - f->rest);
	return a + (uint64_t)(int64_t)disp + (relative ? *end : 0);
}

/* Reads `count` values of f->width bytes each. Returns 0 or -1. */
static int read_values(uint64_t *to, const struct form *f, uint64_t at, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		to[i] = 0;
		if (engine_copy(&to[i], (const void *)(uintptr_t)(at + i * f->width), f->width) !=
		    0)
			return -1;
	}
	return 0;
}

static bool is_canonical(uint64_t address)
{
	return address >> 47 == 0;
}

static bool far_return(struct thread *t, const struct form *f)
{
	uint64_t v[2];
	uint16_t more = 0;

	if (read_values(v, f, t->regs[RSP], 2) != 0 || (uint16_t)v[1] != CODE_SEGMENT ||
	    !is_canonical(v[0]))
		return false;
	if (f->opcode == 0xca)
		memcpy(&more, f->rest, 2);
	t->rip = v[0];
	t->regs[RSP] += 2 * f->width + more;
	return true;
}

static bool interrupt_return(struct thread *t, const struct form *f)
{
	uint64_t v[5];

	if ((t->rflags & NESTED_TASK) || read_values(v, f, t->regs[RSP], 5) != 0 ||
	    (uint16_t)v[1] != CODE_SEGMENT || (uint16_t)v[4] != STACK_SEGMENT ||
	    !is_canonical(v[0]))
		return false;
	t->rip = v[0];
	t->rflags = (v[2] & USER_EFLAGS) | 0x202;
	t->regs[RSP] = v[3];
	return true;
}

/* FF /3 and FF /5, with an offset and a selector in memory. */
static bool through_memory(struct thread *t, const struct form *f)
{
	uint32_t which = *f->rest >> 3 & 7;
	uint64_t at, end, back[2], to, sp = t->regs[RSP];
	uint16_t selector;

	if ((which != 3 && which != 5) || *f->rest >> 6 == 3)
		return false;
	/* Processors of AMD have no offsets of 64 bits. */
	if (engine.amd && (f->rex & REX_W))
		return false;
	at = operand(t, f, &end);
	if (read_values(&to, f, at, 1) != 0 || !is_canonical(to) ||
	    engine_copy(&selector, (const void *)(uintptr_t)(at + f->width), 2) != 0 ||
	    selector != CODE_SEGMENT)
		return false;
	back[0] = end;
	back[1] = CODE_SEGMENT;
	if (which == 3) {
		if (engine_copy((void *)(uintptr_t)(sp - f->width), &back[1], f->width) != 0 ||
		    engine_copy((void *)(uintptr_t)(sp - 2 * f->width), &back[0], f->width) != 0)
			return false;
		t->regs[RSP] = sp - 2 * f->width;
	}
	t->rip = to;
	return true;
}

bool far_transfer(struct thread *t)
{
	uint8_t code[MOST_BYTES] = {0};
	struct form f = {0};
	uint32_t n = 0;

	/* The instruction may end at an unmapped page, so copy byte by byte. */
	while (n < sizeof code &&
	       engine_copy(&code[n], (const void *)(uintptr_t)(t->rip + n), 1) == 0)
		n++;
	f.rex = (code[0] & 0xf0) == 0x40 ? code[0] : 0;
	f.opcode = code[f.rex != 0];
	f.rest = code + (f.rex != 0) + 1;
	f.width = f.rex & REX_W ? 8 : 4;
	f.pc = t->rip + (f.rex != 0) + 1;
	call_stack_break(t);
	switch (f.opcode) {
	case 0xca:
	case 0xcb:
		return far_return(t, &f);
	case 0xcf:
		return interrupt_return(t, &f);
	case 0xff:
		return through_memory(t, &f);
	default:
		return false;
	}
}
