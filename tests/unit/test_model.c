/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The model against cases computed by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"
#include "model_run.h"

#define LONG 1000000000ull /* accesses, among which those that fill a cache do not count */

static struct model_run *run;

static int begin(void **state)
{
	(void)state;
	run = calloc(1, sizeof(*run));
	return run == NULL ? -1 : 0;
}

static int end(void **state)
{
	(void)state;
	free(run);
	return 0;
}

static void near(double value, double expected, double error)
{
	if (!(fabs(value - expected) <= error))
		fail_msg("%.9g is not %.9g", value, expected);
}

static struct model *make(void)
{
	struct model_input in = run_input(run);
	struct model *m = model_new(&in, NULL);

	assert_non_null(m);
	return m;
}

static struct model_ratio ratio(struct model *m, enum model_policy policy, uint64_t lines)
{
	const struct model_cache cache = {lines, 0};
	struct model_ratio r;

	model_solve(m, policy, &cache, &r);
	assert_true(r.low <= r.ratio && r.ratio <= r.high);
	assert_true(r.bound_low <= r.low && r.high <= r.bound_high);
	return r;
}

static void without_samples_nothing_is_known(void **state)
{
	struct model *m;
	struct model_ratio r;

	(void)state;
	run_window(run, 1000, 1000);
	m = make();
	r = ratio(m, MODEL_RANDOM, 100);
	assert_false(r.known);
	assert_true(r.low == 0 && r.high == 1);
	model_free(m);
}

static void input_that_contradicts_itself_is_refused(void **state)
{
	struct model_input in;
	struct err err;

	(void)state;
	run_window(run, 1000, 1000);
	run_near(run, 1, 1, 1);
	run->near[0].window = 7;
	in = run_input(run);
	assert_null(model_new(&in, &err));
	assert_non_null(strstr(err.text, "not there"));
	run->near[0].window = 0;
	in.line_bytes = 48;
	assert_null(model_new(&in, &err));
	assert_non_null(strstr(err.text, "power of two"));
}

/*
 * Two thirds of the accesses come back after 4 others, one third at once. In two
 * lines: R = 2/3 (1 - (1/2)^(4 R)); R = 1/2 gives 2/3 (1 - 1/4) = 1/2.
 */
static void random_replacement_solves_the_fixed_point(void **state)
{
	struct model *m;

	(void)state;
	run_window(run, LONG, LONG);
	run_near(run, 200, 4, 2.0 / 3);
	run_near(run, 100, 0, 1.0 / 3);
	m = make();
	near(ratio(m, MODEL_RANDOM, 2).ratio, 0.5, 1e-4);
	/* One line: every access that another came between misses. */
	near(ratio(m, MODEL_RANDOM, 1).ratio, 2.0 / 3, 1e-4);
	/* No line at all. */
	near(ratio(m, MODEL_RANDOM, 0).ratio, 1, 0);
	near(ratio(m, MODEL_LRU, 0).ratio, 1, 0);
	/*
	 * In three lines the slope at 0 is 2/3 * 4 * ln(3/2) = 1.08 > 1: a root above 0.
	 * In four it is 2/3 * 4 * ln(4/3) = 0.77: nothing ever misses.
	 */
	assert_true(ratio(m, MODEL_RANDOM, 3).ratio > 0.05);
	near(ratio(m, MODEL_RANDOM, 4).ratio, 0, 1e-4);
	model_free(m);
}

/* Every other window misses; one equation for all would have each meet half of the misses. */
static void a_phase_meets_its_own_misses_alone(void **state)
{
	struct model *m;
	double all, half;

	(void)state;
	for (int i = 0; i < 40; i++) {
		run_window(run, LONG / 100, LONG / 100);
		run_near(run, 100, i % 2 == 0 ? 1024 : 0, 1);
	}
	m = make();
	/* R = 1 - exp(-1024 R / 100) in half of the windows: R = 1 to 4 digits. */
	half = ratio(m, MODEL_RANDOM, 100).ratio;
	near(half, 0.5, 0.02);
	/*
	 * At 1000 lines the phases alone have R = 1 - exp(-1.024 R): R = 0.046; mixed they have
	 * none.
	 */
	all = ratio(m, MODEL_RANDOM, 1000).ratio;
	assert_true(all > 0.005 && all < 0.03);
	model_free(m);
}

