/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shares of threads in a window: what each owes, and what becomes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/core/lock.h"
#include "engine/core/random.h"
#include "engine/core/util.h"
#include "engine/sample/shares.h"

#define WINDOW 500000u
#define PERIOD 5000000u

/* What the file wants of the engine. */
struct engine engine;

void lock_take(uint32_t *lock)
{
	assert_int_equal(*lock, 0);
	*lock = 1;
}

void lock_drop(uint32_t *lock)
{
	*lock = 0;
}

static struct process process;
static struct thread threads[3];
static struct shares shares;
static const struct pacing plan = {.end = WINDOW, .period_end = PERIOD}, no_plan;

static int begin(void **state)
{
	(void)state;
	memset(&engine, 0, sizeof(engine));
	memset(threads, 0, sizeof(threads));
	shares = (struct shares){0};
	for (int i = 0; i < 2; i++) {
		threads[i].process = &process;
		threads[i].next_thread = i < 1 ? &threads[i + 1] : NULL;
		shares_thread_start(&shares, &threads[i]);
	}
	engine.threads = threads;
	shares_settle(&shares, &process, &no_plan);
	threads[0].has_had = threads[1].has_had = true; /* a share */
	return 0;
}

static void make(int i, uint64_t accesses)
{
	threads[i].published.accesses += accesses;
}

static bool opens(void)
{
	return shares_divide(&shares, &process, &plan);
}

static void each_gets_the_same_part_of_what_it_made(void **state)
{
	(void)state;
	make(0, 4000000);
	make(1, 1000000);
	assert_true(opens());
	assert_int_equal(threads[0].share, 400000);
	assert_int_equal(threads[1].share, 100000);
	shares_take(&shares, &threads[1], 100000);
	assert_true(threads[1].unsampled);
	assert_false(shares_are_taken(&shares));
	shares_take(&shares, &threads[0], 400000);
	assert_true(shares_are_taken(&shares));
	assert_int_equal(shares_stand_for(&shares), 5000000);
}

static void what_a_window_did_not_take_is_owed_in_the_next(void **state)
{
	(void)state;
	make(0, 4000000);
	make(1, 1000000);
	assert_true(opens());
	shares_take(&shares, &threads[0], 150000); /* and the window is cut off */
	shares_close(&shares, &process);
	make(0, 1000000);
	assert_true(opens());
	assert_int_equal(threads[0].share, 350000);
	assert_int_equal(threads[1].share, 100000);
}

/* A tenth of 300,000 accesses is less than watches need. */
static void a_share_too_small_for_watches_is_owed(void **state)
{
	(void)state;
	make(0, 4000000);
	make(1, 300000);
	assert_true(opens());
	assert_int_equal(threads[1].share, 0);
	assert_true(threads[1].unsampled);
	shares_take(&shares, &threads[0], 400000);
	assert_true(shares_are_taken(&shares));
	shares_close(&shares, &process);
	make(1, 300000);
	assert_true(opens());
	assert_int_equal(threads[0].share, 0);
	assert_int_equal(threads[1].share, 60000);
}

static void nobody_owes_enough_for_a_window(void **state)
{
	(void)state;
	make(0, 300000);
	assert_false(opens());
	assert_false(shares_are_given(&shares));
	assert_false(threads[0].unsampled);
}

static void one_who_does_not_come_is_waited_for_once(void **state)
{
	(void)state;
	make(0, 2000000);
	make(1, 2000000);
	assert_true(opens());
	shares_take(&shares, &threads[0], 200000);
	assert_false(shares_are_taken(&shares));
	shares_close(&shares, &process);
	make(0, 2000000);
	assert_true(opens());
	assert_int_equal(threads[1].share, 200000);
	shares_take(&shares, &threads[0], 200000);
	assert_true(shares_are_taken(&shares));
}

static void one_who_comes_late_is_waited_for_then(void **state)
{
	(void)state;
	one_who_does_not_come_is_waited_for_once(state);
	shares_close(&shares, &process);
	make(0, 2000000);
	assert_true(opens());
	shares_take(&shares, &threads[1], 50000);
	shares_take(&shares, &threads[0], 200000);
	assert_false(shares_are_taken(&shares));
	shares_take(&shares, &threads[1], 150000);
	assert_true(shares_are_taken(&shares));
}

