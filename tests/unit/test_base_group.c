/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums by key: each key once, in the order of its first item. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/group.h"

struct item {
	uint32_t first, second; /* the key */
	uint64_t sum, number;
};

static void add(void *to, const void *more)
{
	((struct item *)to)->sum += ((const struct item *)more)->sum;
}

static const struct group_type type = {sizeof(struct item), offsetof(struct item, sum), add};

static void equal_keys_are_added_up_in_the_order_of_their_first(void **state)
{
	struct item items[] = {
		{1, 2, 10, 0}, {2, 1, 20, 1}, {1, 2, 5, 2}, {1, 3, 1, 3}, {2, 1, 7, 4}};
	size_t count = 5;

	(void)state;
	assert_int_equal(group_sum(&type, items, &count), 0);
	assert_int_equal(count, 3);
	assert_int_equal(items[0].sum, 15);
	assert_int_equal(items[1].sum, 27);
	assert_int_equal(items[2].sum, 1);
	/* What is no key and no sum is the first item's. */
	assert_int_equal(items[2].number, 3);
}

/* Items i have key i mod 1000, 50 each; sums of 1. */
static void many_items_are_all_counted(void **state)
{
	static struct item items[50000];
	size_t count = 50000;

	(void)state;
	for (size_t i = 0; i < count; i++)
		items[i] = (struct item){(uint32_t)(i % 1000), 0, 1, i};
	assert_int_equal(group_sum(&type, items, &count), 0);
	assert_int_equal(count, 1000);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(items[i].first, i);
		assert_int_equal(items[i].sum, 50);
	}
}

static void nothing_is_no_group(void **state)
{
	size_t count = 0;

	(void)state;
	assert_int_equal(group_sum(&type, NULL, &count), 0);
	assert_int_equal(count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_keys_are_added_up_in_the_order_of_their_first),
		cmocka_unit_test(many_items_are_all_counted),
		cmocka_unit_test(nothing_is_no_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