/*
 * A tenth of the accesses are first touches, a tenth come back after half a million others. In
 * 100,000 lines, when it has filled: R = 0.1 + 0.1 (1 - exp(-500,000 R / 100,000)), and R = 0.1495
 * gives 0.1 + 0.1 (1 - exp(-0.7475)) = 0.1526, R = 0.1535: 0.15358.
 */
static void far_reuses_meet_the_misses_since_their_last_touch(void **state)
{
	static struct model_share shares[MODEL_RUN_ROOM], far[MODEL_RUN_ROOM];
	const struct model_cache cache = {100000, 0};
	double misses = 0, accesses = 0;
	struct model *m;

	(void)state;
	for (int i = 0; i < 100; i++) {
		run_window(run, 100000, 100000);
		run_near(run, 80, 0, 0.8);
		run_near(run, 20, MODEL_FAR, 0.2);
		run_far(run, 20, 0, 0, 0.1);
		run_far(run, 20, 500000, 60000, 0.1);
	}
	m = make();
	assert_int_equal(model_attribute(m, MODEL_RANDOM, &cache, shares, far, NULL), 0);
	for (size_t i = 0; i < run->far_used; i++)
		if (run->far[i].window >= 50 && !run->far[i].is_first) {
			misses += far[i].misses;
			accesses += far[i].accesses;
		}
	near(misses / accesses, 0.5358, 0.003);
	/* LRU goes by the lines, and first touches miss always. */
	near(ratio(m, MODEL_LRU, 60001).ratio, 0.1, 1e-3);
	near(ratio(m, MODEL_LRU, 59000).ratio, 0.2, 1e-3);
	model_free(m);
}

/* 20,000 lines and no more: a cache that is larger never evicts. */
static void the_first_misses_fill_the_cache(void **state)
{
	struct model *m;

	(void)state;
	for (int i = 0; i < 100; i++) {
		run_window(run, 100000, 100000);
		run_near(run, 90, 0, 0.9);
		run_near(run, 10, MODEL_FAR, 0.1);
		if (i < 2)
			run_far(run, 50, 0, 0, 0.1);
		else
			run_far(run, 50, 200000, 19999, 0.1);
	}
	m = make();
	near(ratio(m, MODEL_RANDOM, 20001).ratio, 0.002, 1e-5);
	assert_true(ratio(m, MODEL_RANDOM, 15000).ratio > 0.02);
	model_free(m);
}

/* Counted pairs say a quarter of a line an access; a window says so of itself only. */
static void lru_goes_by_counted_lines(void **state)
{
	struct model *m;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		run_window(run, LONG, LONG);
		run_near(run, 100, 1000, 1);
		for (int k = 0; k < 20; k++)
			run->stacks[run->stacks_used++] =
				(struct model_stack){i, 950, i == 0 ? 950 / 4 : 950 / 2};
	}
	m = make();
	near(ratio(m, MODEL_LRU, 240).ratio, 1, 1e-9);
	near(ratio(m, MODEL_LRU, 260).ratio, 0.5, 1e-9);
	near(ratio(m, MODEL_LRU, 510).ratio, 0, 1e-9);
	model_free(m);
}

/*
 * Half of the accesses at distance 1, half at 9. Of the 9 all touch a line that is not touched
 * again up to the next, half of them until the end: 1 + 8 / 2 = 5.
 */
static void without_counted_lines_lru_expects_them(void **state)
{
	struct model *m;

	(void)state;
	run_window(run, LONG, LONG);
	run_near(run, 100, 1, 0.5);
	run_near(run, 100, 9, 0.5);
	m = make();
	near(ratio(m, MODEL_LRU, 4).ratio, 0.5, 1e-9);
	near(ratio(m, MODEL_LRU, 6).ratio, 0, 1e-9);
	model_free(m);
}

