/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sorting by a number: order, stability, and the limits of the range. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/search.h"
#include "base/sort.h"

#define COUNT 10000

static void check(const struct sort_item *items, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		assert_true(items[i - 1].key <= items[i].key);
		if (items[i - 1].key == items[i].key)
			assert_true(items[i - 1].index < items[i].index);
	}
}

/* Keys that differ in few bytes, in all, and not at all: an odd and an even number of passes. */
static void items_come_in_order_and_equals_stay_in_theirs(void **state)
{
	static const uint64_t masks[] = {0, 0xff, 0x3ff, 0xffff00, 0xff000000000000ff, UINT64_MAX};
	static struct sort_item items[COUNT];
	static unsigned char seen[COUNT];
	uint64_t random = 1;

	(void)state;
	for (size_t m = 0; m < sizeof(masks) / sizeof(masks[0]); m++) {
		for (size_t i = 0; i < COUNT; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			items[i] = (struct sort_item){(random ^ random >> 29) & masks[m], i};
		}
		assert_int_equal(sort_by_key(items, COUNT), 0);
		check(items, COUNT);
		for (size_t i = 0; i < COUNT; i++)
			seen[items[i].index]++;
		for (size_t i = 0; i < COUNT; i++)
			assert_int_equal(seen[i], m + 1);
	}
}

static void few_items_are_sorted_too(void **state)
{
	struct sort_item items[] = {{UINT64_MAX, 0}, {0, 1}};

	(void)state;
	assert_int_equal(sort_by_key(NULL, 0), 0);
	assert_int_equal(sort_by_key(items, 1), 0);
	assert_int_equal(sort_by_key(items, 2), 0);
	assert_int_equal(items[0].index, 1);
	assert_int_equal(items[1].index, 0);
}

static void numbers_come_in_order_of_their_upper_halves(void **state)
{
	static const uint64_t masks[] = {0, 0xff, 0x3ff, 0xff0000, UINT32_MAX};
	static uint64_t numbers[COUNT];
	uint64_t random = 1;

	(void)state;
	for (size_t m = 0; m < sizeof(masks) / sizeof(masks[0]); m++) {
		for (size_t i = 0; i < COUNT; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			numbers[i] = (random >> 32 & masks[m]) << 32 | i;
		}
		assert_int_equal(sort_by_upper_half(numbers, COUNT), 0);
		/* Those that are equal are still in the order of the lower halves. */
		for (size_t i = 1; i < COUNT; i++)
			assert_true(numbers[i - 1] < numbers[i]);
	}
	assert_int_equal(sort_by_upper_half(NULL, 0), 0);
}

/* Even numbers from 0 on: of each array of up to 70, what is in it, between, and behind. */
static void a_search_finds_the_first_that_holds(void **state)
{
	static size_t items[70];

	(void)state;
	for (size_t i = 0; i < 70; i++)
		items[i] = 2 * i;
	for (size_t n = 0; n <= 70; n++)
		for (size_t wanted = 0; wanted < 2 * n + 2; wanted++) {
			const size_t half = (wanted + 1) / 2;
			const size_t first = half < n ? half : n;
			const bool is_there = wanted % 2 == 0 && half < n;

			assert_int_equal(SEARCH_FIRST(i, n, items[i] >= wanted), first);
			assert_int_equal(SEARCH_MATCH(i, n, SEARCH_ORDER(items[i], wanted)),
					 is_there ? first : n);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_come_in_order_and_equals_stay_in_theirs),
		cmocka_unit_test(few_items_are_sorted_too),
		cmocka_unit_test(numbers_come_in_order_of_their_upper_halves),
		cmocka_unit_test(a_search_finds_the_first_that_holds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
