/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scan for lines of a sample, and for new ones: vectors find what plain code finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "channel/lines.h"
#include "engine/simulate/lines/lines_scan.h"

#define GROUPS 4u
#define PLACES 1024u

static uint64_t random_state = 1;

static uint64_t draw(void)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return random_state ^ random_state >> 29;
}

static void draw_entries(uint64_t *p, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		p[i] = draw() % 4 == 0	 ? draw() | 1ull << 63
		       : draw() % 2 == 0 ? draw() >> 17
					 : 0x7ffff0000000 + draw() % 100000;
}

/* Trailers may be chosen or not; their bits are not compared. */
static uint64_t without_trailers(uint64_t mask, const uint64_t *p)
{
	for (uint32_t i = 0; i < LINES_GROUP; i++)
		mask &= ~(p[i] >> 63 << i);
	return mask;
}

static void vectors_find_what_plain_code_finds(void **state)
{
	static uint32_t recent[PLACES];
	uint64_t p[GROUPS * LINES_GROUP];
	struct lines_masks plain[GROUPS], fast[GROUPS];
	uint64_t chosen = 0, fresh = 0;

	(void)state;
	if (!__builtin_cpu_supports("avx2"))
		skip();
	for (uint32_t round = 0; round < 300; round++) {
		const uint64_t shift = 4 + round % 7;
		struct lines_key key;

		draw_entries(p, GROUPS * LINES_GROUP);
		for (uint32_t i = 0; i < GROUPS * LINES_GROUP; i += 3)
			recent[(p[i] >> shift) % PLACES] = (uint32_t)(p[i] >> shift);
		lines_key_fill(&key, shift, 31, (uint32_t)draw(),
			       (uint32_t)lines_threshold(2 + round % 40), recent, PLACES);
		lines_scan(p, GROUPS, &key, plain);
		lines_scan_fast(p, GROUPS, &key, fast);
		for (uint32_t g = 0; g < GROUPS; g++) {
			const uint64_t *q = p + g * LINES_GROUP;

			assert_int_equal(without_trailers(plain[g].chosen, q),
					 without_trailers(fast[g].chosen, q));
			assert_int_equal(plain[g].fresh, fast[g].fresh);
			assert_int_equal(plain[g].fresh, without_trailers(plain[g].fresh, q));
			chosen += (uint64_t)__builtin_popcountll(fast[g].chosen);
			fresh += (uint64_t)__builtin_popcountll(fast[g].fresh);
		}
	}
	assert_in_range(chosen, 1000, 300 * 256 / 2);
	assert_in_range(fresh, 1000, 300 * 256);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors_find_what_plain_code_finds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
