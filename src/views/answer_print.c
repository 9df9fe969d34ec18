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

/* Of a display that is not wide, those that it never does without. */
static struct rows_columns columns_of(const struct rows *r, const struct display *d)
{
	struct rows_columns c = r->text;

	if (d->width == 0 || d->width >= r->wide)
		return c;
	c.count = 0;
	for (size_t i = 0; i < r->text.count; i++)
		if (r->text.less[i] == 0)
			c.items[c.count++] = r->text.items[i];
	memset(c.less, 0, sizeof(c.less));
	return c;
}

/* The rows from one on that are a table together, up to `end`. */
static size_t end_of_section(const struct rows *r, size_t from, size_t end, struct text *title)
{
	struct text next = {0};

	if (r->section == NULL)
		return end;
	columns_cell(r->section, rows_at(r, from), title);
	while (++from < end) {
		next.count = 0;
		columns_cell(r->section, rows_at(r, from), &next);
		if (strcmp(text_get(&next), text_get(title)) != 0)
			break;
	}
	text_release(&next);
	return from;
}

static int put_table(const struct rows *r, size_t from, size_t end, const struct display *d,
		     struct text *out, struct err *err)
{
	const struct rows_columns columns = columns_of(r, d);
	const struct column_list list = rows_list(&columns);
	unsigned less[ROWS_COLUMNS];
	struct table *t = columns_table(&list, d);
	int status;

	table_may_leave_out(t, less, find_less(&columns, less));
	for (size_t i = from; i < end; i++)
		columns_table_row(&list, t, rows_at(r, i));
	status = table_print(t, out, err);
	table_free(t);
	return status;
}

int rows_text(const struct rows *r, size_t most, const struct display *d, struct text *out,
	      struct err *err)
{
	const size_t shown = rows_shown(r, most);
	size_t from = 0, end;
	int status;

	if (r->count == 0 && r->none != NULL) {
		text_addf(out, "%s%s", r->none, r->none[0] != '\0' ? "\n" : "");
		return 0;
	}
	do {
		struct text title = {0};

		end = end_of_section(r, from, shown, &title);
		if (from > 0)
			text_add(out, "\n");
		if (r->section != NULL && r->section->title != NULL)
			text_addf(out, "%s\n", text_get(&title));
		text_release(&title);
		status = put_table(r, from, end, d, out, err);
		from = end;
	} while (status == 0 && from < shown);
	figure_more(out, r->count - shown, r->more != NULL ? r->more : "");
	return status;
}

#define REMARK_INDENT 2
#define NOTE	      "note: "
#define MOST_NAME     100 /* width of a name of code */

/* Add lines, each with `before` in front of it; see the marks in answer.h. */
static void add_lines(const struct text *lines, const char *before, const struct display *d,
		      struct text *out)
{
	bool is_name = false, is_start = true;

	for (const char *at = text_get(lines); *at != '\0';) {
		const size_t length = strcspn(at, "\n" ANSWER_STAY ANSWER_NAME);
		struct text piece = {0}, shown = {0};

		if (is_start)
			text_add(out, before);
		text_add_bytes(&piece, at, length);
		fit_add(&shown, text_get(&piece), d);
		fit_name(out, text_get(&shown), is_name ? MOST_NAME : SIZE_MAX, d);
		out->failed |= piece.failed || shown.failed;
		text_release(&piece);
		text_release(&shown);
		at += length;
		is_start = *at == '\n';
		is_name ^= *at == ANSWER_NAME[0];
		if (*at != '\0' && *at++ != ANSWER_NAME[0])
			text_add_bytes(out, at - 1, 1);
	}
}

void lines_text(const struct text *lines, const char *before, size_t indent,
		const struct display *d, struct text *out)
{
	const size_t from = out->count;

	add_lines(lines, before, d, out);
	fit_prose(out, from, indent, d);
}

int answer_text(const struct answer *a, size_t most, const struct display *d, struct text *out,
		struct err *err)
{
	const struct rows *r = &a->rows;
	const bool has_rows = r->count > 0 || r->none == NULL || r->none[0] != '\0';

	lines_text(&a->title, "", a->title_indent, d, out);
	lines_text(&a->notes, NOTE, strlen(NOTE), d, out);
	for (size_t i = 0; i < ANSWER_TABLES; i++) {
		r = &a->tables[i];
		if (r->text.count == 0)
			continue;
		if ((i > 0 || a->title.count > 0) && has_rows)
			text_add(out, "\n");
		lines_text(&r->title, "", 0, d, out);
		if (r->title.count > 0)
			text_add(out, "\n");
		if (rows_text(r, most, d, out, err) != 0)
			return -1;
	}
	bars_text(&a->bars, d, out);
	lines_text(&a->remarks, "", REMARK_INDENT, d, out);
	add_lines(&a->details, "", d, out);
	return 0;
}

/* ---- Files ---- */

static void put_rows(const struct rows *r, size_t most, struct file_rows *f)
{
	f->others = r->others;
	f->most = r->is_chosen ? 0 : most;
	for (size_t i = 0; i < r->count; i++)
		file_rows_put(f, rows_at(r, i));
}

void answer_csv(const struct answer *a, size_t most, struct text *out)
{
	struct column_list list = {0};
	struct file_rows f = {.list = &list, .csv = out};

	for (size_t i = 0; i < ANSWER_TABLES; i++) {
		if (a->tables[i].csv.count == 0)
			continue;
		if (list.count == 0) {
			list = rows_list(&a->tables[i].csv);
			columns_csv_head(&list, out);
		}
		put_rows(&a->tables[i], most, &f);
		file_rows_end_csv(&f);
	}
}

void rows_json(const struct rows *r, size_t most, json_t *root)
{
	const struct column_list list = rows_list(&r->json);
	struct file_rows f = {.list = &list, .array = json_array()};

	put_rows(r, most, &f);
	file_rows_end_json(&f, r->key, root);
}

int answer_json(const struct answer *a, size_t most, struct text *out, struct err *err)
{
	json_t *root = a->head != NULL ? json_copy(a->head) : json_object();

	for (size_t i = 0; i < ANSWER_TABLES; i++)
		if (a->tables[i].key != NULL)
			rows_json(&a->tables[i], most, root);
	if (a->about != NULL)
		json_object_update(root, a->about);
	return json_print(root, out, err);
}
