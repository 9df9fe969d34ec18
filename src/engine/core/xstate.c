/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of the vector state; see xstate.h. */
#include "engine/core/xstate.h"

#include <cpuid.h>

#include "channel/sys.h"
#include "engine/core/state.h"

#define GET_PERMITTED 0x1022 /* ARCH_GET_XCOMP_PERM */
#define KEYS_PART     9u
#define UPPER_VECTORS 7u /* zmm16 to zmm31 */
#define TILE_DATA     (1ull << 18)
#define HEADER_END    (512u + 64u)

static uint64_t xgetbv(uint32_t which)
{
	uint32_t lo, hi;

	__asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(which));
	return (uint64_t)hi << 32 | lo;
}

/* A kernel without the call has no parts that need permission. */
static uint64_t permitted(void)
{
	uint64_t mask = 0;

	return sys_failed(sys2(SYS_arch_prctl, GET_PERMITTED, &mask)) ? ~0ull : mask;
}

/* The end of an image of these parts, in the standard (not compacted) format. */
static uint32_t end_of(uint64_t parts)
{
	uint32_t end = HEADER_END, bytes, offset, c, d;

	for (uint32_t i = 2; i < 63; i++) {
		if (!(parts >> i & 1))
			continue;
		__cpuid_count(0xd, i, bytes, offset, c, d);
		if (offset + bytes > end)
			end = offset + bytes;
	}
	return end;
}

void xstate_look(void)
{
	const uint64_t parts = xgetbv(0) & permitted();
	uint32_t a, b, c, d;

	engine.xsave_bytes = end_of(parts);
	engine.xsave_mask = parts & ~XSTATE_KEYS; /* left unchanged */
	__cpuid_count(0xd, UPPER_VECTORS, a, b, c, d);
	engine.zmm31_at = b + 15 * 64;
	if (!(parts & XSTATE_KEYS))
		return;
	__cpuid_count(0xd, KEYS_PART, a, b, c, d);
	if (!engine.keys_at)
		engine.first_keys = xstate_keys();
	engine.keys_at = b;
}

struct xstate xstate_of_frame(void)
{
	const uint64_t parts = engine.xsave_mask | (engine.keys_at ? XSTATE_KEYS : 0),
		       plain = parts & ~TILE_DATA;

	if (parts == plain || (xgetbv(1) & TILE_DATA))
		return (struct xstate){parts, engine.xsave_bytes};
	return (struct xstate){plain, end_of(plain)};
}

uint32_t xstate_keys(void)
{
	uint32_t keys, high;

	__asm__ volatile("rdpkru" : "=a"(keys), "=d"(high) : "c"(0));
	return keys;
}

void xstate_set_keys(uint32_t keys)
{
	__asm__ volatile("wrpkru" : : "a"(keys), "d"(0), "c"(0) : "memory");
}
