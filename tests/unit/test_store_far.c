/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Far reuses in a profile file: read back, queried, damaged. */
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

#define REUSES	 5000
#define WINDOWS	 50
#define POSITION 1000003u
#define ADDRESS	 0x7fff00000040u

/* More weights than a row has room for; each is exact in the file. */
static double weight_number(uint32_t i, size_t size)
{
	return (double)(32u << size) + (i / 7 % 300) / 8.0;
}

/* Far at sizes from `lowest` up, of these a first touch at the larger ones from `first` up. */
static struct store_far far_number(uint32_t i)
{
	size_t lowest = i % 4, first = i % 3 == 0 ? i % 7 : STORE_FAR_SIZES;
	struct store_far f = {
		.process_id = i / (REUSES / 2),
		.window = i / (REUSES / WINDOWS),
		.position = i * (uint64_t)POSITION,
		.end = {i, ADDRESS + i * (uint64_t)4096, 8, 3, (uint16_t)(65535 - i), i, ADDRESS},
		.begin = {i + 1, ADDRESS + i * (uint64_t)4096 - 8, 4, 1, 7, 3, 0, 9},
	};

	if (i % 5 == 0)
		f.begin = (struct store_access){.location = STORE_NONE};
	for (size_t k = lowest; k <= 4 + i % 7; k++) {
		f.of[k].weight = weight_number(i, k);
		f.of[k].is_first = k >= first;
		if (f.of[k].is_first)
			continue;
		f.of[k].distance = STORE_FAR + i * (uint64_t)1000 - k * (i % 2);
		f.of[k].lines = 10 * i + 100 - k;
	}
	return f;
}

static const double some_numbers[STORE_FAR_SIZES] = {512, 0.5, [5] = 42.667, [10] = 123456789.062};

static void write_profile(const char *path)
{
	struct store *s = create_profile(path);

	for (uint32_t i = 0; i < 3; i++) {
		struct store_process p = {.id = i, A_PROCESS, .state = "exited"};

		if (i == 1) {
			memcpy(p.far_lines, (uint64_t[STORE_FAR_SIZES]){100, [10] = 65535},
			       sizeof(p.far_lines));
			memcpy(p.far_line_weight, some_numbers, sizeof(some_numbers));
		}
		assert_int_equal(store_put_process(s, &p, NULL), 0);
	}
	for (uint32_t i = 0; i < REUSES; i++) {
		struct store_far f = far_number(i);

		assert_int_equal(store_put_far(s, &f, NULL), 0);
		if (i == REUSES / 3)
			assert_int_equal(store_commit(s, NULL), 0);
	}
	for (uint32_t i = 0; i < WINDOWS; i++) {
		struct store_window w = {.process_id = i >= WINDOWS / 2,
					 .number = i,
					 .length = 1000,
					 .stands_for = 3500};

		if (i == 1)
			memcpy(w.far, some_numbers, sizeof(some_numbers));
		assert_int_equal(store_put_window(s, &w, NULL), 0);
	}
	finish_profile(s);
}

static void is_far(const struct store_far *f, const struct store_far *expected)
{
	assert_int_equal(f->process_id, expected->process_id);
	assert_int_equal(f->window, expected->window);
	assert_int_equal(f->position, expected->position);
	assert_memory_equal(&f->end, &expected->end, sizeof(f->end));
	assert_memory_equal(&f->begin, &expected->begin, sizeof(f->begin));
	for (size_t k = 0; k < STORE_FAR_SIZES; k++) {
		assert_true(f->of[k].weight == expected->of[k].weight);
		assert_int_equal(f->of[k].is_first, expected->of[k].is_first);
		assert_int_equal(f->of[k].distance, expected->of[k].distance);
		assert_int_equal(f->of[k].lines, expected->of[k].lines);
	}
}

static void far_reuses_come_back_in_order_and_as_they_were(void **state)
{
	struct store_far *f, expected;
	size_t count;
	struct store *s;

	(void)state;
	write_profile("order.db");
	s = open_profile("order.db");
	assert_int_equal(store_read_far(s, STORE_ALL, &f, &count, NULL), 0);
	assert_int_equal(count, REUSES);
	for (uint32_t i = 0; i < REUSES; i++) {
		expected = far_number(i);
		is_far(&f[i], &expected);
	}
	free(f);
	assert_int_equal(store_read_far(s, 1, &f, &count, NULL), 0);
	assert_int_equal(count, REUSES / 2);
	expected = far_number(REUSES / 2);
	is_far(&f[0], &expected);
	free(f);
	assert_int_equal(store_read_far(s, 2, &f, &count, NULL), 0);
	assert_int_equal(count, 0);
	free(f);
	store_close(s);
}

