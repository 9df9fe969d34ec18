/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The share of a program's lines that are ever touched, estimated from pages with known use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/sample/page_use.h"
#include "engine/sample/footprint.h"
#include "engine/core/state.h"
#include "engine/core/util.h"

#define PAGES	  512u
#define LOG2_LINE 6u
#define SHARE_OF(shares, bytes) (shares[__builtin_ctz(bytes) - NESTED_FIRST] / 65535.0)

struct engine engine;
static uint64_t (*memory)[PAGE / 8]; /* PAGES of them */
static uint32_t held;		     /* of these, from the first on */
static bool of_data;		     /* all of them are of a file, full of other things than zeros */

void lock_take(uint32_t *lock)
{
	(*lock)++;
}

void lock_drop(uint32_t *lock)
{
	(*lock)--;
}

long engine_copy(void *to, const void *from, size_t n)
{
	memcpy(to, from, n);
	return 0;
}

long engine_peek(uint64_t *to, const void *from)
{
	if (from == NULL)
		return -1;
	memcpy(to, from, 8);
	return 0;
}

uint64_t footprint_count(uint64_t stack_pointer, struct page_choice choice)
{
	for (uint32_t i = 0; i < held; i++) {
		if (choice.skip-- > 0)
			continue;
		choice.skip = choice.every - 1;
		page_use_look(choice.use, (uint64_t)memory[i], of_data ? PAGE_OF_DATA : PAGE_FRESH);
	}
	return held;
}

uint64_t footprint_patience(void)
{
	return 1;
}

bool footprint_is_data(uint64_t address)
{
	(void)address;
	return of_data;
}

/* Arrivals at the first lines of all pages in turn, in `windows` windows: each for 1000 of the run. */
static void arrive(struct page_use *u, uint32_t windows, uint64_t offset)
{
	u->each_for = 10;
	for (uint32_t w = 0; w < windows; w++) {
		for (uint32_t i = 0; i < PAGE_USE_NOTES; i++)
			page_use_note(u, (uint64_t)memory[(w * PAGE_USE_NOTES + i) % held] + offset,
				      100, 0);
		page_use_check(u);
	}
}

/* Every page holds something in the 16 bytes that begin at each multiple of 256. */
static struct page_use *look(struct thread *t)
{
	struct page_use *u = calloc(1, sizeof(*u));

	held = PAGES;
	for (uint32_t i = 0; i < PAGES; i++)
		for (uint32_t k = 0; k < PAGE / 8; k++)
			memory[i][k] = k % 32 < 2 ? i + 1 : 0;
	/* Looked at the second time, when it is known how many there are. */
	page_use_count(u, t, 1000);
	page_use_count(u, t, 2000);
	assert_int_equal(u->held, PAGES);
	return u;
}

static void test_lines_that_hold_something_are_touched(void **state)
{
	static struct thread t = {.rng = 1};
	uint16_t shares[CHANNEL_LINE_USES];
	struct page_use *u = look(&t);

	page_use_shares(u, LOG2_LINE, shares);
	assert_int_equal(shares[4], 0); /* who arrives was not asked yet */
	arrive(u, 32, 0);
	assert_int_equal(page_use_end(u, &t), PAGES);
	page_use_shares(u, LOG2_LINE, shares);
	/* Half of each small word is 0, the upper one. */
	assert_float_equal(SHARE_OF(shares, 4), 1 / 32.0, 1e-4);
	assert_float_equal(SHARE_OF(shares, 8), 1 / 16.0, 1e-4);
	assert_float_equal(SHARE_OF(shares, 16), 1 / 16.0, 1e-4);
	assert_float_equal(SHARE_OF(shares, 32), 1 / 8.0, 1e-4);
	assert_float_equal(SHARE_OF(shares, 64), 1 / 4.0, 1e-4);
	assert_float_equal(SHARE_OF(shares, 128), 1 / 2.0, 1e-4);
	assert_float_equal(SHARE_OF(shares, 256), 1, 1e-4);
	assert_float_equal(SHARE_OF(shares, 4096), 1, 1e-4);
	free(u);
}

/* Each arrival speaks for 1000, so 32 windows of 32 for more than the 24576 empty lines of 64 bytes. */
static void test_where_zeros_are_touched_all_lines_are(void **state)
{
	static struct thread t = {.rng = 1};
	uint16_t shares[CHANNEL_LINE_USES];
	struct page_use *u = look(&t);

	arrive(u, 32, 64);
	page_use_shares(u, LOG2_LINE, shares);
	assert_float_equal(SHARE_OF(shares, 64), 1, 1e-4);
	assert_float_equal(SHARE_OF(shares, 32), 1, 1e-4);
	/* Around 64 bytes further on, the 128 bytes are not empty: no one came to those that are. */
	assert_float_equal(SHARE_OF(shares, 128), 1 / 2.0, 1e-4);
	free(u);
}

