/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Estimates and bounds of misses from stretches of a run. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/trace_sample.h"

#define T2 4.3027 /* Student's t of 2 degrees of freedom */

/*
 * Four stretches of 100 accesses; the residuals of misses are -10, 0, 10, 0; half of the squares of
 * three differences is 150.
 */
static const double misses[] = {10, 20, 30, 20}, accesses[] = {100, 100, 100, 100};

static void a_tenth_of_the_run(struct trace_sample_bounds *b, size_t stretches)
{
	*b = (struct trace_sample_bounds){0};
	trace_sample_bounds(b, misses, accesses, stretches, (double)stretches / 40);
}

/* A number of misses from which the estimate is as far as that number's own variance allows. */
static void assert_score(double bound, double value, double variance, double quantile)
{
	assert_true(fabs(fabs(bound - value) - quantile * sqrt(variance * bound / value)) < 0.01);
}

static void differences_of_neighbours_tell_the_margin(void **state)
{
	struct trace_sample_bounds b;
	double low, high;

	(void)state;
	a_tenth_of_the_run(&b, 4);
	assert_true(fabs(b.variance - 100 * 0.9 * 4 / 3 * 150) < 0.01);
	assert_true(fabs(b.quantile - T2) < 0.001 && fabs(b.part_quantile - T2) < 0.001);
	low = trace_sample_low(&b, 800, b.variance, b.quantile);
	high = trace_sample_high(&b, 1200, b.variance, b.quantile);
	assert_true(low > 0 && low < 800 && high > 1200 && high < b.most);
	assert_score(low, 800, b.variance, b.quantile);
	assert_score(high, 1200, b.variance, b.quantile);
	assert_true(trace_sample_low(&b, 800, 0, b.quantile) == 800);
}

/*
 * All in one lot: as few as a fortieth of it is expected, or as many as 5.6 lots (Poisson: 5.57).
 */
static void a_single_lot_has_bounds_like_poissons(void **state)
{
	const double z = 1.96;
	struct trace_sample_bounds b = {.share = 0.1, .most = 1e9};
	double low = trace_sample_low(&b, 1000, 1e6, z), high = trace_sample_high(&b, 1000, 1e6, z);

	(void)state;
	assert_true(low > 100 && low < 250 && high > 5500 && high < 5800);
}

/*
 * Two stretches of 100 and 300 accesses, with opposite signs. What misses at the same rate in both
 * differs by nothing; misses in one only differ.
 */
static void contrasts_are_those_of_differences(void **state)
{
	struct trace_sample_lengths l = {.accesses = 400};
	struct trace_sample_bounds b = {.share = 0.5};
	int64_t same[TRACE_SAMPLE_CONTRASTS], first[TRACE_SAMPLE_CONTRASTS],
		none[TRACE_SAMPLE_CONTRASTS] = {0};
	double sums[TRACE_SAMPLE_CONTRASTS] = {0};

	(void)state;
	for (int i = 0; i < TRACE_SAMPLE_CONTRASTS; i++) {
		const int sign = i % 3 ? 1 : -1;

		l.contrasts[i] = sign * (100 - 300);
		same[i] = sign * (10 - 30);
		first[i] = sign * 40;
	}
	trace_sample_add(sums, &(struct trace_sample_part){same, none, 0.5, 40}, &l, 2);
	assert_true(trace_sample_variance(&b, sums) < 1e-9);
	/* 40 in the first: 30 more, and 30 fewer, than 10 and 30; doubled, as half was simulated */
	trace_sample_add(sums, &(struct trace_sample_part){none, first, 1, 40}, &l, 2);
	assert_true(fabs(trace_sample_variance(&b, sums) - 0.5 * 120 * 120) < 1e-6);
	assert_true(trace_sample_variance(NULL, sums) == 0);
}

/* Of 100 unknown references 40 to 70 are misses. A part of 50 may have none; one of 90 has 30. */
static void a_part_may_have_all_misses_or_hits(void **state)
{
	const struct trace_sample_bounds b = {
		.unknown = 100, .unknown_low = 40, .unknown_high = 70};

	(void)state;
	assert_true(trace_sample_part_least(&b, 50) == 0 && trace_sample_part_most(&b, 50) == 50);
	assert_true(trace_sample_part_least(&b, 90) == 30 && trace_sample_part_most(&b, 90) == 70);
	assert_true(trace_sample_part_least(&b, 100) == 40);
}