static void a_process_knows_how_many_there_are(void **state)
{
	struct store *s = open_profile("order.db");
	struct store_process *p;
	size_t count;

	(void)state; /* reads the file of the test before */
	assert_int_equal(store_read_processes(s, &p, &count, NULL), 0);
	assert_int_equal(count, 3);
	assert_int_equal(p[0].far_reuses, REUSES / 2);
	assert_int_equal(p[1].far_reuses, REUSES / 2);
	assert_int_equal(p[2].far_reuses, 0);
	free(p);
	store_close(s);
}

/* To three digits after the point. */
static void numbers_of_each_size_come_back_as_they_were(void **state)
{
	struct store *s = open_profile("order.db");
	struct store_process *p;
	struct store_window *w;
	size_t count;

	(void)state; /* the same file */
	assert_int_equal(store_read_processes(s, &p, &count, NULL), 0);
	assert_int_equal(store_read_windows(s, STORE_ALL, &w, &count, NULL), 0);
	assert_true(p[1].far_lines[0] == 100 && p[1].far_lines[10] == 65535);
	for (size_t k = 0; k < STORE_FAR_SIZES; k++) {
		assert_float_equal(p[1].far_line_weight[k], some_numbers[k], 1e-6);
		assert_float_equal(w[1].far[k], some_numbers[k], 1e-6);
		assert_true(p[0].far_lines[k] == 0 && p[0].far_line_weight[k] <= 0);
		assert_true(w[2].far[k] <= 0 && (k == 0 || k == 10 || p[1].far_lines[k] == 0));
	}
	free(p);
	free(w);
	store_close(s);
}

static void is_number(sqlite3_stmt *q, int column, uint64_t number)
{
	assert_int_equal(sqlite3_column_type(q, column), SQLITE_INTEGER);
	assert_int_equal(sqlite3_column_int64(q, column), number);
}

/* The columns of an access, from `column` on. */
static void is_access_row(sqlite3_stmt *q, int column, const struct store_access *a)
{
	if (a->location == STORE_NONE) {
		for (int i = 0; i < 4; i++)
			assert_int_equal(sqlite3_column_type(q, column + i), SQLITE_NULL);
		return;
	}
	is_number(q, column, (uint64_t)a->location);
	is_number(q, column + 1, a->address);
	is_number(q, column + 2, a->size);
	is_number(q, column + 3, a->kind);
	is_number(q, column + 4, a->thread);
	is_number(q, column + 5, (uint64_t)a->site);
	is_number(q, column + 6, a->block);
	is_number(q, column + 7, (uint64_t)a->path);
}

