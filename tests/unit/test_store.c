/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profile file: data is read back, and each wrong file is refused with its own error. */
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "profiles.h"
#include "scratch.h"
#include "store/store.h"

/* One process with one of everything. */
static void fill(struct store *s)
{
	struct store_process p = {
		.id = 0,
		.parent_id = STORE_NONE,
		.pid = 42,
		.cause = "start",
		.exe = "/bin/x",
		.command = "x -y",
		.state = "exited",
		.exit_status = 3,
		.signal = 11,
		.told_end = 1,
		.start_ns = 5,
		.end_ns = 9,
		.accesses = 100,
		.loads = 60,
		.stores = 30,
		.instructions = 250,
	};
	struct store_module m = {
		.id = 1,
		.path = "/bin/x",
		.start = 0x1000,
		.end = 0x2000,
		.file_offset = 0x100,
		.mapped_at = 0,
		.unmapped_at = UINT64_MAX,
	};
	struct store_window w = {.start = 10, .length = 50, .stands_for = 60, .samples = 2};
	struct store_location here = {
		.id = 1, .pc = 0x1010, .module_id = 1, .module_address = 0x110};
	struct store_location there = {.id = 2, .pc = 0xffffffffff600400, .module_id = STORE_NONE};
	struct store_frame frames[] = {{"f", "/src/x.c", 12}, {"main", NULL, 0}};
	struct store_sample x = {
		.status = 0,
		.position = 20,
		.distance = 7,
		.line = 0x7fff0040,
		.begin = {1, 0x7fff0048, 8, 1, 0},
		.end = {2, 0x7fff0050, 4, 2, 1},
	};
	struct store_message note = {STORE_NONE, 7, "hello"};

	w.close = 1;
	w.footprint_pages = 4;
	assert_int_equal(store_put_process(s, &p, NULL), 0);
	assert_int_equal(store_put_module(s, &m, NULL), 0);
	assert_int_equal(store_put_window(s, &w, NULL), 0);
	assert_int_equal(store_put_location(s, &here, NULL), 0);
	assert_int_equal(store_put_location(s, &there, NULL), 0);
	assert_int_equal(store_put_frames(s, 1, frames, 2, NULL), 0);
	assert_int_equal(store_put_sample(s, &x, NULL), 0);
	x.status = 1;
	x.end.location = STORE_NONE;
	assert_int_equal(store_put_sample(s, &x, NULL), 0);
	assert_int_equal(store_put_message(s, &note, NULL), 0);
	assert_int_equal(store_put_source(s, "/src/x.c", "int x;\n", NULL), 0);
	assert_int_equal(store_put_meta_int(s, "seed", 11, NULL), 0);
}

static void check_processes(struct store *s)
{
	struct store_process *p;
	size_t count;

	assert_int_equal(store_read_processes(s, &p, &count, NULL), 0);
	assert_int_equal(count, 1);
	assert_int_equal(p[0].pid, 42);
	assert_int_equal(p[0].parent_id, STORE_NONE);
	assert_string_equal(p[0].command, "x -y");
	assert_true(p[0].exit_status == 3 && p[0].signal == 11 && p[0].told_end == 1);
	assert_int_equal(p[0].modifies, 10); /* 100 - 60 - 30 */
	assert_int_equal(p[0].samples, 2);
	assert_int_equal(p[0].near_samples, 1);
	assert_true(p[0].far_samples == 1 && p[0].cut_samples == 0);
	assert_int_equal(p[0].windows, 1);
	free(p);
}

static void check_locations(struct store *s)
{
	struct store_location *l;
	size_t count;

	assert_int_equal(store_read_locations(s, STORE_ALL, &l, &count, NULL), 0);
	assert_int_equal(count, 2);
	assert_int_equal(l[0].frame_count, 2);
	assert_string_equal(l[0].frames[0].function, "f");
	assert_string_equal(l[0].frames[0].file, "/src/x.c");
	assert_int_equal(l[0].frames[0].line, 12);
	assert_string_equal(l[0].frames[1].function, "main");
	assert_null(l[0].frames[1].file);
	assert_int_equal(l[1].pc, 0xffffffffff600400);
	assert_int_equal(l[1].frame_count, 1);
	assert_string_equal(l[1].frames[0].function, "[anon]");
	free(l);
}

