/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The filter of watched lines: its forms agree, and no touch of a watched line passes it. */
#include <cpuid.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "engine/sample/scan_filter.h"
#include "engine/sample/watches.h"

#define GROUPS 5u

/* Addresses of 1 MB, so that lines meet, and some trailers. */
static void draw_entries(uint64_t *p)
{
	for (uint32_t i = 0; i < SCAN_GROUP; i++)
		p[i] = draw() % 5 == 0
			       ? (uint64_t)(int64_t)(int32_t)(0xc0000000u | (draw() & 0xffff))
			       : 0x7f1200000000 + draw() % (1 << 20);
}

/* Compare a filter with the plain one: any number of groups, anywhere. */
static void check_filter(scan_filter_fn *filter)
{
	static uint64_t bits[WATCH_SLOTS / 64], entries[GROUPS * SCAN_GROUP + 8];
	struct scan_masks plain[GROUPS], other[GROUPS + 1];

	for (uint32_t round = 0; round < 2000; round++) {
		uint64_t shift = 2 + round % 11, groups = 1 + draw() % GROUPS;
		uint64_t *p = entries + draw() % 8;

		for (uint32_t i = 0; i < WATCH_SLOTS / 64; i++)
			bits[i] = draw() & draw() & draw();
		for (uint32_t g = 0; g < groups; g++)
			draw_entries(p + g * SCAN_GROUP);
		memset(other, 0x5a, sizeof other);
		scan_filter(p, bits, shift, plain, groups);
		filter(p, bits, shift, other, groups);
		for (uint32_t g = 0; g < groups; g++) {
			uint64_t ends = plain[g].trailers;

			assert_int_equal(other[g].trailers, ends);
			assert_int_equal(other[g].hits & ~ends, plain[g].hits & ~ends);
			for (uint32_t i = 0; i < SCAN_GROUP; i++)
				assert_int_equal(ends >> i & 1, p[g * SCAN_GROUP + i] >> 63);
		}
		assert_int_equal(other[groups].hits, 0x5a5a5a5a5a5a5a5a);
	}
}

static void fast_agrees(void **state)
{
	(void)state;
	if (!__builtin_cpu_supports("bmi2"))
		skip();
	check_filter(scan_filter_fast);
}

static bool has_wide(void)
{
	uint32_t a, b, c, d;

	__cpuid_count(0xd, 1, a, b, c, d);
	return __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
	       (a >> 2 & 1);
}

static void wide_agrees(void **state)
{
	(void)state;
	if (!has_wide())
		skip();
	check_filter(scan_filter_wide);
}

/* keep_registers.S knows the layout. */
struct call {
	scan_filter_fn *filter;
	const uint64_t *p, *bits;
	uint64_t line_shift;
	struct scan_masks *masks;
	uint64_t groups;
	uint8_t *before, *after;
	uint64_t used; /* bytes of the vector registers 0 to 15 */
};

/* Returns how the components in use, as xgetbv tells them, differ. */
uint32_t keep_registers(const struct call *c);

#define VECTORS_BYTES	(32u * 64)
#define REGISTERS_BYTES (VECTORS_BYTES + 8 * 8)

static void wide_keeps_registers(void **state)
{
	static uint64_t bits[WATCH_SLOTS / 64], p[2 * SCAN_GROUP];
	struct scan_masks masks[2];
	uint8_t before[REGISTERS_BYTES], after[REGISTERS_BYTES];
	struct call c = {scan_filter_wide, p, bits, 6, masks, 2, before, after, 0};

	(void)state;
	if (!has_wide())
		skip();
	for (uint32_t i = 0; i < WATCH_SLOTS / 64; i++)
		bits[i] = draw();
	draw_entries(p);
	draw_entries(p + SCAN_GROUP);
	for (uint32_t round = 0; round < 300; round++) {
		c.used = 16u << round % 3;
		for (uint32_t i = 0; i < REGISTERS_BYTES; i++)
			before[i] = (uint8_t)draw();
		assert_int_equal(keep_registers(&c), 0);
		for (uint32_t i = 0; i < 16 * 64; i++)
			if (i % 64 >= c.used)
				before[i] = 0;
		assert_memory_equal(before, after, REGISTERS_BYTES);
	}
}

/* Any access of at most WATCH_REACH bytes that touches a watched line is let through. */
static void nothing_slips_through(void **state)
{
	static struct watch_set ws;
	uint64_t p[SCAN_GROUP];

	(void)state;
	for (uint32_t shift = 2; shift <= 12; shift++) {
		uint64_t lines[100];
		struct scan_masks m;

		watches_clear(&ws, shift);
		for (uint32_t i = 0; i < 100; i++) {
			lines[i] = (0x7f1200000000 + draw() % (1 << 26)) >> shift;
			if (i == 0 || !watch_maybe(&ws, lines[i] << shift >> WATCH_SHIFT))
				assert_non_null(watch_add(&ws, lines[i]));
			else
				lines[i] = lines[0];
		}
		for (uint32_t round = 0; round < 200; round++) {
			for (uint32_t i = 0; i < SCAN_GROUP; i++) {
				uint64_t size = 1 + draw() % WATCH_REACH;
				uint64_t byte =
					(lines[draw() % 100] << shift) + draw() % (1ull << shift);

				p[i] = byte - draw() % size;
			}
			scan_filter(p, ws.bits, WATCH_SHIFT, &m, 1);
			assert_int_equal(m.hits, ~0ull);
		}
		for (uint32_t i = 0; i < 100; i++)
			watch_take(&ws, lines[i]);
		for (uint32_t i = 0; i < WATCH_SLOTS / 64; i++)
			assert_int_equal(ws.bits[i], 0);
		draw_entries(p);
		scan_filter(p, ws.bits, WATCH_SHIFT, &m, 1);
		assert_int_equal(m.hits & ~m.trailers, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fast_agrees),
		cmocka_unit_test(wide_agrees),
		cmocka_unit_test(wide_keeps_registers),
		cmocka_unit_test(nothing_slips_through),
	};

	return cmocka_run_group_tests(tests, 0, 0);
}
