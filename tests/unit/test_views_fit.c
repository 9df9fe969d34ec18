/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names, prose and tables in a terminal that is too narrow for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "views/fit.h"
#include "views/table.h"

#define ROOM	1000
#define ELLIPSE "\xe2\x80\xa6"

static const struct display unicode = {.unicode = true}, plain = {.unicode = false};

static const char *name_in(const char *name, size_t width, const struct display *d)
{
	static char buf[ROOM];
	struct text t = {0};

	fit_name(&t, name, width, d);
	snprintf(buf, sizeof(buf), "%s", text_get(&t));
	text_release(&t);
	return buf;
}

static const char *words_in(const char *words, size_t width, const struct display *d)
{
	static char buf[ROOM];
	struct text t = {0};

	fit_words(&t, words, width, d);
	snprintf(buf, sizeof(buf), "%s", text_get(&t));
	text_release(&t);
	return buf;
}

static void a_place_never_loses_digits_of_its_line(void **state)
{
	static const char *const names[] = {
		"basic_string.h:3691 bool std::operator<(x, y)", "dl-lookup.c:11234",
		"memmove-vec-unaligned-erms.S:598 __memmove_avx", "h:1234567 f"};
	static const char *const numbers[] = {":3691", ":11234", ":598", ":1234567"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (size_t width = 1; width < 60; width++) {
			const char *fits = name_in(names[i], width, &unicode);
			const char *number = strstr(fits, numbers[i]);

			assert_non_null(number);
			number += strlen(numbers[i]);
			assert_true(*number == '\0' || *number == ' ' || *number == '\xe2');
			assert_true(fit_width(fits) <= (width > 11 ? width : 11));
			assert_true(strcmp(fits, names[i]) == 0 || strstr(fits, ELLIPSE) != NULL);
		}
	/* 13 of 18 columns are not the number's: 12 and a mark. */
	assert_string_equal(name_in("a_file_of_long_name.h:3691", 18, &unicode),
			    "a_file" ELLIPSE "name.h:3691");
	assert_string_equal(name_in("walk.c:12 sum_of_everything", 12, &unicode),
			    "walk.c:12 " ELLIPSE);
	assert_string_equal(name_in("walk.c:12 sum_of_everything", 11, &plain), "w...c:12");
}

static void a_site_keeps_its_line_and_its_number(void **state)
{
	const char *site = "new in Table<long>::fill(int) (table.cc:8) [2 of 2]";

	(void)state;
	assert_string_equal(name_in(site, 51, &unicode), site);
	assert_string_equal(name_in(site, 45, &unicode),
			    "new in Table" ELLIPSE ":fill(int) (table.cc:8) [2 of 2]");
	assert_string_equal(name_in(site, 30, &unicode),
			    "Table<lon" ELLIPSE " table.cc:8 [2 of 2]");
	assert_string_equal(name_in(site, 22, &unicode), "table.cc:8 [2 of 2]");
	assert_string_equal(name_in(site, 16, &unicode), "ta" ELLIPSE "cc:8 [2 of 2]");
	for (size_t width = 12; width < 60; width++) {
		const char *fits = name_in(site, width, &unicode);

		assert_non_null(strstr(fits, ":8"));
		assert_non_null(strstr(fits, "[2 of 2]"));
		assert_true(fit_width(fits) <= width);
	}
}

static void brackets_give_way_before_the_function(void **state)
{
	const char *right = "std::_Rb_tree<std::string, int, std::less<int> >::_S_right(node*)";

	(void)state;
	assert_string_equal(name_in(right, strlen(right), &unicode), right);
	assert_string_equal(name_in(right, 50, &unicode),
			    "std::_Rb_tree<std::string, int," ELLIPSE ">::_S_right(node*)");
	/*
	 * Without what is in the brackets it takes 33; 2 less, and the middle goes: 10 and 20 stay.
	 */
	assert_string_equal(name_in(right, 33, &unicode),
			    "std::_Rb_tree<" ELLIPSE ">::_S_right(node*)");
	assert_string_equal(name_in(right, 31, &unicode),
			    "std::_Rb_t" ELLIPSE "<" ELLIPSE ">::_S_right(node*)");
}

static void what_is_no_bracket_stays(void **state)
{
	(void)state;
	/* operator< has brackets of its own behind it; what is in them goes. */
	assert_string_equal(name_in("std::operator< <char, traits, allocator>(int)", 28, &unicode),
			    "std::operator< <char," ELLIPSE ">(int)");
	assert_string_equal(name_in("a::operator->(long_argument, another)", 26, &unicode),
			    "a::operator->(long_argum" ELLIPSE ")");
}

static void short_brackets_are_told_apart(void **state)
{
	char of_int[ROOM];

	(void)state;
	snprintf(of_int, sizeof(of_int), "%s",
		 name_in("new in ns::Box<int>::add(int) (cpp.cpp:6)", 30, &unicode));
	assert_string_not_equal(
		of_int, name_in("new in ns::Box<double>::add(double) (cpp.cpp:6)", 30, &unicode));
	assert_non_null(strstr(of_int, " (cpp.cpp:6)"));
}

static void wide_characters_take_two_columns(void **state)
{
	(void)state;
	assert_int_equal(fit_width("\xe6\xbc\xa2\xe5\xad\x97"), 4);
	assert_string_equal(words_in("\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2", 4, &unicode),
			    "\xe6\xbc\xa2" ELLIPSE);
}

static void a_command_loses_its_end(void **state)
{
	(void)state;
	assert_string_equal(words_in("sort -n file", 8, &unicode), "sort -n" ELLIPSE);
	assert_string_equal(words_in("sort -n file", 8, &plain), "sort ...");
	assert_string_equal(words_in("sort -n", 8, &unicode), "sort -n");
}

static void orders_to_the_terminal_are_written_as_numbers(void **state)
{
	struct text t = {0};

	(void)state;
	fit_add(&t, "a\n\033[31m\xc3\xa9", &unicode);
	assert_string_equal(text_get(&t), "a\\x0a\\x1b[31m\xc3\xa9");
	t.count = 0;
	fit_add(&t, "a\n\xc3\xa9", &plain);
	assert_string_equal(text_get(&t), "a\\x0a\\xc3\\xa9");
	text_release(&t);
}

static void prose_is_broken_at_spaces(void **state)
{
	const struct display d = {.width = 24, .unicode = true};
	struct text t = {0};

	(void)state;
	text_add(&t, "Head stays as it is, whatever\n");
	text_add(&t, "  label  of the run's time: 12.50 % here, 3 % there\n\nend\n");
	fit_prose(&t, strlen("Head stays as it is, whatever\n"), 9, &d);
	assert_string_equal(text_get(&t), "Head stays as it is, whatever\n"
					  "  label  of the run's\n"
					  "         time: 12.50 %\n"
					  "         here, 3 % there\n\nend\n");
	t.count = 0;
	text_add(&t, "a_word_that_is_longer_than_the_line follows\n");
	fit_prose(&t, 0, 2, &d);
	assert_string_equal(text_get(&t), "a_word_that_is_longer_than_the_line\n  follows\n");
	text_release(&t);
}

static void two_columns_of_places_share_the_room(void **state)
{
	static const struct table_column columns[] = {{"SHARE", true, false},
						      {"LESS", true, false},
						      {"FROM", false, true},
						      {"TO", false, true}};
	static const unsigned less[] = {1};
	const char *cells[] = {"1.00 %", "0", "a_rather_long_name_of_file.c:12345 function",
			       "another_long_name_of_file.c:678 function"};
	const struct display d = {.width = 50, .unicode = true};
	struct table *t = table_new(columns, 4, &d);
	struct text out = {0};
	struct err err;

	(void)state;
	table_may_leave_out(t, less, 1);
	table_row(t, cells);
	assert_int_equal(table_print(t, &out, &err), 0);
	/* 50 less "SHARE " and "LESS " less a space: 18 each, so LESS goes: 21 each. */
	assert_string_equal(text_get(&out), " SHARE FROM                  TO\n"
					    "1.00 % a_rathe" ELLIPSE
					    "_file.c:12345 another_" ELLIPSE "f_file.c:678\n"
					    "Not shown for want of room: LESS\n");
	table_free(t);
	text_release(&out);
}

/*
 * A pipe has no width: but what follows a name of hundreds of columns is not to be seen any more.
 */
static void without_a_width_a_name_gives_way_to_what_follows(void **state)
{
	static const struct table_column columns[] = {
		{"SHARE", true, false}, {"FROM", false, true}, {"TO", false, true}};
	static const struct display d = {.unicode = true};
	char name[301] = "", expected[600];
	const char *cells[] = {"1 %", name, name};
	struct table *t = table_new(columns, 3, &d);
	struct text out = {0};
	struct err err;
	const char *line;

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	table_row(t, cells);
	assert_int_equal(table_print(t, &out, &err), 0);
	line = strchr(text_get(&out), '\n') + 1;
	snprintf(expected, sizeof(expected), " %s\n", name);
	assert_string_equal(strrchr(line, ' '), expected);
	assert_true(fit_width(line) < 6 + 100 + 1 + 300 + 2);
	table_free(t);
	text_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_place_never_loses_digits_of_its_line),
		cmocka_unit_test(a_site_keeps_its_line_and_its_number),
		cmocka_unit_test(brackets_give_way_before_the_function),
		cmocka_unit_test(what_is_no_bracket_stays),
		cmocka_unit_test(short_brackets_are_told_apart),
		cmocka_unit_test(wide_characters_take_two_columns),
		cmocka_unit_test(a_command_loses_its_end),
		cmocka_unit_test(orders_to_the_terminal_are_written_as_numbers),
		cmocka_unit_test(prose_is_broken_at_spaces),
		cmocka_unit_test(two_columns_of_places_share_the_room),
		cmocka_unit_test(without_a_width_a_name_gives_way_to_what_follows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
