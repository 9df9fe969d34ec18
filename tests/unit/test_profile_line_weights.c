/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Weights of multi-size samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/line_weights.h"

#define SAMPLES 40
#define NEAR	20 /* of them, with distances below 400; the others above 1000 */

static struct store_sample samples[SAMPLES];
static uint32_t sample_weights_of[SAMPLES];

static struct profile make_profile(uint32_t windows)
{
	for (uint32_t i = 0; i < SAMPLES; i++)
		samples[i] = (struct store_sample){.window = i % windows,
						   .position = 1000 + 50 * i,
						   .status = 0,
						   .distance = (i < NEAR ? 300 : 1000) + i};
	for (uint32_t i = 0; i < SAMPLES; i++)
		sample_weights_of[i] = PROFILE_WEIGHT_ONE;
	return (struct profile){.samples = samples,
				.sample_count = SAMPLES,
				.weights = sample_weights_of,
				.recorded_line = 64};
}

static void calibrate(const struct profile *p, const struct store_sample *chosen, uint32_t *weights,
		      size_t count)
{
	struct err err;

	if (line_weights_calibrate(p, chosen, weights, count, &err) != 0)
		fail_msg("%s", err.text);
}

/* 4 of the 20 near ones and 12 of the 20 far ones were chosen: as 16 they must stand for 8 and 8. */
static void strata_get_their_share_of_all_samples(void **state)
{
	struct profile p = make_profile(1);
	struct store_sample chosen[16];
	uint32_t weights[16];

	(void)state;
	for (size_t i = 0; i < 16; i++) {
		chosen[i] = samples[i < 4 ? 5 * i : NEAR + i - 4];
		chosen[i].distance = 7; /* what it is at the other size does not matter */
		weights[i] = 1;
	}
	calibrate(&p, chosen, weights, 16);
	for (size_t i = 0; i < 4; i++) /* two parts of 10 samples, two chosen in each */
		assert_int_equal(weights[i], 2 * PROFILE_WEIGHT_ONE);
	/* The far ones: 10 chosen in the part of 10, and the two others for the last 10. */
	for (size_t i = 4; i < 14; i++)
		assert_in_range(weights[i], PROFILE_WEIGHT_ONE * 4 / 10,
				PROFILE_WEIGHT_ONE * 4 / 10 + 1);
	for (size_t i = 14; i < 16; i++)
		assert_int_equal(weights[i], 2 * PROFILE_WEIGHT_ONE);
}

/* Where the first part has a single one it is taken together with the next. */
static void a_part_with_hardly_any_joins_the_next(void **state)
{
	struct profile p = make_profile(1);
	struct store_sample chosen[8];
	uint32_t weights[8];

	(void)state;
	for (size_t i = 0; i < 8; i++) { /* two parts of 20: one near, seven far */
		chosen[i] = samples[i < 1 ? 3 : NEAR + i];
		weights[i] = 1;
	}
	calibrate(&p, chosen, weights, 8);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(weights[i], PROFILE_WEIGHT_ONE);
}

/* Seven of a window are too few for two strata: they keep what they said, one for three others. */
static void few_stay_as_they_are(void **state)
{
	struct profile p = make_profile(1);
	struct store_sample chosen[7];
	uint32_t weights[7] = {1, 3, 1, 1, 1, 1, 1};

	(void)state;
	for (size_t i = 0; i < 7; i++)
		chosen[i] = samples[5 * i];
	calibrate(&p, chosen, weights, 7);
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(weights[i], (i == 1 ? 3 : 1) * PROFILE_WEIGHT_ONE);
}

/* The other window's samples are not asked, nor is a sample that the profile has lost. */
static void windows_are_apart(void **state)
{
	struct profile p = make_profile(2);
	struct store_sample chosen[9];
	uint32_t weights[9];

	(void)state;
	for (size_t i = 0; i < 8; i++) { /* of window 0's 20 samples: two near, six far */
		chosen[i] = samples[i < 2 ? 4 * i : NEAR + 2 * i];
		weights[i] = 1;
	}
	chosen[8] = samples[1];
	chosen[8].position = 12345;
	weights[8] = 2;
	calibrate(&p, chosen, weights, 9);
	for (size_t i = 0; i < 2; i++) /* ten samples, half of eight */
		assert_int_equal(weights[i], 2 * PROFILE_WEIGHT_ONE);
	for (size_t i = 2; i < 8; i++) /* the same, shared by six */
		assert_in_range(weights[i], PROFILE_WEIGHT_ONE * 4 / 6,
				PROFILE_WEIGHT_ONE * 4 / 6 + 1);
	assert_int_equal(weights[8], 2 * PROFILE_WEIGHT_ONE);
}

/*
 * Of the samples that end near one in 16 was kept, and each is among the chosen; of the others one in four. Two near
 * ones that stand for 32 and five far ones that stand for 20: as seven they must stand for that.
 */
static void near_ones_are_a_stratum_of_their_own(void **state)
{
	struct profile p = make_profile(1);
	struct store_sample chosen[7];
	uint32_t weights[7];

	(void)state;
	p.sample_count = 22;
	for (size_t i = 0; i < 2; i++) {
		samples[i].distance = 10 + i;
		sample_weights_of[i] = 16 * PROFILE_WEIGHT_ONE;
	}
	for (size_t i = 2; i < 22; i++)
		samples[i].distance = 1000;
	for (size_t i = 0; i < 7; i++) {
		chosen[i] = samples[i < 2 ? i : 2 + 4 * (i - 2)];
		weights[i] = 1;
	}
	calibrate(&p, chosen, weights, 7);
	for (size_t i = 0; i < 2; i++)
		assert_in_range(weights[i], PROFILE_WEIGHT_ONE * 16 * 7 / 52,
				PROFILE_WEIGHT_ONE * 16 * 7 / 52 + 1);
	for (size_t i = 2; i < 7; i++)
		assert_in_range(weights[i], PROFILE_WEIGHT_ONE * 4 * 7 / 52,
				PROFILE_WEIGHT_ONE * 4 * 7 / 52 + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strata_get_their_share_of_all_samples),
		cmocka_unit_test(a_part_with_hardly_any_joins_the_next),
		cmocka_unit_test(few_stay_as_they_are),
		cmocka_unit_test(windows_are_apart),
		cmocka_unit_test(near_ones_are_a_stratum_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
