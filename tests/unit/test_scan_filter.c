/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The filter of watched lines: both forms agree, and no touch of a watched line passes it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/scan_filter.h"
#include "engine/watches.h"

static uint64_t seed = 42;

static uint64_t draw(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Addresses of 1 MB, so that lines meet, and some trailers. */
static void draw_entries(uint64_t *p)
{
	for (uint32_t i = 0; i < SCAN_GROUP; i++)
		p[i] = draw() % 5 == 0 ? (uint64_t)(int64_t)(int32_t)(0xc0000000u | (draw() & 0xffff)) :
					 0x7f1200000000 + draw() % (1 << 20);
}

static void both_agree(void **state)
{
	static uint64_t bits[WATCH_SLOTS / 64];
	uint64_t p[SCAN_GROUP], ends, ends_fast;

	(void)state;
	if (!__builtin_cpu_supports("bmi2"))
		skip();
	for (uint32_t round = 0; round < 2000; round++) {
		uint64_t shift = 2 + round % 11;

		for (uint32_t i = 0; i < WATCH_SLOTS / 64; i++)
			bits[i] = draw() & draw() & draw();
		draw_entries(p);
		uint64_t plain = scan_filter(p, bits, shift, &ends);
		uint64_t fast = scan_filter_fast(p, bits, shift, &ends_fast);

		assert_int_equal(ends, ends_fast);
		assert_int_equal(plain & ~ends, fast & ~ends);
		for (uint32_t i = 0; i < SCAN_GROUP; i++)
			assert_int_equal(ends >> i & 1, p[i] >> 63);
	}
}

/* Any access of at most WATCH_REACH bytes that touches a watched line is let through. */
static void nothing_slips_through(void **state)
{
	static struct watch_set ws;
	uint64_t p[SCAN_GROUP], ends;

	(void)state;
	for (uint32_t shift = 2; shift <= 12; shift++) {
		uint64_t lines[100];

		watches_clear(&ws, shift);
		for (uint32_t i = 0; i < 100; i++) {
			lines[i] = (0x7f1200000000 + draw() % (1 << 26)) >> shift;
			if (i == 0 || !watch_maybe(&ws, lines[i]))
				assert_non_null(watch_add(&ws, lines[i]));
			else
				lines[i] = lines[0];
		}
		for (uint32_t round = 0; round < 200; round++) {
			for (uint32_t i = 0; i < SCAN_GROUP; i++) {
				uint64_t size = 1 + draw() % WATCH_REACH;
				uint64_t byte = (lines[draw() % 100] << shift) +
						draw() % (1ull << shift);

				p[i] = byte - draw() % size;
			}
			assert_int_equal(scan_filter(p, ws.bits, shift, &ends), ~0ull);
		}
		for (uint32_t i = 0; i < 100; i++)
			watch_take(&ws, lines[i]);
		for (uint32_t i = 0; i < WATCH_SLOTS / 64; i++)
			assert_int_equal(ws.bits[i], 0);
		draw_entries(p);
		assert_int_equal(scan_filter(p, ws.bits, shift, &ends) & ~ends, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_agree),
		cmocka_unit_test(nothing_slips_through),
	};

	return cmocka_run_group_tests(tests, 0, 0);
}
