/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the misses of levels cost, against sums by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/cost.h"

/* Three levels, 10 % of the accesses missing in the first, with intervals of a tenth. */
static struct cost three(double l2, double l3, double cold)
{
	struct cost c = {.count = 3,
			 .instructions = 2,
			 .cold = cold,
			 .cold_low = cold,
			 .cold_high = cold,
			 .levels = {{.ratio = 0.1, .miss_cycles = 10},
				    {.ratio = l2, .miss_cycles = 40},
				    {.ratio = l3, .miss_cycles = 200}}};

	for (size_t i = 0; i < c.count; i++) {
		c.levels[i].low = c.levels[i].ratio * 0.9;
		c.levels[i].high = c.levels[i].ratio * 1.1;
	}
	cost_solve(&c);
	return c;
}

static void near(double found, double wanted)
{
	assert_true(fabs(found - wanted) < 1e-12);
}

static void misses_cost_what_the_next_level_serves(void **state)
{
	const struct cost c = three(0.04, 0.01, 0.002);

	(void)state;
	near(c.levels[0].cycles, 0.06 * 10 / 2);
	near(c.levels[1].cycles, 0.03 * 40 / 2);
	near(c.levels[2].cycles, 0.008 * 200 / 2);
	near(c.cold_cycles, 0.002 * 200 / 2);
	assert_int_equal(c.focus, 2);
	near(c.levels[0].beyond, c.levels[0].cycles + c.levels[1].cycles + c.levels[2].cycles);
	/* Beyond the second level its misses wait as long, and those of the third more. */
	near(c.levels[1].beyond, (0.038 * 40 + 0.008 * 160) / 2);
	assert_true(c.levels[0].least_beyond < c.levels[0].beyond &&
		    c.levels[0].beyond < c.levels[0].most_beyond);
	assert_int_equal(c.verdict, COST_REUSES);
	assert_int_equal(cost_fits(&c), 3);
}

static void first_touches_are_apart(void **state)
{
	struct cost c = three(0.05, 0.05, 0.05);

	(void)state;
	near(c.levels[1].cycles, 0);
	near(c.levels[2].cycles, 0);
	assert_int_equal(c.focus, 0);
	c.levels[0].ratio = c.levels[0].low = c.levels[0].high = 0.05;
	cost_solve(&c);
	assert_int_equal(c.focus, 3);
	assert_int_equal(c.verdict, COST_FIRST); /* a tenth of them may be reuses, but no more */
	c.levels[2].high = 0.12;
	cost_solve(&c);
	assert_int_equal(c.verdict, COST_UNKNOWN);
}

/* Misses that may be first touches, all of them, are surely no reuses. */
static void what_is_not_known_is_in_the_bounds(void **state)
{
	struct cost c = three(0.1, 0.1, 0);

	(void)state;
	assert_int_equal(c.verdict, COST_REUSES);
	c.cold_high = 0.11;
	cost_solve(&c);
	near(c.levels[0].least_beyond, 0);
	assert_int_equal(c.verdict, COST_UNKNOWN);
}

/* What a miss waits has bounds where a level that is not there may serve it. */
static void waits_have_bounds(void **state)
{
	struct cost c = {.count = 1,
			 .instructions = 1,
			 .levels = {{.ratio = 0.01,
				     .low = 0.01,
				     .high = 0.01,
				     .miss_cycles = 25,
				     .least_cycles = 10,
				     .most_cycles = 40}}};

	(void)state;
	cost_solve(&c);
	near(c.levels[0].least_beyond, 0.1);
	near(c.levels[0].beyond, 0.25);
	near(c.levels[0].most_beyond, 0.4);
}

static void little_is_little_and_nothing_is_nothing(void **state)
{
	struct cost c = three(0, 0, 0), none = {.instructions = 3};

	(void)state;
	c.levels[0].ratio = c.levels[0].low = c.levels[0].high = 0.001;
	cost_solve(&c);
	assert_int_equal(c.verdict, COST_LITTLE);
	assert_int_equal(cost_fits(&c), 0);
	cost_solve(&none);
	assert_int_equal(none.focus, 0);
	assert_int_equal(cost_fits(&none), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(misses_cost_what_the_next_level_serves),
		cmocka_unit_test(first_touches_are_apart),
		cmocka_unit_test(what_is_not_known_is_in_the_bounds),
		cmocka_unit_test(waits_have_bounds),
		cmocka_unit_test(little_is_little_and_nothing_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