/*
 * Far lines say 15 % of far touches, 5 % of them near (20,000 accesses), the samples 12 %. The near
 * ones are of 1000 lines with 4000 touches each, by far most of what may be wrong, and samples are
 * many: the near ones have 2 %, the others keep their 10 %.
 */
static void samples_mend_what_the_choice_of_lines_did(void **state)
{
	static struct model_share shares[MODEL_RUN_ROOM], far[MODEL_RUN_ROOM];
	const struct model_cache cache = {64, 0};
	double of[2] = {0};
	struct model *m;
	struct model_input in;

	(void)state;
	for (int i = 0; i < 200; i++) {
		run_window(run, 500000, 500000);
		run_near(run, 88, 0, 0.88);
		run_near(run, 12, MODEL_FAR, 0.12);
		run_far(run, 20, 20000, 1000, 0.05);
		run_far(run, 20, 4000000, 100000, 0.10);
	}
	in = run_input(run);
	in.far_line_weight = 1000;
	m = model_new(&in, NULL);
	assert_non_null(m);
	assert_int_equal(model_attribute(m, MODEL_LRU, &cache, shares, far, NULL), 0);
	for (size_t i = 0; i < run->far_used; i++)
		of[run->far[i].distance > 20000] += far[i].accesses;
	near(of[0] + of[1], 0.12, 0.003);
	near(of[1], 0.10, 0.002);
	/*
	 * Lines between the near ones' touches are mended alike: from 0.15 * 20,000 to 0.12 *
	 * 20,000 of those that are touched at such distances, so 1000 are 800.
	 */
	near(ratio(m, MODEL_LRU, 700).ratio, 0.12, 0.003);
	near(ratio(m, MODEL_LRU, 900).ratio, 0.10, 0.003);
	model_free(m);
}

/*
 * Each window stands for ten times its length. A line that is first touched in one is one line, not
 * ten: the other nine parts are reuses that began in a gap.
 */
static void first_touches_behind_gaps_are_reuses_for_the_most_part(void **state)
{
	struct model_resolution resolution;
	struct model_ratio r;
	struct model *m;

	(void)state;
	for (int i = 0; i < 50; i++) {
		run_window(run, 100000, 1000000);
		run_near(run, 90, 0, 0.9);
		run_near(run, 10, MODEL_FAR, 0.1);
		run_far(run, 50, 0, 0, 0.1);
	}
	m = make();
	model_resolve(m, &resolution);
	near(resolution.cold, 0.01, 1e-4);
	near(resolution.unresolved, 0.09, 1e-3);
	near(resolution.distance, 100000, 0);
	/* More than all lines that were seen: what is known to be a first touch misses. */
	r = ratio(m, MODEL_LRU, 1000000);
	near(r.ratio, 0.01, 1e-4);
	assert_true(r.bound_high > 0.1);
	/* A small cache holds none of it. */
	near(ratio(m, MODEL_LRU, 100).ratio, 0.1, 0.01);
	model_free(m);
}

/* The same, where reuses as far as 20000 accesses are seen: the hidden ones are no farther. */
static void reuses_from_gaps_are_as_far_as_those_that_are_seen(void **state)
{
	struct model *m;

	(void)state;
	for (int i = 0; i < 50; i++) {
		run_window(run, 100000, 1000000);
		run_near(run, 80, 0, 0.8);
		run_near(run, 20, MODEL_FAR, 0.2);
		run_far(run, 50, 20000, 3000, 0.1);
		run_far(run, 50, 0, 0, 0.1);
	}
	m = make();
	/* These touch some 4400 lines; a million were seen before. */
	near(ratio(m, MODEL_LRU, 10000).ratio, 0.01, 1e-3);
	near(ratio(m, MODEL_LRU, 2000).ratio, 0.2, 0.01);
	/* With random replacement some of 4400 misses evict each of them: nothing is at once. */
	assert_true(ratio(m, MODEL_RANDOM, 1000000).ratio < 0.02);
	near(ratio(m, MODEL_RANDOM, 200).ratio, 0.2, 0.01);
	model_free(m);
}

