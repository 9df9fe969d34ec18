/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The three writers of rows, with a row that has each kind of value. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "answer/columns.h"
#include "answer/json.h"
#include "base/text.h"
#include "views/columns_table.h"

struct row {
	const char *name;
	uint64_t count;
	uint32_t line;
	double share;
};

static void get_line(const void *row, struct value *v)
{
	v->whole = ((const struct row *)row)->line;
	v->is_missing = v->whole == 0;
}

static void get_loud_name(const void *row, struct value *v)
{
	text_addf(v->made, "%s!", ((const struct row *)row)->name);
	v->text = text_get(v->made);
}

enum { NAME, LOUD_NAME, COUNT, LINE, SHARE };

static const struct column columns[] = {
	[NAME] = {"NAME", "name", UNIT_TEXT, COLUMN_MEMBER(struct row, name)},
	[LOUD_NAME] = {"LOUD", NULL, UNIT_TEXT, get_loud_name},
	[COUNT] = {"COUNT", "count", UNIT_COUNT, COLUMN_MEMBER(struct row, count)},
	[LINE] = {NULL, "line", UNIT_NUMBER, get_line, .is_optional = true},
	[SHARE] = {"SHARE", "share", UNIT_SHARE, COLUMN_MEMBER(struct row, share), .precise = 3},
};

static const struct row known = {"a,b", 12345, 7, 0.123456};
static const struct row missing = {NULL, 0, 0, NAN};

static void csv_has_the_keys_and_a_line_for_each_row(void **state)
{
	const struct column_list *list =
		COLUMN_LIST(&columns[LINE], &columns[NAME], &columns[COUNT], &columns[SHARE]);
	struct text out = {0};

	(void)state;
	columns_csv_head(list, &out);
	columns_csv_row(list, &known, &out);
	columns_csv_row(list, &missing, &out);
	assert_string_equal(text_get(&out), "line,name,count,share\n"
					    "7,\"a,b\",12345,0.123\n"
					    ",,0,\n");
	text_release(&out);
}

static void columns_of_a_group_are_an_object_in_json(void **state)
{
	struct column one = columns[COUNT], other = columns[SHARE];
	const struct column_list *list = COLUMN_LIST(&one, &columns[NAME], &other);
	struct text out = {0};

	(void)state;
	one.group = other.group = "self";
	one.prefix = "self_";
	columns_csv_head(list, &out);
	assert_string_equal(text_get(&out), "self_count,name,share\n");
	text_release(&out);
	assert_int_equal(json_print_compact(columns_json(list, &missing), &out, NULL), 0);
	assert_string_equal(text_get(&out),
			    "{\"self\":{\"count\":0,\"share\":null},\"name\":null}\n");
	text_release(&out);
}

static void json_is_null_where_nothing_is_known(void **state)
{
	const struct column_list *list =
		COLUMN_LIST(&columns[NAME], &columns[COUNT], &columns[LINE], &columns[SHARE]);
	struct text out = {0};

	(void)state;
	assert_int_equal(json_print_compact(columns_json(list, &missing), &out, NULL), 0);
	assert_string_equal(text_get(&out), "{\"name\":null,\"count\":0,\"share\":null}\n");
	text_release(&out);
}

/* Of 4 events there are 5 now: one more, a quarter. Of none before, there is no share. */
static void events_changes_and_truths_have_a_form_in_each_format(void **state)
{
	static const struct {
		double events, change, growth, unknown;
		uint64_t address, none;
		bool truth;
	} row = {1234.0, 1, 0.25, NAN, 0x40, 0, true};
	static const struct column all[] = {
		{"N", "n", UNIT_EVENT, .offset = 0, .prefix = "self_"},
		{"C", "c", UNIT_CHANGE, .offset = 8},
		{"G", "g", UNIT_GROWTH, .offset = 16},
		{"U", "u", UNIT_EVENT, .offset = 24},
		{"A", "a", UNIT_ADDRESS, .offset = 32, .bytes = 8},
		{"Z", "z", UNIT_NUMBER, .offset = 40, .bytes = 8, .zero_is_missing = true,
		 .missing = "none"},
		{"T", "t", UNIT_TRUTH, .offset = 48},
	};
	const struct column_list *list =
		COLUMN_LIST(&all[0], &all[1], &all[2], &all[3], &all[4], &all[5], &all[6]);
	struct text out = {0};

	(void)state;
	columns_csv_head(list, &out);
	columns_csv_row(list, &row, &out);
	assert_string_equal(text_get(&out), "self_n,c,g,u,a,z,t\n1234,1,0.25,,0x40,,1\n");
	text_release(&out);
	assert_int_equal(json_print_compact(columns_json(list, &row), &out, NULL), 0);
	assert_string_equal(text_get(&out), "{\"n\":1234,\"c\":1,\"g\":0.25,\"u\":null,"
					    "\"a\":64,\"z\":null,\"t\":true}\n");
	text_release(&out);
	for (size_t i = 0; i < list->count; i++) {
		columns_cell(list->items[i], &row, &out);
		text_add(&out, " ");
	}
	assert_string_equal(text_get(&out), "1,234 +1 +25.00 % - 0x40 none yes ");
	text_release(&out);
}

static void a_text_has_figures_for_people(void **state)
{
	const struct column_list *list =
		COLUMN_LIST(&columns[COUNT], &columns[SHARE], &columns[LOUD_NAME]);
	const struct display d = {.width = 0};
	struct table *t = columns_table(list, &d);
	struct text out = {0};

	(void)state;
	columns_table_row(list, t, &known);
	assert_int_equal(table_print(t, &out, NULL), 0);
	table_free(t);
	assert_string_equal(text_get(&out), " COUNT   SHARE LOUD\n"
					    "12,345 12.35 % a,b!\n");
	text_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv_has_the_keys_and_a_line_for_each_row),
		cmocka_unit_test(columns_of_a_group_are_an_object_in_json),
		cmocka_unit_test(json_is_null_where_nothing_is_known),
		cmocka_unit_test(events_changes_and_truths_have_a_form_in_each_format),
		cmocka_unit_test(a_text_has_figures_for_people),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
