/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formulas over events: values computed by hand, and errors for invalid ones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "events/formula.h"

static const struct {
	const char *name;
	double value;
} events[] = {{"Ir", 1000}, {"D1mr", 30}, {"D1mw", 12}, {"a.b_2", 5}};

#define EVENT_COUNT (sizeof(events) / sizeof(events[0]))

static bool find(const void *context, const char *name, size_t length, size_t *column)
{
	size_t i;

	(void)context;
	for (i = 0; i < EVENT_COUNT; i++) {
		if (strlen(events[i].name) == length &&
		    strncmp(events[i].name, name, length) == 0) {
			*column = i;
			return true;
		}
	}
	return false;
}

static double value(const void *context, size_t column)
{
	(void)context;
	return events[column].value;
}

static size_t weigh(const void *context, size_t column)
{
	(void)context;
	return column == 0 ? 10 : 0;
}

static double work_out(const char *text)
{
	struct formula f;
	struct err err;
	double result;

	if (formula_parse(&f, text, find, NULL, &err) != 0)
		fail_msg("%s", err.text);
	result = formula_value(&f, value, NULL);
	formula_release(&f);
	return result;
}

static void a_value_is_that_of_school(void **state)
{
	static const struct {
		const char *text;
		double value;
	} cases[] = {
		{"Ir", 1000},
		{" 2 + 3 * 4 ", 14},
		{"(2 + 3) * 4", 20},
		{"10 - 4 - 3", 3},
		{"100 / 10 / 5", 2},
		{"-Ir + 1", -999},
		{"--3", 3},
		{"2 * -3", -6},
		{"10 D1mr + 100 D1mw", 1500},
		{"2 (D1mr + D1mw)", 84},
		{"Ir+10*D1mr", 1300},
		{".5 * a.b_2", 2.5},
		{"1e3", 1000},
		{"((((((7))))))", 7},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_true(work_out(cases[i].text) == cases[i].value);
}

static void what_is_divided_by_nothing_has_no_value(void **state)
{
	(void)state;
	assert_true(isnan(work_out("Ir / (D1mr - 30)")));
	assert_true(isnan(work_out("0 / 0 + 5")));
}

static void what_is_no_formula_is_told(void **state)
{
	static const struct {
		const char *text, *said;
	} cases[] = {
		{"", "missing at its end"},	   {"Ir +", "missing at its end"},
		{"Ir + Xr", "no event 'Xr'"},	   {"(Ir", "not closed"},
		{"Ir )", "too much at its end"},   {"Ir D1mr", "too much at its end"},
		{"Ir % 2", "too much at its end"}, {"+ 3", "no event, number or bracket"},
		{"inf", "no event 'inf'"},	   {"2 **3", "no event, number or bracket"},
	};
	struct formula f;
	struct err err;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(formula_parse(&f, cases[i].text, find, NULL, &err), -1);
		if (strstr(err.text, cases[i].said) == NULL)
			fail_msg("'%s': %s", cases[i].text, err.text);
		assert_null(f.items);
	}
}

/* The deepest one that is taken fills the stack of values the most that it can be. */
static void nesting_has_an_end(void **state)
{
	char text[4000];
	struct formula f;
	struct err err;
	size_t depth, n = 0;

	(void)state;
	for (depth = 0; depth < 49; depth++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "1 + 1 * (");
	n += (size_t)snprintf(text + n, sizeof(text) - n, "1");
	for (depth = 0; depth < 49; depth++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, ")");
	assert_true(work_out(text) == 50);
	memset(text, '(', 3000);
	text[3000] = '\0';
	assert_int_equal(formula_parse(&f, text, find, NULL, &err), -1);
	assert_non_null(strstr(err.text, "too deep"));
	memset(text, '-', 3000);
	assert_int_equal(formula_parse(&f, text, find, NULL, &err), -1);
	assert_non_null(strstr(err.text, "too deep"));
}

static void the_weight_is_that_of_all_steps(void **state)
{
	struct formula f;

	(void)state;
	/* Three names and two signs, of which one name weighs 10 more. */
	assert_int_equal(formula_parse(&f, "Ir + D1mr * D1mw", find, NULL, NULL), 0);
	assert_int_equal(formula_weight(&f, weigh, NULL), 15);
	formula_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_is_that_of_school),
		cmocka_unit_test(what_is_divided_by_nothing_has_no_value),
		cmocka_unit_test(what_is_no_formula_is_told),
		cmocka_unit_test(nesting_has_an_end),
		cmocka_unit_test(the_weight_is_that_of_all_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
