/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables, using libsmartcols. */
#include "views/table.h"

#include <libsmartcols/libsmartcols.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "views/fit.h"

#define MOST_BESIDE 100 /* width of a name that is not the last column, if no width is known */
#define LEAST_CUT   20	/* width at which names can still be distinguished */
#define LEAST_SHOWN 8	/* the same, if no more columns can be left out */

struct fitted {
	struct text title;
	bool is_number, is_left_out;
	unsigned may_cut;
	size_t width; /* of its longest cell; later the chosen width */
};

struct table {
	struct display display;
	struct fitted *columns;
	size_t column_count;
	const unsigned *may_leave_out;
	size_t may_leave_out_count;
	char **cells; /* row by row, from fit_add */
	size_t cell_count, cell_room;
	bool failed;
};

struct table *table_new(const struct table_column *columns, size_t count, const struct display *d)
{
	struct table *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->columns = calloc(count, sizeof(*t->columns));
	if (t->columns == NULL) {
		free(t);
		return NULL;
	}
	t->display = *d;
	t->column_count = count;
	for (size_t i = 0; i < count; i++) {
		struct fitted *c = &t->columns[i];

		fit_add(&c->title, columns[i].title, d);
		t->failed |= c->title.failed;
		c->is_number = columns[i].is_number;
		c->may_cut = columns[i].may_cut;
		c->width = fit_width(text_get(&c->title));
	}
	return t;
}

void table_free(struct table *t)
{
	if (t == NULL)
		return;
	for (size_t i = 0; i < t->cell_count; i++)
		free(t->cells[i]);
	free(t->cells);
	for (size_t i = 0; i < t->column_count; i++)
		text_release(&t->columns[i].title);
	free(t->columns);
	free(t);
}

void table_may_leave_out(struct table *t, const unsigned *columns, size_t count)
{
	if (t == NULL)
		return;
	t->may_leave_out = columns;
	t->may_leave_out_count = count;
}

void table_row(struct table *t, const char *const *cells)
{
	if (t == NULL || t->failed)
		return;
	if (!array_reserve_in((void **)&t->cells, &t->cell_room, t->cell_count + t->column_count,
			      sizeof(*t->cells))) {
		t->failed = true;
		return;
	}
	for (size_t i = 0; i < t->column_count; i++) {
		struct text cell = {0};
		size_t width;

		fit_add(&cell, cells[i], &t->display);
		width = fit_width(text_get(&cell));
		if (width > t->columns[i].width)
			t->columns[i].width = width;
		t->failed |= cell.failed;
		t->cells[t->cell_count++] = cell.items; /* NULL: empty */
	}
}

/* ---- Widths ---- */

/* The width of the table if columns that may be cut have at most `most`. */
static size_t table_width(const struct table *t, size_t most)
{
	size_t width = 0;

	for (size_t i = 0; i < t->column_count; i++) {
		const struct fitted *c = &t->columns[i];

		if (!c->is_left_out)
			width += 1 + (c->may_cut != 0 && c->width > most ? most : c->width);
	}
	return width > 0 ? width - 1 : 0;
}

/*
 * In a file or a pipe, one long C++ name would push the next columns away in all rows. A name in
 * the last column stays whole.
 */
static void fit_beside(struct table *t)
{
	for (size_t i = 0; i + 1 < t->column_count; i++) {
		struct fitted *c = &t->columns[i];

		if (c->may_cut != 0 && c->may_cut != COLUMN_WORDS && c->width > MOST_BESIDE)
			c->width = MOST_BESIDE;
	}
}

/* Long columns get the same width, as far as it fits; short ones what they need. */
static void fit_columns(struct table *t)
{
	size_t most = LEAST_CUT, room = t->display.width;

	if (room == 0) {
		fit_beside(t);
		return;
	}
	for (size_t i = 0; i < t->may_leave_out_count && table_width(t, LEAST_CUT) > room; i++)
		t->columns[t->may_leave_out[i]].is_left_out = true;
	/* Below the least widths, a terminal is too narrow to be useful: let the table be wider. */
	while (most > LEAST_SHOWN && table_width(t, most) > room)
		most--;
	while (most < room && table_width(t, most + 1) <= room)
		most++;
	for (size_t i = 0; i < t->column_count; i++) {
		struct fitted *c = &t->columns[i];

		if (c->may_cut != 0 && c->width > most)
			c->width = most;
	}
}

/* ---- Printing ---- */

static int add_cells(const struct table *t, char *const *cells, struct libscols_line *line)
{
	size_t at = 0;
	int status = 0;

	for (size_t i = 0; i < t->column_count && status == 0; i++) {
		const struct fitted *c = &t->columns[i];
		const char *cell = cells[i] != NULL ? cells[i] : "";
		struct text shown = {0};

		if (c->is_left_out)
			continue;
		if (c->may_cut == COLUMN_WORDS)
			fit_words(&shown, cell, c->width, &t->display);
		else if (c->may_cut != 0)
			fit_name(&shown, cell, c->width, &t->display);
		else
			text_add(&shown, cell);
		status = shown.failed ? -1 : scols_line_set_data(line, at++, text_get(&shown));
		text_release(&shown);
	}
	return status;
}

static int fill(const struct table *t, struct libscols_table *s)
{
	/* The widths are fixed: the library must not cut anything, wherever stdout goes. */
	scols_table_set_termforce(s, SCOLS_TERMFORCE_ALWAYS);
	scols_table_set_termwidth(s, 100000);
	scols_table_enable_noencoding(s, 1);
	for (size_t i = 0; i < t->column_count; i++) {
		const struct fitted *c = &t->columns[i];

		if (!c->is_left_out &&
		    scols_table_new_column(s, text_get(&c->title), 0,
					   c->is_number ? SCOLS_FL_RIGHT : 0) == NULL)
			return -1;
	}
	for (size_t i = 0; i < t->cell_count; i += t->column_count) {
		struct libscols_line *line = scols_table_new_line(s, NULL);

		if (line == NULL || add_cells(t, t->cells + i, line) != 0)
			return -1;
	}
	return 0;
}

/* Tell whether an earlier column has the same title, as with two sides: name it once. */
static bool is_told(const struct table *t, size_t column)
{
	for (size_t i = 0; i < column; i++)
		if (t->columns[i].is_left_out && strcmp(text_get(&t->columns[i].title),
							text_get(&t->columns[column].title)) == 0)
			return true;
	return false;
}

static void name_left_out(const struct table *t, struct text *out)
{
	const char *before = "Not shown for want of room: ";
	size_t from = out->count;

	for (size_t i = 0; i < t->column_count; i++) {
		if (!t->columns[i].is_left_out || is_told(t, i))
			continue;
		text_addf(out, "%s%s", before, text_get(&t->columns[i].title));
		before = ", ";
	}
	if (out->count > from)
		text_add(out, "\n");
	fit_prose(out, from, 0, &t->display);
}

int table_print(struct table *t, struct text *out, struct err *err)
{
	struct libscols_table *s = scols_new_table();
	struct fit_locale locale;
	char *data = NULL;
	int status = -1;

	fit_enter_utf8(&locale);
	if (s != NULL && t != NULL && !t->failed) {
		fit_columns(t);
		status = fill(t, s);
	}
	if (status == 0)
		status = scols_print_table_to_string(s, &data);
	fit_leave_utf8(&locale);
	if (status == 0 && data != NULL && data[0] != '\0') {
		text_addf(out, "%s\n", data);
		name_left_out(t, out);
	}
	free(data);
	scols_unref_table(s);
	return status == 0 ? 0 : err_set(err, "not enough memory for a table");
}