static void check_samples(struct store *s)
{
	struct store_sample *x;
	size_t count;

	assert_int_equal(store_read_samples(s, 0, &x, &count, NULL), 0);
	assert_int_equal(count, 2);
	assert_int_equal(x[0].distance, 7);
	assert_int_equal(x[0].begin.address, 0x7fff0048);
	assert_int_equal(x[0].end.location, 2);
	assert_int_equal(x[0].end.thread, 1);
	assert_int_equal(x[1].status, 1);
	assert_int_equal(x[1].end.location, STORE_NONE);
	free(x);
	assert_int_equal(store_read_samples(s, 5, &x, &count, NULL), 0);
	assert_int_equal(count, 0);
}

static void check_rest(struct store *s)
{
	struct store_module *m;
	struct store_window *w;
	struct store_message *note;
	size_t count;

	assert_int_equal(store_read_modules(s, STORE_ALL, &m, &count, NULL), 0);
	assert_int_equal(count, 1);
	assert_int_equal(m[0].unmapped_at, UINT64_MAX);
	assert_null(m[0].build_id);
	free(m);
	assert_int_equal(store_read_windows(s, 0, &w, &count, NULL), 0);
	assert_int_equal(count, 1);
	assert_true(w[0].stands_for == 60 && w[0].close == 1);
	free(w);
	assert_int_equal(store_read_messages(s, &note, &count, NULL), 0);
	assert_int_equal(count, 1);
	assert_string_equal(note[0].text, "hello");
	free(note);
	assert_string_equal(store_read_source(s, "/src/x.c"), "int x;\n");
	assert_null(store_read_source(s, "/src/y.c"));
	assert_int_equal(store_meta_int(s, "seed", 0), 11);
	assert_int_equal(store_meta_int(s, "nothing", -5), -5);
}

static void what_is_written_is_read_back(void **state)
{
	struct store *s = create_profile("a.db");

	(void)state;
	fill(s);
	finish_profile(s);
	assert_int_not_equal(access("a.db-wal", F_OK), 0);
	s = open_profile("a.db");
	assert_string_equal(store_meta_text(s, "state"), "complete");
	check_processes(s);
	check_locations(s);
	check_samples(s);
	check_rest(s);
	store_close(s);
}

static void a_reader_sees_what_was_committed_while_the_run_goes_on(void **state)
{
	struct store *s = grow_profile("live.db"), *reader;
	struct store_process *p;
	size_t count;

	(void)state;
	fill(s);
	reader = open_profile("live.db");
	assert_int_equal(store_read_processes(reader, &p, &count, NULL), 0);
	assert_int_equal(count, 0);
	free(p);
	assert_int_equal(store_commit(s, NULL), 0);
	store_close(reader);
	reader = open_profile("live.db");
	check_processes(reader);
	assert_string_equal(store_meta_text(reader, "state"), "running");
	store_close(reader);
	store_close(s);
}

static void a_writer_killed_leaves_what_it_committed(void **state)
{
	struct store *s;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		s = grow_profile("killed.db");
		fill(s);
		store_commit(s, NULL);
		store_put_meta_text(s, "late", "never committed", NULL);
		kill(getpid(), SIGKILL);
	}
	waitpid(child, NULL, 0);
	s = open_profile("killed.db");
	check_processes(s);
	check_locations(s);
	assert_null(store_meta_text(s, "late"));
	store_close(s);
	/* It can be replaced, log and all, and the old one stays whole. */
	s = create_profile("killed.db");
	store_finish(s, NULL);
	store_close(s);
	s = open_profile("killed.db.old");
	check_processes(s);
	store_close(s);
}

static void an_older_profile_is_kept_once(void **state)
{
	struct store *s;
	int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		s = create_profile("again.db");
		store_put_meta_int(s, "seed", i, NULL);
		store_finish(s, NULL);
		store_close(s);
	}
	s = open_profile("again.db");
	assert_int_equal(store_meta_int(s, "seed", -1), 2);
	store_close(s);
	s = open_profile("again.db.old");
	assert_int_equal(store_meta_int(s, "seed", -1), 1);
	store_close(s);
}

static void write_file(const char *path, const void *bytes, size_t count)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, count, f), count);
	fclose(f);
}

static void refuses_to_read(const char *path, const char *sentence)
{
	struct store *s = NULL;
	struct err err = {""};

	assert_int_equal(store_open_readonly(path, &s, &err), -1);
	assert_string_equal(err.text, sentence);
}

