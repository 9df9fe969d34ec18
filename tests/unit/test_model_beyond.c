/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lies between the touches of a reuse that reaches back into another stretch of the run. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/parts.h"

#define END  100.0
#define HALF 10000.0 /* accesses of the run */
#define FAR  5000.0  /* how far back the second half's reuses reach that no window saw */

/* Two groups that see up to END: half of their accesses are reused at once, and of the others so many not at all. */
static double misses_of_second(double first_left, double lines)
{
	static double x[2][2], mass[2][2], stack[2][2];
	struct kind kinds[2] = {{{0}}};
	struct group groups[2] = {{{0}}};
	struct model m = {.groups = groups, .group_count = 2, .kinds = kinds, .kind_count = 2, .accesses = 2 * HALF};
	struct tail *tail = &m.tails[TAIL_SPREAD];
	const struct sets sets = {.sets = 1, .ways = lines};
	const double left[2] = {first_left, 0.5};
	double ratios[2];

	for (uint32_t g = 0; g < 2; g++) {
		x[g][0] = 1;
		mass[g][0] = 0.5;
		x[g][1] = END;
		mass[g][1] = 0.5 - left[g];
		stack[g][0] = 1;
		stack[g][1] = 1 + 0.5 * (END - 1);
		kinds[g].own = (struct survival){x[g], mass[g], left[g] < 0.5 ? 2 : 1, END, left[g]};
		kinds[g].lines = stack[g];
		groups[g] = (struct group){.own = kinds[g].own, .kind = g, .weight = 0.5, .windows = 1, .start = HALF * g};
	}
	groups[1].left_before = first_left * HALF;
	*tail = (struct tail){.x = {FAR}, .mass = 0.5, .count = 1};
	lru_solve(&m, &sets, TAIL_SPREAD, ratios, NULL);
	return ratios[1];
}

/*
 * By hand: up to its END a reuse of the second half passes 1 + 0.5 x 99 = 50.5 lines, and 1200 more up to 2500 back, a half of
 * its half. From there on it lies in the first half, with 2500 accesses: 250 lines where these leave a tenth without
 * a reuse, 1250 where they leave as many as the second half.
 */
static void test_a_stretch_that_touches_little_anew_adds_few_lines(void **state)
{
	(void)state;
	assert_true(misses_of_second(0.1, 1700) < 1e-9);
	assert_true(fabs(misses_of_second(0.1, 1400) - 0.5) < 1e-9);
	assert_true(misses_of_second(0.5, 2700) < 1e-9);
	assert_true(fabs(misses_of_second(0.5, 2400) - 0.5) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_stretch_that_touches_little_anew_adds_few_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
