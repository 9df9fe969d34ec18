/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How unevenly misses lie: a program by turns of 4000 accesses. Every line is touched again 600 accesses later, but
 * in the first half of a turn every second one never. So of the stretches between two touches 700 in 3000 lie in the first
 * half, 1400 in the second, and of those that begin in one and end in the other, 300 and 600, any share does: the share in the
 * first half has a mean of (700 + 150 + 300) / 3000, a mean square of (700 + 100 + 200) / 3000, and a deviation of 1.126
 * times the mean. Half of that share are far ones, where a quarter of all are: 0.767 of what is expected.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/parts.h"
#include "traces.h"

#define WINDOWS	 200
#define LENGTH	 50000
#define STEP	 100 /* accesses from one sample to the next, on average */
#define TURN	 4000
#define DISTANCE 600
#define NEAR	 9 /* its octave */
#define FAR	 12
#define WIDE	 14 /* of 20,000 */

static struct model *make(bool by_turns, uint32_t step, uint64_t distance)
{
	struct model_window *windows = trace_allocate(WINDOWS * sizeof(*windows));
	struct model_sample *samples = trace_allocate(WINDOWS * LENGTH * sizeof(*samples));
	struct model_input in = {windows, WINDOWS, samples, 0, 100000 * WINDOWS, 100000, 64};
	uint64_t random = 1;
	struct model *m;

	for (uint32_t w = 0; w < WINDOWS; w++) {
		uint64_t start = 100000 * w + trace_below(&random, 50000), end = start + LENGTH;

		windows[w] = (struct model_window){start, LENGTH, 100000, 100000};
		for (uint64_t t = start; t < end; t++) {
			struct model_sample *s = &samples[in.sample_count];
			bool may_be_far = by_turns ? t % TURN < TURN / 2 : trace_below(&random, 2) == 0;
			bool far = may_be_far && trace_below(&random, 2) == 0;

			if (trace_below(&random, step) != 0)
				continue;
			s->position = t;
			s->window = w;
			s->reused = !far && t + distance + 1 < end;
			s->distance = s->reused ? distance : end - t - 1;
			in.sample_count++;
		}
	}
	m = model_new(&in, NULL);
	assert_non_null(m);
	free(windows);
	free(samples);
	return m;
}

static void test_what_comes_by_turns_scatters(void **state)
{
	struct model *m = make(true, STEP, DISTANCE);

	(void)state;
	print_message("far %.3f, all %.3f\n", m->scatter.spread[NEAR][FAR],
		      m->scatter.spread[NEAR][NEAR]);
	assert_true(fabs(m->scatter.spread[NEAR][FAR] - 1.126) < 0.06);
	assert_true(fabs(m->scatter.ratio[NEAR][FAR] - 0.767) < 0.05);
	assert_true(m->scatter.spread[NEAR][NEAR] < 0.1);
	model_free(m);
}

static void test_chance_is_no_scatter(void **state)
{
	struct model *m = make(false, STEP, DISTANCE);

	(void)state;
	print_message("far %.3f\n", m->scatter.spread[NEAR][FAR]);
	assert_true(m->scatter.spread[NEAR][FAR] < 0.15);
	model_free(m);
}

/*
 * Four samples in a window, at random: between the touches of one of 20,000 accesses 1.6 of the others begin on average, whether it is
 * there or not. Were it taken for one of those that may, they would seem to be four fifths of what is expected.
 */
static void test_a_reuse_is_not_within_itself(void **state)
{
	struct model *m = make(false, LENGTH / 4, 20000);

	(void)state;
	print_message("%.3f\n", m->scatter.ratio[WIDE][WIDE]);
	assert_true(fabs(m->scatter.ratio[WIDE][WIDE] - 1) < 0.06);
	model_free(m);
}

/*
 * All far ones miss, and half of the near ones: the former are half of a quarter more than the latter, which are half of
 * all. (0.125 x 0.9 / 0.625)^2 = 0.0324. If near ones hit it is the far ones' scatter alone. Where half as many far ones
 * are met, (0.5 + 0.0625) / 0.625 = 0.9 of the misses are, and half of them if near ones hit; more than all are not believed.
 */
static void test_misses_that_lie_evenly_dilute_the_others(void **state)
{
	struct scatter s;
	const double half[] = {0.5, 1}, none[] = {0, 1}, from[] = {1, 0.25};

	(void)state;
	for (unsigned o = 0; o < MODEL_OCTAVES; o++)
		for (unsigned a = 0; a < MODEL_OCTAVES; a++) {
			s.ratio[o][a] = 1;
			s.spread[o][a] = a > 0 ? 0.9 : 0;
		}
	assert_true(fabs(scatter_between(&s, NEAR, from, half, 1).scatter - 0.0324) < 1e-9);
	assert_true(fabs(scatter_between(&s, NEAR, from, none, 1).scatter - 0.81) < 1e-9);
	assert_true(fabs(scatter_between(&s, NEAR, from, half, 1).share - 1) < 1e-9);
	s.ratio[NEAR][1] = 0.5;
	assert_true(fabs(scatter_between(&s, NEAR, from, half, 1).share - 0.9) < 1e-9);
	assert_true(fabs(scatter_between(&s, NEAR, from, none, 1).share - 0.5) < 1e-9);
	s.ratio[NEAR][1] = 1.5;
	assert_true(fabs(scatter_between(&s, NEAR, from, none, 1).share - 1) < 1e-9);
}

/*
 * One in seven of the reuses of a walk by columns meets half of a column on average, which is all of what the cache
 * holds, the others nothing: 1/14 in the mean, with a scatter of 7 x 4 / 3 - 1. Gamma distributed 0.0545 of them miss;
 * in truth (1 - (1 - 1/e)) / 7 = 0.0526, and if all met the mean 0.0689 would.
 */
static void test_reuses_that_meet_misses_by_turns_hit_more_often(void **state)
{
	struct group_result r = {.rate = 1.0 / 14 / DISTANCE};

	(void)state;
	r.on_the_way[NEAR] = 1;
	assert_true(fabs(group_miss(&r, DISTANCE) - 0.0689) < 1e-4);
	r.scatter[NEAR] = 7 * 4.0 / 3 - 1;
	assert_true(fabs(group_miss(&r, DISTANCE) - 0.0545) < 1e-4);
}

/*
 * Half of what is expected in each of two windows is half for certain. 0.5 and 1 of it are 0.75, and the windows 5 and 5
 * away from that, of 40 in all: a variance of 50 / 1600, half of the square of 0.25. Four times that is twice the square.
 */
static void test_a_ratio_is_drawn_to_1_as_far_as_windows_differ(void **state)
{
	struct ratio same = {0}, differ = {0};

	(void)state;
	ratio_add(&same, 5, 10);
	ratio_add(&same, 20, 40);
	assert_true(fabs(ratio_drawn(&same, 4) - 0.5) < 1e-12);
	ratio_add(&differ, 10, 20);
	ratio_add(&differ, 20, 20);
	assert_true(fabs(ratio_drawn(&differ, 0) - 0.75) < 1e-12);
	assert_true(fabs(ratio_drawn(&differ, 4) - (1 - 0.25 / 3)) < 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_comes_by_turns_scatters),
		cmocka_unit_test(test_chance_is_no_scatter),
		cmocka_unit_test(test_a_reuse_is_not_within_itself),
		cmocka_unit_test(test_misses_that_lie_evenly_dilute_the_others),
		cmocka_unit_test(test_reuses_that_meet_misses_by_turns_hit_more_often),
		cmocka_unit_test(test_a_ratio_is_drawn_to_1_as_far_as_windows_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
