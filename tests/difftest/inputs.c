/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random states, and the search for registers that give an address. */
#include "difftest/inputs.h"

#include <stdlib.h>
#include <string.h>

#define POOL_COUNT 48

/* CF PF AF ZF SF OF; DF is drawn apart. */
#define STATUS_FLAGS 0x8d5u
#define FLAG_DF	     0x400u

struct pool_entry {
	uint8_t xsave[STATE_XSAVE_BYTES] __attribute__((aligned(64)));
	uint8_t scratch[SCRATCH_BYTES];
};

static struct pool_entry *pool;

/* Numbers as programs have them: random bits alone would almost never meet a special case. */
static uint64_t draw_lane(struct rng *r)
{
	static const uint64_t specials[] = {
		0,
		0x3ff0000000000000, /* 1.0 */
		0xbff8000000000000, /* -1.5 */
		0x7ff0000000000000, /* infinity */
		0xfff0000000000000,
		0x7ff8000000000000, /* NaN */
		0x7ff0000000000001, /* signalling NaN */
		0x000fffffffffffff, /* denormal */
		0x3f8000003f800000, /* 1.0f */
		0x7f800000ff800000,
		0x7fc000007f800001,
		0x00000001807fffff, /* denormals, float */
		0xffffffffffffffff,
		0x8000000000000000,
		0x7fffffff80000000,
		0x41dfffffffc00000, /* 2147483647.0 */
		0x4f0000004effffff,
	};
	uint64_t bits = rng_next(r);
	double small = (double)(int32_t)bits / 1024;
	float smaller[2] = {(float)(int16_t)bits / 8, (float)(int16_t)(bits >> 16) * 3};

	switch (rng_below(r, 8)) {
	case 0:
	case 1:
		return specials[bits % (sizeof(specials) / sizeof(specials[0]))];
	case 2:
		memcpy(&bits, &small, sizeof(bits));
		return bits;
	case 3:
		memcpy(&bits, smaller, sizeof(bits));
		return bits;
	case 4:
		return bits & 0x0f0f0f0f0f0f0f0full;
	default:
		return bits;
	}
}

uint32_t inputs_mxcsr(struct rng *r)
{
	uint32_t bits = (uint32_t)rng_next(r);
	uint32_t mxcsr = 0x1f80 | (bits & 0x6000); /* rounding */

	if (rng_one_in(r, 4))
		mxcsr |= bits & 0x8040; /* flush to zero, denormals are zero */
	if (rng_one_in(r, 4))
		mxcsr |= bits & 0x3f;
	if (rng_one_in(r, 16))
		mxcsr &= ~(bits >> 16 & 0x1f80);
	return mxcsr;
}

static void draw_x87(struct rng *r, uint8_t *image)
{
	uint16_t control = (uint16_t)(0x7f | (rng_below(r, 16) << 8));
	uint16_t status = (uint16_t)(rng_below(r, 8) << 11 | (rng_next(r) & 0x4700));
	uint8_t tags = rng_one_in(r, 2) ? (uint8_t)rng_next(r) : 0xff;
	uint32_t mxcsr = inputs_mxcsr(r), mxcsr_mask = 0xffff;

	if (rng_one_in(r, 8))
		control &= (uint16_t) ~(rng_next(r) & 0x3f);
	if (rng_one_in(r, 8))
		status |= rng_next(r) & 0x7f;
	memcpy(image, &control, 2);
	memcpy(image + 2, &status, 2);
	image[4] = tags;
	/* FOP, FIP, FDP: 0, as no x87 instruction ran. */
	memset(image + 5, 0, 19);
	memcpy(image + 24, &mxcsr, 4);
	memcpy(image + 28, &mxcsr_mask, 4);
	for (unsigned int i = 0; i < 8; i++) {
		uint16_t exponent = (uint16_t)(0x3fff - 20 + rng_below(r, 40));
		uint64_t fraction = rng_next(r) | 1ull << 63;

		if (rng_one_in(r, 3)) {
			exponent = rng_one_in(r, 2) ? 0x7fff : 0;
			fraction = draw_lane(r);
		}
		exponent |= (uint16_t)(rng_below(r, 2) << 15);
		memcpy(image + 32 + i * 16, &fraction, 8);
		memcpy(image + 40 + i * 16, &exponent, 2);
		memset(image + 42 + i * 16, 0, 6);
	}
}

static void draw_lanes(struct rng *r, uint8_t *image, uint32_t offset, uint32_t bytes)
{
	for (uint32_t at = offset; offset && at < offset + bytes; at += 8) {
		uint64_t lane = draw_lane(r);

		memcpy(image + at, &lane, 8);
	}
}

static void draw_image(struct rng *r, uint8_t *image)
{
	const struct state_layout *l = state_layout();
	uint64_t components = difftest_components;

	memset(image, 0, STATE_XSAVE_BYTES);
	draw_lanes(r, image, 160, 256);
	draw_lanes(r, image, l->ymm_high, 256);
	draw_lanes(r, image, l->mask, 64);
	draw_lanes(r, image, l->zmm_high, 512);
	draw_lanes(r, image, l->zmm_16, 1024);
	memcpy(image + 512, &components, 8);
	draw_x87(r, image);
}

