/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two event profiles side by side as text, CSV and JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/columns.h"
#include "answer/figures.h"
#include "answer/json.h"
#include "base/condition.h"
#include "base/text.h"
#include "estimate/counted/counted.h"
#include "events/diff.h"
#include "views/columns_table.h"
#include "views/event_figures.h"
#include "views/file_rows.h"
#include "views/fit.h"
#include "views/parts.h"
#include "views/table.h"
#include "views/views.h"

/* ---- Columns ---- */

/* An event on both sides: of the whole profiles, or of code. */
struct row {
	const char *by, *name, *file, *object, *event;
	const char *shown_name, *object_name; /* in texts */
	uint32_t line;
	double a, b, change, growth;
	struct event_form form_a, form_b;
};

static struct row event_row(const struct diff *d, size_t event, double a, double b)
{
	return (struct row){.by = "total",
			    .event = diff_name(d, event),
			    .a = a,
			    .b = b,
			    .change = condition_change(a, b),
			    .growth = condition_relative(a, b)};
}

static struct row total_of(const struct diff *d, size_t event)
{
	return event_row(d, event, diff_total(&d->a, event), diff_total(&d->b, event));
}

static struct row row_of(const struct diff *d, const struct diff_row *r, size_t event)
{
	const struct event_row *code = r->shown;
	struct row row =
		event_row(d, event, diff_value(&d->a, event, r->a), diff_value(&d->b, event, r->b));

	row.by = event_by_names[d->by];
	row.name = code->name;
	row.file = code->file;
	row.line = code->line;
	row.object = code->object;
	row.shown_name = code->name[0] != '\0' ? code->name : NULL;
	row.object_name = code->object != NULL ? path_basename(code->object) : NULL;
	row.form_a = r->form_a;
	row.form_b = r->form_b;
	return row;
}

/* Add "walk.c:12" for lines, the file for functions. */
static void get_place(const void *row, struct value *v)
{
	const struct row *r = row;

	if (r->file == NULL)
		return;
	text_add(v->made, path_basename(r->file));
	if (r->line != 0)
		text_addf(v->made, ":%" PRIu32, r->line);
	v->text = text_get(v->made);
}

/* "irregular to regular"; if both are the same, or one is not known, the one that is. */
static void put_change(const char *a, const char *b, struct value *v)
{
	v->text = b != NULL ? b : a;
	if (a == NULL || b == NULL || strcmp(a, b) == 0)
		return;
	text_addf(v->made, "%s to %s", a, b);
	v->text = text_get(v->made);
}

static void get_form(const void *row, struct value *v)
{
	const struct row *r = row;

	put_change(r->form_a.form, r->form_b.form, v);
}

static void get_access(const void *row, struct value *v)
{
	const struct row *r = row;

	put_change(r->form_a.access, r->form_b.access, v);
}

enum {
	BY,
	NAME,
	FILE_OF,
	LINE,
	OBJECT,
	EVENT,
	A,
	B,
	CHANGE,
	GROWTH,
	SHOWN_FILE,
	SHOWN_OBJECT,
	SHOWN_CLASS,
	SHOWN_FUNCTION,
	SHOWN_DATA,
	PLACE,
	PLACE_FILE,
	OBJECT_NAME,
	KIND,
	ACCESS,
	FORM_A,
	FORM_B,
	ACCESS_A,
	ACCESS_B,
};

#define SHOWN COLUMN_MEMBER(struct row, shown_name), .may_cut = true, .missing = "???"

