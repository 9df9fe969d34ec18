/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses and blocks of accesses, which lists hold as distances: read back, and queried in SQL.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "profiles.h"
#include "scratch.h"
#include "store/store.h"

#define BASE 0x7ffe12345678u /* a sample's line, and its point */

/*
 * Near and far, below and above, in no block, at its first byte, and before it, as only nonsense
 * is.
 */
static const struct {
	uint64_t address, block;
} cases[] = {
	{BASE, 0},
	{BASE, BASE},
	{BASE + 63, BASE - 1000},
	{BASE - 8, BASE - 9},
	{BASE + 1, BASE + 2},
	{BASE + 1, BASE + 4000},
	{0x404040, 0},
	{0x404040, 0x404000},
	{BASE + 383, BASE + 1},
	{BASE + 384, BASE + 1},
	{BASE - 128, BASE},
	{BASE - 129, BASE},
	{0xffffffffff600000, 0xffffffffff600000},
	{8, 1},
	{0, 0},
};

#define CASES ((uint32_t)(sizeof(cases) / sizeof(cases[0])))

static struct store_access access_number(uint32_t i)
{
	return (struct store_access){
		.location = i,
		.address = cases[i % CASES].address,
		.size = 8,
		.kind = 1,
		.site = i,
		.block = cases[i % CASES].block,
	};
}

static struct store_sample sample_number(uint32_t i)
{
	return (struct store_sample){
		.line = BASE, .begin = access_number(i), .end = access_number(i + 1)};
}

static struct store_far far_number(uint32_t i)
{
	return (struct store_far){.position = i,
				  .end = access_number(i),
				  .begin = access_number(i + 1),
				  .of = {{.weight = 1}}};
}

/* Of all sizes, or all but the smallest. */
static struct store_stack_distance stack_number(uint32_t i)
{
	struct store_stack_distance d = {.position = i};

	for (uint32_t k = i % 2; k < STORE_STACK_SIZES; k++)
		d.of[k] = (struct store_stack){true, 1000 * i - i * k, 100 * i - i * k};
	return d;
}

static void write_profile(const char *path)
{
	struct store *s = create_profile(path);

	for (uint32_t i = 0; i < CASES; i++) {
		struct store_sample x = sample_number(i);
		struct store_far f = far_number(i);
		struct store_stack_distance d = stack_number(i);
		struct store_nested_event events[2] = {{.weight = 1, .end = access_number(i + 1)},
						       {.weight = 1, .end = access_number(i + 2)}};
		struct store_nested n = {.point = BASE,
					 .weight = 1,
					 .begin = access_number(i),
					 .event_count = 2,
					 .events = events};

		assert_int_equal(store_put_sample(s, &x, NULL), 0);
		assert_int_equal(store_put_far(s, &f, NULL), 0);
		assert_int_equal(store_put_nested(s, &n, NULL), 0);
		assert_int_equal(store_put_stack_distance(s, &d, NULL), 0);
	}
	finish_profile(s);
}

static void is_access(const struct store_access *a, uint32_t i)
{
	struct store_access expected = access_number(i);

	assert_memory_equal(a, &expected, sizeof(expected));
}

static void accesses_come_back_as_they_were(void **state)
{
	struct store_sample *samples;
	struct store_far *far;
	struct store_nested *nested;
	size_t counts[3];
	struct store *s;

	(void)state;
	write_profile("addresses.db");
	s = open_profile("addresses.db");
	assert_int_equal(store_read_samples(s, 0, &samples, &counts[0], NULL), 0);
	assert_int_equal(store_read_far(s, 0, &far, &counts[1], NULL), 0);
	assert_int_equal(store_read_nested(s, 0, &nested, &counts[2], NULL), 0);
	for (size_t k = 0; k < 3; k++)
		assert_int_equal(counts[k], CASES);
	for (uint32_t i = 0; i < CASES; i++) {
		is_access(&samples[i].begin, i);
		is_access(&samples[i].end, i + 1);
		is_access(&far[i].end, i);
		is_access(&far[i].begin, i + 1);
		is_access(&nested[i].begin, i);
		assert_int_equal(nested[i].event_count, 2);
		is_access(&nested[i].events[0].end, i + 1);
		is_access(&nested[i].events[1].end, i + 2);
	}
	free(samples);
	free(far);
	free(nested);
	store_close(s);
}