int inputs_init(uint64_t seed)
{
	struct rng r = {.state = seed ^ 0x5eed};

	pool = aligned_alloc(64, POOL_COUNT * sizeof(*pool));
	if (!pool)
		return -1;
	for (unsigned int i = 0; i < POOL_COUNT; i++) {
		draw_image(&r, pool[i].xsave);
		for (unsigned int at = 0; at < SCRATCH_BYTES; at += 8) {
			uint64_t lane = draw_lane(&r);

			memcpy(pool[i].scratch + at, &lane, 8);
		}
	}
	return 0;
}

void inputs_release(void)
{
	free(pool);
	pool = 0;
}

const uint8_t *inputs_image(struct inputs *i)
{
	return pool[rng_below(&i->rng, POOL_COUNT)].xsave;
}

static uint64_t draw_gpr(struct rng *r)
{
	uint64_t bits = rng_next(r);

	switch (rng_below(r, 8)) {
	case 0:
		return bits & 0xff;
	case 1:
		return (uint64_t)(int64_t)(int8_t)bits;
	case 2:
		return bits & 0xffffffff;
	case 3:
		return 1ull << (bits & 63);
	default:
		return bits;
	}
}

void inputs_random(struct inputs *i)
{
	struct machine_state *in = i->in;
	struct rng *r = &i->rng;

	memcpy((void *)(uintptr_t)i->place->scratch, pool[rng_below(r, POOL_COUNT)].scratch,
	       SCRATCH_BYTES);
	memcpy(in->xsave, pool[rng_below(r, POOL_COUNT)].xsave, STATE_XSAVE_BYTES);
	for (unsigned int g = 0; g < 16; g++)
		in->gpr[g] = draw_gpr(r);
	in->gpr[4] = i->place->scratch + SCRATCH_STACK + rng_below(r, 64) * 16;
	if (rng_one_in(r, 8))
		in->gpr[4] += rng_below(r, 16);
	in->flags = 0x202 | (rng_next(r) & STATUS_FLAGS);
	if (rng_one_in(r, 4))
		in->flags |= FLAG_DF;
	in->fs_base = i->place->scratch + SCRATCH_FS;
	in->use_fs = 0;
}

static enum input_kind draw_kind(struct rng *r)
{
	uint32_t roll = rng_below(r, 100);

	if (roll < 60)
		return INPUT_ALIGNED;
	if (roll < 78)
		return INPUT_UNALIGNED;
	if (roll < 88)
		return INPUT_PAGE_EDGE;
	return roll < 96 ? INPUT_FAULT : INPUT_NON_CANONICAL;
}

static uint64_t draw_address(struct inputs *i)
{
	struct rng *r = &i->rng;
	uint64_t data = i->place->scratch + SCRATCH_DATA;

	switch (i->kind) {
	case INPUT_UNALIGNED:
		return data + rng_below(r, 1024);
	case INPUT_PAGE_EDGE:
		return data + 0x1000 - rng_below(r, 64);
	case INPUT_FAULT:
		return i->place->scratch + SCRATCH_BYTES - rng_below(r, 64);
	default:
		return data + rng_below(r, 16) * 64;
	}
}

static unsigned int gpr_number(ZydisRegister reg)
{
	ZydisRegister wide = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	return (unsigned int)(wide - ZYDIS_REGISTER_RAX) & 15;
}

static unsigned int gpr_shift(ZydisRegister reg)
{
	return reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH ? 8 : 0;
}

static uint64_t gpr_mask(ZydisRegister reg)
{
	unsigned int bits = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, reg);

	return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
}

void inputs_set_register(struct inputs *i, ZydisRegister reg, uint64_t value)
{
	uint64_t *g = &i->in->gpr[gpr_number(reg)];
	uint64_t mask = gpr_mask(reg) << gpr_shift(reg);

	*g = (*g & ~mask) | ((value << gpr_shift(reg)) & mask);
}

uint64_t inputs_register(const struct inputs *i, ZydisRegister reg)
{
	return (i->in->gpr[gpr_number(reg)] >> gpr_shift(reg)) & gpr_mask(reg);
}

static int is_vector(ZydisRegister reg)
{
	ZydisRegisterClass class = ZydisRegisterGetClass(reg);

	return class == ZYDIS_REGCLASS_XMM || class == ZYDIS_REGCLASS_YMM ||
	       class == ZYDIS_REGCLASS_ZMM;
}