static const struct column columns[] = {
	[BY] = {NULL, "by", UNIT_TEXT, COLUMN_MEMBER(struct row, by)},
	[NAME] = {NULL, "name", UNIT_TEXT, COLUMN_MEMBER(struct row, name)},
	[FILE_OF] = {NULL, "file", UNIT_TEXT, COLUMN_MEMBER(struct row, file)},
	[LINE] = {NULL, "line", UNIT_NUMBER, COLUMN_MEMBER(struct row, line),
		  .zero_is_missing = true},
	[OBJECT] = {NULL, "object", UNIT_TEXT, COLUMN_MEMBER(struct row, object)},
	[EVENT] = {"EVENT", "event", UNIT_TEXT, COLUMN_MEMBER(struct row, event)},
	[A] = {"A", "a", UNIT_EVENT, COLUMN_MEMBER(struct row, a)},
	[B] = {"B", "b", UNIT_EVENT, COLUMN_MEMBER(struct row, b)},
	[CHANGE] = {"CHANGE", "change", UNIT_CHANGE, COLUMN_MEMBER(struct row, change)},
	[GROWTH] = {"CHANGE %", "relative", UNIT_GROWTH, COLUMN_MEMBER(struct row, growth)},
	[SHOWN_FILE] = {"FILE", NULL, UNIT_TEXT, SHOWN},
	[SHOWN_OBJECT] = {"OBJECT", NULL, UNIT_TEXT, SHOWN},
	[SHOWN_CLASS] = {"CLASS", NULL, UNIT_TEXT, SHOWN},
	[SHOWN_FUNCTION] = {"FUNCTION", NULL, UNIT_TEXT, SHOWN},
	[SHOWN_DATA] = {"DATA STRUCTURE", NULL, UNIT_TEXT, SHOWN},
	[PLACE] = {"LINE", NULL, UNIT_TEXT, get_place, .may_cut = true},
	[PLACE_FILE] = {"FILE", NULL, UNIT_TEXT, get_place, .may_cut = true},
	[OBJECT_NAME] = {"OBJECT", NULL, UNIT_TEXT, COLUMN_MEMBER(struct row, object_name),
			 .may_cut = true},
	[KIND] = {"KIND", NULL, UNIT_TEXT, get_form},
	[ACCESS] = {"ACCESS", NULL, UNIT_TEXT, get_access},
	[FORM_A] = {NULL, "form_a", UNIT_TEXT, COLUMN_MEMBER(struct row, form_a.form)},
	[FORM_B] = {NULL, "form_b", UNIT_TEXT, COLUMN_MEMBER(struct row, form_b.form)},
	[ACCESS_A] = {NULL, "access_a", UNIT_TEXT, COLUMN_MEMBER(struct row, form_a.access)},
	[ACCESS_B] = {NULL, "access_b", UNIT_TEXT, COLUMN_MEMBER(struct row, form_b.access)},
};

#define C(column) (&columns[column])
#define SIDES	  C(A), C(B), C(CHANGE), C(GROWTH)
#define FORMS	  C(FORM_A), C(FORM_B), C(ACCESS_A), C(ACCESS_B)

/* ---- Text ---- */

void diff_explain(const struct condition *c, struct text *out)
{
	char before[FIGURE_BYTES], now[FIGURE_BYTES], percent[FIGURE_BYTES];

	text_addf(out, "condition '%s' holds: %s, before %s (%s)\n", c->text,
		  event_figure(c->b, now), event_figure(c->a, before),
		  event_growth(condition_relative(c->a, c->b), percent));
}

void diff_put_side(const char *letter, const char *path, const char *command,
		   const struct display *d, struct text *out)
{
	size_t from = out->count;

	text_addf(out, "%s: ", letter);
	fit_add(out, path, d);
	text_add(out, ": ");
	fit_add(out, command, d);
	text_add(out, "\n");
	fit_prose(out, from, 3, d);
}

static void put_side(const char *letter, const struct diff_side *s, const struct display *d,
		     struct text *out)
{
	const char *command = store_meta_text(s->profile->store, "command");
	struct text whole = {0};

	if (command == NULL && s->profile->process_count > 0)
		command = s->profile->processes[0].command;
	text_add(&whole, command != NULL ? command : "");
	if (s->profile->thread != STORE_NONE)
		text_addf(&whole, ", thread %" PRId64, s->profile->thread);
	if (s->profile->known != NULL && strcmp(s->profile->known, COUNTED_EXACT) != 0)
		text_addf(&whole, "; data: %s", s->profile->known);
	diff_put_side(letter, s->path, text_get(&whole), d, out);
	text_release(&whole);
}

static int put_totals(const struct diff *d, const struct display *display, struct text *out,
		      struct err *err)
{
	const struct column_list *list = COLUMN_LIST(C(EVENT), SIDES);
	struct table *table = columns_table(list, display);
	int status;

	for (size_t i = 0; i < d->columns; i++) {
		const struct row row = total_of(d, i);

		columns_table_row(list, table, &row);
	}
	status = table_print(table, out, err);
	table_free(table);
	return status;
}

