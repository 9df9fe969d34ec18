/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of a run in which sampling was on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/sampled.h"

static void periods_that_adjoin_leave_nothing_out(void **state)
{
	/* Periods [0, 100), [100, 300), [300, 500); the process ends at 700, in a fourth. */
	static const struct store_window windows[] = {
		{.start = 90, .length = 10, .stands_for = 100},
		{.start = 290, .length = 10, .stands_for = 200},
		{.start = 300, .length = 10, .stands_for = 200},
	};

	(void)state;
	assert_int_equal(sampled_accesses(windows, 3, 700), 700);
}

static void what_lies_outside_of_periods_is_left_out(void **state)
{
	/* On from 1000 to 1200 and from 5000 to 5100, of 100000: periods of 100. */
	static const struct store_window windows[] = {
		{.start = 1090, .length = 10, .stands_for = 100},
		{.start = 1190, .length = 10, .stands_for = 100},
		{.start = 5090, .length = 10, .stands_for = 100},
	};

	(void)state;
	/*
	 * 1090 come before the first, whose period has 90 of them; 3890 between, of which 90 and 90
	 * can belong to the two periods; after 5100 two periods count at most.
	 */
	assert_int_equal(sampled_accesses(windows, 3, 100000), 5100 - 1000 - 3710 + 200);
}

static void without_windows_all_stays(void **state)
{
	(void)state;
	assert_int_equal(sampled_accesses(NULL, 0, 700), 700);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(periods_that_adjoin_leave_nothing_out),
		cmocka_unit_test(what_lies_outside_of_periods_is_left_out),
		cmocka_unit_test(without_windows_all_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
