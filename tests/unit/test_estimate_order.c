/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The expected reliability of the ranking of code by misses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "estimate/order.h"
#include "profiles.h"
#include "scratch.h"
#include "store/store.h"

#define WINDOWS	   80
#define PER_WINDOW 200
#define LENGTH	   100000ull
#define PERIOD	   1000000ull
#define PAGES	   2000
#define PATH	   "dwell.db"
#define CACHE	   (8u << 10)
#define FAR	   (PER_WINDOW / 2) /* reuses in a window */
#define FIRST_FAR  2 /* locations from here on make the far reuses, location 1 the near ones */

static const struct query random_at_cache = {.policy = QUERY_RANDOM, .size_bytes = CACHE};

/* Piece i of the code misses 20 + 4 i times as often as one that would miss once. */
static uint32_t misses_of(int64_t i)
{
	return (uint32_t)(20 + 4 * i);
}

/* Of a window whose misses are all pieces': whose is the k-th of FAR? */
static int64_t piece_of(uint32_t k, int64_t far)
{
	uint32_t all = 0, upto = 0;
	int64_t i = 0;

	for (int64_t j = 0; j < far; j++)
		all += misses_of(j);
	while (i < far && (upto += misses_of(i)) * FAR <= k * all)
		i++;
	return i;
}

/* Half of the accesses are near, at no distance, and half are far. */
static void put_samples(struct store *s, uint32_t w)
{
	struct store_window window = {1, w, PERIOD * w, LENGTH, PERIOD, PER_WINDOW, PAGES};

	set_far(&window, (double)LENGTH / 2);
	assert_int_equal(store_put_window(s, &window, NULL), 0);
	for (uint32_t k = 0; k < PER_WINDOW; k++) {
		struct store_sample x = {.process_id = 1,
					 .window = w,
					 .status = k % 2,
					 .position = PERIOD * w + 400 * k,
					 .distance = k % 2 != 0 ? STORE_FAR : 0,
					 .begin = {1, 64, 8, 1, 0},
					 .end = {1, 64, 8, 1, 0}};

		if (x.status == 1)
			x.end = (struct store_access){.location = STORE_NONE};
		assert_int_equal(store_put_sample(s, &x, NULL), 0);
	}
}

static void put_window(struct store *s, uint32_t w, int64_t far, bool is_steady)
{
	int64_t own = w % (WINDOWS / far) < 3 ? w * far / WINDOWS : -1;

	put_samples(s, w);
	for (uint32_t k = 0; k < FAR; k++) {
		int64_t location = is_steady  ? FIRST_FAR + piece_of(k, far)
				   : own >= 0 ? FIRST_FAR + own
					      : 1;
		const struct store_access a = {location, 4096 + 64 * k, 8, 1, 0};

		put_far_reuse(s,
			      (struct store_far){.process_id = 1,
						 .window = w,
						 .position = PERIOD * w + 800 * k,
						 .end = a,
						 .begin = a},
			      LENGTH, (double)LENGTH / PER_WINDOW);
	}
}

/* `far` pieces of code: all of them in each window, or each in three windows of its own. */
static void write_profile(int64_t far, bool is_steady)
{
	struct store_process p = {.id = 1,
				  A_PROCESS,
				  .state = "exited",
				  .accesses = PERIOD * WINDOWS,
				  .footprint_pages = PAGES};
	struct store *s = create_profile(PATH);

	set_far_lines(&p, 1000, 32);
	assert_int_equal(store_put_process(s, &p, NULL), 0);
	for (int64_t id = 1; id < FIRST_FAR + far; id++) {
		const struct store_frame f = {"walk", "/src/walk.c", (uint32_t)id};
		const struct store_location l = {
			.id = id, .process_id = 1, .pc = (uint64_t)id * 64};

		assert_int_equal(store_put_location(s, &l, NULL), 0);
		assert_int_equal(store_put_frames(s, id, &f, 1, NULL), 0);
	}
	for (uint32_t w = 0; w < WINDOWS; w++)
		put_window(s, w, far, is_steady);
	finish_profile(s);
}

static struct order order_of(int64_t far, bool is_steady)
{
	struct profile_share *shares;
	struct profile p;
	struct order o;
	struct err err;

	write_profile(far, is_steady);
	if (profile_open(&p, PATH, STORE_NONE, &err) != 0)
		fail_msg("%s", err.text);
	shares = profile_attribute(&p, &random_at_cache, &err);
	assert_non_null(shares);
	assert_int_equal(order_measure(&o, &p, shares, HOT_LINE, &err), 0);
	free(shares);
	profile_close(&p);
	return o;
}

/* By hand: ranks 1 2 3 4 and 2 1 4 3 have differences of 1, so 1 - 6 * 4 / (4 * 15). */
static void ranks_are_correlated(void **state)
{
	const double x[] = {10, 20, 30, 40}, y[] = {5, 1, 700, 60}, tied[] = {1, 2, 2, 3},
		     same[] = {7, 7, 7, 7};
	const double turned[] = {4, 3, 2, 1};

	(void)state;
	assert_true(fabs(order_correlation(x, y, 4) - 0.6) < 1e-12);
	assert_true(fabs(order_correlation(x, x, 4) - 1) < 1e-12);
	assert_true(fabs(order_correlation(x, turned, 4) + 1) < 1e-12);
	/* Ranks 1, 2.5, 2.5, 4: a covariance of 4.5, squares of 5 and 4.5. */
	assert_true(fabs(order_correlation(x, tied, 4) - 4.5 / sqrt(5 * 4.5)) < 1e-12);
	assert_true(order_correlation(x, same, 4) == 0);
}

static void code_that_each_window_sees_is_in_order(void **state)
{
	const struct order o = order_of(20, true);

	(void)state;
	assert_in_range(o.rows, 12, 17); /* 80 % of the misses: 20, 24, 28 ... 96 */
	assert_true(o.likeness > 0.97 && o.likeness <= 1);
}

static void code_that_few_windows_see_is_in_no_order(void **state)
{
	const struct order o = order_of(20, false);

	(void)state;
	assert_in_range(o.rows, 12, 17);
	assert_true(o.likeness >= 0 && o.likeness < 0.7);
}

static void few_rows_have_no_order(void **state)
{
	(void)state;
	assert_true(isnan(order_of(3, true).likeness));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_are_correlated),
		cmocka_unit_test(code_that_each_window_sees_is_in_order),
		cmocka_unit_test(code_that_few_windows_see_is_in_no_order),
		cmocka_unit_test(few_rows_have_no_order),
	};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
