/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two event profiles side by side as text, CSV and JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/condition.h"
#include "base/text.h"
#include "events/diff.h"
#include "views/event_figures.h"
#include "views/figures.h"
#include "views/fit.h"
#include "views/json.h"
#include "views/parts.h"
#include "views/table.h"
#include "views/views.h"

char *diff_figure(double change, char buf[FIGURE_BYTES])
{
	char plain[FIGURE_BYTES];

	event_figure(change, plain);
	snprintf(buf, FIGURE_BYTES, "%s%.40s", change > 0 ? "+" : "", plain);
	return buf;
}

char *diff_percent(double a, double b, char buf[FIGURE_BYTES])
{
	double relative = condition_relative(a, b);

	if (isinf(relative))
		snprintf(buf, FIGURE_BYTES, "new");
	else if (isnan(relative))
		snprintf(buf, FIGURE_BYTES, "-");
	else
		snprintf(buf, FIGURE_BYTES, "%+.2f %%", relative * 100);
	return buf;
}

void diff_explain(const struct condition *c, struct text *out)
{
	char before[FIGURE_BYTES], now[FIGURE_BYTES], percent[FIGURE_BYTES];

	text_addf(out, "condition '%s' holds: %s, before %s (%s)\n", c->text,
		  event_figure(c->b, now), event_figure(c->a, before),
		  diff_percent(c->a, c->b, percent));
}

/* ---- Text ---- */

static void add_side(const char *letter, const struct diff_side *s, const struct display *d,
		     struct text *out)
{
	size_t from = out->count;
	const char *command = store_meta_text(s->profile->store, "command");

	if (command == NULL && s->profile->process_count > 0)
		command = s->profile->processes[0].command;
	text_addf(out, "%s: ", letter);
	fit_add(out, s->path, d);
	text_add(out, ": ");
	fit_add(out, command, d);
	text_add(out, "\n");
	fit_prose(out, from, 3, d);
}

static int add_totals(const struct diff *d, const struct display *display, struct text *out,
		      struct err *err)
{
	static const struct table_column columns[] = {{"EVENT", false, false},
						      {"A", true, false},
						      {"B", true, false},
						      {"CHANGE", true, false},
						      {"CHANGE %", true, false}};
	struct table *table = table_new(columns, sizeof(columns) / sizeof(columns[0]), display);
	int status;

	for (size_t i = 0; i < d->columns; i++) {
		double a = diff_total(&d->a, i), b = diff_total(&d->b, i);
		char figures[4][FIGURE_BYTES];
		const char *cells[] = {diff_name(d, i), event_figure(a, figures[0]),
				       event_figure(b, figures[1]),
				       diff_figure(condition_change(a, b), figures[2]),
				       diff_percent(a, b, figures[3])};

		table_row(table, cells);
	}
	status = table_print(table, out, err);
	table_free(table);
	return status;
}

enum { AT_A, AT_B, AT_CHANGE, AT_PERCENT, AT_NAME, AT_FILE, AT_OBJECT, CELLS };

/* Add "walk.c:12" for lines, the file for functions. */
static void add_place(const struct event_row *row, struct text *place)
{
	if (row->file == NULL)
		return;
	text_add(place, path_basename(row->file));
	if (row->line != 0)
		text_addf(place, ":%" PRIu32, row->line);
}

static void add_row(const struct diff *d, const struct diff_row *r, struct table *table)
{
	double a = diff_value(&d->a, d->sort, r->a), b = diff_value(&d->b, d->sort, r->b);
	char figures[4][FIGURE_BYTES];
	struct text place = {0};
	const char *cells[CELLS];

	add_place(r->shown, &place);
	cells[AT_A] = event_figure(a, figures[0]);
	cells[AT_B] = event_figure(b, figures[1]);
	cells[AT_CHANGE] = diff_figure(condition_change(a, b), figures[2]);
	cells[AT_PERCENT] = diff_percent(a, b, figures[3]);
	cells[AT_NAME] = r->shown->name[0] != '\0' ? r->shown->name : "???";
	cells[AT_FILE] = text_get(&place);
	cells[AT_OBJECT] = r->shown->object != NULL ? path_basename(r->shown->object) : "";
	table_row(table, cells);
	text_release(&place);
}

/* The number of rows that have changed; the rows are sorted by change. */
static size_t changed_rows(const struct diff *d)
{
	size_t count = 0;

	while (count < d->count) {
		const struct diff_row *r = &d->rows[count];
		double change = condition_change(diff_value(&d->a, d->sort, r->a),
						 diff_value(&d->b, d->sort, r->b));

		if (change == 0 || isnan(change))
			break;
		count++;
	}
	return count;
}

