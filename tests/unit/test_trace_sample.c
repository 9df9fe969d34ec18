/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Estimates and bounds of misses from stretches of a run. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/trace_sample.h"

#define T3 3.1824 /* Student's t of 3 degrees of freedom */

/* Four stretches of 100 accesses; the residuals of known misses are -10, 0, 10, 0. */
static const double known[] = {10, 20, 30, 20}, all[] = {20, 30, 40, 30},
		    accesses[] = {100, 100, 100, 100};

static void a_tenth_of_the_run(struct trace_sample_bounds *b, size_t stretches)
{
	trace_sample_bounds(b, known, all, accesses, stretches, (double)stretches / 40);
}

static void both_bounds_have_a_margin(void **state)
{
	const double margin = T3 * 10 * sqrt(0.9 * 4 / 3 * 200);
	struct trace_sample_bounds b;

	(void)state;
	a_tenth_of_the_run(&b, 4);
	assert_true(fabs(b.known.sum - 800) < 0.1 && fabs(b.all.sum - 1200) < 0.1);
	assert_true(fabs(trace_sample_low(&b, 800) - (800 - margin)) < 0.1);
	assert_true(fabs(trace_sample_high(&b, 1200) - (1200 + margin)) < 0.1);
}

/* Half of the misses: perhaps all of two stretches, and none of the others. */
static void a_part_has_the_worst_margin(void **state)
{
	const double variance = 0.5 * 0.9 * 4 / 3 * 200 / 6400 + 0.25 * 0.9 / 4;
	struct trace_sample_bounds b;

	(void)state;
	a_tenth_of_the_run(&b, 4);
	assert_true(fabs(trace_sample_reach(&b.known, 400) - T3 * 800 * sqrt(variance)) < 0.1);
	assert_true(trace_sample_reach(&b.known, 400) > trace_sample_reach(&b.known, 800) / 2);
	assert_true(trace_sample_low(&b, 0) == 0 && trace_sample_high(&b, 0) == 0);
}

static void one_stretch_says_nothing(void **state)
{
	struct trace_sample_bounds b;

	(void)state;
	a_tenth_of_the_run(&b, 1);
	assert_true(trace_sample_low(&b, 100) == 0 && trace_sample_high(&b, 200) == 4000);
}

static void the_whole_run_is_exact(void **state)
{
	struct trace_sample_bounds b;

	(void)state;
	trace_sample_bounds(&b, known, all, accesses, 4, 1);
	assert_true(trace_sample_low(&b, 80) == 80 && trace_sample_high(&b, 120) == 120);
	assert_true(trace_sample_low(NULL, 5) == 5 && trace_sample_high(NULL, 5) == 5);
}

/* Known misses that were dead for a tenth of the stretch: each stands for a ninth of an unknown. */
static void a_known_miss_stands_for_unknown_ones(void **state)
{
	const uint64_t ninth = (1 << 16) / 9;
	struct trace_sample s = {.misses = 1000, .unknown = 100, .timed = 90, .dead = 90 * ninth};

	(void)state;
	/* 900 known misses stand for 100 unknown ones; then only half of them were dead for so long */
	assert_true(fabs(trace_sample_rho(&s) - 1) < 0.001);
	s.dead = 45 * ninth;
	assert_true(fabs(trace_sample_rho(&s) - 0.5) < 0.001);
	s.timed = s.dead = 0;
	assert_true(trace_sample_rho(&s) == TRACE_SAMPLE_RHO);
	s.misses = 100;
	assert_true(trace_sample_rho(&s) == 0);
}

/*
 * 20 unknown references in the second half. From an eighth on there are 45: these 20; 15 from the
 * same places in the first half; and 10, of which known misses say that 4 miss. So 8 of 20 do. In
 * the first half known misses stand for 12, and the places of the second half for 8 more.
 */
static void places_that_stay_unused_are_dead_more_often(void **state)
{
	struct trace_sample s = {.misses = 200,
				 .unknown = 90,
				 .above = 10,
				 .late = 45,
				 .half = 20,
				 .timed = 100,
				 .dead = 12 << 16,
				 .dead_late = 4 << 16,
				 .ways = 1};

	(void)state;
	assert_true(fabs(trace_sample_rho(&s) - 0.28) < 0.001);
	s.ways = 8;
	assert_true(fabs(trace_sample_rho(&s) - (0.12 + 2 * 0.5 * 0.2)) < 0.001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_bounds_have_a_margin),
		cmocka_unit_test(a_part_has_the_worst_margin),
		cmocka_unit_test(one_stretch_says_nothing),
		cmocka_unit_test(the_whole_run_is_exact),
		cmocka_unit_test(a_known_miss_stands_for_unknown_ones),
		cmocka_unit_test(places_that_stay_unused_are_dead_more_often),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
