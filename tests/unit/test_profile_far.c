/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which far reuses a profile has, at each line size, and what they stand for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "estimate/hot.h"
#include "estimate/reuse.h"
#include "profiles.h"
#include "scratch.h"
#include "store/store.h"

#define WINDOWS	   40
#define PER_WINDOW 100
#define LENGTH	   100000ull
#define PATH	   "dwell.db"

static const struct query random_at_mb = {.policy = QUERY_RANDOM, .size_bytes = 1u << 20};

static const struct store_access near_touch = {1, 64, 8, 1}, far_touch = {2, 4096, 8, 1},
				 first_touch = {3, 8192, 8, 1};

/* A tenth of the samples are far, the others are touched again at once. */
static void put_samples(struct store *s, uint32_t window)
{
	for (uint32_t k = 0; k < PER_WINDOW; k++) {
		struct store_sample x = {.process_id = 1,
					 .window = window,
					 .status = k % 10 == 0,
					 .position = LENGTH * window + k,
					 .distance = k % 10 == 0 ? STORE_FAR : 0,
					 .begin = near_touch,
					 .end = near_touch};

		if (x.status == 1)
			x.end = (struct store_access){.location = STORE_NONE};
		assert_int_equal(store_put_sample(s, &x, NULL), 0);
	}
}

/* At lines of 64 bytes and less, a tenth is far; of these a quarter are first touches. */
static void put_far(struct store *s, uint32_t window, double weight)
{
	const struct store_far_line again = {weight, 50000, 1000}, first = {weight, 0, 0, true};

	for (uint32_t k = 0; k < 20; k++) {
		bool is_first = k % 4 == 3;
		struct store_far f = {
			.process_id = 1,
			.window = window,
			.position = LENGTH * window + 1000 * k,
			.end = is_first ? first_touch : far_touch,
			.begin = is_first ? (struct store_access){.location = STORE_NONE}
					  : near_touch};

		for (size_t i = 0; i <= profile_far_size(64); i++)
			f.of[i] = is_first ? first : again;
		/* Of the smallest lines it is another touch that was the last one. */
		if (!is_first)
			f.of[0].distance = 70000;
		assert_int_equal(store_put_far(s, &f, NULL), 0);
	}
}

/* Windows have no gaps, or stand for so many times their length. */
static void write_profile(const char *process_state, double weight, uint64_t times)
{
	struct store_process p = {
		.id = 1, A_PROCESS, .state = process_state, .accesses = LENGTH * WINDOWS * times};
	struct store *s = create_profile(PATH);

	set_far_lines(&p, 5 * WINDOWS, 500);
	assert_int_equal(store_put_process(s, &p, NULL), 0);
	for (int64_t id = 1; id <= 3; id++) {
		const struct store_location l = {
			.id = id, .process_id = 1, .pc = (uint64_t)id * 64};

		assert_int_equal(store_put_location(s, &l, NULL), 0);
	}
	for (uint32_t w = 0; w <= WINDOWS; w++) {
		struct store_window window = {
			1, w, LENGTH * times * w, LENGTH, LENGTH * times, PER_WINDOW, 100};

		for (size_t i = 0; i <= profile_far_size(64); i++)
			window.far[i] = (double)LENGTH / 10;
		put_samples(s, w);
		put_far(s, w, weight);
		if (w < WINDOWS) /* the last one never closes */
			assert_int_equal(store_put_window(s, &window, NULL), 0);
	}
	finish_profile(s);
}

static struct profile load(void)
{
	struct profile p;
	struct err err;

	if (profile_open(&p, PATH, STORE_NONE, &err) != 0)
		fail_msg("%s", err.text);
	return p;
}

static void near(double value, double expected, double by)
{
	if (!(fabs(value - expected) <= by))
		fail_msg("%g is not within %g of %g", value, by, expected);
}

static void only_those_of_windows_that_closed_count(void **state)
{
	static const char *const states[] = {"exited", "killed", "running"};

	(void)state;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		struct profile p;

		write_profile(states[i], 500, 1);
		p = load();
		assert_int_equal(p.far_items, 20 * WINDOWS);
		assert_int_equal(p.end_count, (20 + PER_WINDOW * 9 / 10) * WINDOWS);
		assert_int_equal(p.unclosed_samples, PER_WINDOW);
		profile_close(&p);
	}
}

