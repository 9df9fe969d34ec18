/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The miss ratio of a part of the accesses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/model.h"

#define WINDOWS 400

static struct model_sums sums[WINDOWS];

static void assert_near(double value, double expected, double error)
{
	if (fabs(value - expected) > error)
		fail_msg("%.6f is not near %.6f", value, expected);
}

/*
 * 400 windows of 30 samples, each with a quarter of misses: drawing them anew changes nothing, so
 * Wilson's interval for 30 * 400 / 3 = 4000 looks decides. With z = 1.959964, z^2 = 3.841459:
 * centre (0.25 + z^2 / 8000) / (1 + z^2 / 4000) = 0.250240; half of it
 * z / 1.000960 * sqrt(0.1875 / 4000 + z^2 / (4 * 4000^2)) = 0.013415. The model's own error is
 * 3 % of 0.25, 0.0075, on each side.
 */
static void windows_that_agree_leave_what_the_number_of_samples_allows(void **state)
{
	struct model_ratio r;

	for (size_t i = 0; i < WINDOWS; i++)
		sums[i] = (struct model_sums){1.0 / WINDOWS, 0.25 / WINDOWS, 30};
	model_part(sums, WINDOWS, &r);
	assert_true(r.known);
	assert_near(r.ratio, 0.25, 1e-12);
	assert_near(r.low, 0.250240 - 0.013415 - 0.0075, 1e-5);
	assert_near(r.high, 0.250240 + 0.013415 + 0.0075, 1e-5);
}

/*
 * 100 windows with many samples, every other one all misses: the mean of 100 draws of 0 or 1 has a
 * standard deviation of 0.05, so the interval reaches 0.098 to each side, and 0.015 more.
 */
static void windows_that_differ_widen_the_interval(void **state)
{
	struct model_ratio r;

	for (size_t i = 0; i < 100; i++)
		sums[i] = (struct model_sums){0.01, i % 2 == 0 ? 0.01 : 0, 100000};
	model_part(sums, 100, &r);
	assert_near(r.ratio, 0.5, 1e-12);
	assert_near(r.low, 0.5 - 0.098 - 0.015, 0.02);
	assert_near(r.high, 0.5 + 0.098 + 0.015, 0.02);
}

static void the_same_windows_give_the_same_interval(void **state)
{
	struct model_ratio first, again;

	for (size_t i = 0; i < 50; i++)
		sums[i] = (struct model_sums){0.01, (double)(i % 7) / 700, 40};
	model_part(sums, 50, &first);
	model_part(sums, 50, &again);
	assert_true(first.ratio == again.ratio && first.low == again.low &&
		    first.high == again.high);
}

/* One sample in three counts: z^2 / (1/3) = 11.52; low (1 + 5.76) / 12.52 - 0.460 is 0.08. */
static void one_sample_says_next_to_nothing(void **state)
{
	const struct model_sums one = {0.001, 0.001, 1};
	struct model_ratio r;

	model_part(&one, 1, &r);
	assert_near(r.ratio, 1, 1e-12);
	assert_true(r.low < 0.1);
	assert_near(r.high, 1, 1e-12);
}

static void without_accesses_nothing_is_known(void **state)
{
	const struct model_sums none = {0, 0, 0};
	struct model_ratio r;

	model_part(&none, 1, &r);
	assert_false(r.known);
	assert_true(r.low <= 0 && r.high >= 1);
	model_part(NULL, 0, &r);
	assert_false(r.known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_that_agree_leave_what_the_number_of_samples_allows),
		cmocka_unit_test(windows_that_differ_widen_the_interval),
		cmocka_unit_test(the_same_windows_give_the_same_interval),
		cmocka_unit_test(one_sample_says_next_to_nothing),
		cmocka_unit_test(without_accesses_nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