/* The number of rows that have changed; the rows are sorted by change. */
static size_t changed_rows(const struct diff *d)
{
	size_t count = 0;

	while (count < d->count) {
		const struct row row = row_of(d, &d->rows[count], d->sort);
		double change = condition_change(row.a, row.b);

		if (change == 0 || isnan(change))
			break;
		count++;
	}
	return count;
}

static int put_table(const struct diff *d, const struct column_list *list, size_t shown,
		     const struct display *display, struct text *out, struct err *err)
{
	/* object and file of functions, ACCESS and KIND of data */
	static const unsigned of_functions[] = {6, 5}, of_data[] = {5, 4};
	struct table *table = columns_table(list, display);
	int status;

	if (d->by == EVENT_BY_FUNCTION)
		table_may_leave_out(table, of_functions, 2);
	if (d->by == EVENT_BY_DATA)
		table_may_leave_out(table, of_data, 2);
	for (size_t i = 0; i < shown; i++) {
		const struct row row = row_of(d, &d->rows[i], d->sort);

		columns_table_row(list, table, &row);
	}
	status = table_print(table, out, err);
	table_free(table);
	return status;
}

static int put_rows(const struct diff *d, size_t top, const struct display *display,
		    struct text *out, struct err *err)
{
	const struct column_list *const lists[EVENT_BY_COUNT] = {
		[EVENT_BY_FUNCTION] =
			COLUMN_LIST(SIDES, C(SHOWN_FUNCTION), C(PLACE_FILE), C(OBJECT_NAME)),
		[EVENT_BY_LINE] = COLUMN_LIST(SIDES, C(SHOWN_FUNCTION), C(PLACE)),
		[EVENT_BY_FILE] = COLUMN_LIST(SIDES, C(SHOWN_FILE)),
		[EVENT_BY_OBJECT] = COLUMN_LIST(SIDES, C(SHOWN_OBJECT)),
		[EVENT_BY_CLASS] = COLUMN_LIST(SIDES, C(SHOWN_CLASS)),
		[EVENT_BY_DATA] = COLUMN_LIST(SIDES, C(KIND), C(ACCESS), C(SHOWN_DATA)),
	};
	size_t changed = changed_rows(d), shown = changed < top ? changed : top;
	int status;

	if (changed == 0) {
		text_addf(out, "No %s has changed in ", event_by_names[d->by]);
		fit_add(out, diff_name(d, d->sort), display);
		text_add(out, ".\n");
		return 0;
	}
	text_addf(out, "By %s, largest change of ", event_by_names[d->by]);
	fit_add(out, diff_name(d, d->sort), display);
	text_addf(out, " first%s:\n\n", d->is_inclusive ? ", with what they call" : "");
	status = put_table(d, lists[d->by], shown, display, out, err);
	if (changed > shown)
		figure_more(out, changed - shown, " that changed");
	return status;
}

int diff_text(const struct diff *d, size_t top, const struct display *display, struct text *out,
	      struct err *err)
{
	put_side("A", &d->a, display, out);
	put_side("B", &d->b, display, out);
	text_add(out, "\n");
	if (put_totals(d, display, out, err) != 0)
		return -1;
	text_add(out, "\n");
	return put_rows(d, top, display, out, err);
}

/* ---- Rows that files do not show ---- */

static size_t shown_in_files(const struct diff *d)
{
	const uint64_t most = query_file_rows(d->query);

	return most > 0 && most < d->count ? most : d->count;
}

/* Their sum. */
struct others {
	uint64_t *a, *b;
	struct event_row name;
	struct diff_row row;
};

static int others_init(struct others *o, const struct diff *d, size_t from)
{
	const size_t width = d->a.profile->width > d->b.profile->width ? d->a.profile->width
								       : d->b.profile->width;

	o->a = calloc(width + 1, sizeof(*o->a));
	o->b = calloc(width + 1, sizeof(*o->b));
	o->name = (struct event_row){.name = "[others]"};
	o->row = (struct diff_row){.shown = &o->name, .a = o->a, .b = o->b};
	if (o->a == NULL || o->b == NULL)
		return -1;
	for (size_t i = from; i < d->count; i++) {
		for (size_t k = 0; k < d->a.profile->width; k++)
			o->a[k] += d->rows[i].a[k];
		for (size_t k = 0; k < d->b.profile->width; k++)
			o->b[k] += d->rows[i].b[k];
	}
	return 0;
}

