/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Annotated source of an event profile as text, CSV and JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "answer/event_list.h"
#include "answer/figures.h"
#include "answer/json.h"
#include "base/text.h"
#include "views/counted/counted.h"
#include "views/event_figures.h"
#include "views/fit.h"
#include "views/listing/event_gutter.h"
#include "views/listing/source.h"
#include "views/views.h"

#define CONTEXT	   3 /* lines around one with events */
#define LINE_WIDTH 7

/* The lines of one file: lines[first .. end). */
struct section {
	const struct event_annotation *a;
	size_t first, end;
	struct event_gutter gutter;
	struct source source;
	bool has_source;
};

static bool is_same_file(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static void open_section(struct section *s, const struct event_annotation *a, size_t first,
			 struct text *notes)
{
	const char *file = a->lines[first].file;
	struct err err;

	*s = (struct section){.a = a, .first = first, .end = first};
	while (s->end < a->count && is_same_file(a->lines[s->end].file, file))
		s->end++;
	if (file == NULL)
		return;
	s->has_source = source_load(&s->source, a->p->store, file, a->argument, &err) == 0;
	if (notes == NULL)
		return;
	if (!s->has_source)
		text_addf(notes, "%s\n", err.text);
	else
		source_note_change(&s->source, a->p->store, file, notes);
}

/* ---- Text ---- */

static size_t used_width(const struct section *s)
{
	return event_gutter_width(&s->gutter) + 2 + LINE_WIDTH;
}

/* `line`: the line's own events, or NULL. */
static void put_line(const struct section *s, uint32_t number, const struct event_line *line,
		     const struct display *d, struct text *out)
{
	const char *code = s->has_source ? source_line(&s->source, number) : NULL;

	event_gutter_row(&s->gutter, line, out);
	text_addf(out, "%*" PRIu32 "  ", LINE_WIDTH, number);
	source_put_code(out, code != NULL ? code : "", used_width(s), d);
}

static void put_call(const struct section *s, const struct event_line *line,
		     const struct display *d, struct text *out)
{
	event_gutter_row(&s->gutter, line, out);
	text_addf(out, "%*s  ", LINE_WIDTH, "");
	event_gutter_call(line, used_width(s), d, out);
}

static void put_gap(const struct section *s, struct text *out)
{
	text_addf(out, "%*s\n", (int)used_width(s) - 2, "...");
}

/* Put lines `from` to `to` - 1, which have no events. */
static void put_between(const struct section *s, uint32_t from, uint32_t to,
			const struct display *d, struct text *out)
{
	uint32_t last = s->has_source ? (uint32_t)s->source.count : 0;

	for (; from < to && from <= last; from++)
		put_line(s, from, NULL, d, out);
}

/* Put lines between two lines with events, before the first one, or after the last one. */
static void put_context(const struct section *s, uint32_t before, uint32_t after, bool all,
			const struct display *d, struct text *out)
{
	uint32_t last = s->has_source ? (uint32_t)s->source.count : 0;
	uint32_t end = after != 0 ? after : last + 1;

	if (all || end - before <= 2 * CONTEXT + 1) {
		put_between(s, before + 1, end, d, out);
		return;
	}
	if (before > 0)
		put_between(s, before + 1, before + 1 + CONTEXT, d, out);
	if (before > 0 && after != 0)
		put_gap(s, out);
	if (after != 0)
		put_between(s, after > CONTEXT ? after - CONTEXT : 1, after, d, out);
}

static void put_section_lines(const struct section *s, bool all, const struct display *d,
			      struct text *out)
{
	const struct event_line *lines = s->a->lines;
	uint32_t last = 0;
	size_t i;

	for (i = s->first; i < s->end; i++) {
		const struct event_line *line = &lines[i];

		if (line->line == 0) {
			event_gutter_row(&s->gutter, line, out);
			text_addf(out, "%*s  ", LINE_WIDTH, "?");
			if (line->callee != NULL)
				event_gutter_call(line, used_width(s), d, out);
			else
				text_add(out, "[no line number]\n");
			continue;
		}
		if (line->line != last) {
			put_context(s, last, line->line, all, d, out);
			put_line(s, line->line, line->callee == NULL ? line : NULL, d, out);
		}
		if (line->callee != NULL)
			put_call(s, line, d, out);
		last = line->line;
	}
	if (last > 0)
		put_context(s, last, 0, all, d, out);
}

static void put_heading(const struct section *s, const struct display *d, struct text *out)
{
	const struct event_annotation *a = s->a;

	fit_add(out,
		a->lines[s->first].file != NULL ? a->lines[s->first].file : "[no line information]",
		d);
	text_add(out, "\n");
	event_gutter_heading(&s->gutter, d, out);
	text_addf(out, "%*s\n", LINE_WIDTH, "LINE");
}

int event_annotation_text(const struct event_annotation *a, bool all, const struct display *d,
			  struct text *out, struct text *notes, struct err *err)
{
	size_t first, shown = 0;

	event_heading(a->p, a->columns, "Events by line", d, out);
	for (first = 0; first < a->count;) {
		struct section s;

		open_section(&s, a, first, notes);
		event_gutter_init(&s.gutter, a, s.first, s.end, d, LINE_WIDTH + 4);
		if (first > 0)
			text_add(out, "\n");
		put_heading(&s, d, out);
		put_section_lines(&s, all, d, out);
		first = s.end;
		shown = s.gutter.shown;
		source_release(&s.source);
	}
	event_more_columns(a->p, a->columns, shown, d, out);
	return out->failed ? err_set(err, "not enough memory for the annotated source") : 0;
}

/* ---- CSV, JSON ---- */

/* A line of the source, or its calls of one function. */
struct row {
	struct event_cells events;
	struct event_line x;
	const char *source;
};

static struct row row_of(const struct section *s, size_t i)
{
	const struct event_line *line = &s->a->lines[i];

	return (struct row){.events = {s->a->p, line->values, NULL},
			    .x = *line,
			    .source = s->has_source ? source_line(&s->source, line->line) : NULL};
}

enum { FILE_OF, LINE, CALLEE, CALLS, SOURCE };

#define MEMBER(member) COLUMN_MEMBER(struct row, member)

static const struct column columns[] = {
	[FILE_OF] = {NULL, "file", UNIT_TEXT, MEMBER(x.file)},
	[LINE] = {NULL, "line", UNIT_NUMBER, MEMBER(x.line)},
	[CALLEE] = {NULL, "callee", UNIT_TEXT, MEMBER(x.callee)},
	[CALLS] = {NULL, "calls", UNIT_NUMBER, MEMBER(x.calls)},
	[SOURCE] = {NULL, "source", UNIT_TEXT, MEMBER(source)},
};

#define C(column) (&columns[column])

void event_annotation_csv(const struct event_annotation *a, struct text *out)
{
	static const struct shown fixed[] = {{C(FILE_OF)}, {C(LINE)}, {C(CALLEE)}, {C(CALLS)}};
	const struct section whole = {.a = a};
	struct event_made made = {.count = 0};
	struct rows r = {0};
	struct column_list list;

	ROWS_SHOW(&r, fixed, 0);
	event_made_show_all(&made, a->p, a->columns, IN_CSV, &r);
	list = rows_list(&r.csv);
	columns_csv_head(&list, out);
	for (size_t i = 0; i < a->count; i++) {
		const struct row row = row_of(&whole, i);

		columns_csv_row(&list, &row, out);
	}
}

static json_t *json_line(const struct section *s, const struct code_data *data, size_t i)
{
	const struct row row = row_of(s, i);
	json_t *o = columns_json(row.x.callee != NULL ? COLUMN_LIST(C(LINE), C(CALLEE), C(CALLS))
						      : COLUMN_LIST(C(LINE), C(SOURCE)),
				 &row);

	json_object_set_new(o, "events", event_list_json(s->a->p, s->a->columns, row.x.values));
	if (data != NULL && row.x.callee == NULL)
		json_object_set_new(o, "data", code_data_json(data, i));
	return o;
}

int event_annotation_json(const struct event_annotation *a, const struct code_data *data,
			  struct text *out, struct err *err)
{
	json_t *files = json_array(), *root;
	size_t first;

	for (first = 0; first < a->count;) {
		json_t *lines = json_array();
		struct section s;

		open_section(&s, a, first, NULL);
		for (; first < s.end; first++)
			json_array_append_new(lines, json_line(&s, data, first));
		json_array_append_new(files,
				      json_pack("{s:o, s:o}", "file",
						json_text(a->lines[s.first].file), "lines", lines));
		source_release(&s.source);
	}
	root = json_pack("{s:o}", "files", files);
	if (data != NULL)
		json_object_set_new(root, "data_known", counted_how_json(data->names.profile));
	return json_print(root, out, err);
}
