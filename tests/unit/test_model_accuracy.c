/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model against exact results: short synthetic programs, as the engine sees them. At length:
 * tests/accuracy/model_simulated.c.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/model.h"
#include "traces.h"

enum { SEEDS = 3, SIZES = 6, ACCESSES = 4000000 };

static const uint32_t cache_lines[SIZES] = {128, 512, 2048, 8192, 32768, 131072};

/*
 * What to hold the estimates to, in points: the mean over sizes and seeds, and the largest error.
 * Measured, and a margin for other seeds.
 */
struct bars {
	double mean, largest;
};

struct trial {
	const char *program;
	uint32_t ways;
	uint64_t dense;	     /* accesses without gaps */
	struct bars bars[2]; /* by policy */
};

static const struct trial trials[] = {
	{"loops", 0, ACCESSES, {{0.35, 1.0}, {0.30, 0.8}}},
	{"uniform", 0, ACCESSES, {{0.25, 0.8}, {0.20, 0.7}}},
	{"multigrid", 0, ACCESSES, {{0.20, 0.7}, {0.20, 0.8}}},
	{"tree", 0, ACCESSES, {{0.50, 1.6}, {0.40, 1.4}}},
	{"stream", 0, ACCESSES, {{0.25, 1.0}, {0.25, 0.8}}},
	{"compress", 0, ACCESSES, {{0.30, 1.2}, {0.30, 1.2}}},
	{"compress", 8, ACCESSES, {{0.40, 1.5}, {0.30, 1.2}}},
	{"uniform", 2, ACCESSES, {{0.70, 2.3}, {0.30, 0.9}}},
	{"tree", 0, 1500000, {{0.60, 1.4}, {0.50, 1.2}}},
};
#define TRIALS (sizeof(trials) / sizeof(trials[0]))

struct score {
	double sum, largest;
	unsigned held;
};

static void try(const struct trial *trial, const struct trace *t, uint64_t seed,
		const double exact[2][SIZES], struct score scores[2])
{
	struct trace_sampling how = trace_default_sampling;
	struct model_input in;
	struct model *m;

	how.dense = trial->dense;
	how.doubling = 20;
	how.window_max = how.window_min;
	trace_sample(t, &how, seed, &in);
	m = model_new(&in, NULL);
	assert_non_null(m);
	for (int p = MODEL_RANDOM; p <= MODEL_LRU; p++)
		for (size_t i = 0; i < SIZES; i++) {
			const struct model_cache cache = {cache_lines[i], trial->ways};
			struct model_ratio r;
			double error;

			model_solve(m, (enum model_policy)p, &cache, &r);
			error = fabs(r.ratio - exact[p][i]) * 100;
			scores[p].sum += error;
			scores[p].largest = fmax(scores[p].largest, error);
			scores[p].held += r.low <= exact[p][i] && exact[p][i] <= r.high;
		}
	model_free(m);
	trace_input_release(&in);
}

static void exact_ratios(const struct trace *t, uint32_t ways, double exact[2][SIZES])
{
	double lru[2 * SIZES];

	for (int p = MODEL_RANDOM; p <= MODEL_LRU; p++)
		for (size_t i = 0; i < SIZES && (p == MODEL_RANDOM || ways > 0); i++)
			exact[p][i] = trace_exact(t, (enum model_policy)p, cache_lines[i], ways);
	if (ways > 0)
		return;
	trace_exact_lru(t, cache_lines[0], 2 * SIZES, lru);
	for (size_t i = 0; i < SIZES; i++)
		exact[MODEL_LRU][i] = lru[2 * i]; /* each size is four times the one before */
}

/* Returns how many points were inside their interval. */
static unsigned check(const struct trial *trial)
{
	struct score scores[2] = {0};
	double exact[2][SIZES];
	struct trace t;
	unsigned held = 0;

	trace_make(&t, trace_find(trial->program), ACCESSES);
	exact_ratios(&t, trial->ways, exact);
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		try(trial, &t, seed, exact, scores);
	trace_release(&t);
	for (int p = MODEL_RANDOM; p <= MODEL_LRU; p++) {
		double mean = scores[p].sum / (SIZES * SEEDS);

		print_message("%-9s %u ways, %-6s mean %.3f largest %.2f points, %u of %d held\n",
			      trial->program, trial->ways, p == MODEL_LRU ? "LRU" : "random", mean,
			      scores[p].largest, scores[p].held, SIZES * SEEDS);
		assert_true(mean <= trial->bars[p].mean);
		assert_true(scores[p].largest <= trial->bars[p].largest);
		held += scores[p].held;
	}
	return held;
}

static void sampled_curves_follow_the_exact_ones(void **state)
{
	unsigned held = 0;

	(void)state;
	for (size_t i = 0; i < TRIALS; i++)
		held += check(&trials[i]);
	assert_true(held >= 0.95 * (double)(TRIALS * 2 * SIZES * SEEDS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sampled_curves_follow_the_exact_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