static void refuses_to_write(const char *path, const char *sentence)
{
	struct store *s = NULL;
	struct err err = {""};

	assert_int_equal(store_create(path, &s, &err), -1);
	assert_string_equal(err.text, sentence);
}

static void files_that_are_no_profile_are_refused(void **state)
{
	sqlite3 *db;

	(void)state;
	mkdir("folder", 0700);
	write_file("empty", "", 0);
	write_file("text", "hello\n", 6);
	sqlite3_open("foreign.db", &db);
	sqlite3_exec(db, "CREATE TABLE a(b)", NULL, NULL, NULL);
	sqlite3_close(db);
	refuses_to_read("none.db", "no profile 'none.db': make one with 'dwell record', or name "
				   "another");
	refuses_to_read("folder", "'folder' is a directory, not a profile");
	refuses_to_read("empty", "'empty' is empty, not a profile");
	refuses_to_read("text", "'text' is not a Dwell profile");
	refuses_to_read("/dev/null", "'/dev/null' is not a regular file");
	refuses_to_read("foreign.db",
			"'foreign.db' is an SQLite database, but not a Dwell profile");
}

static void places_that_cannot_be_written_are_named(void **state)
{
	struct store *s;
	char busy[128];

	snprintf(busy, sizeof(busy),
		 "profile 'kept.db' is being written by process %d: choose another name with -o",
		 getpid());
	(void)state;
	write_file("mine.txt", "mine\n", 5);
	refuses_to_write("mine.txt", "'mine.txt' exists and is no Dwell profile: not replacing it");
	refuses_to_write("/dev/full", "cannot write profile '/dev/full': it is not a regular file");
	refuses_to_write("no/such/x.db",
			 "cannot write profile 'no/such/x.db': No such file or directory");
	s = grow_profile("kept.db");
	refuses_to_write("kept.db", busy);
	store_finish(s, NULL);
	store_close(s);
	write_file("kept.db.old", "mine\n", 5);
	refuses_to_write("kept.db",
			 "'kept.db.old' exists and is no Dwell profile: not replacing it");
}

/* A profile of more than a few pages, to cut and to scratch. */
static size_t make_large(const char *path)
{
	struct store *s = create_profile(path);
	struct stat st;
	int64_t i;

	fill(s);
	for (i = 0; i < 2000; i++) {
		struct store_sample x = {.position = (uint64_t)i,
					 .begin = {1, 2, 8, 1, 0},
					 .end = {STORE_NONE, 0, 0, 0, 0},
					 .status = 1};

		store_put_sample(s, &x, NULL);
	}
	store_finish(s, NULL);
	store_close(s);
	assert_int_equal(stat(path, &st), 0);
	return (size_t)st.st_size;
}

static void a_truncated_profile_is_refused_wherever_it_is_cut(void **state)
{
	size_t bytes = make_large("cut.db"), cut;
	struct err err;
	struct store *s;

	(void)state;
	for (cut = bytes - 1; cut > 100; cut = cut * 2 / 3) {
		assert_int_equal(truncate("cut.db", (off_t)cut), 0);
		assert_int_equal(store_open_readonly("cut.db", &s, &err), -1);
		assert_string_equal(err.text, "profile 'cut.db' is truncated or damaged");
	}
}

/* A log that is being written back: the header counts pages that the file does not have yet. */
static void a_profile_that_grows_is_no_truncated_one(void **state)
{
	static const unsigned char many_pages[] = {0, 1, 0, 0};
	static char text[100000];
	struct store *writer = grow_profile("grows.db"), *reader;
	struct store_process *p;
	size_t count;
	int fd;

	(void)state;
	fill(writer);
	assert_int_equal(store_commit(writer, NULL), 0);
	assert_int_equal(
		store_put_source(writer, "/long.c", memset(text, 'x', sizeof(text) - 1), NULL), 0);
	assert_int_equal(store_commit(writer, NULL), 0);
	fd = open("grows.db", O_WRONLY);
	assert_int_equal(pwrite(fd, many_pages, sizeof(many_pages), 28), sizeof(many_pages));
	close(fd);
	reader = open_profile("grows.db");
	assert_int_equal(store_read_processes(reader, &p, &count, NULL), 0);
	assert_int_equal(count, 1);
	free(p);
	store_close(reader);
	store_close(writer);
}

