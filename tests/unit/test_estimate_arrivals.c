/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The attribution of unresolved accesses: to the code of window first touches. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "estimate/arrivals.h"
#include "estimate/hot.h"
#include "far_windows.h"
#include "scratch.h"
#include "store/store.h"

#define WINDOWS	 40
#define PATH	 "dwell.db"
#define CACHE	 (64u << 10)
#define PAGES_AT (1ull << 20)

static const struct query random_at_cache = {.policy = QUERY_RANDOM, .size_bytes = CACHE};

/* Location 2 comes once in a window for 8 lines, location 3 twice for 2 each. */
static void put_arrivals(struct store *s, uint32_t window)
{
	put_far_arrival(s, window, 2, 8);
	put_far_arrival(s, window, 3, 2);
	put_far_arrival(s, window, 3, 2);
}

static void write_profile(uint64_t pages)
{
	struct store_process p = {.id = 1,
				  A_PROCESS,
				  .state = "exited",
				  .accesses = PERIOD * WINDOWS,
				  .footprint_pages = pages};
	struct store *s = create_profile(PATH);

	assert_int_equal(store_put_process(s, &p, NULL), 0);
	for (int64_t id = 1; id <= 3; id++)
		assert_int_equal(
			store_put_location(s,
					   &(struct store_location){.id = id,
								    .process_id = 1,
								    .pc = (uint64_t)id * 64},
					   NULL),
			0);
	for (uint32_t w = 0; w < WINDOWS; w++) {
		put_far_window(s, w, pages, NULL);
		put_arrivals(s, w);
	}
	finish_profile(s);
}

static struct profile load(void)
{
	struct profile p;
	struct err err;

	if (profile_open(&p, PATH, STORE_NONE, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(p.location_count, 3);
	return p;
}

static void arrivals_come_back(void **state)
{
	struct arrivals a;
	struct profile p;

	(void)state;
	write_profile(2000);
	p = load();
	assert_int_equal(p.arrival_count, 3 * WINDOWS);
	assert_int_equal(p.arrivals[3].window, 1);
	assert_int_equal(p.arrivals[3].weight, 8);
	assert_int_equal(p.arrivals[3].position, PERIOD + LENGTH - 1);
	assert_int_equal(p.arrivals[3].end.location, 2);
	assert_int_equal(p.arrivals[3].end.path, 5);
	/* 8 lines in half a window of a period. */
	assert_true(arrivals_weight(&p, &p.arrivals[3]) == 8.0 * PERIOD / (LENGTH / 2));
	assert_int_equal(arrivals_measure(&a, &p, NULL), 0);
	assert_int_equal(a.count, 3 * WINDOWS);
	assert_true(fabs(a.share[1] - 2.0 / 3) < 1e-9 && fabs(a.share[2] - 1.0 / 3) < 1e-9);
	/* Each window said the same: what is left is one window in all of them. */
	assert_true(a.variance[1] < a.share[1] * a.share[1] / WINDOWS / 10);
	arrivals_release(&a);
	profile_close(&p);
}

/* 2000 pages are 0.3 % of the accesses; 24.7 % come from far. */
static void far_misses_belong_to_who_arrived(void **state)
{
	struct hot_cost *costs;
	struct profile p;

	(void)state;
	write_profile(2000);
	p = load();
	costs = hot_costs(&p, &random_at_cache, NULL);
	assert_non_null(costs);
	assert_true(costs[0].misses < 0.01);
	assert_true(costs[1].misses > 0.15 && costs[2].misses > 0.07);
	assert_true(fabs(costs[1].misses / costs[2].misses - 2) < 0.01);
	/* First touches are too few to tell whose: they stay where the lines were touched last. */
	assert_true(costs[1].unresolved == 0 && costs[2].unresolved == 0);
	free(costs);
	profile_close(&p);
}

/*
 * A footprint that grows in the first half of the run, while location 2 arrives on new pages, and location 3 on
 * one of the first window if asked for. In the second half location 3 alone arrives.
 */
static void write_growing(uint64_t pages_a_window, bool with_old)
{
	struct store_process p = {.id = 1,
				  A_PROCESS,
				  .state = "exited",
				  .accesses = PERIOD * WINDOWS,
				  .footprint_pages = pages_a_window * WINDOWS / 2};
	struct store *s = create_profile(PATH);

	assert_int_equal(store_put_process(s, &p, NULL), 0);
	for (int64_t id = 1; id <= 3; id++)
		assert_int_equal(
			store_put_location(s,
					   &(struct store_location){.id = id,
								    .process_id = 1,
								    .pc = (uint64_t)id * 64},
					   NULL),
			0);
	for (uint32_t w = 0; w < WINDOWS; w++) {
		bool grows = w < WINDOWS / 2;
		struct store_arrival a = {
			.process_id = 1,
			.window = w,
			.weight = 8,
			.position = PERIOD * w + LENGTH - 1,
			.end = {grows ? 2 : 3, PAGES_AT + 4096ull * w, 8, 1, 0, 0, 0, 5}};

		put_far_window(s, w, pages_a_window * (grows ? w : WINDOWS / 2), NULL);
		assert_int_equal(store_put_arrival(s, &a, NULL), 0);
		a.position--;
		assert_int_equal(store_put_arrival(s, &a, NULL), 0);
		if (!grows || !with_old)
			continue;
		a.end.location = 3;
		a.end.address = PAGES_AT;
		assert_int_equal(store_put_arrival(s, &a, NULL), 0);
	}
	finish_profile(s);
}

/* A twentieth of the accesses are first touches, a fifth comes from far. In 1000ths. */
static void expect_growing(bool with_old, int least2, int most3)
{
	struct hot_cost *costs;
	struct profile p;

	write_growing(PERIOD / 20 / 64 * 2, with_old);
	p = load();
	costs = hot_costs(&p, &random_at_cache, NULL);
	assert_non_null(costs);
	assert_in_range((int)(1000 * costs[1].unresolved), least2, 55);
	assert_in_range((int)(1000 * costs[2].unresolved), 0, most3);
	assert_true(costs[0].unresolved < 0.001);
	assert_true(costs[2].misses > 0.1);
	free(costs);
	profile_close(&p);
}

static void first_touches_stand_where_the_footprint_grew(void **state)
{
	(void)state;
	expect_growing(false, 45, 0);
}

static void first_touches_are_on_new_pages(void **state)
{
	(void)state;
	expect_growing(true, 43, 4);
}

/* With as much memory as there are unseen touches these are the first ones. */
static void first_touches_belong_to_who_arrived(void **state)
{
	struct hot_cost *costs;
	struct profile p;

	(void)state;
	write_profile(PERIOD * WINDOWS / 64 / 4);
	p = load();
	costs = hot_costs(&p, &random_at_cache, NULL);
	assert_non_null(costs);
	assert_true(costs[1].unresolved > 0.15 && costs[2].unresolved > 0.07);
	assert_true(fabs(costs[1].unresolved / costs[2].unresolved - 2) < 0.01);
	assert_true(costs[1].misses < 0.02);
	free(costs);
	profile_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrivals_come_back),
		cmocka_unit_test(first_touches_stand_where_the_footprint_grew),
		cmocka_unit_test(first_touches_are_on_new_pages),
		cmocka_unit_test(far_misses_belong_to_who_arrived),
		cmocka_unit_test(first_touches_belong_to_who_arrived),
	};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
