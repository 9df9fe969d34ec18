/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counter register of the stream variant, and C code that reads it. */
#include "engine/core/lanes.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

uint8_t engine_vector_counter;

static uint64_t buffer[16];

static struct thread thread_in(enum code_variant_id variant)
{
	return (struct thread){.variant = variant,
			       .buf = buffer + 2,
			       .counters = {1ull << 40, 3ull << 33, 5ull << 32, 7ull << 40}};
}

/* What three segments with 4 entries in all do: 2 loads, 1 store, 1 modified; 9 instructions. */
static void run(struct thread *t)
{
	uint64_t *lane = &t->counters.accesses;

	lane[0] += 8 * (4 + 3);
	lane[1] += 4;
	lane[2] += 2 | 1ull << 32;
	lane[3] += 9;
}

static void a_stay_in_the_cache_adds_up(void **state)
{
	struct thread t = thread_in(VARIANT_STREAM);

	(void)state;
	engine_vector_counter = COUNTER_YMM31;
	for (uint64_t stays = 1; stays < 3; stays++) {
		t.buf = buffer + 2;
		lanes_write(&t);
		assert_true(t.in_lanes);
		run(&t);
		lanes_read(&t);
		assert_false(t.in_lanes);
		assert_ptr_equal(t.buf, buffer + 9);
		assert_int_equal(t.counters.accesses, (1ull << 40) + 4 * stays);
		assert_int_equal(t.counters.loads, (3ull << 33) + 2 * stays);
		assert_int_equal(t.counters.stores, (5ull << 32) + stays);
		assert_int_equal(t.counters.instructions, (7ull << 40) + 9 * stays);
	}
}

static void reading_twice_changes_nothing(void **state)
{
	struct thread t = thread_in(VARIANT_STREAM), once;

	(void)state;
	engine_vector_counter = COUNTER_YMM31;
	lanes_write(&t);
	run(&t);
	lanes_read(&t);
	once = t;
	lanes_read(&t);
	assert_memory_equal(&t, &once, sizeof t);
}

static void a_cut_buffer_stays_cut(void **state)
{
	struct thread t = thread_in(VARIANT_STREAM);

	(void)state;
	engine_vector_counter = COUNTER_YMM31;
	lanes_write(&t);
	run(&t);
	t.cut = buffer + 5;
	lanes_read(&t);
	assert_ptr_equal(t.buf, buffer + 5);
	lanes_write(&t);
	lanes_read(&t); /* once only */
	assert_ptr_equal(t.buf, buffer + 5);
	assert_null(t.cut);
}

static void others_are_left_alone(void **state)
{
	struct thread count = thread_in(VARIANT_COUNT), as = count;

	(void)state;
	engine_vector_counter = COUNTER_YMM31;
	lanes_write(&count);
	assert_memory_equal(&count, &as, sizeof count);
}

static void check_clock_and_counts(uint8_t counter)
{
	struct thread t = thread_in(VARIANT_FILTER);
	uint64_t *lane = &t.counters.accesses;

	engine_vector_counter = counter;
	t.clock = 100;
	for (uint64_t stays = 1; stays < 3; stays++) {
		lanes_write(&t);
		assert_true(lane[0] == t.clock && lane[1] == t.clock + 1);
		/*
		 * A segment of 2 loads, 1 store and 1 modified, of 9 instructions; the clock moves
		 * on twice.
		 */
		lane[0] += 4;
		lane[1] += 4;
		lane[2] += 2 | 1ull << 32;
		lane[3] += 9 | 1ull << LANES_MODIFIES;
		lanes_read(&t);
		assert_true(t.clock == 100 + 4 * stays);
		assert_true(t.counters.accesses == (1ull << 40) + 4 * stays);
		assert_true(t.counters.loads == (3ull << 33) + 2 * stays);
		assert_true(t.counters.stores == (5ull << 32) + stays);
		assert_true(t.counters.instructions == (7ull << 40) + 9 * stays);
	}
}

static void the_filter_variant_keeps_a_clock_and_counts(void **state)
{
	(void)state;
	check_clock_and_counts(COUNTER_YMM31);
	check_clock_and_counts(COUNTER_SSE);
}

/* In both variants; what is taken back first goes below zero. */
static void packed_counts_add_up(void **state)
{
	uint64_t segment[4] = {4, 2, 1, 9}, back[4] = {-3ull, -2ull, -1ull, -7ull};

	(void)state;
	engine_vector_counter = COUNTER_XMM15;
	lanes_pack(segment);
	lanes_pack(back);
	assert_true(segment[0] == (2 | 1ull << 32) && segment[1] == (9 | 1ull << LANES_MODIFIES));
	for (enum code_variant_id variant = VARIANT_COUNT; variant <= VARIANT_STREAM; variant++) {
		struct thread t = thread_in(variant);
		uint64_t *lane = &t.counters.accesses;

		for (uint64_t stays = 1; stays < 3; stays++) {
			lanes_write(&t);
			assert_true(t.is_packed && !t.in_lanes);
			lane[0] += back[0];
			lane[1] += back[1];
			assert_true(lanes_unpacked(&t.counters).accesses == -3ull);
			assert_true(lanes_unpacked(&t.counters).instructions == -7ull);
			for (int i = 0; i < 1000; i++) {
				lane[0] += segment[0];
				lane[1] += segment[1];
			}
			lanes_read(&t);
			lanes_read(&t); /* once only */
			assert_ptr_equal(t.buf, buffer + 2);
			assert_true(t.counters.accesses == (1ull << 40) + 3997 * stays);
			assert_true(t.counters.loads == (3ull << 33) + 1998 * stays);
			assert_true(t.counters.stores == (5ull << 32) + 999 * stays);
			assert_true(t.counters.instructions == (7ull << 40) + 8993 * stays);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stay_in_the_cache_adds_up),
		cmocka_unit_test(reading_twice_changes_nothing),
		cmocka_unit_test(a_cut_buffer_stays_cut),
		cmocka_unit_test(others_are_left_alone),
		cmocka_unit_test(the_filter_variant_keeps_a_clock_and_counts),
		cmocka_unit_test(packed_counts_add_up),
	};

	return cmocka_run_group_tests(tests, 0, 0);
}
