/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Outcomes of long watches in a profile file: read back, queried, damaged. */
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

#define FOLLOWS 5000 /* more than a row of follow_batch holds */

static struct store_follow follow_number(uint32_t i)
{
	struct store_follow f = {
		.process_id = i / 100 % 2, /* two processes, by turns */
		.window = UINT32_MAX - i,
		.status = i % 3,
		.position = i * (uint64_t)1000003,
		.watched = i,
		.end_position = i * (uint64_t)1000003 + 7,
		.end = {.location = STORE_NONE, .thread = (uint16_t)(65535 - i)},
	};

	if (f.status == 0) {
		f.end.location = i;
		f.end.address = UINT64_MAX - i;
		f.end.size = UINT32_MAX;
		f.end.kind = 3;
	}
	return f;
}

static void write_profile(const char *path)
{
	struct store *s = create_profile(path);
	uint32_t i;

	for (i = 0; i < 3; i++) {
		struct store_process p = {.id = i, A_PROCESS, .state = "exited"};

		assert_int_equal(store_put_process(s, &p, NULL), 0);
	}
	for (i = 0; i < FOLLOWS; i++) {
		struct store_follow f = follow_number(i);

		assert_int_equal(store_put_follow(s, &f, NULL), 0);
		if (i == FOLLOWS / 3)
			assert_int_equal(store_commit(s, NULL), 0);
	}
	finish_profile(s);
}

static void follows_come_back_in_order_and_as_they_were(void **state)
{
	struct store_follow *f, expected;
	size_t count, i, k = 0;
	struct store *s;

	(void)state;
	write_profile("order.db");
	s = open_profile("order.db");
	assert_int_equal(store_read_follows(s, 1, &f, &count, NULL), 0);
	assert_int_equal(count, FOLLOWS / 2);
	for (i = 0; i < FOLLOWS; i++) {
		expected = follow_number((uint32_t)i);
		if (expected.process_id == 1)
			assert_memory_equal(&f[k++], &expected, sizeof(expected));
	}
	free(f);
	assert_int_equal(store_read_follows(s, STORE_ALL, &f, &count, NULL), 0);
	assert_int_equal(count, FOLLOWS);
	free(f);
	assert_int_equal(store_read_follows(s, 2, &f, &count, NULL), 0);
	assert_int_equal(count, 0);
	free(f);
	store_close(s);
}

static void a_process_knows_how_many_of_its_lines_were_watched_on(void **state)
{
	uint64_t followed[2] = {0}, touched[2] = {0};
	struct store_process *p;
	struct store *s;
	size_t count;
	uint32_t i;

	(void)state;
	for (i = 0; i < FOLLOWS; i++) {
		struct store_follow f = follow_number(i);

		followed[f.process_id]++;
		touched[f.process_id] += f.status == 0;
	}
	write_profile("counts.db");
	s = open_profile("counts.db");
	assert_int_equal(store_read_processes(s, &p, &count, NULL), 0);
	assert_int_equal(count, 3);
	for (i = 0; i < 2; i++) {
		assert_int_equal(p[i].followed, followed[i]);
		assert_int_equal(p[i].followed_touched, touched[i]);
	}
	assert_int_equal(p[2].followed, 0);
	free(p);
	store_close(s);
}

static int64_t ask(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *q = NULL;
	int64_t value;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	value = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	return value;
}

static void follows_are_rows_for_whoever_asks_sqlite(void **state)
{
	sqlite3 *db;

	(void)state;
	write_profile("rows.db");
	assert_int_equal(sqlite3_open("rows.db", &db), SQLITE_OK);
	assert_int_equal(ask(db, "SELECT count(*) FROM follow"), FOLLOWS);
	assert_int_equal(ask(db, "SELECT count(DISTINCT id) FROM follow WHERE id <= 5000"), 5000);
	assert_true(ask(db, "SELECT count(*) FROM follow_batch") < FOLLOWS / 50);
	/* Id 304 is number 303, of process 1 and touched. */
	assert_int_equal(ask(db, "SELECT process_id FROM follow WHERE id = 304"), 1);
	assert_int_equal(ask(db, "SELECT window FROM follow WHERE id = 304"), UINT32_MAX - 303);
	assert_int_equal(ask(db, "SELECT position FROM follow WHERE id = 304"), 303 * 1000003);
	assert_int_equal(ask(db, "SELECT thread FROM follow WHERE id = 304"), 65535 - 303);
	assert_int_equal(ask(db, "SELECT watched FROM follow WHERE id = 304"), 303);
	assert_int_equal(ask(db, "SELECT end_position - position FROM follow WHERE id = 304"), 7);
	assert_int_equal(ask(db, "SELECT end_location FROM follow WHERE id = 304"), 303);
	assert_int_equal(ask(db, "SELECT end_address FROM follow WHERE id = 304"), -304);
	assert_int_equal(ask(db, "SELECT end_size FROM follow WHERE id = 304"), UINT32_MAX);
	assert_int_equal(ask(db, "SELECT end_kind FROM follow WHERE id = 304"), 3);
	assert_int_equal(ask(db, "SELECT status FROM follow WHERE id = 306"), 2);
	assert_int_equal(ask(db, "SELECT end_location IS NULL FROM follow WHERE id = 306"), 1);
	sqlite3_close(db);
}

static void lists_that_cannot_be_are_refused(void **state)
{
	static const char *const lists[] = {
		"''",
		"'[[1,2],[3'",
		"'[[1,2]]'",
		"'[[0,5,0,0,9,9]]'",	      /* touched by nobody */
		"'[[0,5,0,1,9,9,1,64,8,1]]'", /* not touched, by somebody */
		"'[[0,5,0,3,9,9]]'",
		"'[[0,5,0,-1,9,9]]'",
		"'[[0,5,0,1,9,9]] '",
		"x'5b5b3000'",
	};
	struct store_process *p;
	struct store_follow *f;
	struct err err;
	char sql[128];
	size_t count, i;

	(void)state;
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct store *s;
		sqlite3 *db;

		write_profile("bad.db");
		assert_int_equal(sqlite3_open("bad.db", &db), SQLITE_OK);
		snprintf(sql, sizeof(sql), "UPDATE follow_batch SET list = %s WHERE first_id = 1",
			 lists[i]);
		assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(db);
		s = open_profile("bad.db");
		assert_int_equal(store_read_follows(s, STORE_ALL, &f, &count, &err), -1);
		assert_string_equal(err.text, "profile 'bad.db' is truncated or damaged");
		assert_null(f);
		assert_int_equal(store_read_processes(s, &p, &count, &err), -1);
		assert_string_equal(err.text, "profile 'bad.db' is truncated or damaged");
		assert_null(p);
		store_close(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_come_back_in_order_and_as_they_were),
		cmocka_unit_test(a_process_knows_how_many_of_its_lines_were_watched_on),
		cmocka_unit_test(follows_are_rows_for_whoever_asks_sqlite),
		cmocka_unit_test(lists_that_cannot_be_are_refused),
	};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