static void the_next_thread_owes_what_one_that_ended_did(void **state)
{
	(void)state;
	make(0, 2000000);
	make(1, 1500000);
	threads[1].has_had = false;
	shares_thread_end(&shares, &threads[1]);
	threads[2] = (struct thread){.process = &process};
	shares_thread_start(&shares, &threads[2]);
	threads[0].next_thread = &threads[2];
	make(2, 100000);
	assert_true(opens());
	assert_int_equal(threads[0].share, 200000);
	assert_int_equal(threads[2].share, 170000); /* of 1,500,000 and twice its own */
	assert_int_equal(shares.left_over, 0);
	/* it ends early, too: another one takes the rest of the share in the same window */
	shares_take(&shares, &threads[2], 70000);
	make(2, 70000);
	shares_thread_end(&shares, &threads[2]);
	threads[1] = (struct thread){.process = &process};
	shares_thread_start(&shares, &threads[1]);
	assert_int_equal(threads[1].share, 100000);
}

static void all_owe_what_others_left_over_if_none_begins(void **state)
{
	(void)state;
	make(0, 2000000);
	make(1, 1000000);
	shares.left_over = 600000;
	assert_true(opens());
	assert_int_equal(threads[0].share, 240000);
	assert_int_equal(threads[1].share, 120000);
	assert_int_equal(shares.left_over, 0);
}

/*
 * Lives of any length, with windows at random places: shares are a tenth of what threads make,
 * though nobody speaks for the last ones.
 */
static void first_shares_make_up_for_what_is_owed_at_the_end(void **state)
{
	uint64_t made = 0, taken = 0, rng = 1;

	(void)state;
	engine.threads = threads;
	threads[0].next_thread = NULL;
	for (int life = 0; life < 2000; life++) {
		uint64_t at = random_next(&rng) % PERIOD,
			 end = 9 * PERIOD + random_next(&rng) % PERIOD;

		threads[0] = (struct thread){.process = &process};
		shares_settle(&shares, &process, &plan);
		made += end - at;
		for (uint64_t period = 0; period < 10; period++) {
			uint64_t place = period * PERIOD + random_next(&rng) % PERIOD;

			if (place <= at || place >= end)
				continue;
			make(0, place - at);
			at = place;
			if (!opens())
				continue;
			taken += threads[0].share;
			shares_take(&shares, &threads[0], threads[0].share);
			shares_close(&shares, &process);
		}
	}
	assert_in_range(taken, made / 10 * 98 / 100, made / 10 * 102 / 100);
}

static void a_window_for_all_settles_all(void **state)
{
	(void)state;
	make(0, 2000000);
	make(1, 1500000);
	shares_thread_end(&shares, &threads[1]);
	threads[0].next_thread = NULL;
	shares_settle(&shares, &process, &no_plan);
	assert_int_equal(shares.left_over, 0);
	make(0, 1000000);
	assert_true(opens());
	assert_int_equal(threads[0].share, 200000); /* the first one is of twice as much */
}

/* Alike threads, of which each one needs many periods for a share. */
static void alike_threads_get_shares_in_turn(void **state)
{
	enum { THREADS = 100, WINDOWS = 1000 };
	static struct thread many[THREADS];
	uint64_t taken = 0, most = 0;

	(void)state;
	for (int i = 0; i < THREADS; i++)
		many[i] = (struct thread){.process = &process,
					  .next_thread = i + 1 < THREADS ? &many[i + 1] : NULL};
	engine.threads = many;
	shares_settle(&shares, &process, &plan);
	for (int k = 0; k < WINDOWS; k++) {
		for (int i = 0; i < THREADS; i++)
			many[i].published.accesses += PERIOD / THREADS;
		if (!opens())
			continue;
		for (int i = 0; i < THREADS; i++)
			if (many[i].share)
				shares_take(&shares, &many[i], many[i].share);
		most = shares.taken > most ? shares.taken : most;
		taken += shares.taken;
		shares_close(&shares, &process);
	}
	assert_true(most < 3 * WINDOW);
	assert_in_range(taken, (WINDOWS - 10) * (uint64_t)WINDOW,
			(WINDOWS + 10) * (uint64_t)WINDOW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_gets_the_same_part_of_what_it_made, begin),
		cmocka_unit_test_setup(what_a_window_did_not_take_is_owed_in_the_next, begin),
		cmocka_unit_test_setup(a_share_too_small_for_watches_is_owed, begin),
		cmocka_unit_test_setup(nobody_owes_enough_for_a_window, begin),
		cmocka_unit_test_setup(one_who_does_not_come_is_waited_for_once, begin),
		cmocka_unit_test_setup(one_who_comes_late_is_waited_for_then, begin),
		cmocka_unit_test_setup(the_next_thread_owes_what_one_that_ended_did, begin),
		cmocka_unit_test_setup(all_owe_what_others_left_over_if_none_begins, begin),
		cmocka_unit_test_setup(first_shares_make_up_for_what_is_owed_at_the_end, begin),
		cmocka_unit_test_setup(a_window_for_all_settles_all, begin),
		cmocka_unit_test_setup(alike_threads_get_shares_in_turn, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
