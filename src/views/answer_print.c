/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writers of answers; see answer_print.h. */
#include "views/answer_print.h"

#include <stdlib.h>
#include <string.h>

#include "answer/json.h"
#include "views/columns_table.h"
#include "views/file_rows.h"

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
		text_addf(out, "%s%s", r->none, r->none[0] != '\0' ? "\n" : "");
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

#define NOTE "note: "

/* Add lines, each with `before` in front of it. */
static void put_lines(const struct text *lines, const char *before, size_t indent,
		      const struct display *d, struct text *out)
{
	const size_t from = out->count;

	for (const char *line = text_get(lines); *line != '\0'; line += line[0] == '\n') {
		const size_t length = strcspn(line, "\n");
		struct text one = {0};

		text_add(out, before);
		text_add_bytes(&one, line, length);
		fit_add(out, text_get(&one), d);
		text_add(out, "\n");
		out->failed |= one.failed;
		text_release(&one);
		line += length;
	}
	fit_prose(out, from, indent, d);
}

int answer_text(const struct answer *a, size_t most, const struct display *d, struct text *out,
		struct err *err)
{
	const struct rows *r = &a->rows;
	const bool has_rows = r->count > 0 || r->none == NULL || r->none[0] != '\0';

	put_lines(&a->title, "", a->title_indent, d, out);
	put_lines(&a->notes, NOTE, strlen(NOTE), d, out);
	if (a->title.count > 0 && has_rows)
		text_add(out, "\n");
	if (rows_text(r, most, d, out, err) != 0)
		return -1;
	if (a->second.key != NULL && has_rows)
		text_add(out, "\n");
	if (a->second.key != NULL && rows_text(&a->second, most, d, out, err) != 0)
		return -1;
	text_add(out, text_get(&a->remarks));
	return 0;
}

/* ---- Files ---- */

static void put_rows(const struct rows *r, struct file_rows *f)
{
	for (size_t i = 0; i < r->count; i++)
		file_rows_put(f, rows_at(r, i));
}

void answer_csv(const struct answer *a, size_t most, struct text *out)
{
	const struct column_list list = rows_list(&a->rows.csv);
	struct file_rows f = {.list = &list, .most = most, .csv = out};

	columns_csv_head(&list, out);
	put_rows(&a->rows, &f);
	file_rows_end_csv(&f);
	put_rows(&a->second, &f);
	file_rows_end_csv(&f);
}

static void put_json(const struct rows *r, size_t most, json_t *root)
{
	const struct column_list list = rows_list(&r->json);
	struct file_rows f = {.list = &list, .most = most, .array = json_array()};

	put_rows(r, &f);
	file_rows_end_json(&f, r->key, root);
}

int answer_json(const struct answer *a, size_t most, struct text *out, struct err *err)
{
	json_t *root = json_object();

	put_json(&a->rows, most, root);
	if (a->second.key != NULL)
		put_json(&a->second, most, root);
	if (a->about != NULL)
		json_object_update(root, a->about);
	return json_print(root, out, err);
}