static void a_scratched_profile_never_crashes_the_reader(void **state)
{
	size_t bytes = make_large("scratched.db"), at;
	unsigned seed = 1;
	struct err err;

	(void)state;
	for (at = 100; at < bytes; at += 997) {
		int fd = open("scratched.db", O_RDWR);
		unsigned char junk = (unsigned char)(seed = seed * 1103515245 + 12345), before;
		struct store_process *p;
		struct store_location *l;
		struct store *s;
		size_t count;

		assert_int_equal(pread(fd, &before, 1, (off_t)at), 1);
		assert_int_equal(pwrite(fd, &junk, 1, (off_t)at), 1);
		if (store_open_readonly("scratched.db", &s, &err) == 0) {
			if (store_read_processes(s, &p, &count, &err) == 0)
				free(p);
			if (store_read_locations(s, STORE_ALL, &l, &count, &err) == 0)
				free(l);
			store_close(s);
		}
		assert_int_equal(pwrite(fd, &before, 1, (off_t)at), 1);
		close(fd);
	}
}

static void a_profile_of_another_version_is_told_apart_from_a_broken_one(void **state)
{
	sqlite3 *db;

	(void)state;
	make_large("other.db");
	sqlite3_open("other.db", &db);
	sqlite3_exec(db, "PRAGMA user_version = 32", NULL, NULL, NULL);
	refuses_to_read("other.db", "profile 'other.db' was written by a newer version of dwell "
				    "(its format is 32, this one knows 31)");
	sqlite3_exec(db, "PRAGMA user_version = 1", NULL, NULL, NULL);
	refuses_to_read("other.db", "profile 'other.db' was written by an older version of dwell "
				    "(its format is 1, this one knows 31): record it again");
	sqlite3_close(db);
}

static struct store_sample sample_number(uint32_t i)
{
	struct store_sample x = {
		.process_id = i % 7 == 6, /* two processes, by turns */
		.window = i / 1000,
		.status = i % 3,
		.position = i * (uint64_t)1000003,
		.distance = i,
		.line = UINT64_MAX - 63 - i,
		.begin = {i, 0xffffffffff600000 + i, 8, 3, 65535, i, UINT64_MAX - i},
		.end = {.location = STORE_NONE},
	};

	if (x.status == 0) {
		x.end = (struct store_access){INT64_MAX, 1, UINT32_MAX, 1, 0, INT64_MAX, 2};
		memset(x.touches, (uint8_t)i, sizeof(x.touches));
	}
	return x;
}

