/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Similar groups share one survival function, and intervals include the difference that this hides.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/parts.h"

#define CLOSE	1e-9
#define WINDOWS 40
#define SAMPLES 100 /* in each */

/* A model of windows one after another, each with `far[i]` samples of distance `far_distance`; the others have `near_distance`. */
static struct model *make(size_t windows, const uint32_t *far, uint64_t far_distance, uint64_t near_distance)
{
	static struct model_window w[WINDOWS];
	static struct model_sample s[WINDOWS * SAMPLES];
	const struct model_input in = {w, windows, s, windows * SAMPLES, 1000 * windows, 1, 64};
	struct model *m;
	struct err err;

	for (uint32_t i = 0; i < windows; i++) {
		w[i] = (struct model_window){1000 * i, 1000, 1000, 1};
		for (uint32_t k = 0; k < SAMPLES; k++)
			s[i * SAMPLES + k] =
				(struct model_sample){k < far[i] ? far_distance : near_distance, i, true};
	}
	m = model_new(&in, &err);
	assert_non_null(m);
	return m;
}

/* Two phases by turns, a window each: a turn is solved for itself, with what all turns of its phase show. */
static void test_phases_that_come_back_are_of_a_kind(void **state)
{
	uint32_t far[WINDOWS];
	struct model *m;

	for (uint32_t i = 0; i < WINDOWS; i++)
		far[i] = i % 2 == 0 ? 0 : 46 + 2 * (i % 5); /* 50 on average */
	m = make(WINDOWS, far, 300, 3);
	assert_int_equal(m->group_count, WINDOWS);
	assert_int_equal(m->kind_count, 2);
	for (size_t g = 0; g < WINDOWS; g++) {
		assert_int_equal(m->groups[g].kind, g % 2);
		assert_true(fabs(m->groups[g].own.mass[0] - (g % 2 == 0 ? 1 : 0.5)) < CLOSE);
	}
	model_free(m);
}

/*
 * Five groups of a kind, 100 samples each, of which 10 to 50 meet another line on their way: all have the ratio .3. Of
 * their samples 2 times 3/25 of the sum of r (1 - r) / 100: .00252. Five fourths: .00315. Student's t for 4: 2.7764.
 * Half width .15583, widened by 5 % of .3 = .015.
 */
static void test_what_a_kind_hides_counts_twice(void **state)
{
	const uint32_t far[] = {10, 20, 30, 40, 50};
	struct model *m = make(5, far, 1, 0);
	struct model_ratio r;

	model_solve(m, MODEL_RANDOM, 1, &r);
	assert_int_equal(m->group_count, 5);
	assert_int_equal(m->kind_count, 1);
	assert_true(fabs(r.ratio - 0.3) < CLOSE);
	assert_true(fabs(r.low - (0.3 - 0.15583 - 0.015)) < 1e-4);
	assert_true(fabs(r.high - (0.3 + 0.15583 + 0.015)) < 1e-4);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_phases_that_come_back_are_of_a_kind),
		cmocka_unit_test(test_what_a_kind_hides_counts_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
