/* SPDX-License-Identifier: GPL-2.0-or-later */
/* However many units are given up, an array has as many far lines as its size asks for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/sample/far_units.h"

#define BASE	   0x1fc480000000ull /* a line */
#define SIZE_64	   4u
#define REGION	   ((uint64_t)WATCH_SLOTS) /* lines that fall on each slot once */
#define FIRST_PAGE 416u
#define WINDOW	   100000u

/* Lines of so many from `first` on, as the far lines among them tell. */
static double told(const struct far_units *u, uint64_t first, uint64_t lines)
{
	uint64_t far = 0;

	for (uint64_t line = first; line < first + lines; line++) {
		uint16_t unit = far_units_find(u, line);

		if (unit != FAR_NO_UNIT)
			far += u->weight[far_kind_of(unit)][SIZE_64];
	}
	return (double)far / CHANNEL_FAR_ONE;
}

static void is_near(double value, double wanted, double part)
{
	assert_true(value > wanted * (1 - part) && value < wanted * (1 + part));
}

/* Three pages are too busy. The one that is left cannot be halved; the other kinds can. */
static void one_kind_that_is_left_alone_leaves_no_gaps_in_memory(void **state)
{
	for (uint64_t seed = 1; seed <= 8; seed++) {
		uint64_t rng = seed * 0x9e3779b97f4a7c15ull;
		struct far_units u;

		far_units_choose(&u, &rng);
		for (uint32_t k = FIRST_PAGE; k < FAR_UNITS; k++)
			u.touches[k] = WINDOW / 8;
		assert_true(far_units_end_window(&u, WINDOW));
		assert_int_equal(u.left[FAR_PAGE], 1);
		/* the last page is busy too: giving up others would not help */
		assert_int_equal(u.left[FAR_SINGLE] + u.left[FAR_PAIR] + u.left[FAR_EIGHT],
				 FIRST_PAGE);
		for (int n = 0; n < 3; n++) {
			far_units_halve(&u, &rng);
			for (uint64_t region = 0; region < 16; region++)
				is_near(told(&u, BASE + region * REGION, REGION), (double)REGION,
					0.01);
		}
	}
}

/* Then regions are given up, one of each two neighbours: 128 MB have what they ask for. */
static void regions_that_are_given_up_are_spread(void **state)
{
	for (uint64_t seed = 1; seed <= 8; seed++) {
		uint64_t rng = seed * 0x9e3779b97f4a7c15ull;
		struct far_units u;

		far_units_choose(&u, &rng);
		while (u.regions_log2 < 3) {
			far_units_halve(&u, &rng);
			is_near(told(&u, BASE, 64 * REGION), 64.0 * (double)REGION, 0.01);
		}
	}
}

/* What is given up is never taken back: else lines would seem to be touched for the first time. */
static void far_lines_were_far_lines_before(void **state)
{
	uint64_t rng = 0x9e3779b97f4a7c15ull;
	struct far_units old, u;

	far_units_choose(&u, &rng);
	while (u.regions_log2 < 3) {
		old = u;
		far_units_halve(&u, &rng);
		for (uint64_t line = BASE; line < BASE + 16 * REGION; line++)
			if (far_units_find(&u, line) != FAR_NO_UNIT)
				assert_true(far_units_find(&old, line) != FAR_NO_UNIT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_kind_that_is_left_alone_leaves_no_gaps_in_memory),
		cmocka_unit_test(regions_that_are_given_up_are_spread),
		cmocka_unit_test(far_lines_were_far_lines_before),
	};

	return cmocka_run_group_tests(tests, 0, 0);
}
