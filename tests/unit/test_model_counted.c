/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reuses with counted lines, and their use for other reuses of the same distance and kind. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/parts.h"

enum { WINDOWS = 40, EACH = 100, SAMPLES = WINDOWS * EACH, STACKS = 480 };

static struct model_window windows[WINDOWS];
static struct model_sample samples[SAMPLES];
static struct model_stack stacks[STACKS];

/* Half of all accesses come back at once and half after `far` accesses; of the far ones lines[i % 4] are in between. */
static struct model *make(uint64_t far, const uint64_t lines[4], size_t stack_count)
{
	const struct model_input in = {.windows = windows, .window_count = WINDOWS, .samples = samples,
				       .sample_count = SAMPLES, .footprint_pages = 64, .line_bytes = 64,
				       .stacks = stacks, .stack_count = stack_count};
	struct model *m;

	for (uint32_t i = 0; i < WINDOWS; i++)
		windows[i] = (struct model_window){1000000ull * i, 100000, 1000000, 64};
	for (uint32_t i = 0; i < SAMPLES; i++)
		samples[i] = (struct model_sample){.distance = i % 2 ? far : 0, .window = i / EACH, .reused = true};
	for (uint32_t i = 0; i < STACKS; i++)
		stacks[i] = (struct model_stack){i % WINDOWS, far, lines[i / WINDOWS % 4]};
	m = model_new(&in, NULL);
	assert_non_null(m);
	return m;
}

static double ratio(struct model *m, uint64_t lines, uint64_t ways)
{
	struct model_ratio r;

	model_solve_cache(m, MODEL_LRU, &(struct model_cache){lines, ways}, &r);
	return r.ratio;
}

static void is_about(double value, double expected)
{
	if (fabs(value - expected) > 0.01)
		fail_msg("%.3f is not %.3f", value, expected);
}

/* A quarter of the far reuses has twice as many lines in between, a quarter half as many. */
static void test_each_reuse_misses_by_its_own_lines(void **state)
{
	struct model *m = make(5000, (const uint64_t[4]){500, 1000, 1000, 2000}, STACKS);

	(void)state;
	is_about(ratio(m, 400, 0), 0.5);
	is_about(ratio(m, 700, 0), 0.375);
	is_about(ratio(m, 1500, 0), 0.125);
	is_about(ratio(m, 2200, 0), 0);
	/* In sets of many lines as well. */
	is_about(ratio(m, 1536, 512), 0.125);
	model_free(m);
}

/* 15 say nothing: there are 2500 lines in between, as half of all accesses come back later. */
static void test_a_few_say_nothing(void **state)
{
	struct model *m = make(5000, (const uint64_t[4]){500, 1000, 1000, 2000}, 15);

	(void)state;
	is_about(ratio(m, 2200, 0), 0.5);
	is_about(ratio(m, 3000, 0), 0);
	model_free(m);
}

/* More than an octave away they say nothing of others; nearer they do. */
static void test_only_near_distances_are_asked(void **state)
{
	struct model *m = make(5000, (const uint64_t[4]){1000, 1000, 1000, 1000}, STACKS);

	(void)state;
	assert_true(counted_at(m, &m->kinds[0], 5000).all_count > 0);
	assert_true(counted_at(m, &m->kinds[0], 3000).all_count > 0);
	assert_true(counted_at(m, &m->kinds[0], 2000).all_count == 0);
	assert_true(counted_at(m, &m->kinds[0], 12000).all_count == 0);
	assert_true(counted_at(m, &m->kinds[0], 0).all_count == 0);
	assert_true(counted_at(m, &m->kinds[0], 1e300).all_count == 0);
	model_free(m);
}

/* A kind's own factors weigh by their number, those of all kinds as six. */
static void test_a_kind_believes_its_own_most(void **state)
{
	static const double own[] = {1, 1, 1, 1, 1, 1}, all[] = {1, 3};
	const struct counted c = {own, all, 6, 2}, others = {own, all, 0, 2};

	(void)state;
	is_about(counted_miss(&c, 200, 100), 0.25);
	is_about(counted_miss(&others, 200, 100), 0.5);
	is_about(counted_miss(&c, 100, 100), 1);
	is_about(counted_miss(&c, 301, 100), 0);
}

static void test_one_of_no_window_is_refused(void **state)
{
	const struct model_stack stray = {WINDOWS, 100, 10};
	const struct model_input in = {.windows = windows, .window_count = WINDOWS, .line_bytes = 64,
				       .stacks = &stray, .stack_count = 1};
	struct err err;

	(void)state;
	assert_null(model_new(&in, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_reuse_misses_by_its_own_lines),
		cmocka_unit_test(test_a_few_say_nothing),
		cmocka_unit_test(test_only_near_distances_are_asked),
		cmocka_unit_test(test_a_kind_believes_its_own_most),
		cmocka_unit_test(test_one_of_no_window_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
