/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Error sentences, growing text, paths, the map and the arena. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "base/text.h"

static void a_sentence_too_long_is_cut_and_shows_it(void **state)
{
	char longer[1000];
	struct err err;

	(void)state;
	memset(longer, 'x', sizeof(longer));
	longer[999] = '\0';
	assert_int_equal(err_set(&err, "%s", longer), -1);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_string_equal(err.text + sizeof(err.text) - 5, "x...");
	assert_int_equal(err_set(NULL, "nobody listens"), -1);
}

static void a_prefix_goes_in_front(void **state)
{
	struct err err;

	(void)state;
	err_set(&err, "no such file");
	assert_int_equal(err_prefix(&err, "line %d: ", 7), -1);
	assert_string_equal(err.text, "line 7: no such file");
}

static void text_grows(void **state)
{
	struct text t = {0};
	int i;

	(void)state;
	assert_string_equal(text_get(&t), "");
	for (i = 0; i < 1000; i++)
		text_addf(&t, "%d,", i % 10);
	assert_int_equal(t.count, 2000);
	text_add(&t, "end");
	assert_string_equal(text_get(&t) + 1996, "8,9,end");
	assert_false(t.failed);
	text_release(&t);
}

static const char *printable(const char *s, size_t bytes, char *buf, size_t room)
{
	struct text t = {0};

	text_add_printable(&t, s, bytes);
	snprintf(buf, room, "%s", text_get(&t));
	text_release(&t);
	return buf;
}

static void what_is_no_printable_utf8_is_written_as_numbers(void **state)
{
	char buf[64];

	(void)state;
	assert_string_equal(printable("a\033[2Jb", 6, buf, 64), "a\\x1b[2Jb");
	assert_string_equal(printable("gr\xc3\xbc\xc3\x9f", 6, buf, 64), "gr\xc3\xbc\xc3\x9f");
	assert_string_equal(printable("\xe2\x82\xac", 3, buf, 64), "\xe2\x82\xac");
	assert_string_equal(printable("\xe2\x82", 2, buf, 64), "\\xe2\\x82"); /* cut short */
	assert_string_equal(printable("\xc0\xaf", 2, buf, 64), "\\xc0\\xaf"); /* over-long */
	assert_string_equal(printable("\xed\xa0\x80", 3, buf, 64),
			    "\\xed\\xa0\\x80"); /* surrogate */
	assert_string_equal(printable("\xf4\x90\x80\x80", 4, buf, 64),
			    "\\xf4\\x90\\x80\\x80");				/* too high */
	assert_string_equal(printable("\xc2\x9bK", 3, buf, 64), "\\xc2\\x9bK"); /* 8-bit control */
}

static void paths_are_tidied_as_text(void **state)
{
	static const char *const cases[][2] = {{"/a/./b//c", "/a/b/c"},
					       {"/a/b/../c", "/a/c"},
					       {"/../a", "/a"},
					       {"/a/..", "/"},
					       {"a/../b", "b"},
					       {"../a", "../a"},
					       {"../../a/..", "../.."},
					       {"a/", "a"},
					       {"./a", "a"},
					       {"/", "/"},
					       {"", ""},
					       {"a/..", ""},
					       {"/a/.../b", "/a/.../b"}};
	char path[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(path, sizeof(path), "%s", cases[i][0]);
		path_tidy(path);
		assert_string_equal(path, cases[i][1]);
	}
	assert_string_equal(path_basename("/usr/lib/libc.so"), "libc.so");
	assert_string_equal(path_basename("plain"), "plain");
}

static void the_map_keeps_all_keys(void **state)
{
	struct map m = {0};
	uint64_t i, value;

	(void)state;
	assert_false(map_get(&m, 1, &value));
	for (i = 0; i < 100000; i++)
		assert_int_equal(map_set(&m, i << 12, i), 0);
	for (i = 0; i < 100000; i++) {
		assert_true(map_get(&m, i << 12, &value));
		assert_int_equal(value, i);
	}
	assert_false(map_get(&m, 1, &value));
	map_set(&m, 0, 7);
	assert_true(map_get(&m, 0, &value));
	assert_int_equal(value, 7);
	assert_int_equal(m.count, 100000);
	map_release(&m);
}

static void the_arena_gives_zeroed_pieces_of_any_size(void **state)
{
	struct arena a = {0};
	size_t i, bytes = 1;
	unsigned char *p;

	(void)state;
	for (i = 0; i < 24; i++, bytes *= 2) {
		p = arena_alloc(&a, bytes);
		assert_non_null(p);
		assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
		assert_int_equal(p[0] | p[bytes - 1], 0);
		memset(p, 0xff, bytes);
	}
	assert_string_equal(arena_strndup(&a, "abcdef", 3), "abc");
	assert_null(arena_strdup(&a, NULL));
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sentence_too_long_is_cut_and_shows_it),
		cmocka_unit_test(a_prefix_goes_in_front),
		cmocka_unit_test(text_grows),
		cmocka_unit_test(what_is_no_printable_utf8_is_written_as_numbers),
		cmocka_unit_test(paths_are_tidied_as_text),
		cmocka_unit_test(the_map_keeps_all_keys),
		cmocka_unit_test(the_arena_gives_zeroed_pieces_of_any_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