/* All that come to empty lines come to one page, again and again: its 48 empty lines, no more. */
static void test_zeros_touched_often_in_a_page_are_its_lines(void **state)
{
	static struct thread t = {.rng = 1};
	uint16_t shares[CHANNEL_LINE_USES];
	struct page_use *u = look(&t);

	arrive(u, 32, 0);
	u->each_for = 10;
	for (uint32_t i = 0; i < 200; i++) {
		page_use_note(u, (uint64_t)memory[7] + 64, 100, 0);
		page_use_check(u);
	}
	page_use_shares(u, LOG2_LINE, shares);
	assert_int_equal(u->one_in_log2, 0);
	assert_float_equal(SHARE_OF(shares, 64), 1 / 4.0 + 48.0 / (64 * PAGES), 1e-3);
	free(u);
}

static void test_memory_given_back_says_nothing_of_what_was_held(void **state)
{
	static struct thread t = {.rng = 1};
	uint16_t shares[CHANNEL_LINE_USES];
	struct page_use *u = look(&t);

	arrive(u, 32, 0);
	memset(memory, 1, 16 * PAGE);
	held = 16;
	assert_int_equal(page_use_end(u, &t), 16);
	page_use_shares(u, LOG2_LINE, shares);
	assert_float_equal(SHARE_OF(shares, 64), 1 / 4.0, 1e-3);
	free(u);
}

static void test_a_page_of_a_file_is_touched_whole(void **state)
{
	struct page_lines u = {0};

	page_use_look(&u, 0, PAGE_OF_FILE);
	for (uint32_t i = 0; i < NESTED_SIZES; i++)
		assert_int_equal(u.lines[i], PAGE >> (NESTED_FIRST + i));
}

/* 32 windows, each with arrivals in other pages: all pages may be touched, whatever they hold. In one page, that one is. */
static void test_arrivals_tell_of_footprint_is_data(void **state)
{
	static struct thread t = {.rng = 1};
	uint16_t shares[CHANNEL_LINE_USES];
	struct page_use *u;

	of_data = true;
	u = look(&t);
	arrive(u, 32, 64);
	page_use_shares(u, LOG2_LINE, shares);
	assert_float_equal(SHARE_OF(shares, 64), 1, 1e-4);
	free(u);
	u = look(&t);
	u->each_for = 10;
	for (uint32_t i = 0; i < 400; i++) {
		page_use_note(u, (uint64_t)memory[7], 100, 0);
		page_use_note(u, (uint64_t)memory[7] + 128, 100, 0);
		page_use_check(u);
	}
	page_use_shares(u, LOG2_LINE, shares);
	assert_float_equal(SHARE_OF(shares, 64), 1.0 / PAGES, 1e-3);
	of_data = false;
	free(u);
}

/* Two arrivals in every other page, both in one window: no page was seen again, so most of them may be unseen. */
static void test_arrivals_of_a_window_count_once_in_a_page_of_data(void **state)
{
	static struct thread t = {.rng = 1};
	uint16_t shares[CHANNEL_LINE_USES];
	struct page_use *u;

	of_data = true;
	u = look(&t);
	u->each_for = 1;
	for (uint32_t i = 0; i < PAGES; i += 2) {
		page_use_note(u, (uint64_t)memory[i], 100, 0);
		page_use_note(u, (uint64_t)memory[i] + 128, 100, 0);
		if (i % 16 == 14)
			page_use_check(u);
	}
	page_use_shares(u, LOG2_LINE, shares);
	assert_float_equal(SHARE_OF(shares, 64), 1, 1e-4);
	of_data = false;
	free(u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_that_hold_something_are_touched),
		cmocka_unit_test(test_where_zeros_are_touched_all_lines_are),
		cmocka_unit_test(test_zeros_touched_often_in_a_page_are_its_lines),
		cmocka_unit_test(test_memory_given_back_says_nothing_of_what_was_held),
		cmocka_unit_test(test_a_page_of_a_file_is_touched_whole),
		cmocka_unit_test(test_arrivals_tell_of_footprint_is_data),
		cmocka_unit_test(test_arrivals_of_a_window_count_once_in_a_page_of_data),
	};

	memory = aligned_alloc(PAGE, PAGES * PAGE);
	return memory == NULL ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
