/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The placement of sampling windows in the accesses of a run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/sample/pacing.h"
#include "engine/core/records.h"
#include "engine/core/state.h"
#include "engine/core/util.h"

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
		.window_max = 100000000,
		.window_divisor = 64000,
		.duty_ppm = 100000,
		.samples_per_window = 150,
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

/* From 555 million accesses on a run has 83 more each time that it doubles. */
static void long_runs_have_as_many_windows_in_each_doubling(void **state)
{
	(void)state;
	configure();
	is_between(windows_after(8000000000u, 250000000u, 500000000u), 101, 109);
	is_between(windows_between(1000000000u, 2000000000u), 80, 86);
	is_between(windows_between(8000000000u, 16000000000u), 80, 86);
	is_between(windows_between(512000000000u, 1024000000000u), 80, 86);
	/* In proportion to what is asked for. */
	engine.config.duty_ppm = 25000;
	is_between(windows_between(8000000000u, 16000000000u), 19, 23);
}

/* Four fifths of the accesses, in windows of 50,000 at first and of 100,000 from 100 million on. */
static void short_runs_lie_in_windows(void **state)
{
	(void)state;
	configure();
	is_between(windows_between(0, 50000000u), 795, 815);
	is_between(windows_between(100000000u, 240000000u), 1110, 1130);
	/* No more so from twice that on: an eighth of it and less. */
	is_between(windows_between(480000000u, 600000000u), 70, 100);
	engine.config.duty_ppm = 25000;
	is_between(windows_between(100000000u, 240000000u), 270, 290);
}

/* A process that comes late in a run of many has the share that is its own. */
static void processes_share_the_runs_first_accesses(void **state)
{
	struct pacing first, second;
	int n = 0;

	(void)state;
	configure();
	is_between(windows_after(8000000000u, 0, 50000000u), 343, 361);
	is_between(windows_after(8000000000u, 50000000u, 200000000u), 227, 243);
	configure();
	pacing_start(&first, 1);
	pacing_start(&second, 2);
	pacing_next(&first);
	pacing_next(&second);
	for (; first.start < 240000000u; n++) {
		pacing_next(&first);
		pacing_next(&second);
	}
	/* Alone it would have 2477. */
	is_between(n, 1820, 1930);
	assert_true(run_accesses == first.period_start + second.period_start);
}

/* There are so many windows that each has fewer samples, unless so many are asked for. */
static void early_windows_have_fewer_samples(void **state)
{
	struct pacing early, late;

	(void)state;
	configure();
	engine.config.window_min = 1000000;
	pacing_start(&early, 1);
	pacing_next(&early);
	run_accesses = 8000000000u;
	pacing_start(&late, 1);
	late.period_end = late.told = 1000000000u;
	pacing_next(&late);
	assert_int_equal(early.interval, 500000 / 150 * 16 / 13);
	assert_int_equal(late.interval, 1000000 / 150);
	assert_int_equal(early.nested_one_in, 8);
	assert_int_equal(late.nested_one_in, 4);
	engine.config.sample_period = 1000;
	run_accesses = 0;
	pacing_next(&early);
	assert_int_equal(early.interval, 800);
	assert_int_equal(early.nested_one_in, 4);
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

/* Fast stretches are where windows are run over: to leave them to what follows would show slow code too often. */
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
	/* The run so far is what was sampled of it: the next period is not longer than it would have been. */
	pacing_next(&p);
	pacing_next(&before);
	assert_int_equal(p.period_end - p.period_start, before.period_end - before.period_start);
}

static void a_limit_makes_periods_grow(void **state)
{
	struct pacing p;
	uint64_t last = 0;

	(void)state;
	configure();
	engine.config.max_windows = 20;
	engine.config.window_growth_ppm = 995262; /* 10^(6/20) - 1 */
	pacing_start(&p, 5);
	for (int i = 0; i < 20; i++) {
		pacing_next(&p);
		assert_true(p.period_end - p.period_start >= last);
		last = p.period_end - p.period_start;
		pacing_close(&p, p.end, p.end);
	}
	/* (10^6 + t) grows tenfold in 20/6 windows: the last ends a million millions from the start. */
	assert_true(p.period_end > 900000000000u && p.period_end < 1100000000000u);
	pacing_next(&p);
	assert_true(p.start > UINT64_MAX / 16); /* no more */
}

/* Where windows are few the first is not missed to learn how fast a thread is, nor how late its calls are. */
static void few_windows_are_not_missed(void **state)
{
	const uint64_t a_ns = 4, late_ns = 40000;

	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct pacing p;
		uint64_t total = 0, start, ns;

		configure();
		engine.config.max_windows = 7;
		engine.config.window_growth_ppm = 3000000;
		clock_ns = 1000000000;
		pacing_start(&p, seed);
		pacing_next(&p);
		for (start = p.start; !pacing_is_near(&p, total); total += ns * a_ns) {
			ns = pacing_wait(&p, total, true) + late_ns;
			clock_ns += ns;
			pacing_look(&p, total + ns * a_ns, total + ns * a_ns);
			pacing_pass_over(&p, total + ns * a_ns);
		}
		assert_int_equal(p.start, start);
	}
}

/* Of windows that keep one in four of those chosen the next choose four times as many, not more than six. */
static void as_many_are_chosen_as_it_takes(void **state)
{
	struct pacing p;

	(void)state;
	configure();
	pacing_start(&p, 9);
	pacing_next(&p);
	assert_int_equal(p.interval, 500); /* all are kept */
	engine.config.near_one_in = 16;
	pacing_next(&p);
	assert_int_equal(p.interval, 250); /* nothing is known */
	for (int i = 0; i < 100; i++)
		pacing_saw(&p, 400, 100);
	pacing_next(&p);
	assert_in_range(p.interval, 120, 130);
	for (int i = 0; i < 100; i++)
		pacing_saw(&p, 1600, 100);
	pacing_next(&p);
	assert_in_range(p.interval, 80, 86);
	for (int i = 0; i < 100; i++)
		pacing_saw(&p, 100, 100);
	pacing_saw(&p, 0, 0); /* a window that no thread saw */
	pacing_next(&p);
	assert_in_range(p.interval, 450, 500);
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

/* However often others are looked at in between: it comes back with the next block of a file, some windows later. */
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
	assert_true(pacing_wait(&p, 1000000, true) <= PACING_REPORT_NS + 1000000);
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

/* Traced, a call's way takes 2 ms, whatever was asked for: were it always as little, nothing would go on. */
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

/* Windows lie close together: each look behind one finds nothing new, and none is waited for the longer. */
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
		cmocka_unit_test(short_runs_lie_in_windows),
		cmocka_unit_test(processes_share_the_runs_first_accesses),
		cmocka_unit_test(early_windows_have_fewer_samples),
		cmocka_unit_test(a_late_window_is_as_long),
		cmocka_unit_test(a_missed_window_leaves_its_period_to_the_next),
		cmocka_unit_test(a_window_without_room_leaves_its_period_to_the_next),
		cmocka_unit_test(no_window_stands_for_a_pause),
		cmocka_unit_test(a_limit_makes_periods_grow),
		cmocka_unit_test(few_windows_are_not_missed),
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
