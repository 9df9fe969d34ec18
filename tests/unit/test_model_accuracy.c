/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The models against exact results: sampled traces against their exact simulation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/model.h"
#include "traces.h"

#define SEEDS 12

/*
 * What to hold the estimates to, in points (1/100): the mean over sizes and seeds,
 * the largest error of a seed's worst size, on average over the seeds. Measured,
 * plus a good margin for other seeds; phases and chase are hard as windows are few
 * and short here.
 */
static const struct {
	double mean, worst;
} bars[TRACE_KINDS][2] = {
	/* by policy */
	{{1.3, 3.7}, {1.3, 3.5}}, {{0.7, 1.5}, {0.7, 1.5}}, {{0.4, 1.3}, {0.4, 1.4}},
	{{5.0, 9.0}, {5.0, 9.0}}, {{2.4, 8.0}, {2.2, 9.0}}, {{0.3, 1.0}, {0.6, 3.0}},
	{{0.8, 2.0}, {0.8, 2.0}},
};

static const uint32_t cache_lines[] = {8, 32, 128, 512, 2048, 8192, 32768, 131072};
#define SIZES  (sizeof(cache_lines) / sizeof(cache_lines[0]))

struct score {
	double sum, worst_sum;
	size_t covered;
};

static void score_seed(struct score *score, const struct model_input *input,
		       enum model_policy policy, const double *exact)
{
	struct model *m = model_new(input, NULL);
	double worst = 0;

	assert_non_null(m);
	for (size_t i = 0; i < SIZES; i++) {
		struct model_ratio r;
		double error;

		model_solve(m, policy, cache_lines[i], &r);
		error = fabs(r.ratio - exact[i]) * 100;
		score->sum += error;
		worst = fmax(worst, error);
		score->covered += r.low <= exact[i] && exact[i] <= r.high;
	}
	score->worst_sum += worst;
	model_free(m);
}

/* Run one trace; returns how many points were inside their interval. */
static size_t check_trace(size_t index)
{
	struct trace t;
	size_t covered = 0;
	double exact[2][SIZES];
	struct score scores[2] = {{0}};

	trace_make(&t, &trace_kinds[index], 42);
	for (int p = MODEL_RANDOM; p <= MODEL_LRU; p++)
		for (size_t i = 0; i < SIZES; i++)
			exact[p][i] = trace_exact(&t, p, cache_lines[i], 7);
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct model_input input;

		trace_sample(&t, &trace_default_sampling, seed * 1000, &input);
		for (int p = MODEL_RANDOM; p <= MODEL_LRU; p++)
			score_seed(&scores[p], &input, p, exact[p]);
		trace_input_release(&input);
	}
	trace_release(&t);
	for (int p = MODEL_RANDOM; p <= MODEL_LRU; p++) {
		double mean = scores[p].sum / (SIZES * SEEDS), worst = scores[p].worst_sum / SEEDS;

		print_message("%-8s %-6s mean %.2f worst %.2f points, %zu of %d covered\n",
			      trace_kinds[index].name, p == MODEL_LRU ? "LRU" : "random", mean, worst,
			      scores[p].covered, (int)SIZES * SEEDS);
		assert_true(mean <= bars[index][p].mean);
		assert_true(worst <= bars[index][p].worst);
		covered += scores[p].covered;
	}
	return covered;
}

static void test_sampled_curves_follow_the_exact_ones(void **state)
{
	size_t covered = 0;

	(void)state;
	for (size_t i = 0; i < TRACE_KINDS; i++)
		covered += check_trace(i);
	/* 95 % intervals: allow for the luck of the seeds. */
	assert_true((double)covered >= 0.93 * (double)(TRACE_KINDS * 2 * SIZES * SEEDS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sampled_curves_follow_the_exact_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