/*
 * Half of the accesses come back after 10000 others, half after a million, and these miss in 10000
 * lines. One line in 100 is counted; near reuses see `met` touches of each kind.
 */
static double with_counts(uint8_t met)
{
	struct model *m;
	double all;

	memset(run, 0, sizeof(*run));
	for (int i = 0; i < 100; i++) {
		struct model_window *w = &run->windows[run->windows_used];
		size_t first = run->near_used;

		run_window(run, 1000000, 1000000);
		w->touches[1] = w->touches[4] = 5000;
		run_near(run, 50, 10000, 0.5);
		run_near(run, 50, MODEL_FAR, 0.5);
		run_far(run, 50, 1000000, 100000, 0.5);
		for (; first < run->near_used; first++)
			if (!run->near[first].is_far)
				run->near[first].between[1] = run->near[first].between[4] = met;
	}
	m = make();
	all = ratio(m, MODEL_RANDOM, 10000).ratio;
	model_free(m);
	return all;
}

static void near_reuses_meet_the_misses_that_were_seen(void **state)
{
	(void)state;
	/* As many as there are on average: P = 1 - exp(-(1 + P) / 2), 0.537. */
	near(with_counts(50), 0.5 + 0.5 * 0.537, 0.01);
	/* None: all misses come while nothing is waiting. */
	near(with_counts(0), 0.5, 0.01);
	/* Fewer are met, so that others miss less, too: P = 1 - exp(-(1 + P) / 4), 0.302. */
	near(with_counts(25), 0.5 + 0.5 * 0.302, 0.02);
}

/*
 * Half of the accesses come back after 1000 others, in 600 lines: the slope at 0 is
 * 0.5 * 1000 / 600 < 1, so nothing misses. Each sample for itself would evict others, with twice
 * that slope.
 */
static void few_samples_do_not_evict_themselves(void **state)
{
	struct model *m;

	(void)state;
	for (int i = 0; i < 200; i++) {
		run_window(run, 500000, 500000);
		run_near(run, 2, i % 2 == 0 ? 1000 : 0, 0.5);
		run_near(run, 2, i % 2 == 0 ? 0 : 1000, 0.5);
	}
	m = make();
	near(ratio(m, MODEL_RANDOM, 600).ratio, 0, 0.01);
	/* In 300 it is R = 0.5 (1 - exp(-1000 R / 300)): 0.338. */
	near(ratio(m, MODEL_RANDOM, 300).ratio, 0.338, 0.02);
	model_free(m);
}

static void check_sums(struct model *m, enum model_policy policy, const struct model_cache *cache)
{
	static struct model_share near_shares[MODEL_RUN_ROOM], far[MODEL_RUN_ROOM];
	double accesses = 0, misses = 0, begins = 0;
	struct model_ratio r;

	assert_int_equal(model_attribute(m, policy, cache, near_shares, far, NULL), 0);
	for (size_t i = 0; i < run->near_used; i++) {
		accesses += near_shares[i].accesses;
		misses += near_shares[i].misses;
		begins += near_shares[i].begins;
		assert_true(near_shares[i].misses <= near_shares[i].accesses + 1e-12);
	}
	for (size_t i = 0; i < run->far_used; i++) {
		accesses += far[i].accesses;
		misses += far[i].misses;
		assert_true(far[i].misses <= far[i].accesses + 1e-12);
	}
	model_solve(m, policy, cache, &r);
	near(accesses, 1, 1e-9);
	near(begins, 1, 1e-9);
	near(misses, r.ratio, 1e-9);
}

