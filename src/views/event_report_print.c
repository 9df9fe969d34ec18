/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of an event profile as text, CSV and JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "events/event_report.h"
#include "views/event_figures.h"
#include "views/figures.h"
#include "views/json.h"
#include "views/table.h"
#include "views/views.h"

#define FIXED_WIDTH  40 /* approximate width of the shares, the sort event twice, and the calls */
#define NARROW_WIDTH 24 /* width of the shares and the calls */
#define WIDE	     100
#define MOST_CELLS   (EVENT_COLUMNS + 10)

/* ---- Text ---- */

/* The columns that identify a row, after the numbers. */
static const struct name_columns {
	const char *titles[3]; /* end with NULL */
} name_columns[EVENT_BY_COUNT] = {
	[EVENT_BY_FUNCTION] = {{"FUNCTION", "FILE", "OBJECT"}},
	[EVENT_BY_CLASS] = {{"CLASS OR NAMESPACE"}},
	[EVENT_BY_FILE] = {{"FILE"}},
	[EVENT_BY_OBJECT] = {{"OBJECT"}},
	[EVENT_BY_LINE] = {{"LINE", "FUNCTION"}},
	[EVENT_BY_LOOP] = {{"LOOP AT", "FUNCTION", "OBJECT"}},
	[EVENT_BY_PROCESS] = {{"PROCESS", "COMMAND"}},
	[EVENT_BY_THREAD] = {{"THREAD", "PROCESS", "COMMAND"}},
};

static const char *or_unknown(const char *name)
{
	return name != NULL && name[0] != '\0' ? name : "(unknown)";
}

static void id_text(int64_t id, char buf[FIGURE_BYTES])
{
	if (id == STORE_NONE)
		snprintf(buf, FIGURE_BYTES, "all");
	else
		snprintf(buf, FIGURE_BYTES, "%" PRId64, id);
}

/* Files of lines are shown without folders, which is mostly unambiguous. */
static void line_text(const struct event_row *row, struct text *out)
{
	text_add(out, or_unknown(row->file != NULL ? path_basename(row->file) : NULL));
	if (row->line != 0)
		text_addf(out, ":%" PRIu32, row->line);
}

struct name_cells {
	char process[FIGURE_BYTES], thread[FIGURE_BYTES];
	struct text line;
	const char *items[3];
};

static void name_row(const struct event_report *r, const struct event_row *row,
		     struct name_cells *cells)
{
	*cells = (struct name_cells){.items = {or_unknown(row->name)}};
	id_text(row->process, cells->process);
	id_text(row->thread, cells->thread);
	switch (r->by) {
	case EVENT_BY_FUNCTION:
		cells->items[1] = row->file != NULL ? path_basename(row->file) : "";
		cells->items[2] = row->object != NULL ? path_basename(row->object) : "";
		break;
	case EVENT_BY_CLASS:
		if (row->name[0] == '\0')
			cells->items[0] = "(none)";
		break;
	case EVENT_BY_LOOP:
		if (row->address == 0) {
			cells->items[0] = "(in no loop)";
			break;
		}
		line_text(row, &cells->line);
		text_addf(&cells->line, " (%" PRIx64 ")", row->address);
		cells->items[0] = text_get(&cells->line);
		cells->items[1] = row->name;
		cells->items[2] = row->object != NULL ? path_basename(row->object) : "";
		break;
	case EVENT_BY_LINE:
		if (row->file == NULL && row->object != NULL)
			text_addf(&cells->line, "(in %s)", path_basename(row->object));
		else
			line_text(row, &cells->line);
		cells->items[0] = text_get(&cells->line);
		cells->items[1] = row->name;
		break;
	case EVENT_BY_PROCESS:
		cells->items[0] = cells->process;
		cells->items[1] = row->name;
		break;
	case EVENT_BY_THREAD:
		cells->items[0] = cells->thread;
		cells->items[1] = cells->process;
		cells->items[2] = row->name;
		break;
	default:
		break;
	}
}

/* Inclusive cost needs calls; only loops contain others without them. */
static bool has_inclusive(const struct event_report *r)
{
	return r->by == EVENT_BY_LOOP ||
	       (r->by != EVENT_BY_PROCESS && r->by != EVENT_BY_THREAD && r->p->arc_count > 0);
}

static bool has_calls(const struct event_report *r)
{
	return has_inclusive(r) && r->by != EVENT_BY_LINE && r->by != EVENT_BY_LOOP;
}

