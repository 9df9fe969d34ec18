/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counting elements of string and vector instructions; see elements.h. */
#include "engine/run/elements.h"

#include "engine/core/fsbase.h"
#include "engine/core/lock.h"
#include "engine/core/run_mode.h"
#include "engine/core/util.h"

/* The accesses of one iteration of a string instruction, in order. */
struct string_op {
	uint8_t opcode;	 /* of the byte form; the next, odd opcode has the operand size */
	uint8_t from[2]; /* enum reg that holds the address before the instruction */
	uint8_t kind[2];
	uint8_t accesses;
};

static const struct string_op string_ops[] = {
	{0xa4, {RSI, RDI}, {ACCESS_LOAD, ACCESS_STORE}, 2}, /* movs */
	{0xa6, {RSI, RDI}, {ACCESS_LOAD, ACCESS_LOAD}, 2},  /* cmps */
	{0xaa, {RDI, 0}, {ACCESS_STORE, 0}, 1},		    /* stos */
	{0xac, {RSI, 0}, {ACCESS_LOAD, 0}, 1},		    /* lods */
	{0xae, {RDI, 0}, {ACCESS_LOAD, 0}, 1},		    /* scas */
	{0x6c, {RDI, 0}, {ACCESS_STORE, 0}, 1},		    /* ins */
	{0x6e, {RSI, 0}, {ACCESS_LOAD, 0}, 1},		    /* outs */
};

static const struct string_op *string_op_of(const struct insn *in)
{
	uint8_t opcode = in->bytes[in->length - 1] & 0xfe;

	for (uint32_t i = 0; i < sizeof string_ops / sizeof *string_ops; i++)
		if (string_ops[i].opcode == opcode)
			return &string_ops[i];
	return 0;
}

static uint64_t address_of(const struct insn *in, uint64_t v)
{
	return in->mem_count && in->mem[0].narrow ? (uint32_t)v : v;
}

static struct repeat repeat_of(const struct thread *t, const struct insn *in,
			       const struct string_op *op, uint64_t n)
{
	uint64_t fs = in->mem[0].fs ? fsbase_get(t) : 0;
	struct repeat r = {
		.pc = in->pc, .iterations = n, .size = in->mem[0].size, .accesses = op->accesses};

	r.step = t->rflags & 0x400 ? -(int64_t)r.size : (int64_t)r.size;
	for (uint32_t a = 0; a < op->accesses; a++) {
		bool source = op->from[a] == RSI;

		r.kind[a] = op->kind[a];
		r.address[a] = address_of(in, source ? t->rep_rsi : t->rep_rdi) + (source ? fs : 0);
	}
	return r;
}

void elements_rep(struct thread *t, const struct insn *in, uint64_t rcx_before, uint32_t segment)
{
	const struct string_op *op = string_op_of(in);
	uint64_t n = address_of(in, rcx_before) - address_of(in, t->regs[RCX]);

	thread_forget_quick_reps(t);
	if (!op)
		return;
	if (run_mode->wants_repeat && run_mode->wants_repeat(t, segment, n * op->accesses)) {
		const struct repeat r = repeat_of(t, in, op, n);

		run_mode->repeat(t, segment, &r);
	}
	if (n == 0)
		return;
	t->counters.accesses += n * op->accesses;
	for (uint32_t a = 0; a < op->accesses; a++) {
		t->counters.loads += op->kind[a] == ACCESS_LOAD ? n : 0;
		t->counters.stores += op->kind[a] == ACCESS_STORE ? n : 0;
	}
	t->extra.rep_iterations += n;
	t->extra.leaps += n * op->accesses;
}

/* Offsets of the vector registers in the standard XSAVE layout, from cpuid leaf 0xd. */
static struct {
	uint32_t ymm_high, opmask, zmm_high, zmm_16;
	bool known;
} at;

static uint32_t component(uint32_t n)
{
	uint32_t a = 0xd, b, c = n, d;

	__asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	return b;
}

static void find_components(void)
{
	at.ymm_high = component(2);
	at.opmask = component(5);
	at.zmm_high = component(6);
	at.zmm_16 = component(7);
	at.known = true;
}

/* Lane `i` of `bytes` bytes of a vector register in a saved area. */
static uint64_t lane(const uint8_t *area, uint32_t reg, uint32_t i, uint32_t bytes)
{
	uint32_t off = i * bytes;
	uint64_t v = 0;
	const uint8_t *p;

	if (reg >= 16)
		p = area + at.zmm_16 + (reg - 16) * 64 + off;
	else if (off < 16)
		p = area + 160 + reg * 16 + off;
	else if (off < 32)
		p = area + at.ymm_high + reg * 16 + off - 16;
	else
		p = area + at.zmm_high + reg * 32 + off - 32;
	memcpy(&v, p, bytes);
	return v;
}

