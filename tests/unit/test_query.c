/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows that a query shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "query/query.h"

static bool shows(const struct query *q, const char *function, const char *file)
{
	return query_shows(q, (const char *const[]){function, file}, 2);
}

static void a_new_query_shows_everything(void **state)
{
	struct query q;

	query_init(&q);
	assert_int_equal(q.process, QUERY_ANY);
	assert_true(shows(&q, "main", "a.c"));
	assert_true(shows(&q, NULL, NULL));
	query_release(&q);
}

static void focus_and_ignore_look_at_each_name(void **state)
{
	struct query q;
	struct err err;

	query_init(&q);
	assert_int_equal(query_set_focus(&q, "^ma", &err), 0);
	assert_true(shows(&q, "main", "a.c"));
	assert_true(shows(&q, NULL, "map.c"));
	assert_false(shows(&q, "work", "a.c"));
	assert_false(shows(&q, NULL, NULL));
	assert_int_equal(query_set_ignore(&q, "p\\.c$", &err), 0);
	assert_false(shows(&q, "main", "map.c"));
	assert_int_equal(query_set_focus(&q, "work|main", &err), 0);
	assert_true(shows(&q, "work", "a.c"));
	query_release(&q);
}

static void what_is_no_expression_is_refused_and_filters_nothing(void **state)
{
	struct query q;
	struct err err;
	char text[1002];

	query_init(&q);
	assert_int_equal(query_set_focus(&q, "(", &err), -1);
	assert_non_null(strstr(err.text, "'(' is no regular expression"));
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(query_set_ignore(&q, text, &err), -1);
	assert_true(shows(&q, "main", NULL));
	query_release(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_query_shows_everything),
		cmocka_unit_test(focus_and_ignore_look_at_each_name),
		cmocka_unit_test(what_is_no_expression_is_refused_and_filters_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