static void stack_distances_come_back_as_they_were(void **state)
{
	struct store *s = open_profile("addresses.db");
	struct store_stack_distance *d;
	size_t count;

	(void)state; /* reads the file of the test before */
	assert_int_equal(store_read_stack_distances(s, 0, &d, &count, NULL), 0);
	assert_int_equal(count, CASES);
	for (uint32_t i = 0; i < count; i++) {
		struct store_stack_distance expected = stack_number(i);

		assert_int_equal(d[i].position, i);
		for (uint32_t k = 0; k < STORE_STACK_SIZES; k++) {
			assert_int_equal(d[i].of[k].touched, expected.of[k].touched);
			assert_int_equal(d[i].of[k].distance, expected.of[k].distance);
			assert_int_equal(d[i].of[k].lines, expected.of[k].lines);
		}
	}
	free(d);
	store_close(s);
}

/* Each size that was touched again is a row. */
static void stack_distances_are_rows_for_whoever_asks_sqlite(void **state)
{
	sqlite3_stmt *q = NULL;
	uint32_t rows = 0;
	sqlite3 *db;

	(void)state; /* the same file */
	assert_int_equal(sqlite3_open("addresses.db", &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(
				 db,
				 "SELECT position, line_bytes, distance, lines FROM stack_distance"
				 " ORDER BY id, line_bytes",
				 -1, &q, NULL),
			 SQLITE_OK);
	for (uint32_t i = 0; i < CASES; i++) {
		struct store_stack_distance d = stack_number(i);

		for (uint32_t k = 0; k < STORE_STACK_SIZES; k++) {
			if (!d.of[k].touched)
				continue;
			assert_int_equal(sqlite3_step(q), SQLITE_ROW);
			assert_int_equal(sqlite3_column_int64(q, 0), i);
			assert_int_equal(sqlite3_column_int64(q, 1), 32 << k);
			assert_int_equal(sqlite3_column_int64(q, 2), d.of[k].distance);
			assert_int_equal(sqlite3_column_int64(q, 3), d.of[k].lines);
			rows++;
		}
	}
	assert_int_equal(sqlite3_step(q), SQLITE_DONE);
	assert_true(rows > CASES);
	sqlite3_finalize(q);
	sqlite3_close(db);
}

/*
 * Rows of location, address, block in the order of what the profile has: the first is access
 * `first`.
 */
static void asked(sqlite3 *db, const char *sql, uint32_t first)
{
	sqlite3_stmt *q = NULL;
	uint32_t i;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
	for (i = 0; sqlite3_step(q) == SQLITE_ROW; i++) {
		struct store_access a = access_number(first + i);

		assert_int_equal(sqlite3_column_int64(q, 0), a.location);
		assert_int_equal(sqlite3_column_int64(q, 1), a.address);
		assert_int_equal(sqlite3_column_int64(q, 2), a.block);
	}
	assert_int_equal(i, CASES);
	sqlite3_finalize(q);
}

static void accesses_are_rows_for_whoever_asks_sqlite(void **state)
{
	sqlite3 *db;

	(void)state; /* reads the file of the test before */
	assert_int_equal(sqlite3_open("addresses.db", &db), SQLITE_OK);
	asked(db, "SELECT begin_location, begin_address, begin_block FROM sample ORDER BY id", 0);
	asked(db, "SELECT end_location, end_address, end_block FROM sample ORDER BY id", 1);
	asked(db, "SELECT begin_location, begin_address, begin_block FROM far_reuse ORDER BY id",
	      1);
	asked(db, "SELECT end_location, end_address, end_block FROM far_reuse ORDER BY id", 0);
	asked(db, "SELECT begin_location, begin_address, begin_block FROM nested ORDER BY id", 0);
	asked(db,
	      "SELECT end_location, end_address, end_block FROM nested_touch"
	      " WHERE end_location = nested_id ORDER BY nested_id",
	      1);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accesses_come_back_as_they_were),
		cmocka_unit_test(stack_distances_come_back_as_they_were),
		cmocka_unit_test(stack_distances_are_rows_for_whoever_asks_sqlite),
		cmocka_unit_test(accesses_are_rows_for_whoever_asks_sqlite),
	};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
