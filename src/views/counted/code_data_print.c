/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list below annotated code of a simulation: the data that its hottest lines miss on. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "events/event_annotate.h"
#include "views/columns.h"
#include "views/counted/counted.h"
#include "views/figures.h"
#include "views/json.h"

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

/* Below its line. */
static void get_indented(const void *row, struct value *v)
{
	text_addf(v->made, "  %s", row_of(row)->structure->name);
	v->text = text_get(v->made);
}

static void get_first_others(const void *row, struct value *v)
{
	v->whole = counted_by_others(&row_of(row)->first);
}

static void get_last_others(const void *row, struct value *v)
{
	v->whole = counted_by_others(&row_of(row)->last);
}

static void get_first_others_share(const void *row, struct value *v)
{
	const struct counted_misses *m = &row_of(row)->first;

	v->real = m->all > 0 ? (double)counted_by_others(m) / (double)m->all : NAN;
}

static void get_first_conflict_share(const void *row, struct value *v)
{
	const struct counted_misses *m = &row_of(row)->first;

	v->real = m->all > 0 ? (double)m->conflicts / (double)m->all : NAN;
}

static void get_first_capacity(const void *row, struct value *v)
{
	v->whole = counted_capacity(&row_of(row)->first);
}

static void get_last_capacity(const void *row, struct value *v)
{
	v->whole = counted_capacity(&row_of(row)->last);
}

enum {
	NAME,
	INDENTED,
	FIRST,
	FIRST_COLD,
	FIRST_SELF,
	FIRST_OTHERS,
	FIRST_OTHERS_SHARE,
	FIRST_CONFLICT,
	FIRST_CONFLICT_SHARE,
	FIRST_CAPACITY,
	LAST,
	LAST_COLD,
	LAST_SELF,
	LAST_OTHERS,
	LAST_CONFLICT,
	LAST_CAPACITY
};

#define MEMBER(member) COLUMN_MEMBER(struct code_data_row, member)

static const struct column columns[] = {
	[NAME] = {NULL, "name", UNIT_TEXT, get_name},
	[INDENTED] = {"LINE, DATA STRUCTURE", NULL, UNIT_TEXT, get_indented, .may_cut = true},
	[FIRST] = {"L1 MISSES", "L1_misses", UNIT_COUNT, MEMBER(first.all)},
	[FIRST_COLD] = {NULL, "L1_cold", UNIT_COUNT, MEMBER(first.cold)},
	[FIRST_SELF] = {NULL, "L1_by_self", UNIT_COUNT, MEMBER(first.by_self)},
	[FIRST_OTHERS] = {NULL, "L1_by_others", UNIT_COUNT, get_first_others},
	[FIRST_OTHERS_SHARE] = {"BY OTHERS", NULL, UNIT_SHARE, get_first_others_share},
	[FIRST_CONFLICT] = {NULL, "L1_conflict", UNIT_COUNT, MEMBER(first.conflicts)},
	[FIRST_CONFLICT_SHARE] = {"CONFLICT", NULL, UNIT_SHARE, get_first_conflict_share},
	[FIRST_CAPACITY] = {NULL, "L1_capacity", UNIT_COUNT, get_first_capacity},
	[LAST] = {"LL MISSES", "LL_misses", UNIT_COUNT, MEMBER(last.all)},
	[LAST_COLD] = {NULL, "LL_cold", UNIT_COUNT, MEMBER(last.cold)},
	[LAST_SELF] = {NULL, "LL_by_self", UNIT_COUNT, MEMBER(last.by_self)},
	[LAST_OTHERS] = {NULL, "LL_by_others", UNIT_COUNT, get_last_others},
	[LAST_CONFLICT] = {NULL, "LL_conflict", UNIT_COUNT, MEMBER(last.conflicts)},
	[LAST_CAPACITY] = {NULL, "LL_capacity", UNIT_COUNT, get_last_capacity},
};

#define C(column) (&columns[column])

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
			? COLUMN_LIST(C(FIRST), C(FIRST_OTHERS_SHARE), C(FIRST_CONFLICT_SHARE),
				      C(LAST), C(INDENTED))
			: COLUMN_LIST(C(FIRST), C(FIRST_OTHERS_SHARE), C(LAST), C(INDENTED));
	struct hot_line *lines = calloc(c->count + 1, sizeof(*lines));
	struct table *t;
	size_t count, n;
	int status;

	if (lines == NULL)
		return err_set(err, "not enough memory for %zu lines", c->count);
	count = list_lines(c, lines);
	if (count == 0 || most == 0) {
		free(lines);
		return 0;
	}
	text_add(out, "\nThe data that the hottest lines miss on\n");
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

#define COUNTS                                                                                   \
	C(NAME), C(FIRST), C(FIRST_COLD), C(FIRST_SELF), C(FIRST_OTHERS), C(LAST), C(LAST_COLD), \
		C(LAST_SELF), C(LAST_OTHERS)

json_t *code_data_json(const struct code_data *c, size_t line)
{
	const struct column_list *list =
		c->names.profile->has_conflicts
			? COLUMN_LIST(COUNTS, C(FIRST_CONFLICT), C(FIRST_CAPACITY),
				      C(LAST_CONFLICT), C(LAST_CAPACITY))
			: COLUMN_LIST(COUNTS);
	json_t *o = json_array();
	size_t count;
	const struct code_data_row *rows = code_data_of(c, line, &count);

	for (size_t i = 0; i < count; i++)
		json_array_append_new(o, columns_json(list, &rows[i]));
	return o;
}
