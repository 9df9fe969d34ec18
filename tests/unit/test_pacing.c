/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The placement of sampling windows in the accesses of a run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/core/records.h"
#include "engine/core/state.h"
#include "engine/core/util.h"
#include "engine/drive/collect.h"
#include "engine/sample/pacing.h"

/* What the file wants of the engine. */
struct engine engine;
uint8_t util_no_tsc;
static uint64_t clock_ns;
static uint64_t run_accesses; /* of all processes */

uint64_t records_ran(uint64_t accesses)
{
	return run_accesses += accesses;
}

uint64_t now_ns(void)
{
	return clock_ns;
}

static void configure(void)
{
	run_accesses = 0;
	memset(&engine, 0, sizeof(engine));
	engine.config = (struct channel_config){
		.mode = CHANNEL_MODE_SAMPLE,
		.window_min = 100000,
		.window_max = 500000,
		.window_divisor = 64000,
		.duty_ppm = 1000000,
		.doubling_windows = 60,
		.window_growth_ppm = 11619,
		.samples_per_window = 80,
		.nested_one_in = 4,
	};
}

/* For those that look at the clock, which is a second. */
static void begin_timed(struct pacing *p, uint64_t seed)
{
	configure();
	clock_ns = 1000000000;
	pacing_start(p, seed);
}

static void each_period_has_a_window(void **state)
{
	struct pacing p;
	uint64_t end = 0;

	(void)state;
	configure();
	pacing_start(&p, 1);
	for (int i = 0; i < 1000; i++) {
		pacing_next(&p);
		assert_int_equal(p.period_start, end);
		assert_true(p.start >= p.period_start);
		assert_true(p.end > p.start && p.end <= p.period_end);
		end = p.period_end;
		pacing_open(&p, p.start);
		pacing_close(&p, p.end, p.end);
	}
}

/* Windows that begin in [from, end) of a process of a run that had had `before` accesses. */
static int windows_after(uint64_t before, uint64_t from, uint64_t end)
{
	struct pacing p;
	int n = 0;

	run_accesses = before;
	pacing_start(&p, 8);
	for (pacing_next(&p); p.start < end; pacing_next(&p)) {
		n += p.start >= from;
		pacing_close(&p, p.end, p.end);
	}
	return n;
}

static int windows_between(uint64_t from, uint64_t end)
{
	return windows_after(0, from, end);
}

static void is_between(int n, int low, int high)
{
	assert_true(n >= low && n <= high);
}

static void long_runs_have_as_many_windows_in_each_doubling(void **state)
{
	(void)state;
	configure();
	is_between(windows_between(256000000u, 512000000u), 58, 61);
	is_between(windows_between(8000000000u, 16000000000u), 58, 61);
	is_between(windows_between(512000000000u, 1024000000000u), 58, 61);
	engine.config.window_growth_ppm = 1000000; /* one */
	is_between(windows_between(8000000000u, 64000000000u), 2, 4);
}

/* From 32,000 million accesses on a window is the 64,000th part of the run. */
static void windows_grow_with_the_run(void **state)
{
	struct pacing p;

	(void)state;
	configure();
	pacing_start(&p, 8);
	for (pacing_next(&p); p.period_end < 64000000000u; pacing_next(&p)) {
		const uint64_t t = p.period_start, length = p.end - p.start;

		assert_int_equal(length, t < 10000000	      ? 100000
					 : t < 50000000	      ? t / 100
					 : t < 190000000      ? 500000
					 : t / 64000 > 500000 ? t / 64000
							      : length);
		assert_true(t < 200000000 || length >= 500000);
	}
}

/* Side by side. */
static void short_runs_lie_in_windows(void **state)
{
	struct pacing p;

	(void)state;
	configure();
	pacing_start(&p, 8);
	for (pacing_next(&p); p.period_start < 190000000u; pacing_next(&p)) {
		assert_int_equal(p.start, p.period_start);
		assert_int_equal(p.end, p.period_end);
	}
	/* Then a quarter of it, and less. */
	is_between(windows_between(200000000u, 400000000u), 58, 61);
	/* Or the share that is asked for. */
	engine.config.duty_ppm = 250000;
	is_between(windows_between(50000000u, 180000000u), 64, 66);
}