struct layout {
	struct table_column columns[MOST_CELLS];
	unsigned less[2]; /* columns that may be left out, least important first */
	size_t less_count;
	char titles[2][FIGURE_BYTES]; /* of the sort event */
	bool is_wide;		      /* show inclusive cost also as a number */
	size_t count, others;	      /* others: number of chosen columns that are shown */
};

static void add_title(struct layout *l, const char *title, bool is_number, bool may_cut)
{
	l->columns[l->count++] = (struct table_column){title, is_number, may_cut};
}

static void lay_out(const struct event_report *r, const struct display *d, struct layout *l)
{
	const struct event_columns *c = &r->choice->columns;
	size_t i;

	l->count = 0;
	l->is_wide = d->width == 0 || d->width >= WIDE;
	l->others = event_columns_that_fit(r->p, c, d, l->is_wide ? FIXED_WIDTH : NARROW_WIDTH);
	snprintf(l->titles[0], FIGURE_BYTES, "%.30s", r->p->columns[c->sort].name);
	snprintf(l->titles[1], FIGURE_BYTES, "%.30s INCL", r->p->columns[c->sort].name);
	add_title(l, "SELF", true, false);
	add_title(l, l->titles[0], true, false);
	if (has_inclusive(r)) {
		add_title(l, "INCL", true, false);
		if (l->is_wide)
			add_title(l, l->titles[1], true, false);
	}
	for (i = 0; i < l->others; i++) {
		if (c->items[i] != c->sort)
			add_title(l, r->p->columns[c->items[i]].name, true, false);
	}
	if (has_calls(r))
		add_title(l, "CALLS", true, false);
	for (i = 0; i < 3 && name_columns[r->by].titles[i] != NULL; i++)
		add_title(l, name_columns[r->by].titles[i], false, true);
	/* The first name identifies the row, and is never left out. */
	l->less_count = i - 1;
	for (i = 0; i < l->less_count; i++)
		l->less[i] = (unsigned)(l->count - 1 - i);
}

/* Only the share is shown, so it gets the mark of an estimate. */
static void mark_estimate(char figure[FIGURE_BYTES])
{
	size_t length = strlen(figure);

	if (length + 1 < FIGURE_BYTES)
		memcpy(figure + length, "~", 2);
}

static void put_row(const struct event_report *r, const struct layout *l, struct table *table,
		    const struct event_row *row)
{
	const struct event_columns *c = &r->choice->columns;
	char figures[MOST_CELLS][FIGURE_BYTES];
	const char *cells[MOST_CELLS];
	double self = events_value(r->p, c->sort, row->self);
	double inclusive = events_value(r->p, c->sort, row->inclusive);
	struct name_cells names;
	size_t n = 0, i;

	event_share(self, r->total, figures[n++]);
	event_figure(self, figures[n++]);
	if (has_inclusive(r)) {
		event_share(inclusive, r->total, figures[n++]);
		if (l->is_wide)
			event_figure_of(inclusive, row->is_estimate, figures[n++]);
		else if (row->is_estimate)
			mark_estimate(figures[n - 1]);
	}
	for (i = 0; i < l->others; i++) {
		if (c->items[i] != c->sort)
			event_figure(events_value(r->p, c->items[i], row->self), figures[n++]);
	}
	if (has_calls(r))
		event_figure((double)row->calls, figures[n++]);
	for (i = 0; i < n; i++)
		cells[i] = figures[i];
	name_row(r, row, &names);
	for (i = 0; n < l->count; i++)
		cells[n++] = names.items[i];
	table_row(table, cells);
	text_release(&names.line);
}

int event_report_text(const struct event_report *r, size_t top, const struct display *d,
		      struct text *out, struct err *err)
{
	bool has_estimates = false;
	struct table *table;
	struct layout l;
	char what[32];
	size_t i;
	int ret;

	snprintf(what, sizeof(what), "Events by %s", event_by_names[r->by]);
	event_heading(r->p, &r->choice->columns, what, d, out);
	if (r->count == 0) {
		text_add(out, "No row is left to show.\n");
		return 0;
	}
	lay_out(r, d, &l);
	table = table_new(l.columns, l.count, d);
	table_may_leave_out(table, l.less, l.less_count);
	for (i = 0; i < r->count && i < top; i++) {
		has_estimates |= r->rows.items[r->order[i]].is_estimate;
		put_row(r, &l, table, &r->rows.items[r->order[i]]);
	}
	ret = table_print(table, out, err);
	table_free(table);
	if (r->count > top)
		figure_more(out, r->count - top, "");
	if (has_estimates)
		text_addf(out, "~ at most: calls lead out of the %s and back into it\n",
			  event_by_names[r->by]);
	event_more_columns(r->p, &r->choice->columns, l.others, d, out);
	return ret;
}

