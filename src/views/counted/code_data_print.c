/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list below annotated code of a simulation: the data that its hottest lines miss on. */
#include <inttypes.h>
#include <stdlib.h>

#include "answer/columns.h"
#include "answer/figures.h"
#include "answer/json.h"
#include "answer/miss_columns.h"
#include "base/text.h"
#include "events/event_annotate.h"
#include "views/columns_table.h"
#include "views/counted/counted.h"

#define STRUCTURES 4 /* shown for each line */

/* ---- Columns ---- */

static const struct code_data_row *row_of(const void *row)
{
	return row;
}

static void get_name(const void *row, struct value *v)
{
	v->text = row_of(row)->structure->name;
}

static void get_field(const void *row, struct value *v)
{
	v->text = row_of(row)->field;
	v->is_missing = v->text[0] == '\0';
}

static void get_type(const void *row, struct value *v)
{
	v->text = row_of(row)->type;
	v->is_missing = v->text == NULL;
}

/* Below its line. */
static void get_indented(const void *row, struct value *v)
{
	const struct code_data_row *r = row_of(row);

	text_addf(v->made, "  %s%s%s", r->structure->name, r->field[0] != '\0' ? " " : "",
		  r->field);
	v->text = text_get(v->made);
}

static const struct column misses[] = MISS_TABLE(struct code_data_row, first, last);

static const struct column name = {NULL, "name", UNIT_TEXT, get_name};
static const struct column field = {NULL, "field", UNIT_TEXT, get_field};
static const struct column type = {NULL, "type", UNIT_TEXT, get_type};
static const struct column indented = {"LINE, DATA STRUCTURE, FIELD", NULL, UNIT_TEXT, get_indented,
				       .may_cut = true};

#define M(column) (&misses[column])

/* ---- Text ---- */

/* A line or an instruction with the cycles that its accesses wait. */
struct hot_line {
	size_t line; /* of the annotation */
	double cycles;
};

static int compare_lines(const void *a, const void *b)
{
	const struct hot_line *x = a, *y = b;

	if (x->cycles != y->cycles)
		return x->cycles < y->cycles ? 1 : -1;
	return (x->line > y->line) - (x->line < y->line);
}

/* Rows are sorted by line. Returns how many lines there are. */
static size_t list_lines(const struct code_data *c, struct hot_line *lines)
{
	size_t count = 0;

	for (size_t i = 0; i < c->count; i++) {
		if (count == 0 || lines[count - 1].line != c->rows[i].piece)
			lines[count++] = (struct hot_line){c->rows[i].piece, 0};
		lines[count - 1].cycles += c->rows[i].cycles;
	}
	qsort(lines, count, sizeof(*lines), compare_lines);
	return count;
}

static void put_place(const struct event_line *line, struct text *out)
{
	if (line->address != 0)
		text_addf(out, "%" PRIx64 " ", line->address);
	if (line->file != NULL)
		text_add(out, path_basename(line->file));
	if (line->line != 0)
		text_addf(out, ":%" PRIu32, line->line);
}

#define MOST_COLUMNS 5

/* A row with words in the last column alone. */
static void put_words(const struct column_list *list, const struct text *words, struct table *t)
{
	const char *cells[MOST_COLUMNS] = {NULL};

	cells[list->count - 1] = text_get(words);
	table_row(t, cells);
}

/* A row that names the line. */
static void put_title(const struct event_annotation *a, size_t line, const struct column_list *list,
		      struct table *t)
{
	struct text place = {0};

	put_place(&a->lines[line], &place);
	put_words(list, &place, t);
	text_release(&place);
}

static void put_more(size_t more, const struct column_list *list, struct table *t)
{
	char count[FIGURE_BYTES];
	struct text words = {0};

	text_addf(&words, "  and %s more", figure_count(more, count));
	put_words(list, &words, t);
	text_release(&words);
}

int code_data_text(const struct code_data *c, const struct event_annotation *a, size_t most,
		   const struct display *d, struct text *out, struct err *err)
{
	const struct column_list *list =
		c->names.profile->has_conflicts
			? COLUMN_LIST(M(L1_MISSES), M(L1_OTHERS_SHARE), M(L1_CONFLICT_SHARE),
				      M(LL_MISSES), &indented)
			: COLUMN_LIST(M(L1_MISSES), M(L1_OTHERS_SHARE), M(LL_MISSES), &indented);
	struct hot_line *lines = calloc(c->count + 1, sizeof(*lines));
	struct table *t;
	size_t count, n, from;
	int status;

	if (lines == NULL)
		return err_set(err, "not enough memory for %zu lines", c->count);
	count = list_lines(c, lines);
	if (count == 0 || most == 0) {
		free(lines);
		return 0;
	}
	text_add(out, "\n");
	from = out->count;
	text_add(out, "The data that the hottest lines miss on: ");
	counted_put_how(c->names.profile, out);
	text_add(out, "\n");
	fit_prose(out, from, 2, d);
	t = columns_table(list, d);
	for (size_t i = 0; i < count && i < most; i++) {
		const struct code_data_row *rows = code_data_of(c, lines[i].line, &n);

		put_title(a, lines[i].line, list, t);
		for (size_t k = 0; k < n && k < STRUCTURES; k++)
			columns_table_row(list, t, &rows[k]);
		if (n > STRUCTURES)
			put_more(n - STRUCTURES, list, t);
	}
	status = table_print(t, out, err);
	table_free(t);
	free(lines);
	return status;
}

/* ---- JSON ---- */

static const struct shown files[] = {
	{&name}, {&field}, {&type}, MISS_COUNTS_SHOWN(misses), MISS_CONFLICTS_SHOWN(misses),
};

json_t *code_data_json(const struct code_data *c, size_t line)
{
	struct rows r = {0};
	struct column_list list;
	json_t *o = json_array();
	size_t count;
	const struct code_data_row *rows = code_data_of(c, line, &count);

	ROWS_SHOW(&r, files, c->names.profile->has_conflicts ? ROWS_CONFLICTS : 0);
	list = rows_list(&r.json);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(o, columns_json(&list, &rows[i]));
	return o;
}