/* A process that comes late in a run of many soon has gaps between its windows. */
static void processes_share_the_runs_first_accesses(void **state)
{
	struct pacing first, second;

	(void)state;
	configure();
	is_between(windows_after(8000000000u, 0, 8000000u), 80, 80);
	is_between(windows_after(8000000000u, 20000000u, 40000000u), 58, 61);
	configure();
	pacing_start(&first, 1);
	pacing_start(&second, 2);
	do {
		pacing_next(&first);
		pacing_next(&second);
	} while (first.start == first.period_start && first.end == first.period_end);
	/* Half of the accesses are the other one's. */
	assert_in_range(first.period_start, 94000000, 96000000);
	assert_true(run_accesses == first.period_start + second.period_start);
}

/* What a sample stands for: the last of a window's accesses are none, see scan.c. */
static void windows_have_as_many_samples(void **state)
{
	struct pacing p;

	(void)state;
	configure();
	pacing_start(&p, 1);
	pacing_next(&p);
	assert_int_equal(p.interval, (100000 - 16384) / 80);
	run_accesses = 8000000000u;
	p.period_end = p.told = 1000000000u;
	pacing_next(&p);
	assert_int_equal(p.interval, (500000 - 16384) / 80);
	/* Over the whole run, if a period is given. */
	engine.config.sample_period = 1000;
	pacing_next(&p);
	assert_int_equal(p.interval, 1000 * 500000 / (p.period_end - p.period_start));
}

static void a_late_window_is_as_long(void **state)
{
	struct pacing p;
	uint64_t length;

	(void)state;
	configure();
	pacing_start(&p, 2);
	pacing_next(&p);
	length = p.end - p.start;
	pacing_open(&p, p.start + 777);
	assert_int_equal(p.end - p.start, length);
	/* So late that it ends behind its period, which is longer then. */
	pacing_open(&p, p.period_end);
	assert_int_equal(p.end - p.start, length);
	assert_int_equal(p.period_end, p.end);
}

static void a_missed_window_leaves_its_period_to_the_next(void **state)
{
	struct pacing p;
	uint64_t begin, missed;

	(void)state;
	configure();
	pacing_start(&p, 3);
	pacing_next(&p);
	begin = p.period_start;
	missed = p.period_end + 5000000;
	pacing_pass_over(&p, missed);
	assert_int_equal(p.period_start, begin);
	/* At most half of its length behind. */
	assert_true(p.start + (p.end - p.start) / 2 >= missed);
}

static void a_window_without_room_leaves_its_period_to_the_next(void **state)
{
	struct pacing p;
	uint64_t begin, end;

	(void)state;
	configure();
	pacing_start(&p, 3);
	pacing_next(&p);
	begin = p.period_start;
	end = p.period_end;
	pacing_leave_out(&p);
	assert_int_equal(p.period_start, begin);
	assert_true(p.start >= end && p.period_end > end);
}

/*
 * Fast stretches are where windows are run over: to leave them to what follows would show slow code
 * too often.
 */
static void a_window_opens_late_while_half_of_it_is_left(void **state)
{
	struct pacing p;
	uint64_t start, length;

	(void)state;
	configure();
	pacing_start(&p, 3);
	pacing_next(&p);
	start = p.start;
	length = p.end - p.start;
	pacing_pass_over(&p, start + length / 2);
	assert_int_equal(p.start, start);
	pacing_pass_over(&p, start + length / 2 + 1);
	assert_true(p.start > start);
}

static void no_window_stands_for_a_pause(void **state)
{
	struct pacing p, before;

	(void)state;
	configure();
	pacing_start(&p, 4);
	pacing_next(&p);
	before = p;
	pacing_pause(&p, 1000);
	pacing_resume(&p, 501000);
	assert_int_equal(p.start, before.start + 500000);
	assert_int_equal(p.end, before.end + 500000);
	assert_int_equal(p.period_end - p.period_start, before.period_end - before.period_start);
	/*
	 * The run so far is what was sampled of it: the next period is not longer than it would
	 * have been.
	 */
	pacing_next(&p);
	pacing_next(&before);
	assert_int_equal(p.period_end - p.period_start, before.period_end - before.period_start);
}