/* Small indices in all lanes; on a fault kind, one lane leads out. */
static void set_vector_index(struct inputs *i, ZydisRegister reg)
{
	const char *name = ZydisMnemonicGetString(i->d->insn.mnemonic);
	const char *after =
		strstr(name, "gather") ? strstr(name, "gather") + 6 : strstr(name, "scatter") + 7;
	unsigned int bytes = *after == 'q' ? 8 : 4;
	unsigned int wild = i->kind >= INPUT_FAULT ? rng_below(&i->rng, 16) : 16;

	for (unsigned int lane = 0; lane < 64 / bytes; lane++) {
		int64_t value = (int64_t)rng_below(&i->rng, 128) - 64;

		if (lane == wild)
			value = 0x100000;
		state_vector_set(i->in->xsave, (unsigned int)ZydisRegisterGetId(reg), lane, bytes,
				 (uint64_t)value);
	}
}

/* The stack pointer has to stay in its part for push and call: an index takes the distance. */
static void solve_stack_address(struct inputs *i, const ZydisDecodedOperand *op,
				ZydisRegister index, uint64_t rest)
{
	int64_t distance = (int64_t)(rest - i->in->gpr[4]);

	if (index != ZYDIS_REGISTER_NONE) {
		int64_t count = distance / op->mem.scale;

		inputs_set_register(i, index, (uint64_t)count);
		rest -= (uint64_t)(count * op->mem.scale);
	}
	inputs_set_register(i, op->mem.base, rest);
}

static int keeps_stack;

void inputs_keep_stack(void)
{
	keeps_stack = 1;
}

/* Nothing but the stack pointer itself would have to take what makes the address none. */
static int is_stack_alone(const ZydisDecodedOperand *op)
{
	return op->mem.base == ZYDIS_REGISTER_RSP &&
	       (op->mem.index == ZYDIS_REGISTER_NONE || is_vector(op->mem.index));
}

/* Choose base and index so that base + index * scale + displacement is the address. */
static void solve_address(struct inputs *i, const ZydisDecodedOperand *op, uint64_t address)
{
	ZydisRegister base = op->mem.base, index = op->mem.index;
	uint64_t rest = address - (uint64_t)op->mem.disp.value;
	int64_t small = (int64_t)rng_below(&i->rng, 33) - 16;

	if (op->mem.segment == ZYDIS_REGISTER_FS)
		rest -= i->in->fs_base;
	if (i->kind == INPUT_NON_CANONICAL && !(keeps_stack && is_stack_alone(op)))
		rest ^= 1ull << 62;
	if (is_vector(index)) {
		set_vector_index(i, index);
		index = ZYDIS_REGISTER_NONE;
	}
	if (base == ZYDIS_REGISTER_NONE && index != ZYDIS_REGISTER_NONE) {
		inputs_set_register(i, index, rest / op->mem.scale);
	} else if (base != ZYDIS_REGISTER_NONE && base == index) {
		inputs_set_register(i, base, rest / (op->mem.scale + 1u));
	} else if (base == ZYDIS_REGISTER_RSP || base == ZYDIS_REGISTER_ESP) {
		solve_stack_address(i, op, index, rest);
	} else if (base != ZYDIS_REGISTER_NONE) {
		/* xlat adds al, which stays as it is. */
		if (ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, index) == 8) {
			rest -= inputs_register(i, index);
		} else if (index != ZYDIS_REGISTER_NONE) {
			inputs_set_register(i, index, (uint64_t)(small * 64));
			rest -= (uint64_t)(small * 64 * op->mem.scale);
		}
		inputs_set_register(i, base, rest);
	}
	i->address = address;
	i->address_count++;
}

static void solve_operands(struct inputs *i)
{
	for (unsigned int n = 0; n < i->d->insn.operand_count; n++) {
		const ZydisDecodedOperand *op = &i->d->ops[n];
		uint64_t address = 0;

		if (op->type != ZYDIS_OPERAND_TYPE_MEMORY || op->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
			continue;
		/* The hidden operand of push, call, ret: rsp leads there already. */
		if (op->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
		    (op->mem.base == ZYDIS_REGISTER_RSP || op->mem.base == ZYDIS_REGISTER_RBP))
			continue;
		if (i->snippet->target && op->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN) {
			i->address = i->snippet->target;
			i->address_count++;
			continue;
		}
		address = draw_address(i);
		/* A base that is also the stack pointer has to serve for both. */
		if (op->mem.base == ZYDIS_REGISTER_RSP && i->kind <= INPUT_PAGE_EDGE)
			address += SCRATCH_STACK - SCRATCH_DATA;
		solve_address(i, op, address);
	}
}

static int uses_fs(const struct decoded *d)
{
	return (d->insn.attributes & ZYDIS_ATTRIB_HAS_SEGMENT_FS) ||
	       d->insn.mnemonic == ZYDIS_MNEMONIC_RDFSBASE;
}

void inputs_prepare(struct inputs *i)
{
	inputs_random(i);
	i->kind = draw_kind(&i->rng);
	i->address = 0;
	i->address_count = 0;
	i->in->use_fs = (uint64_t)uses_fs(i->d);
	i->in->target = i->snippet->entry;
	solve_operands(i);
	fixups_apply(i);
}
