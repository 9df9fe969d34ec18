/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers and fields of CSV as the views write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "answer/figures.h"

static void figures_are_written_for_people(void **state)
{
	struct text out = {0};
	char buf[FIGURE_BYTES];

	assert_string_equal(figure_count(999, buf), "999");
	assert_string_equal(figure_count(12345, buf), "12,345");
	assert_string_equal(figure_count(1234567890, buf), "1.23e9");
	assert_string_equal(figure_count(999999999, buf), "1.00e9");
	figure_more(&out, 0, "");
	figure_more(&out, 1223, " functions");
	assert_string_equal(text_get(&out), "... and 1,223 more functions\n");
	text_release(&out);
	assert_string_equal(figure_things(1, "window", buf), "1 window");
	assert_string_equal(figure_things(1223, "window", buf), "1,223 windows");
	assert_string_equal(figure_percent(0.0321, buf), "3.21 %");
	assert_string_equal(figure_percent(0.000012, buf), "0.0012 %");
	assert_string_equal(figure_percent(0, buf), "0.00 %");
	assert_string_equal(figure_duration(134000000, buf), "134 ms");
	assert_string_equal(figure_duration(192000000000, buf), "3 min 12 s");
}

static void csv_quotes_what_has_to_be_quoted(void **state)
{
	const char *const fields[] = {"plain", "a,b",	 "say \"x\"", "two\nlines",    NULL,
				      "",      "=1+1",	 "@f",	      "-[Class name]", "-1.5e-9",
				      "+3",    "\x1b[2J"};
	struct text t = {0};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		csv_field(&t, fields[i]);
		text_add(&t, ",");
	}
	assert_string_equal(text_get(&t), "plain,\"a,b\",\"say \"\"x\"\"\",two\\x0alines,,"
					  ",'=1+1,'@f,'-[Class name],-1.5e-9,+3,\\x1b[2J,");
	text_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_written_for_people),
		cmocka_unit_test(csv_quotes_what_has_to_be_quoted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