static void others_release(struct others *o)
{
	free(o->a);
	free(o->b);
}

/* ---- CSV ---- */

static void csv_row(const struct diff *d, const struct diff_row *r, const struct column_list *list,
		    struct text *out)
{
	for (size_t k = 0; k < d->columns; k++) {
		const struct row row = row_of(d, r, k);

		columns_csv_row(list, &row, out);
	}
}

void diff_csv(const struct diff *d, struct text *out)
{
	const size_t shown = shown_in_files(d);
	struct others others;
	const struct column_list *list = d->by == EVENT_BY_DATA
						 ? COLUMN_LIST(C(BY), C(NAME), C(FILE_OF), C(LINE),
							       C(OBJECT), C(EVENT), SIDES, FORMS)
						 : COLUMN_LIST(C(BY), C(NAME), C(FILE_OF), C(LINE),
							       C(OBJECT), C(EVENT), SIDES);

	columns_csv_head(list, out);
	for (size_t k = 0; k < d->columns; k++) {
		const struct row row = total_of(d, k);

		columns_csv_row(list, &row, out);
	}
	for (size_t i = 0; i < shown; i++)
		csv_row(d, &d->rows[i], list, out);
	if (shown == d->count)
		return;
	if (d->is_inclusive) /* several rows may have counted the same events: no sum */
		return;
	if (others_init(&others, d, shown) == 0)
		csv_row(d, &others.row, list, out);
	else
		out->failed = true;
	others_release(&others);
}

/* ---- JSON ---- */

/* Of the whole profiles, or of a row. */
static json_t *json_events(const struct diff *d, const struct diff_row *r)
{
	json_t *o = json_object();

	for (size_t i = 0; i < d->columns; i++) {
		const struct row row = r != NULL ? row_of(d, r, i) : total_of(d, i);

		json_object_set_new(o, diff_name(d, i), columns_json(COLUMN_LIST(SIDES), &row));
	}
	return o;
}

static json_t *json_row(const struct diff *d, const struct diff_row *r)
{
	const struct row row = row_of(d, r, 0);
	json_t *o = columns_json(COLUMN_LIST(C(NAME), C(FILE_OF), C(LINE), C(OBJECT)), &row);

	if (d->by == EVENT_BY_DATA)
		columns_json_put(COLUMN_LIST(FORMS), &row, o);
	json_object_set_new(o, "events", json_events(d, r));
	return o;
}

json_t *diff_json_conditions(const struct condition *conditions, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_pack("{s:o, s:b, s:o, s:o}", "condition",
						      json_text(conditions[i].text), "holds",
						      conditions[i].holds, "a",
						      event_json(conditions[i].a), "b",
						      event_json(conditions[i].b)));
	return list;
}

static void put_json_others(const struct diff *d, size_t from, json_t *root)
{
	json_t *o = json_pack("{s:I}", "rows", (json_int_t)(d->count - from));
	struct others others;

	if (!d->is_inclusive && others_init(&others, d, from) == 0) {
		json_object_set_new(o, "events", json_events(d, &others.row));
		others_release(&others);
	}
	json_object_set_new(root, "others", json_pack("{s:o}", "rows", o));
}

int diff_json(const struct diff *d, const struct condition *conditions, size_t count,
	      struct text *out, struct err *err)
{
	const size_t shown = shown_in_files(d);
	json_t *rows = json_array(), *root;

	for (size_t i = 0; i < shown; i++)
		json_array_append_new(rows, json_row(d, &d->rows[i]));
	root = json_pack("{s:o, s:o, s:s, s:b, s:o, s:o, s:o}", "a", json_text(d->a.path), "b",
			 json_text(d->b.path), "by", event_by_names[d->by], "inclusive",
			 d->is_inclusive, "totals", json_events(d, NULL), "rows", rows,
			 "conditions", diff_json_conditions(conditions, count));
	if (shown < d->count)
		put_json_others(d, shown, root);
	if (d->by == EVENT_BY_DATA)
		json_object_set_new(root, "data_known",
				    json_pack("{s:o, s:o}", "a", json_text(d->a.profile->known),
					      "b", json_text(d->b.profile->known)));
	return json_print(root, out, err);
}
