/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines between the touches of a reuse: from some known distances to any distance, and to other
 * line sizes.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "model/parts.h"

static const struct counted none_counted;

static void near(double value, double expected)
{
	if (fabs(value - expected) > 1e-9)
		fail_msg("%.12g is not %.12g", value, expected);
}

/* Halves where most of their reuses are, and the octave of two of them; nothing beyond. */
static const struct model all = {
	.line_bytes = 64,
	.stacks = {.halves = {{4.25, 0.9}, {4.99, 1.1}, {5.5, 2.1}, {9, 3}}, .half_count = 4,
		   .wholes = {{4.5, 1}, {5.5, 2}, {9, 3}}, .whole_count = 3}};

static double at(const struct stacks *s, double octaves)
{
	return stacks_ratio(s, exp2(octaves));
}

static void test_straight_between_nodes(void **state)
{
	(void)state;
	near(at(&all.stacks, 4.25), 0.9);
	near(at(&all.stacks, 4.99), 1.1);
	near(at(&all.stacks, 4.62), 1.0);
	near(at(&all.stacks, 5.245), 1.6);
}

static void test_a_node_that_is_far_says_nothing(void **state)
{
	const struct stacks none = {.half_count = 0};

	(void)state;
	near(at(&all.stacks, 4), 0.9);
	near(at(&all.stacks, 2.7), 1);
	near(at(&all.stacks, 6.9), 2.1);
	near(at(&all.stacks, 7.25), 1);
	near(at(&all.stacks, 7.6), 3);
	near(at(&all.stacks, 10.4), 3);
	near(at(&all.stacks, 11), 1);
	near(at(&none, 5), 1);
	near(stacks_ratio(&all.stacks, 0), 1);
	near(stacks_ratio(&all.stacks, INFINITY), 1);
}

static void test_lines_of_the_same_size_have_the_same_halves(void **state)
{
	struct model m = {.line_bytes = 64};

	(void)state;
	stacks_take(&m, &all);
	near(at(&m.stacks, 4.99), 1.1);
}

static void test_shorter_lines_have_the_same_halves(void **state)
{
	struct model m = {.line_bytes = 32};

	(void)state;
	stacks_take(&m, &all);
	near(at(&m.stacks, 4.99), 1.1);
}

static void test_longer_lines_have_the_same_octaves(void **state)
{
	struct model m = {.line_bytes = 128};

	(void)state;
	stacks_take(&m, &all);
	near(at(&m.stacks, 4.25), 1);
	near(at(&m.stacks, 5), 1.5);
	near(at(&m.stacks, 5.5), 2);
	near(at(&m.stacks, 9.5), 3);
}

#define SAMPLES 500

/* A model of one window. */
static struct model *model_of(const struct model_sample *samples, size_t count, uint64_t length)
{
	const struct model_window window = {.length = length, .stands_for = length, .footprint_pages = 100};
	const struct model_input in = {.windows = &window,
				       .window_count = 1,
				       .samples = samples,
				       .sample_count = count,
				       .line_bytes = 64};
	struct err err = {0};
	struct model *m = model_new(&in, &err);

	assert_non_null(m);
	return m;
}

/* A loop over `distance` + 1 lines. */
static double loop_misses(uint64_t distance, uint64_t lines)
{
	static struct model_sample samples[SAMPLES];
	struct model *m;
	struct model_ratio r;

	for (size_t i = 0; i < SAMPLES; i++)
		samples[i] = (struct model_sample){.distance = distance, .reused = true};
	m = model_of(samples, SAMPLES, 1000000);
	model_solve(m, MODEL_LRU, lines, &r);
	model_free(m);
	return r.ratio;
}

/* A loop of 127 accesses, all of them samples, at the end of an octave: what is known of it is known there. */
static void test_a_node_lies_where_the_reuses_are(void **state)
{
	enum { COUNT = 5000 };
	static struct model_sample samples[COUNT];
	struct model *m;

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		samples[i] = (struct model_sample){.distance = 126, .reused = true, .position = i + 1};
	m = model_of(samples, COUNT, COUNT);
	assert_int_equal(m->stacks.half_count, 1);
	assert_int_equal(m->stacks.whole_count, 1);
	assert_true(fabs(m->stacks.halves[0].octaves - log2(126)) < 0.02);
	assert_true(fabs(m->stacks.wholes[0].octaves - log2(126)) < 0.02);
	assert_true(fabs(stacks_ratio(&m->stacks, 126) - 1) < 0.05);
	model_free(m);
}

static void test_a_cache_holds_a_loop_of_two_hundredths_more(void **state)
{
	(void)state;
	near(loop_misses(999, 1000), 0);
	near(loop_misses(1009, 1000), 0);
	near(loop_misses(1029, 1000), 1);
	/* But of few lines each counts. */
	near(loop_misses(39, 40), 0);
	near(loop_misses(40, 40), 1);
}

/*
 * A deviation is 3 in 100 of the lines in between: 103 of them are (103 - 100) / 3.09 = 0.971 of them above a cache of 100 lines,
 * which is to say that 0.834 of such reuses miss. But those of a loop, a tenth of all accesses, are all alike.
 */
static void test_stack_distances_scatter_a_little(void **state)
{
	(void)state;
	assert_true(fabs(lru_miss(&none_counted, 100, 100, 0.01) - 0.5) < 1e-3);
	assert_true(fabs(lru_miss(&none_counted, 100, 103, 0.01) - 0.834) < 1e-3);
	near(lru_miss(&none_counted, 100, 80, 0.01), 0);
	near(lru_miss(&none_counted, 100, 120, 0.01), 1);
	near(lru_miss(&none_counted, 100, 101, 0.1), 0);
	near(lru_miss(&none_counted, 100, 103, 0.1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_straight_between_nodes),
		cmocka_unit_test(test_a_node_that_is_far_says_nothing),
		cmocka_unit_test(test_lines_of_the_same_size_have_the_same_halves),
		cmocka_unit_test(test_shorter_lines_have_the_same_halves),
		cmocka_unit_test(test_longer_lines_have_the_same_octaves),
		cmocka_unit_test(test_stack_distances_scatter_a_little),
		cmocka_unit_test(test_a_node_lies_where_the_reuses_are),
		cmocka_unit_test(test_a_cache_holds_a_loop_of_two_hundredths_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
