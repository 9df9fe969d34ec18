/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Weights of samples and far reuses of which windows kept only some. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "profile/weights.h"

#define ONE 10.0 /* accesses for which a chosen one stands */

static struct store_sample sample(uint32_t window, uint32_t status, uint64_t distance)
{
	return (struct store_sample){.window = window,
				     .status = status,
				     .distance = distance,
				     .begin = {.address = 4096, .size = 8}};
}

static void free_weights(struct profile *p)
{
	free(p->weights);
	for (size_t k = 0; k < PROFILE_STRATA; k++)
		free(p->strata[k]);
}

/* The length of each window is ONE for each access that it chose. */
static struct profile weigh(struct store_window *windows, size_t window_count,
			    struct store_sample *samples, size_t count)
{
	struct profile p = {.windows = windows,
			    .window_count = window_count,
			    .samples = samples,
			    .sample_count = count,
			    .recorded_line = 64};
	struct err err;

	for (size_t w = 0; w < window_count; w++)
		windows[w].length = (uint64_t)ONE * windows[w].chosen;
	if (weights_of_samples(&p, &err) != 0)
		fail_msg("%s", err.text);
	return p;
}

static void equals(double value, double expected)
{
	if (!(fabs(value - expected) < 1e-9))
		fail_msg("%g is not %g", value, expected);
}

/* 30 chosen, 2 of them neither near: the other 28 are what the two near ones stand for. */
static void near_samples_stand_for_those_not_kept(void **state)
{
	struct store_window w = {.chosen = 30};
	struct store_sample s[] = {sample(0, 0, 3), sample(0, 0, STORE_NEAR), sample(0, 1, 100),
				   sample(0, 0, STORE_NEAR - 1)};
	struct profile p = weigh(&w, 1, s, 4);

	(void)state;
	equals(p.weights[0], 14 * ONE);
	equals(p.weights[1], ONE);
	equals(p.weights[2], ONE); /* not touched by the end: who knows how far */
	equals(p.weights[3], 14 * ONE);
	equals(p.strata[STRATUM_NEAR][0], 28 * ONE);
	equals(p.strata[STRATUM_REST][0], 2 * ONE);
	free_weights(&p);
}

static void windows_have_weights_of_their_own(void **state)
{
	struct store_window w[] = {{.number = 3, .chosen = 17}, {.number = 5, .chosen = 4}};
	struct store_sample s[] = {sample(3, 0, 3), sample(3, 0, 3000), sample(5, 0, 3),
				   sample(5, 0, 4)};
	struct profile p = weigh(w, 2, s, 4);

	(void)state;
	equals(p.weights[0], 16 * ONE);
	equals(p.weights[1], ONE);
	equals(p.weights[2], 2 * ONE);
	equals(p.weights[3], 2 * ONE);
	free_weights(&p);
}

/* Samples of two lines are all kept, and with a period all of them. */
static void where_all_are_kept_each_stands_for_itself(void **state)
{
	struct store_window w[] = {{.number = 0, .chosen = 2}, {.number = 1, .chosen = 33}};
	struct store_sample s[] = {sample(0, 0, 3), sample(0, 0, 3000), sample(1, 0, 5),
				   sample(1, 0, 5)};
	struct profile p;

	(void)state;
	s[2].begin.address = 4096 - 4;
	p = weigh(w, 2, s, 4);
	equals(p.weights[0], ONE);
	equals(p.weights[1], ONE);
	equals(p.weights[2], ONE);
	equals(p.weights[3], 32 * ONE);
	free_weights(&p);
}

/*
 * Twenty windows of one item each make one block, as 16 are enough and the last four are too few
 * for another. In the even ones the item says 1 of what is known to be 3, in the odd ones 2 of 3;
 * even windows stand for three times as many accesses.
 */
static void weights_add_up_to_what_is_known_of_a_block(void **state)
{
	struct store_window windows[20];
	struct weighed items[21];
	double known[20], sum = 0;
	struct profile p = {.windows = windows, .window_count = 20};

	(void)state;
	for (uint32_t w = 0; w < 20; w++) {
		windows[w] = (struct store_window){
			.number = w, .length = 100, .stands_for = w % 2 == 0 ? 300 : 100};
		known[w] = 3;
		items[w] = (struct weighed){STRATUM_REST, w, w % 2 == 0 ? 1 : 2};
	}
	items[20] = (struct weighed){STRATUM_NEAR, 0, 5};
	assert_int_equal(weights_fit(&p, STRATUM_REST, known, items, 21, NULL), 0);
	for (uint32_t w = 0; w < 20; w++)
		sum += items[w].weight * (double)windows[w].stands_for / 100;
	equals(sum, 10 * 3 * 3 + 10 * 3);
	equals(items[1].weight / items[0].weight, 2);
	equals(items[20].weight, 5);
}

static void blocks_have_factors_of_their_own(void **state)
{
	struct store_window windows[2] = {{.number = 0, .length = 100, .stands_for = 100},
					  {.number = 1, .length = 100, .stands_for = 100}};
	const double known[2] = {32, 16};
	struct weighed items[32];
	struct profile p = {.windows = windows, .window_count = 2};

	(void)state;
	for (uint32_t i = 0; i < 32; i++)
		items[i] = (struct weighed){STRATUM_REST, i / 16, 1};
	assert_int_equal(weights_fit(&p, STRATUM_REST, known, items, 32, NULL), 0);
	equals(items[0].weight, 2);
	equals(items[31].weight, 1);
}

/* Where nothing is known of a block, or nothing was chosen of it, there is nothing to fit. */
static void what_is_not_known_is_left_alone(void **state)
{
	struct store_window window = {.length = 100, .stands_for = 100};
	struct weighed item = {STRATUM_REST, 0, 7};
	const double none = 0, some = 3;
	struct profile p = {.windows = &window, .window_count = 1};

	(void)state;
	assert_int_equal(weights_fit(&p, STRATUM_REST, &none, &item, 1, NULL), 0);
	equals(item.weight, 7);
	assert_int_equal(weights_fit(&p, STRATUM_NEAR, &some, &item, 1, NULL), 0);
	equals(item.weight, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(near_samples_stand_for_those_not_kept),
		cmocka_unit_test(windows_have_weights_of_their_own),
		cmocka_unit_test(where_all_are_kept_each_stands_for_itself),
		cmocka_unit_test(weights_add_up_to_what_is_known_of_a_block),
		cmocka_unit_test(blocks_have_factors_of_their_own),
		cmocka_unit_test(what_is_not_known_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