static void one_stretch_says_nothing(void **state)
{
	struct trace_sample_bounds b;

	(void)state;
	a_tenth_of_the_run(&b, 1);
	assert_true(trace_sample_low(&b, 100, b.variance, b.quantile) == 0);
	assert_true(trace_sample_high(&b, 200, b.variance, b.quantile) == 4000);
}

static void the_whole_run_is_exact(void **state)
{
	struct trace_sample_bounds b = {0};

	(void)state;
	trace_sample_bounds(&b, misses, accesses, 4, 1);
	assert_true(trace_sample_low(&b, 80, b.variance, b.quantile) == 80);
	assert_true(trace_sample_high(&b, 80, b.variance, b.quantile) == 80);
	assert_true(trace_sample_low(NULL, 5, 9, 2) == 5 && trace_sample_high(NULL, 5, 9, 2) == 5);
}

/* Known misses that were dead for a tenth of the stretch: each stands for a ninth of an unknown. */
static void a_known_miss_stands_for_unknown_ones(void **state)
{
	const uint64_t ninth = (1 << 16) / 9;
	struct trace_sample s = {.misses = 1000, .unknown = 100, .timed = 90, .dead = 90 * ninth};

	(void)state;
	/*
	 * 900 known misses stand for 100 unknown ones; then only half of them were dead for so long
	 */
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

/*
 * Of 100 unknown references 12 are misses, as known ones say, and nobody knows of 20 in the second
 * half and 20 in the first one.
 */
static void what_is_not_known_of_unknown_references_is_bounded(void **state)
{
	struct trace_sample s = {.misses = 200,
				 .unknown = 100,
				 .late = 45,
				 .half = 20,
				 .timed = 100,
				 .dead = 12 << 16,
				 .dead_late = 4 << 16,
				 .ways = 1};
	struct trace_sample_bounds b;
	struct trace_sample_rhos rho = {trace_sample_rho(&s), 0};
	double low, high;

	(void)state;
	trace_sample_range(&s, &low, &high);
	assert_true(fabs(low - 0.12) < 1e-9 && fabs(high - 0.52) < 1e-9);
	trace_sample_find_range(&b, &s, rho.unknown);
	assert_true(fabs(trace_sample_least(&b, &rho, 100, 100, 0) - 112) < 1e-6);
	assert_true(fabs(trace_sample_most(&b, &rho, 100, 100, 0) - 152) < 1e-6);
	s.misses = s.unknown;
	trace_sample_range(&s, &low, &high);
	assert_true(low == 0 && high == 1);
}

/*
 * A share of 10 %. Lines that each stretch sees are all there are. Of lines that are used once,
 * none is seen twice: nine of ten are unseen. Of 100 lines 40 were seen twice or more, 20 of these
 * three times or more: 60 * 59 / (2 * 21) are unseen, and at most 60 * 9.
 */
static void lines_of_one_stretch_tell_of_unseen_ones(void **state)
{
	struct trace_sample_lines x = trace_sample_lines((const double[]){100, 100, 100}, 0.1);

	(void)state;
	assert_true(x.lines == 100 && x.low == 100 && x.high == 100);
	x = trace_sample_lines((const double[]){100, 0, 0}, 0.1);
	assert_true(fabs(x.lines - 1000) < 1e-6 && x.low == 100 && fabs(x.high - 1000) < 1e-6);
	x = trace_sample_lines((const double[]){100, 40, 20}, 0.1);
	assert_true(fabs(x.lines - (100 + 60 * 59 / 42.0)) < 1e-6 && fabs(x.high - 640) < 1e-6);
	x = trace_sample_lines((const double[]){0, 0, 0}, 0.1);
	assert_true(x.lines == 0 && x.high == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(differences_of_neighbours_tell_the_margin),
		cmocka_unit_test(a_single_lot_has_bounds_like_poissons),
		cmocka_unit_test(contrasts_are_those_of_differences),
		cmocka_unit_test(a_part_may_have_all_misses_or_hits),
		cmocka_unit_test(one_stretch_says_nothing),
		cmocka_unit_test(the_whole_run_is_exact),
		cmocka_unit_test(a_known_miss_stands_for_unknown_ones),
		cmocka_unit_test(places_that_stay_unused_are_dead_more_often),
		cmocka_unit_test(what_is_not_known_of_unknown_references_is_bounded),
		cmocka_unit_test(lines_of_one_stretch_tell_of_unseen_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
