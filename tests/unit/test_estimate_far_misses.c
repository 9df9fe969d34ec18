/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The attribution of misses to far reuses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "estimate/far_misses.h"

#define HALF \
	100 /* reuses near by, then as many from far, then half as many whose distance is not known */
#define MET	  (2 * HALF)
#define COUNT	  (MET + HALF / 2)
#define LOCATIONS 3

static void fill(struct share_reuse *far)
{
	for (size_t i = 0; i < COUNT; i++)
		far[i] = (struct share_reuse){.end = i < HALF  ? 0
						     : i < MET ? 1
							       : 2,
					      .distance = i < HALF ? 100000 : 900000,
					      .is = {.accesses = 0.001},
					      .far = true};
}

static double misses_of(const struct share_reuse *far, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += far[i].is.misses;
	return sum;
}

static void share(struct share_reuse *far, double ratio, enum model_policy policy)
{
	assert_int_equal(far_misses_share(far, MET, COUNT, ratio, policy, LOCATIONS, NULL), 0);
	assert_true(fabs(misses_of(far, 0, COUNT) - ratio * COUNT * 0.001) < 1e-9);
}

/*
 * Half of all miss: with x = exp(-100000 rate) the chances 1 - x and 1 - x^9 have a mean of a half, so x = 0.8244.
 * Of a place with a hundred the share 1 / 101 misses as all do.
 */
static void the_farther_ones_miss_by_chance(void **state)
{
	struct share_reuse far[COUNT];

	(void)state;
	fill(far);
	share(far, 0.5, MODEL_RANDOM);
	assert_true(fabs(far[COUNT - 1].is.misses - 0.0005) < 1e-12);
	double x = 0.5;
	for (int i = 0; i < 200; i++) /* x + x^9 = 1 */
		x -= (x + pow(x, 9) - 1) / (1 + 9 * pow(x, 8));
	assert_true(fabs(misses_of(far, 0, HALF) / (HALF * 0.001) - ((1 - x) * 100 + 0.5) / 101) <
		    1e-6);
	assert_true(fabs(misses_of(far, HALF, MET) / (HALF * 0.001) -
			 ((1 - pow(x, 9)) * 100 + 0.5) / 101) < 1e-6);
}

static void with_lru_there_is_a_distance(void **state)
{
	struct share_reuse far[COUNT];

	(void)state;
	fill(far);
	share(far, 0.5, MODEL_LRU);
	assert_true(misses_of(far, 0, HALF) < 0.02 * HALF * 0.001);
	assert_true(misses_of(far, HALF, MET) > 0.98 * HALF * 0.001);
}

static void all_of_them_or_none_may_miss(void **state)
{
	struct share_reuse far[COUNT];

	(void)state;
	fill(far);
	for (enum model_policy policy = MODEL_RANDOM; policy <= MODEL_LRU; policy++) {
		share(far, 1, policy);
		share(far, 0, policy);
	}
}

/* As a damaged profile may say. */
static void without_distances_they_add_up_all_the_same(void **state)
{
	struct share_reuse far[COUNT];

	(void)state;
	fill(far);
	for (size_t i = 0; i < HALF; i++)
		far[i].distance = 0;
	share(far, 0.9, MODEL_RANDOM);
	assert_true(misses_of(far, 0, HALF) < misses_of(far, HALF, MET));
}

/* A single reuse at a place is drawn half way to what all do. */
static void a_place_met_once_is_hardly_trusted(void **state)
{
	struct share_reuse far[COUNT];

	(void)state;
	fill(far);
	far[0].end = LOCATIONS;
	share(far, 0.5, MODEL_RANDOM);
	assert_true(fabs(far[0].is.misses - 0.001 * (0.5 + 0.1756) / 2) < 2e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_farther_ones_miss_by_chance),
		cmocka_unit_test(with_lru_there_is_a_distance),
		cmocka_unit_test(all_of_them_or_none_may_miss),
		cmocka_unit_test(without_distances_they_add_up_all_the_same),
		cmocka_unit_test(a_place_met_once_is_hardly_trusted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