/* Recorded ones are a choice: with other weights they stand for the same, which windows know. */
static void they_stand_for_what_their_windows_counted(void **state)
{
	double misses[2];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct model_ratio r;
		struct profile p;

		write_profile("exited", i == 0 ? 500 : 800, 1);
		p = load();
		profile_solve(&p, &random_at_mb, &r);
		misses[i] = r.ratio;
		profile_close(&p);
	}
	assert_true(misses[0] > 0.02);
	near(misses[0], misses[1], 1e-9);
}

/* Of all ends a quarter of the far ones are location 3's first touches. */
static void first_touches_are_cold_and_the_others_are_not(void **state)
{
	struct hot_cost *costs;
	struct profile p;

	(void)state;
	write_profile("exited", 500, 1);
	p = load();
	costs = hot_costs(&p, &random_at_mb, NULL);
	assert_non_null(costs);
	near(costs[0].accesses + costs[1].accesses + costs[2].accesses, 1, 1e-9);
	near(costs[2].accesses, costs[1].accesses / 3, 1e-9);
	near(costs[2].cold, costs[2].accesses, 1e-9);
	near(costs[2].misses, 0, 1e-9);
	near(costs[0].cold + costs[1].cold, 0, 1e-9);
	assert_true(costs[1].misses > 0);
	free(costs);
	profile_close(&p);
}

/* Where windows stand for four times their length, one in four seeming first touches is one. */
static void behind_gaps_fewer_are_first_touches(void **state)
{
	struct hot_cost *costs;
	struct profile p;

	(void)state;
	write_profile("exited", 500, 4);
	p = load();
	costs = hot_costs(&p, &random_at_mb, NULL);
	assert_non_null(costs);
	near(costs[2].cold, costs[2].accesses / 4, 1e-9);
	assert_true(costs[2].misses <= costs[2].accesses * 3 / 4 + 1e-9);
	free(costs);
	profile_close(&p);
}

/* The touch before is that of the recorded size; of a size with another distance it is unknown. */
static void the_touch_before_is_known_where_it_is_the_same(void **state)
{
	static const struct profile_nested none;
	struct profile p, at;
	size_t known[2] = {0};

	(void)state;
	write_profile("exited", 500, 1);
	p = load();
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(profile_at_line(&p, &none, i == 0 ? 4 : 32, &at, NULL), 0);
		assert_int_equal(at.far_items, 20 * WINDOWS);
		for (size_t k = 0; k < at.end_count; k++)
			known[i] += at.ends[k].begin != NULL;
		profile_leave_line(&at);
	}
	assert_int_equal(known[0], 0);
	assert_int_equal(known[1], 15 * WINDOWS);
	assert_int_equal(profile_at_line(&p, &none, 128, &at, NULL), 0);
	assert_int_equal(at.far_items, 0);
	profile_leave_line(&at);
	profile_close(&p);
}

/* With gaps, a reuse from another window is as far as the accesses of the run in between. */
static void distances_are_those_of_the_run(void **state)
{
	struct profile p;
	size_t from_before = 0;

	(void)state;
	write_profile("exited", 500, 4);
	p = load();
	for (size_t k = 0; k < p.end_count; k++) {
		const struct profile_end *e = &p.ends[k];

		if (!e->is_far || e->first > 0)
			continue;
		/* All are within the first fifth of their window; the first begins the run. */
		if (e->window > 0) {
			assert_int_equal(e->distance, 50000 + 3 * LENGTH);
			from_before++;
		}
	}
	assert_int_equal(from_before, 15 * (WINDOWS - 1));
	profile_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_those_of_windows_that_closed_count),
		cmocka_unit_test(they_stand_for_what_their_windows_counted),
		cmocka_unit_test(first_touches_are_cold_and_the_others_are_not),
		cmocka_unit_test(behind_gaps_fewer_are_first_touches),
		cmocka_unit_test(the_touch_before_is_known_where_it_is_the_same),
		cmocka_unit_test(distances_are_those_of_the_run),
	};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