/*
 * Of windows that keep one in four of those chosen the next choose four times as many, not more
 * than six.
 */
static void as_many_are_chosen_as_it_takes(void **state)
{
	struct pacing p;

	(void)state;
	configure();
	pacing_start(&p, 9);
	pacing_next(&p);
	assert_int_equal(p.interval, 1045); /* all are kept */
	engine.config.near_one_in = 16;
	pacing_next(&p);
	assert_int_equal(p.interval, 522); /* nothing is known */
	for (int i = 0; i < 100; i++)
		pacing_saw(&p, 400, 100);
	pacing_next(&p);
	assert_in_range(p.interval, 255, 270);
	for (int i = 0; i < 100; i++)
		pacing_saw(&p, 1600, 100);
	pacing_next(&p);
	assert_in_range(p.interval, 170, 180);
	for (int i = 0; i < 100; i++)
		pacing_saw(&p, 100, 100);
	pacing_saw(&p, 0, 0); /* a window that no thread saw */
	pacing_next(&p);
	assert_in_range(p.interval, 950, 1045);
}

static void a_count_that_was_none_is_no_rate(void **state)
{
	struct pacing p;

	(void)state;
	begin_timed(&p, 7);
	p.rate = 1000000;
	clock_ns += 1000000;
	pacing_look(&p, 3000000, 3000000);
	assert_int_equal(p.rate, 3000000);
	clock_ns += 1000000;
	pacing_look(&p, 2000000, 2000000); /* less than before: what came before was no count */
	assert_true(p.rate <= 3000000);
	clock_ns += 1000000;
	pacing_look(&p, 6000000, 6000000);
	assert_int_equal(p.rate, 4000000);
	clock_ns += 1000000;
	pacing_look(&p, 106000000, 106000000); /* nor is this one */
	assert_int_equal(p.rate, 4000000);
}

/*
 * However often others are looked at in between: it comes back with the next block of a file, some
 * windows later.
 */
static void a_burst_of_speed_is_remembered_for_many_windows(void **state)
{
	struct pacing p;
	uint64_t total = 3000000;

	(void)state;
	begin_timed(&p, 7);
	clock_ns += 1000000;
	pacing_look(&p, total, total);
	for (int window = 0; window < 20; window++) {
		for (int look = 0; look < 100; look++) {
			clock_ns += 100000;
			total += 50000;
			pacing_look(&p, total, total);
		}
		pacing_close(&p, total, total);
	}
	assert_in_range(p.rate, 2900000, 2999999);
}

static void a_string_instruction_is_no_burst_of_speed(void **state)
{
	struct pacing p;

	(void)state;
	begin_timed(&p, 7);
	p.rate = 1000000;
	clock_ns += 100000;
	pacing_look(&p, 50000, 50000);
	clock_ns += 100000;
	pacing_look(&p, 5130000, 130000);
	assert_int_equal(p.rate, 1000000);
	/* One in which a window closes: a part of it is before that. */
	clock_ns += 1000;
	pacing_close(&p, 6000000, 1000000);
	clock_ns += 100000;
	pacing_look(&p, 10290000, 290000);
	assert_int_equal(p.rate, 1000000 - 1000000 / 1024);
}

static void the_timer_comes_before_the_window(void **state)
{
	struct pacing p;
	uint64_t ns;

	(void)state;
	begin_timed(&p, 6);
	pacing_next(&p);
	p.start = 2000000;
	/* A million accesses in a millisecond: two are left. */
	clock_ns += 1000000;
	pacing_look(&p, 1000000, 1000000);
	ns = pacing_wait(&p, 1000000, true);
	assert_true(ns > 500000 && ns < 1000000);
	assert_true(pacing_wait(&p, 1000000, false) < ns);
	assert_false(pacing_is_near(&p, 1000000));
	assert_true(pacing_is_near(&p, 1999000));
	/* Never longer than threads may be silent. */
	p.start = UINT64_MAX / 8;
	assert_true(pacing_wait(&p, 1000000, true) <= COLLECT_REPORT_NS + 1000000);
}

