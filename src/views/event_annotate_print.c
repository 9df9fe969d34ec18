/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Annotated source of an event profile as text, CSV and JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "views/event_figures.h"
#include "views/figures.h"
#include "views/fit.h"
#include "views/json.h"
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

void event_annotation_csv(const struct event_annotation *a, struct text *out)
{
	size_t i, k;

	text_add(out, "file,line,callee,calls");
	for (k = 0; k < a->columns->count; k++)
		text_addf(out, ",%s", a->p->columns[a->columns->items[k]].name);
	text_add(out, "\n");
	for (i = 0; i < a->count; i++) {
		const struct event_line *line = &a->lines[i];

		csv_field(out, line->file);
		text_addf(out, ",%" PRIu32 ",", line->line);
		csv_field(out, line->callee);
		text_addf(out, ",%" PRIu64, line->calls);
		for (k = 0; k < a->columns->count; k++) {
			text_add(out, ",");
			event_csv(out, events_value(a->p, a->columns->items[k], line->values));
		}
		text_add(out, "\n");
	}
}

static json_t *json_line(const struct section *s, const struct event_line *line)
{
	const struct event_annotation *a = s->a;
	json_t *o = json_pack("{s:I}", "line", (json_int_t)line->line), *events = json_object();
	size_t k;

	for (k = 0; k < a->columns->count; k++)
		json_object_set_new(
			events, a->p->columns[a->columns->items[k]].name,
			event_json(events_value(a->p, a->columns->items[k], line->values)));
	if (line->callee != NULL) {
		json_object_set_new(o, "callee", json_text(line->callee));
		json_object_set_new(o, "calls", json_integer((json_int_t)line->calls));
	} else {
		json_object_set_new(
			o, "source",
			json_text(s->has_source ? source_line(&s->source, line->line) : NULL));
	}
	json_object_set_new(o, "events", events);
	return o;
}

int event_annotation_json(const struct event_annotation *a, struct text *out, struct err *err)
{
	json_t *files = json_array();
	size_t first;

	for (first = 0; first < a->count;) {
		json_t *lines = json_array();
		struct section s;

		open_section(&s, a, first, NULL);
		for (; first < s.end; first++)
			json_array_append_new(lines, json_line(&s, &a->lines[first]));
		json_array_append_new(files,
				      json_pack("{s:o, s:o}", "file",
						json_text(a->lines[s.first].file), "lines", lines));
		source_release(&s.source);
	}
	return json_print(json_pack("{s:o}", "files", files), out, err);
}
