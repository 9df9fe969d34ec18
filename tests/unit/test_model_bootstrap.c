/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Intervals by bootstrap, beside those of Student's t. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "draw.h"
#include "model/parts.h"

#define WINDOWS 200
#define SAMPLES (WINDOWS * 100)

/*
 * Windows of which each has its own share of far reuses: none to 20 %, or to 80 % in one of ten when
 * they are skewed. Reuses within a window are at 10 or at 100,000 accesses.
 */
static struct model *make(uint32_t windows, bool skewed)
{
	static struct model_window w[WINDOWS];
	static struct model_sample s[SAMPLES];
	struct model_input in = {
		w, windows, s, windows * 100, .footprint_pages = 5000, .line_bytes = 64};
	struct model *m;

	for (uint32_t i = 0; i < windows; i++) {
		uint64_t far = skewed ? (i % 10 == 0 ? draw() % 80 : 0) : draw() % 20;

		w[i] = (struct model_window){10000000ull * i + 9000000, 1000000, 10000000, 5000};
		for (uint32_t k = 0; k < 100; k++)
			s[i * 100 + k] = (struct model_sample){draw() % 100 < far ? 100000 : 10, i,
							       true, w[i].start + k * 1000};
	}
	m = model_new(&in, NULL);
	assert_non_null(m);
	return m;
}

static struct model_ratio solve(struct model *m, enum model_interval kind, uint64_t lines)
{
	struct model_ratio r;

	model_set_interval(m, kind);
	model_solve(m, MODEL_LRU, lines, &r);
	return r;
}

static void test_the_same_seed_gives_the_same_interval(void **state)
{
	struct model *m = make(WINDOWS, false);
	double ratios[WINDOWS], centre, low[3], high[3];
	struct sets one;

	(void)state;
	sets_init(&one, 1, 100);
	lru_solve(m, &one, TAIL_SPREAD, ratios, NULL);
	centre = interval_mean(m, ratios);
	for (int i = 0; i < 3; i++)
		assert_int_equal(
			bootstrap_interval(m, ratios, centre, i < 2 ? 7 : 8, &low[i], &high[i]), 0);
	assert_true(low[0] == low[1] && high[0] == high[1]);
	assert_true(low[0] != low[2] || high[0] != high[2]);
	assert_true(0 < low[0] && low[0] < centre && centre < high[0] && high[0] < 1);
	model_free(m);
}

/* Two hundred windows that scatter evenly: the two ways of reckoning say the same. */
static void test_many_windows_give_students_interval(void **state)
{
	struct model *m = make(WINDOWS, false);
	struct model_ratio t = solve(m, MODEL_STUDENT, 100), b = solve(m, MODEL_BOOTSTRAP, 100);

	(void)state;
	assert_true(t.ratio == b.ratio);
	assert_true(fabs((b.high - b.low) / (t.high - t.low) - 1) < 0.15);
	assert_true(fabs(b.low - t.low) < 0.15 * (t.high - t.low));
	model_free(m);
}

/* Few windows have nearly all misses: there may be many more of these than were met, hardly fewer. */
static void test_a_skewed_run_has_a_skewed_interval(void **state)
{
	struct model *m = make(WINDOWS, true);
	struct model_ratio b = solve(m, MODEL_BOOTSTRAP, 100);

	(void)state;
	assert_true(b.low < b.ratio && b.ratio < b.high);
	assert_true(b.high - b.bound_high > b.bound_low - b.low);
	model_free(m);
}

static void test_one_window_tells_nothing(void **state)
{
	struct model *m = make(1, false);
	struct model_ratio b = solve(m, MODEL_BOOTSTRAP, 100);

	(void)state;
	assert_true(b.low == 0 && b.high == 1);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_same_seed_gives_the_same_interval),
		cmocka_unit_test(test_many_windows_give_students_interval),
		cmocka_unit_test(test_a_skewed_run_has_a_skewed_interval),
		cmocka_unit_test(test_one_window_tells_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
