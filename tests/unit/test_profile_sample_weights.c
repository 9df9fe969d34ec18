/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Weights of samples if a window kept only some near samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "profile/sample_weights.h"

#define ONE PROFILE_WEIGHT_ONE

static struct store_sample sample(uint32_t window, uint32_t status, uint64_t distance)
{
	return (struct store_sample){.window = window,
				     .status = status,
				     .distance = distance,
				     .begin = {.address = 4096, .size = 8}};
}

static uint32_t *weigh(struct store_window *windows, size_t window_count,
		       struct store_sample *samples, size_t count)
{
	struct profile p = {.windows = windows,
			    .window_count = window_count,
			    .samples = samples,
			    .sample_count = count,
			    .recorded_line = 64};
	struct err err;

	if (sample_weights(&p, &err) != 0)
		fail_msg("%s", err.text);
	return p.weights;
}

/* 30 chosen, 2 of them neither near: the other 28 are what the two near ones stand for. */
static void near_samples_stand_for_those_not_kept(void **state)
{
	struct store_window w = {.chosen = 30};
	struct store_sample s[] = {sample(0, 0, 3), sample(0, 0, STORE_NEAR), sample(0, 1, 100),
				   sample(0, 0, STORE_NEAR - 1)};
	uint32_t *weights = weigh(&w, 1, s, 4);

	(void)state;
	assert_int_equal(weights[0], 14 * ONE);
	assert_int_equal(weights[1], ONE);
	assert_int_equal(weights[2], ONE); /* not touched by the end: who knows how far */
	assert_int_equal(weights[3], 14 * ONE);
	free(weights);
}

static void windows_have_weights_of_their_own(void **state)
{
	struct store_window w[] = {{.number = 3, .chosen = 17}, {.number = 5, .chosen = 4}};
	struct store_sample s[] = {sample(3, 0, 3), sample(3, 0, 3000), sample(5, 0, 3),
				   sample(5, 0, 4)};
	uint32_t *weights = weigh(w, 2, s, 4);

	(void)state;
	assert_int_equal(weights[0], 16 * ONE);
	assert_int_equal(weights[1], ONE);
	assert_int_equal(weights[2], 2 * ONE);
	assert_int_equal(weights[3], 2 * ONE);
	free(weights);
}

/* Samples of two lines are all kept, and with a period all of them. */
static void where_all_are_kept_each_stands_for_itself(void **state)
{
	struct store_window w[] = {{.number = 0, .chosen = 2}, {.number = 1, .chosen = 33}};
	struct store_sample s[] = {sample(0, 0, 3), sample(0, 0, 3000), sample(1, 0, 5),
				   sample(1, 0, 5)};
	uint32_t *weights;

	(void)state;
	s[2].begin.address = 4096 - 4;
	weights = weigh(w, 2, s, 4);
	assert_int_equal(weights[0], ONE);
	assert_int_equal(weights[1], ONE);
	assert_int_equal(weights[2], ONE);
	assert_int_equal(weights[3], 32 * ONE);
	free(weights);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(near_samples_stand_for_those_not_kept),
		cmocka_unit_test(windows_have_weights_of_their_own),
		cmocka_unit_test(where_all_are_kept_each_stands_for_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
