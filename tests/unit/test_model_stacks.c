/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lies between the touches of a reuse: from halves of octaves to any distance, and to lines of another size. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "model/parts.h"

static void near(double value, double expected)
{
	if (fabs(value - expected) > 1e-9)
		fail_msg("%.12g is not %.12g", value, expected);
}

/* Octaves 4 to 6 are known; all others say nothing. */
static const struct model all = {
	.line_bytes = 64,
	.stacks = {.ratio = {[8] = 0.9, [9] = 1.1, [10] = 1.9, [11] = 2.1, [12] = 3.9, [13] = 4.1},
		   .of_octave = {[4] = 1, [5] = 2, [6] = 4}}};

static double at(const struct stacks *s, double octaves)
{
	return stacks_ratio(s, exp2(octaves));
}

static void test_straight_between_the_middles_of_halves(void **state)
{
	(void)state;
	near(at(&all.stacks, 4.25), 0.9);
	near(at(&all.stacks, 4.75), 1.1);
	near(at(&all.stacks, 4.5), 1.0);
	near(at(&all.stacks, 5), 1.5);
	near(at(&all.stacks, 6.75), 4.1);
}

static void test_where_nothing_is_known_the_neighbour_speaks_or_nobody(void **state)
{
	const struct stacks none = {{0}, {0}};

	(void)state;
	near(at(&all.stacks, 4.1), 0.9);
	near(at(&all.stacks, 7.1), 4.1);
	near(at(&all.stacks, 9), 1);
	near(at(&all.stacks, 0), 1);
	near(at(&none, 5), 1);
	near(stacks_ratio(&all.stacks, 0), 1);
	near(stacks_ratio(&all.stacks, INFINITY), 1);
}

static void test_lines_of_the_same_size_have_the_same_halves(void **state)
{
	struct model m = {.line_bytes = 64};

	(void)state;
	stacks_take(&m, &all);
	assert_memory_equal(&m.stacks, &all.stacks, sizeof(m.stacks));
}

static void test_lines_of_another_size_have_the_same_octaves(void **state)
{
	struct model m = {.line_bytes = 128};

	(void)state;
	stacks_take(&m, &all);
	/* The line from one octave's middle to the next one's, at a quarter and at three quarters. */
	near(at(&m.stacks, 4.75), 1.25);
	near(at(&m.stacks, 5), 1.5);
	near(at(&m.stacks, 5.25), 1.75);
	near(at(&m.stacks, 5.75), 2.5);
	near(at(&m.stacks, 6.25), 3.5);
	/* The outermost go no further than what is known. */
	near(at(&m.stacks, 4.25), 1);
	near(at(&m.stacks, 6.75), 4);
	near(at(&m.stacks, 7.1), 4);
	near(at(&m.stacks, 8), 1);
	assert_true(m.stacks.ratio[7] <= 0 && m.stacks.ratio[14] <= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_straight_between_the_middles_of_halves),
		cmocka_unit_test(test_where_nothing_is_known_the_neighbour_speaks_or_nobody),
		cmocka_unit_test(test_lines_of_the_same_size_have_the_same_halves),
		cmocka_unit_test(test_lines_of_another_size_have_the_same_octaves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