static void they_are_rows_for_whoever_asks_sqlite(void **state)
{
	static const char sql[] =
		"SELECT id, process_id, window, line_bytes, weight, position, distance, lines,"
		" end_location, end_address, end_size, end_kind, end_thread, end_site, end_block,"
		" end_path, begin_location, begin_address, begin_size, begin_kind, begin_thread,"
		" begin_site, begin_block, begin_path FROM far_reuse ORDER BY id, line_bytes";
	sqlite3_stmt *q = NULL;
	sqlite3 *db;

	(void)state; /* the same file */
	assert_int_equal(sqlite3_open("order.db", &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
	for (uint32_t i = 0; i < REUSES; i++) {
		struct store_far f = far_number(i);

		for (size_t k = 0; k < STORE_FAR_SIZES; k++) {
			if (f.of[k].weight <= 0)
				continue;
			assert_int_equal(sqlite3_step(q), SQLITE_ROW);
			is_number(q, 0, i + 1);
			is_number(q, 1, (uint64_t)f.process_id);
			is_number(q, 2, f.window);
			is_number(q, 3, (uint64_t)4 << k);
			assert_float_equal(sqlite3_column_double(q, 4), f.of[k].weight * 3.5, 1e-6);
			is_number(q, 5, f.position);
			is_access_row(q, 8, &f.end);
			is_access_row(q, 16, &f.begin);
			if (f.of[k].is_first) {
				assert_int_equal(sqlite3_column_type(q, 6), SQLITE_NULL);
				assert_int_equal(sqlite3_column_type(q, 7), SQLITE_NULL);
				continue;
			}
			is_number(q, 6, f.of[k].distance);
			is_number(q, 7, f.of[k].lines);
		}
	}
	assert_int_equal(sqlite3_step(q), SQLITE_DONE);
	sqlite3_finalize(q);
	sqlite3_close(db);
}

#define ITEM "[0,0,9,1,0,0,1,0,0," /* up to the smallest size */

static void lists_that_cannot_be_are_refused(void **state)
{
	static const char *const changes[] = {
		"list = ''",
		"list = '[[1,2],[3'",
		"list = '[[1,2]]'",
		"list = '[" ITEM "2,1,1]]'",	  /* no lines */
		"list = '[" ITEM "2,9999,1,5]]'", /* no such weight */
		"list = '[" ITEM "2,-1,1,5]]'",
		"list = '[" ITEM "2,1,11,5]]'", /* less than no distance */
		"list = '[" ITEM "2,1,-1,5]]'",
		"list = '[" ITEM "-1,1,1,5]]'",
		"list = '[" ITEM "11,1,1,5]]'", /* larger than the largest size */
		"list = '[[0,0,-9,1,0,0,1,0,0,2,1,0,0]]'",
		"list = '[[0,0,9,99999,0,0,1,0,0,2,1,0,0]]'", /* no such access */
		"list = '[[0,0,9,1,0,0,-1,0,0,2,1,0,0]]'",
		"list = x'5b5b3000'",
		"weights = '[1'",
		"weights = '[1,x]'",
		"weights = '[-1]'",
		"weights = '[]'",
		"weights = ''",
	};
	struct store_far *f;
	struct err err;
	char sql[256];
	size_t count;

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct store *s;
		sqlite3 *db;

		write_profile("bad.db");
		assert_int_equal(sqlite3_open("bad.db", &db), SQLITE_OK);
		snprintf(sql, sizeof(sql), "UPDATE far_batch SET %s WHERE first_id = 1",
			 changes[i]);
		assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(db);
		s = open_profile("bad.db");
		assert_int_equal(store_read_far(s, STORE_ALL, &f, &count, &err), -1);
		assert_string_equal(err.text, "profile 'bad.db' is truncated or damaged");
		assert_null(f);
		store_close(s);
	}
}

/* Numbers for each size of lines: as many as there are sizes, or none. */
static void arrays_of_another_length_are_refused(void **state)
{
	static const char *const arrays[] = {"''", "'[1,2]'", "'[1,2,3,4,5,6,7,8,9,10,11,12]'",
					     "'[1,2,3,4,5,6,7,8,9,10,-11]'"};
	struct store_process *p;
	struct store_window *w;
	struct err err;
	char sql[256];
	size_t count;
	struct store *s;
	sqlite3 *db;

	(void)state;
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
		write_profile("arrays.db");
		assert_int_equal(sqlite3_open("arrays.db", &db), SQLITE_OK);
		snprintf(sql, sizeof(sql),
			 "UPDATE window SET far = %s;"
			 "UPDATE process SET far_lines = %s",
			 arrays[i], arrays[i]);
		assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(db);
		s = open_profile("arrays.db");
		assert_int_equal(store_read_windows(s, 0, &w, &count, &err), -1);
		assert_string_equal(err.text, "profile 'arrays.db' is truncated or damaged");
		assert_int_equal(store_read_processes(s, &p, &count, &err), -1);
		assert_string_equal(err.text, "profile 'arrays.db' is truncated or damaged");
		store_close(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(far_reuses_come_back_in_order_and_as_they_were),
		cmocka_unit_test(a_process_knows_how_many_there_are),
		cmocka_unit_test(numbers_of_each_size_come_back_as_they_were),
		cmocka_unit_test(they_are_rows_for_whoever_asks_sqlite),
		cmocka_unit_test(lists_that_cannot_be_are_refused),
		cmocka_unit_test(arrays_of_another_length_are_refused),
	};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