static int add_rows(const struct diff *d, size_t top, const struct display *display,
		    struct text *out, struct err *err)
{
	const struct table_column columns[CELLS] = {
		[AT_A] = {"A", true, false},
		[AT_B] = {"B", true, false},
		[AT_CHANGE] = {"CHANGE", true, false},
		[AT_PERCENT] = {"CHANGE %", true, false},
		[AT_NAME] = {d->by == EVENT_BY_FILE	? "FILE"
			     : d->by == EVENT_BY_OBJECT ? "OBJECT"
			     : d->by == EVENT_BY_CLASS	? "CLASS"
							: "FUNCTION",
			     false, true},
		[AT_FILE] = {d->by == EVENT_BY_LINE ? "LINE" : "FILE", false, true},
		[AT_OBJECT] = {"OBJECT", false, true},
	};
	static const unsigned least_important[] = {AT_OBJECT, AT_FILE};
	size_t changed = changed_rows(d), shown = changed < top ? changed : top;
	size_t cells = d->by == EVENT_BY_FUNCTION ? CELLS
		       : d->by == EVENT_BY_LINE	  ? AT_OBJECT
						  : AT_FILE;
	struct table *table;
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
	table = table_new(columns, cells, display);
	if (cells == CELLS)
		table_may_leave_out(table, least_important, 2);
	for (size_t i = 0; i < shown; i++)
		add_row(d, &d->rows[i], table);
	status = table_print(table, out, err);
	table_free(table);
	if (changed > shown)
		figure_more(out, changed - shown, " that changed");
	return status;
}

int diff_text(const struct diff *d, size_t top, const struct display *display, struct text *out,
	      struct err *err)
{
	add_side("A", &d->a, display, out);
	add_side("B", &d->b, display, out);
	text_add(out, "\n");
	if (add_totals(d, display, out, err) != 0)
		return -1;
	text_add(out, "\n");
	return add_rows(d, top, display, out, err);
}

/* ---- CSV ---- */

static void csv_values(const struct diff *d, const char *by, const struct event_row *row,
		       const uint64_t *values_a, const uint64_t *values_b, struct text *out)
{
	for (size_t i = 0; i < d->columns; i++) {
		double a = diff_value(&d->a, i, values_a), b = diff_value(&d->b, i, values_b);

		text_addf(out, "%s,", by);
		csv_field(out, row != NULL ? row->name : NULL);
		text_add(out, ",");
		csv_field(out, row != NULL ? row->file : NULL);
		text_add(out, ",");
		if (row != NULL && row->line != 0)
			text_addf(out, "%" PRIu32, row->line);
		text_add(out, ",");
		csv_field(out, row != NULL ? row->object : NULL);
		text_addf(out, ",%s,", diff_name(d, i));
		event_csv(out, a);
		text_add(out, ",");
		event_csv(out, b);
		text_add(out, ",");
		event_csv(out, condition_change(a, b));
		text_add(out, ",");
		event_csv(out, condition_relative(a, b));
		text_add(out, "\n");
	}
}

void diff_csv(const struct diff *d, struct text *out)
{
	text_add(out, "by,name,file,line,object,event,a,b,change,relative\n");
	csv_values(d, "total", NULL, d->a.profile->totals, d->b.profile->totals, out);
	for (size_t i = 0; i < d->count; i++)
		csv_values(d, event_by_names[d->by], d->rows[i].shown, d->rows[i].a, d->rows[i].b,
			   out);
}

/* ---- JSON ---- */

static json_t *json_values(const struct diff *d, const uint64_t *values_a, const uint64_t *values_b)
{
	json_t *o = json_object();

	for (size_t i = 0; i < d->columns; i++) {
		double a = diff_value(&d->a, i, values_a), b = diff_value(&d->b, i, values_b);

		json_object_set_new(o, diff_name(d, i),
				    json_pack("{s:o, s:o, s:o, s:o}", "a", event_json(a), "b",
					      event_json(b), "change",
					      event_json(condition_change(a, b)), "relative",
					      event_json(condition_relative(a, b))));
	}
	return o;
}

static json_t *json_row(const struct diff *d, const struct diff_row *r)
{
	const struct event_row *row = r->shown;

	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "name", json_text(row->name), "file",
			 json_text(row->file), "line",
			 row->line != 0 ? json_integer(row->line) : json_null(), "object",
			 json_text(row->object), "events", json_values(d, r->a, r->b));
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

int diff_json(const struct diff *d, const struct condition *conditions, size_t count,
	      struct text *out, struct err *err)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < d->count; i++)
		json_array_append_new(rows, json_row(d, &d->rows[i]));
	return json_print(json_pack("{s:o, s:o, s:s, s:b, s:o, s:o, s:o}", "a",
				    json_text(d->a.path), "b", json_text(d->b.path), "by",
				    event_by_names[d->by], "inclusive", d->is_inclusive, "totals",
				    json_values(d, d->a.profile->totals, d->b.profile->totals),
				    "rows", rows, "conditions",
				    diff_json_conditions(conditions, count)),
			  out, err);
}