/* Its 3 ms are not taken for the way of a call: windows would be missed for as long. */
static void another_programs_turn_is_not_waited_for_again(void **state)
{
	struct pacing p;
	uint64_t asked;

	(void)state;
	begin_timed(&p, 7);
	pacing_next(&p);
	p.start = 2000000;
	asked = pacing_wait(&p, 0, true);
	clock_ns += asked + 3000000;
	pacing_look(&p, 1000, 1000);
	assert_true(pacing_wait(&p, p.start - 1, true) < 20000);
	/* A slow way is. */
	asked = pacing_wait(&p, p.start - 1, true);
	clock_ns += asked + 60000;
	pacing_look(&p, 2000, 2000);
	assert_true(pacing_wait(&p, p.start - 1, true) > 30000);
}

/*
 * Traced, a call's way takes 2 ms, whatever was asked for: were it always as little, nothing would
 * go on.
 */
static void calls_that_leave_no_time_come_later(void **state)
{
	struct pacing p;
	uint64_t asked = 0, total = 0;
	int calls;

	(void)state;
	begin_timed(&p, 8);
	pacing_next(&p);
	p.start = 200000000;
	for (calls = 0; total == 0 && calls < 20; calls++) {
		asked = pacing_wait(&p, p.start - 1, true);
		clock_ns += asked > 2000000 ? asked : 2000000;
		total = asked > 2000000 ? 5000 : 0;
		pacing_look(&p, total, total);
	}
	assert_int_equal(total, 5000);
	assert_true(calls < 12);
	/* And then as soon as ever. */
	assert_true(pacing_wait(&p, p.start - 1, true) < 20000);
}

/*
 * Windows lie close together: each look behind one finds nothing new, and none is waited for the
 * longer.
 */
static void a_window_that_has_just_closed_delays_nothing(void **state)
{
	struct pacing p;
	uint64_t total = 0;

	(void)state;
	begin_timed(&p, 10);
	for (int i = 0; i < 30; i++) {
		pacing_next(&p);
		total += 60000;
		clock_ns += 100000;
		pacing_close(&p, total, total);
		clock_ns += 20000;
		pacing_look(&p, total, total);
	}
	p.start = total + 60000;
	assert_true(pacing_wait(&p, total, true) < 100000);
}

/* Short runs are nearly all windows, with nothing between them to tell what counting takes. */
static void a_budget_leaves_room_to_see_what_counting_takes(void **state)
{
	struct pacing p;

	(void)state;
	for (uint32_t ppm = 0; ppm <= 50000; ppm += 50000) {
		configure();
		engine.config.overhead_ppm = ppm;
		pacing_start(&p, 9);
		pacing_next(&p);
		assert_true(p.period_end < 500000);
		pacing_close(&p, p.end, p.end);
		pacing_next(&p);
		assert_int_equal(p.period_end - p.period_start > 900000, ppm > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_period_has_a_window),
		cmocka_unit_test(long_runs_have_as_many_windows_in_each_doubling),
		cmocka_unit_test(windows_grow_with_the_run),
		cmocka_unit_test(short_runs_lie_in_windows),
		cmocka_unit_test(processes_share_the_runs_first_accesses),
		cmocka_unit_test(windows_have_as_many_samples),
		cmocka_unit_test(a_late_window_is_as_long),
		cmocka_unit_test(a_missed_window_leaves_its_period_to_the_next),
		cmocka_unit_test(a_window_without_room_leaves_its_period_to_the_next),
		cmocka_unit_test(no_window_stands_for_a_pause),
		cmocka_unit_test(as_many_are_chosen_as_it_takes),
		cmocka_unit_test(a_window_opens_late_while_half_of_it_is_left),
		cmocka_unit_test(a_count_that_was_none_is_no_rate),
		cmocka_unit_test(a_burst_of_speed_is_remembered_for_many_windows),
		cmocka_unit_test(a_string_instruction_is_no_burst_of_speed),
		cmocka_unit_test(the_timer_comes_before_the_window),
		cmocka_unit_test(another_programs_turn_is_not_waited_for_again),
		cmocka_unit_test(calls_that_leave_no_time_come_later),
		cmocka_unit_test(a_window_that_has_just_closed_delays_nothing),
		cmocka_unit_test(a_budget_leaves_room_to_see_what_counting_takes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
