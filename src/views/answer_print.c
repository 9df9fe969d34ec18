/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writers of answers; see answer_print.h. */
#include "views/answer_print.h"

#include <stdlib.h>

#include "answer/json.h"
#include "views/columns_table.h"

#define OTHERS "[others]"

/* ---- Text ---- */

static int compare_ranks(const void *x, const void *y, void *less)
{
	const unsigned *ranks = less;
	const unsigned a = ranks[*(const unsigned *)x], b = ranks[*(const unsigned *)y];

	return (a > b) - (a < b);
}

/* The columns that may be left out, the first one first. */
static size_t find_less(const struct rows_columns *c, unsigned *less)
{
	unsigned ranks[ROWS_COLUMNS];
	size_t count = 0;

	for (size_t i = 0; i < c->count; i++) {
		ranks[i] = c->less[i];
		if (ranks[i] > 0)
			less[count++] = (unsigned)i;
	}
	qsort_r(less, count, sizeof(*less), compare_ranks, ranks);
	return count;
}

int rows_text(const struct rows *r, size_t most, const struct display *d, struct text *out,
	      struct err *err)
{
	const struct column_list list = rows_list(&r->text);
	const size_t shown = rows_shown(r, most);
	unsigned less[ROWS_COLUMNS];
	struct table *t;
	int status;

	if (r->count == 0 && r->none != NULL) {
		text_addf(out, "%s\n", r->none);
		return 0;
	}
	t = columns_table(&list, d);
	table_may_leave_out(t, less, find_less(&r->text, less));
	for (size_t i = 0; i < shown; i++)
		columns_table_row(&list, t, rows_at(r, i));
	status = table_print(t, out, err);
	table_free(t);
	if (status == 0)
		figure_more(out, r->count - shown, "");
	return status;
}

int answer_text(const struct answer *a, size_t most, const struct display *d, struct text *out,
		struct err *err)
{
	if (a->title.count > 0) {
		text_add(out, text_get(&a->title));
		fit_prose(out, 0, a->title_indent, d);
		text_add(out, "\n");
	}
	if (rows_text(&a->rows, most, d, out, err) != 0)
		return -1;
	text_add(out, text_get(&a->remarks));
	return 0;
}

/* ---- CSV ---- */

/* The first text of the row names it; of figures it has the sums. */
static void put_others(const struct rows *r, size_t from, struct text *out)
{
	bool is_named = false;

	for (size_t i = 0; i < r->csv.count; i++) {
		const struct column *c = r->csv.items[i];
		struct value sum;

		if (i > 0)
			text_add(out, ",");
		if (c->unit == UNIT_TEXT && !is_named) {
			text_add(out, OTHERS);
			is_named = true;
		} else if (rows_sum(r, from, c, &sum)) {
			value_csv(c, &sum, out);
		}
	}
	text_add(out, "\n");
}

static void rows_csv(const struct rows *r, size_t most, struct text *out)
{
	const struct column_list list = rows_list(&r->csv);
	const size_t shown = rows_shown(r, most);

	columns_csv_head(&list, out);
	for (size_t i = 0; i < shown; i++)
		columns_csv_row(&list, rows_at(r, i), out);
	if (shown < r->count)
		put_others(r, shown, out);
}

void answer_csv(const struct answer *a, size_t most, struct text *out)
{
	rows_csv(&a->rows, most, out);
}

/* ---- JSON ---- */

/* {"KEY": {"rows": 12, "misses": 3}}, for each array that is cut. */
static void put_json_others(const struct rows *r, size_t from, json_t *object)
{
	json_t *all = json_object_get(object, "others");
	json_t *of_rows = json_pack("{s:I}", "rows", (json_int_t)(r->count - from));

	for (size_t i = 0; i < r->json.count; i++) {
		const struct column *c = r->json.items[i];
		struct value sum;

		if (rows_sum(r, from, c, &sum))
			json_object_set_new(of_rows, c->key, value_json(c, &sum));
	}
	if (all == NULL) {
		all = json_object();
		json_object_set_new(object, "others", all);
	}
	json_object_set_new(all, r->key, of_rows);
}

/* Set the array of the rows in the object, and "others" if there are any. */
static void rows_json(const struct rows *r, size_t most, json_t *object)
{
	const struct column_list list = rows_list(&r->json);
	const size_t shown = rows_shown(r, most);
	json_t *array = json_array();

	for (size_t i = 0; i < shown; i++)
		json_array_append_new(array, columns_json(&list, rows_at(r, i)));
	json_object_set_new(object, r->key, array);
	if (shown < r->count)
		put_json_others(r, shown, object);
}

int answer_json(const struct answer *a, size_t most, struct text *out, struct err *err)
{
	json_t *root = json_object();

	rows_json(&a->rows, most, root);
	if (a->about != NULL)
		json_object_update(root, a->about);
	return json_print(root, out, err);
}