/* ---- CSV, JSON ---- */

void event_report_csv(const struct event_report *r, struct text *out)
{
	const struct event_columns *c = &r->choice->columns;
	size_t i, k;

	text_add(out,
		 "by,name,file,line,object,process,thread,calls,inclusive_is_estimate,address");
	for (k = 0; k < c->count; k++) {
		const char *name = r->p->columns[c->items[k]].name;

		text_addf(out, ",self_%s,inclusive_%s", name, name);
	}
	text_add(out, "\n");
	for (i = 0; i < r->count; i++) {
		const struct event_row *row = &r->rows.items[r->order[i]];

		text_addf(out, "%s,", event_by_names[r->by]);
		csv_field(out, row->name);
		text_add(out, ",");
		csv_field(out, row->file);
		text_add(out, ",");
		if (row->line != 0)
			text_addf(out, "%" PRIu32, row->line);
		text_add(out, ",");
		csv_field(out, row->object);
		text_add(out, ",");
		if (row->process != STORE_NONE)
			text_addf(out, "%" PRId64, row->process);
		text_add(out, ",");
		if (row->thread != STORE_NONE)
			text_addf(out, "%" PRId64, row->thread);
		text_addf(out, ",%" PRIu64 ",%d,", row->calls, row->is_estimate);
		if (row->address != 0)
			text_addf(out, "0x%" PRIx64, row->address);
		for (k = 0; k < c->count; k++) {
			text_add(out, ",");
			event_csv(out, events_value(r->p, c->items[k], row->self));
			text_add(out, ",");
			event_csv(out, events_value(r->p, c->items[k], row->inclusive));
		}
		text_add(out, "\n");
	}
}

static json_t *json_events(const struct event_report *r, const uint64_t *values)
{
	const struct event_columns *c = &r->choice->columns;
	json_t *o = json_object();
	size_t k;

	for (k = 0; k < c->count; k++)
		json_object_set_new(o, r->p->columns[c->items[k]].name,
				    event_json(events_value(r->p, c->items[k], values)));
	return o;
}

static json_t *json_row(const struct event_report *r, const struct event_row *row)
{
	json_t *o = json_object();

	json_object_set_new(o, "name", json_text(row->name));
	if (r->by == EVENT_BY_FUNCTION || r->by == EVENT_BY_LINE || r->by == EVENT_BY_LOOP)
		json_object_set_new(o, "file", json_text(row->file));
	if (r->by == EVENT_BY_FUNCTION || r->by == EVENT_BY_LINE || r->by == EVENT_BY_LOOP)
		json_object_set_new(o, "object", json_text(row->object));
	if (r->by == EVENT_BY_LINE || r->by == EVENT_BY_LOOP)
		json_object_set_new(o, "line", json_integer(row->line));
	if (r->by == EVENT_BY_LOOP)
		json_object_set_new(o, "address", json_integer((json_int_t)row->address));
	if (row->process != STORE_NONE)
		json_object_set_new(o, "process", json_integer(row->process));
	if (row->thread != STORE_NONE)
		json_object_set_new(o, "thread", json_integer(row->thread));
	if (has_calls(r))
		json_object_set_new(o, "calls", json_integer((json_int_t)row->calls));
	json_object_set_new(o, "self", json_events(r, row->self));
	if (has_inclusive(r)) {
		json_object_set_new(o, "inclusive", json_events(r, row->inclusive));
		json_object_set_new(o, "inclusive_is_estimate", json_boolean(row->is_estimate));
	}
	return o;
}

int event_report_json(const struct event_report *r, struct text *out, struct err *err)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < r->count; i++)
		json_array_append_new(list, json_row(r, &r->rows.items[r->order[i]]));
	return json_print(json_pack("{s:s, s:s, s:o, s:o}", "by", event_by_names[r->by], "sort",
				    r->p->columns[r->choice->columns.sort].name, "totals",
				    json_events(r, r->p->totals), "rows", list),
			  out, err);
}