/* Misses shared out add up to the ratio that the model gives, whatever the policy and size. */
static void what_is_shared_out_adds_up(void **state)
{
	struct model *m;

	(void)state;
	for (uint32_t i = 0; i < 30; i++) {
		run_window(run, 100000 + 1000 * i, i < 20 ? 100000 + 1000 * i : 500000);
		run_near(run, 40, i % 7, 0.6);
		run_near(run, 10, 300 * i + 64, 0.3);
		run_near(run, 5, MODEL_FAR, 0.1);
		run_far(run, 10, 20000 * (i + 1), 5000, 0.08);
		run_far(run, 5, 0, 0, 0.03);
	}
	m = make();
	for (uint64_t lines = 1; lines < 1 << 20; lines *= 4)
		for (uint64_t ways = 0; ways <= 8 && ways <= lines; ways += ways < 2 ? 1 : 6)
			for (int policy = MODEL_RANDOM; policy <= MODEL_LRU; policy++)
				check_sums(m, (enum model_policy)policy,
					   &(struct model_cache){lines, ways});
	model_free(m);
}

/* The same windows with a hundred times fewer samples are known less well. */
static void fewer_samples_widen_the_interval(void **state)
{
	double width[2];

	(void)state;
	for (int k = 0; k < 2; k++) {
		struct model_ratio r;
		struct model *m;

		*run = (struct model_run){0};
		for (int i = 0; i < 40; i++) {
			run_window(run, LONG / 40, LONG / 40);
			run_near(run, k == 0 ? 400 : 4, 0, 0.5);
			run_near(run, k == 0 ? 400 : 4, 1000, 0.5);
		}
		m = make();
		r = ratio(m, MODEL_RANDOM, 16);
		near(r.ratio, 0.5, 1e-3);
		width[k] = r.high - r.low;
		model_free(m);
	}
	/*
	 * 2.02 * sqrt(0.25 / 32,000) + 0.001 + 0.03 * 0.5 to each side; ten times the first part.
	 */
	near(width[0], 2 * (0.0056 + 0.016), 0.004);
	near(width[1], 2 * (0.056 + 0.016), 0.02);
}

static void students_quantiles_are_those_of_the_tables(void **state)
{
	(void)state;
	near(model_student_quantile(1), 12.706, 1e-3);
	near(model_student_quantile(10), 2.228, 1e-3);
	near(model_student_quantile(100), 1.984, 1e-3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(without_samples_nothing_is_known, begin, end),
		cmocka_unit_test_setup_teardown(input_that_contradicts_itself_is_refused, begin,
						end),
		cmocka_unit_test_setup_teardown(random_replacement_solves_the_fixed_point, begin,
						end),
		cmocka_unit_test_setup_teardown(a_phase_meets_its_own_misses_alone, begin, end),
		cmocka_unit_test_setup_teardown(far_reuses_meet_the_misses_since_their_last_touch,
						begin, end),
		cmocka_unit_test_setup_teardown(the_first_misses_fill_the_cache, begin, end),
		cmocka_unit_test_setup_teardown(lru_goes_by_counted_lines, begin, end),
		cmocka_unit_test_setup_teardown(without_counted_lines_lru_expects_them, begin, end),
		cmocka_unit_test_setup_teardown(samples_mend_what_the_choice_of_lines_did, begin,
						end),
		cmocka_unit_test_setup_teardown(
			first_touches_behind_gaps_are_reuses_for_the_most_part, begin, end),
		cmocka_unit_test_setup_teardown(reuses_from_gaps_are_as_far_as_those_that_are_seen,
						begin, end),
		cmocka_unit_test_setup_teardown(near_reuses_meet_the_misses_that_were_seen, begin,
						end),
		cmocka_unit_test_setup_teardown(few_samples_do_not_evict_themselves, begin, end),
		cmocka_unit_test_setup_teardown(what_is_shared_out_adds_up, begin, end),
		cmocka_unit_test_setup_teardown(fewer_samples_widen_the_interval, begin, end),
		cmocka_unit_test(students_quantiles_are_those_of_the_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
