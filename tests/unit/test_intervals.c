/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ordered list of pieces of the address space, against an array that is searched linearly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/core/intervals.h"

#define PLACES 4000u
#define MOST   3000u

struct piece {
	uint64_t start, end, value;
};

static struct intervals list;
static struct piece naive[PLACES]; /* by start / 16; end 0: none begins there */

static struct piece *naive_after(uint64_t address)
{
	for (uint32_t i = 0; i < PLACES; i++)
		if (naive[i].end > address)
			return &naive[i];
	return NULL;
}

static void same_after(uint64_t address)
{
	const struct piece *found = intervals_after(&list, address), *wanted = naive_after(address);

	assert_int_equal(found != NULL, wanted != NULL);
	if (found)
		assert_memory_equal(found, wanted, sizeof *found);
}

static void add(uint32_t place, uint64_t value)
{
	const struct piece p = {place * 16, place * 16 + 8, value};

	assert_true(intervals_insert(&list, &p));
	naive[place] = p;
}

static void drop(uint32_t place)
{
	struct piece *p = intervals_after(&list, place * 16);

	assert_int_equal(p->start, place * 16);
	intervals_remove(&list, p);
	naive[place].end = 0;
}

static void empty(void)
{
	memset(naive, 0, sizeof naive);
	assert_int_equal(intervals_init(&list, sizeof(struct piece), MOST), 0);
}

static void test_any_order_is_found_in_order(void **state)
{
	(void)state;
	empty();
	srand(1);
	for (uint32_t step = 0; step < 60000; step++) {
		uint32_t place = (uint32_t)rand() % PLACES, count = step / 1000 % 3;

		/* More come than go, then as many, then fewer. */
		if (!naive[place].end && (uint32_t)rand() % 3 >= count)
			add(place, step);
		else if (naive[place].end && (uint32_t)rand() % 3 <= count)
			drop(place);
		same_after((uint64_t)rand() % (PLACES * 16));
	}
}

static void test_lists_of_one_end_after_the_other(void **state)
{
	(void)state;
	empty();
	for (uint32_t i = 0; i < MOST; i++)
		add(MOST - 1 - i, i);
	for (uint32_t i = 0; i < MOST; i += 7)
		same_after(i * 16);
	for (uint32_t i = 0; i < MOST; i++)
		drop(i % 2 ? i / 2 : MOST - 1 - i / 2);
	assert_null(intervals_after(&list, 0));
	assert_int_equal(list.chunk_count, 0);
}

static void test_chunks_stay_few(void **state)
{
	(void)state;
	empty();
	for (uint32_t round = 0; round < 20; round++) {
		for (uint32_t i = 0; i < MOST; i++)
			if (!naive[i].end)
				add(i, round);
		for (uint32_t i = 0; i < MOST; i++)
			if (i % 64 != round)
				drop(i);
	}
	/* Some 47 pieces are left; each two neighbours have more than 32. */
	assert_true(list.chunk_count <= 3);
}

static void test_ends_move(void **state)
{
	struct piece *p;

	(void)state;
	empty();
	for (uint32_t i = 0; i < 300; i++)
		add(i, i);
	for (uint32_t i = 0; i < 300; i++) {
		p = intervals_after(&list, i * 16);
		naive[i].end = i * 16 + (i % 2 ? 16 : 1);
		intervals_set_end(&list, p, naive[i].end);
	}
	for (uint32_t a = 0; a < 300 * 16; a++)
		same_after(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_order_is_found_in_order),
		cmocka_unit_test(test_lists_of_one_end_after_the_other),
		cmocka_unit_test(test_chunks_stay_few),
		cmocka_unit_test(test_ends_move),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