static bool lane_active(const uint8_t *area, const struct vector_access *v, uint32_t i)
{
	if (v->opmask != 255)
		return area[at.opmask + v->opmask * 8 + i / 8] >> (i % 8) & 1;
	/* VEX gathers: the sign bit of the mask vector's lane. */
	return lane(area, v->mask_vector, i, v->element_bytes) >> (v->element_bytes * 8 - 1);
}

static uint64_t vector_base(const struct thread *t, const struct mem_op *m)
{
	uint64_t v = (uint64_t)m->disp;

	if (m->base < 16)
		v += t->regs[m->base];
	return v;
}

static uint32_t lock; /* guards `area` in active_lanes */

void elements_forked(void)
{
	lock = 0;
}

static void count_vector(struct thread *t, uint64_t n, bool stores)
{
	t->counters.accesses += n;
	*(stores ? &t->counters.stores : &t->counters.loads) += n;
	t->extra.vector_elements += n;
}

/* The lanes whose mask is set, as bits. With `in`: also each lane's index, in index[]. */
static uint32_t active_lanes(const struct vector_access *v, const struct insn *in,
			     uint64_t index[32])
{
	static uint8_t area[4096] __attribute__((aligned(64))); /* under the lock */
	uint32_t lanes = 0;

	lock_take(&lock);
	if (!at.known)
		find_components();
	memset(area + 512, 0, 64);
	engine_xsave(area, 0xe6);
	for (uint32_t i = 0; i < v->most && i < 32; i++) {
		if (!lane_active(area, v, i))
			continue;
		lanes |= 1u << i;
		if (in && in->vector_index_64)
			index[i] = lane(area, in->vector_index, i, 8);
		else if (in)
			index[i] = (uint64_t)(int64_t)(int32_t)lane(area, in->vector_index, i, 4);
	}
	lock_drop(&lock);
	return lanes;
}

uint32_t elements_next(struct thread *t, const struct insn *in, struct element out[ELEMENTS_MOST])
{
	const struct mem_op *m = &in->mem[0];
	uint64_t index[32], base = vector_base(t, m) + (m->fs ? fsbase_get(t) : 0);
	struct vector_access v = {.most = in->elements,
				  .opmask = in->mask_reg,
				  .mask_vector = in->vector_mask,
				  .element_bytes = (uint8_t)m->size};
	uint32_t n = 0;

	if (in->kind == INSN_REP) {
		const struct string_op *op = string_op_of(in);

		for (; op && n < op->accesses; n++)
			out[n] = (struct element){address_of(in, t->regs[op->from[n]]), 1,
						  op->kind[n] == ACCESS_STORE};
		return n;
	}
	for (uint32_t rest = active_lanes(&v, in, index); rest; rest &= rest - 1) {
		uint64_t address = base + index[__builtin_ctz(rest)] * (m->scale ? m->scale : 1);

		out[n++] = (struct element){m->narrow ? (uint32_t)address : address, m->size,
					    m->kind == ACCESS_STORE};
	}
	return n;
}

void elements_vector(struct thread *t, const struct insn *in, uint32_t segment)
{
	const struct mem_op *m = &in->mem[0];
	uint64_t entries[32], index[32], base = vector_base(t, m);
	struct vector_access v = {.pc = in->pc,
				  .most = in->elements,
				  .opmask = in->mask_reg,
				  .mask_vector = in->vector_mask,
				  .element_bytes = (uint8_t)m->size,
				  .stores = m->kind == ACCESS_STORE};
	uint32_t n = 0;

	t->vector_kept &= t->vector.pc == in->pc;
	if (m->fs)
		base += fsbase_get(t);
	v.lanes = active_lanes(&v, in, index);
	for (uint32_t rest = v.lanes; rest; rest &= rest - 1) {
		uint64_t address = base + index[__builtin_ctz(rest)] * (m->scale ? m->scale : 1);

		entries[n++] =
			STREAM_ENTRY(m->narrow ? (uint32_t)address : address, m->kind, m->size);
	}
	if (run_mode->elements)
		run_mode->elements(t, in->pc, segment, entries, n);
	count_vector(t, n, v.stores);
	t->vector = v;
	t->vector_segment = segment;
	t->vector_faulted = t->vector_kept = false;
}

static uint32_t count_of(uint32_t lanes)
{
	uint32_t n = 0;

	for (; lanes; lanes &= lanes - 1)
		n++;
	return n;
}

void elements_put_off(struct thread *t)
{
	t->vector_kept = !t->pending;
	if (run_mode->undo_elements)
		run_mode->undo_elements(t, 0);
	count_vector(t, -(uint64_t)count_of(t->vector.lanes), t->vector.stores);
}

void elements_faulted(struct thread *t)
{
	uint32_t left = active_lanes(&t->vector, 0, 0) & t->vector.lanes;

	t->vector_faulted = false;
	if (run_mode->undo_elements)
		run_mode->undo_elements(t, t->vector.lanes & ~left);
	count_vector(t, -(uint64_t)count_of(left), t->vector.stores);
}