/* Several to a row of sample_batch; the window of 1000 is too long for one. */
static void samples_come_back_in_order_and_as_they_were(void **state)
{
	struct store *s = create_profile("samples.db");
	struct store_sample *x, expected;
	size_t count, i, number;

	(void)state;
	for (i = 0; i < 2100; i++) {
		expected = sample_number((uint32_t)i);
		assert_int_equal(store_put_sample(s, &expected, NULL), 0);
		if (i == 1500)
			assert_int_equal(store_commit(s, NULL), 0);
	}
	finish_profile(s);
	s = open_profile("samples.db");
	assert_int_equal(store_read_samples(s, 0, &x, &count, NULL), 0);
	assert_int_equal(count, 1800); /* 6 of 7 */
	for (i = 0; i < count; i++) {
		number = i / 6 * 7 + i % 6;
		expected = sample_number((uint32_t)number);
		assert_memory_equal(&x[i], &expected, sizeof(expected));
	}
	free(x);
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

static void samples_are_rows_for_whoever_asks_sqlite(void **state)
{
	sqlite3 *db;

	(void)state; /* reads the file of the test before */
	assert_int_equal(sqlite3_open("samples.db", &db), SQLITE_OK);
	assert_int_equal(ask(db, "SELECT count(*) FROM sample"), 2100);
	assert_int_equal(ask(db, "SELECT count(DISTINCT id) FROM sample WHERE id <= 2100"), 2100);
	/* Sample 1501 is number 1500: 1500 % 3 = 0, it was reused. */
	assert_int_equal(ask(db, "SELECT distance FROM sample WHERE id = 1501"), 1500);
	assert_int_equal(ask(db, "SELECT end_size FROM sample WHERE id = 1501"), UINT32_MAX);
	assert_int_equal(ask(db, "SELECT touches & 255 FROM sample WHERE id = 1501"), 1500 % 256);
	assert_int_equal(ask(db, "SELECT touches IS NULL FROM sample WHERE id = 1502"), 1);
	assert_int_equal(ask(db, "SELECT begin_thread FROM sample WHERE id = 1501"), 65535);
	assert_int_equal(ask(db, "SELECT end_location IS NULL FROM sample WHERE id = 1502"), 1);
	assert_int_equal(ask(db, "SELECT sum(near) FROM sample_batch"), 700);
	sqlite3_close(db);
}

static void locations_and_frames_are_rows_for_whoever_asks_sqlite(void **state)
{
	struct store *s = create_profile("locations.db");
	sqlite3 *db;

	(void)state;
	fill(s);
	store_finish(s, NULL);
	store_close(s);
	assert_int_equal(sqlite3_open("locations.db", &db), SQLITE_OK);
	assert_int_equal(ask(db, "SELECT pc FROM location WHERE id = 1"), 0x1010);
	assert_int_equal(ask(db, "SELECT module_address FROM location WHERE id = 1"), 0x110);
	assert_int_equal(ask(db, "SELECT module_id IS NULL FROM location WHERE id = 2"), 1);
	/* f at line 12 inside main; location 2 has no name yet. */
	assert_int_equal(ask(db, "SELECT count(*) FROM frame"), 2);
	assert_int_equal(ask(db, "SELECT line FROM frame WHERE depth = 0"), 12);
	assert_int_equal(ask(db, "SELECT function = 'main' AND file IS NULL AND line IS NULL"
				 " FROM frame WHERE location_id = 1 AND depth = 1"),
			 1);
	/* Both samples begin at location 1. */
	assert_int_equal(ask(db, "SELECT count(*) FROM sample s JOIN frame f"
				 " ON f.location_id = s.begin_location AND f.depth = 0"),
			 2);
	sqlite3_close(db);
}

static void a_place_is_written_once(void **state)
{
	struct store *s = create_profile("places.db");
	struct store_frame frames[] = {{"f", "/x.c", 1}, {"g", "/x.c", 1}, {"f", "/x.c", 1}};
	struct store_location l = {.module_id = STORE_NONE};
	struct store_location *read;
	size_t count;
	sqlite3 *db;

	(void)state;
	for (l.id = 1; l.id <= 3; l.id++) {
		assert_int_equal(store_put_location(s, &l, NULL), 0);
		assert_int_equal(store_put_frames(s, l.id, frames, (size_t)l.id, NULL), 0);
	}
	store_finish(s, NULL);
	store_close(s);
	assert_int_equal(sqlite3_open("places.db", &db), SQLITE_OK);
	assert_int_equal(ask(db, "SELECT count(*) FROM place"), 2);
	sqlite3_close(db);
	s = open_profile("places.db");
	assert_int_equal(store_read_locations(s, STORE_ALL, &read, &count, NULL), 0);
	assert_int_equal(count, 3);
	assert_int_equal(read[2].frame_count, 3);
	assert_string_equal(read[2].frames[1].function, "g");
	assert_ptr_equal(read[2].frames[0].function, read[2].frames[2].function);
	free(read);
	store_close(s);
}

static void a_profile_with_odd_characters_in_its_name_opens(void **state)
{
	struct store *s = create_profile("a b?c#d%41'e.db");

	(void)state;
	fill(s);
	store_finish(s, NULL);
	store_close(s);
	s = open_profile("a b?c#d%41'e.db");
	check_processes(s);
	store_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read_back),
		cmocka_unit_test(a_reader_sees_what_was_committed_while_the_run_goes_on),
		cmocka_unit_test(a_writer_killed_leaves_what_it_committed),
		cmocka_unit_test(an_older_profile_is_kept_once),
		cmocka_unit_test(files_that_are_no_profile_are_refused),
		cmocka_unit_test(places_that_cannot_be_written_are_named),
		cmocka_unit_test(a_truncated_profile_is_refused_wherever_it_is_cut),
		cmocka_unit_test(a_profile_that_grows_is_no_truncated_one),
		cmocka_unit_test(a_scratched_profile_never_crashes_the_reader),
		cmocka_unit_test(a_profile_of_another_version_is_told_apart_from_a_broken_one),
		cmocka_unit_test(samples_come_back_in_order_and_as_they_were),
		cmocka_unit_test(samples_are_rows_for_whoever_asks_sqlite),
		cmocka_unit_test(locations_and_frames_are_rows_for_whoever_asks_sqlite),
		cmocka_unit_test(a_place_is_written_once),
		cmocka_unit_test(a_profile_with_odd_characters_in_its_name_opens),
	};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
