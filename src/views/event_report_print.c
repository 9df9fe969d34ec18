/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of an event profile as text, CSV and JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "answer/event_list.h"
#include "answer/figures.h"
#include "answer/json.h"
#include "base/text.h"
#include "events/event_report.h"
#include "views/columns_table.h"
#include "views/event_figures.h"
#include "views/file_rows.h"
#include "views/table.h"
#include "views/views.h"

#define FIXED_WIDTH  40 /* approximate width of the shares, the sort event twice, and the calls */
#define NARROW_WIDTH 24 /* width of the shares and the calls */
#define WIDE	     100

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

/* ---- Columns ---- */

struct row {
	struct event_cells events;
	const char *by;
	struct event_row x;
	const char *name, *file_name, *object_name; /* in texts; NULL: not known */
	double self, inclusive;			    /* shares of the event to sort by */
	double calls;
};

static double share_of(const struct event_report *r, const uint64_t *values)
{
	return r->total > 0 ? events_value(r->p, r->choice->columns.sort, values) / r->total : NAN;
}

static struct row row_of(const struct event_report *r, size_t i)
{
	const struct event_row *x = &r->rows.items[r->order[i]];

	return (struct row){
		.events = {r->p, x->self, x->inclusive},
		.by = event_by_names[r->by],
		.x = *x,
		.name = x->name[0] != '\0' ? x->name : NULL,
		.file_name = x->file != NULL ? path_basename(x->file) : NULL,
		.object_name = x->object != NULL ? path_basename(x->object) : NULL,
		.self = share_of(r, x->self),
		.inclusive = share_of(r, x->inclusive),
		.calls = (double)x->calls,
	};
}

/* Where the cost itself is not shown, the share bears the mark of an estimate. */
static void get_marked_inclusive(const void *row, struct value *v)
{
	v->real = ((const struct row *)row)->inclusive;
	v->is_estimate = ((const struct row *)row)->x.is_estimate;
}

/* `number`: the column of the profile. */
static void get_inclusive_cost(const void *row, struct value *v)
{
	const struct row *r = row;

	v->real = events_value(r->events.p, v->number, r->x.inclusive);
	v->is_estimate = r->x.is_estimate;
}

static void put_id(int64_t id, struct value *v)
{
	v->whole = (uint64_t)id;
	v->is_missing = id == STORE_NONE;
}

static void get_process(const void *row, struct value *v)
{
	put_id(((const struct row *)row)->x.process, v);
}

static void get_thread(const void *row, struct value *v)
{
	put_id(((const struct row *)row)->x.thread, v);
}

/* Files of lines are shown without folders, which is mostly unambiguous. */
static void put_line(const struct row *r, struct text *out)
{
	text_add(out, r->file_name != NULL && r->file_name[0] != '\0' ? r->file_name : "(unknown)");
	if (r->x.line != 0)
		text_addf(out, ":%" PRIu32, r->x.line);
}

static void get_line(const void *row, struct value *v)
{
	const struct row *r = row;

	if (r->x.file == NULL && r->object_name != NULL)
		text_addf(v->made, "(in %s)", r->object_name);
	else
		put_line(r, v->made);
	v->text = text_get(v->made);
}

static void get_loop(const void *row, struct value *v)
{
	const struct row *r = row;

	v->is_missing = r->x.address == 0;
	put_line(r, v->made);
	text_addf(v->made, " (%" PRIx64 ")", r->x.address);
	v->text = text_get(v->made);
}

/* A row outside all loops has no function either. */
static void get_loop_function(const void *row, struct value *v)
{
	const struct row *r = row;

	v->text = r->x.address != 0 ? r->x.name : NULL;
}

static void get_loop_object(const void *row, struct value *v)
{
	const struct row *r = row;

	v->text = r->x.address != 0 ? r->object_name : NULL;
}

enum {
	BY,
	NAME,
	FILE_OF,
	LINE,
	LINE_OR_0,
	OBJECT,
	PROCESS,
	THREAD,
	CALLS,
	ESTIMATE,
	ADDRESS,
	ADDRESS_OR_0,
	SELF,
	INCLUSIVE,
	MARKED_INCLUSIVE,
	SHOWN_CALLS,
	SHOWN_FUNCTION,
	SHOWN_FILE,
	SHOWN_OBJECT,
	SHOWN_CLASS,
	SHOWN_LINE,
	SHOWN_LOOP,
	FILE_NAME,
	OBJECT_NAME,
	FUNCTION_OR_NONE,
	LOOP_FUNCTION,
	LOOP_OBJECT,
	SHOWN_PROCESS,
	SHOWN_THREAD,
	SHOWN_COMMAND,
};

#define MEMBER(member)	COLUMN_MEMBER(struct row, member)
#define OR_UNKNOWN(get) get, .may_cut = true, .missing = "(unknown)"

static const struct column columns[] = {
	[BY] = {NULL, "by", UNIT_TEXT, MEMBER(by), .is_kind = true},
	[NAME] = {NULL, "name", UNIT_TEXT, MEMBER(x.name)},
	[FILE_OF] = {NULL, "file", UNIT_TEXT, MEMBER(x.file)},
	[LINE] = {NULL, "line", UNIT_NUMBER, MEMBER(x.line), .zero_is_missing = true},
	[LINE_OR_0] = {NULL, "line", UNIT_NUMBER, MEMBER(x.line)},
	[OBJECT] = {NULL, "object", UNIT_TEXT, MEMBER(x.object)},
	[PROCESS] = {NULL, "process", UNIT_NUMBER, get_process, .is_optional = true},
	[THREAD] = {NULL, "thread", UNIT_NUMBER, get_thread, .is_optional = true},
	[CALLS] = {NULL, "calls", UNIT_NUMBER, MEMBER(x.calls)},
	[ESTIMATE] = {NULL, "inclusive_is_estimate", UNIT_TRUTH, MEMBER(x.is_estimate)},
	[ADDRESS] = {NULL, "address", UNIT_ADDRESS, MEMBER(x.address), .zero_is_missing = true},
	[ADDRESS_OR_0] = {NULL, "address", UNIT_ADDRESS, MEMBER(x.address)},
	[SELF] = {"SELF", NULL, UNIT_SHARE, MEMBER(self)},
	[INCLUSIVE] = {"INCL", NULL, UNIT_SHARE, MEMBER(inclusive)},
	[MARKED_INCLUSIVE] = {"INCL", NULL, UNIT_SHARE, get_marked_inclusive},
	[SHOWN_CALLS] = {"CALLS", NULL, UNIT_EVENT, MEMBER(calls)},
	[SHOWN_FUNCTION] = {"FUNCTION", NULL, UNIT_TEXT, OR_UNKNOWN(MEMBER(name))},
	[SHOWN_FILE] = {"FILE", NULL, UNIT_TEXT, OR_UNKNOWN(MEMBER(name))},
	[SHOWN_OBJECT] = {"OBJECT", NULL, UNIT_TEXT, OR_UNKNOWN(MEMBER(name))},
	[SHOWN_CLASS] = {"CLASS OR NAMESPACE", NULL, UNIT_TEXT, MEMBER(name), .may_cut = true,
			 .missing = "(none)"},
	[SHOWN_LINE] = {"LINE", NULL, UNIT_TEXT, get_line, .may_cut = true},
	[SHOWN_LOOP] = {"LOOP AT", NULL, UNIT_TEXT, get_loop, .may_cut = true,
			.missing = "(in no loop)"},
	[FILE_NAME] = {"FILE", NULL, UNIT_TEXT, MEMBER(file_name), .may_cut = true},
	[OBJECT_NAME] = {"OBJECT", NULL, UNIT_TEXT, MEMBER(object_name), .may_cut = true},
	[FUNCTION_OR_NONE] = {"FUNCTION", NULL, UNIT_TEXT, MEMBER(name), .may_cut = true},
	[LOOP_FUNCTION] = {"FUNCTION", NULL, UNIT_TEXT, get_loop_function, .may_cut = true},
	[LOOP_OBJECT] = {"OBJECT", NULL, UNIT_TEXT, get_loop_object, .may_cut = true},
	[SHOWN_PROCESS] = {"PROCESS", NULL, UNIT_NUMBER, get_process, .may_cut = true,
			   .missing = "all"},
	[SHOWN_THREAD] = {"THREAD", NULL, UNIT_NUMBER, get_thread, .may_cut = true,
			  .missing = "all"},
	[SHOWN_COMMAND] = {"COMMAND", NULL, UNIT_TEXT, MEMBER(name), .may_cut = true},
};

#define C(column) (&columns[column])

/* ---- Text ---- */

/* The columns after the numbers, which say what a row is. */
static void add_names(const struct event_report *r, struct event_list *l)
{
	const struct column_list *const names[EVENT_BY_COUNT] = {
		[EVENT_BY_FUNCTION] = COLUMN_LIST(C(SHOWN_FUNCTION), C(FILE_NAME), C(OBJECT_NAME)),
		[EVENT_BY_CLASS] = COLUMN_LIST(C(SHOWN_CLASS)),
		[EVENT_BY_FILE] = COLUMN_LIST(C(SHOWN_FILE)),
		[EVENT_BY_OBJECT] = COLUMN_LIST(C(SHOWN_OBJECT)),
		[EVENT_BY_LINE] = COLUMN_LIST(C(SHOWN_LINE), C(FUNCTION_OR_NONE)),
		[EVENT_BY_LOOP] = COLUMN_LIST(C(SHOWN_LOOP), C(LOOP_FUNCTION), C(LOOP_OBJECT)),
		[EVENT_BY_PROCESS] = COLUMN_LIST(C(SHOWN_PROCESS), C(SHOWN_COMMAND)),
		[EVENT_BY_THREAD] =
			COLUMN_LIST(C(SHOWN_THREAD), C(SHOWN_PROCESS), C(SHOWN_COMMAND)),
	};

	event_list_add(l, names[r->by]);
}

struct layout {
	struct event_list list;
	char title[FIGURE_BYTES]; /* of the inclusive cost */
	size_t others;		  /* how many of the chosen columns are shown */
	unsigned less[2];	  /* columns that may be left out, least important first */
	size_t less_count;
};

static void add_inclusive(const struct event_report *r, bool is_wide, struct layout *l)
{
	size_t sort = r->choice->columns.sort;

	event_list_add(&l->list, COLUMN_LIST(is_wide ? C(INCLUSIVE) : C(MARKED_INCLUSIVE)));
	if (!is_wide)
		return;
	snprintf(l->title, sizeof(l->title), "%.30s INCL", r->p->columns[sort].name);
	event_list_make(&l->list, (struct column){.title = l->title,
						  .unit = UNIT_EVENT,
						  .get = get_inclusive_cost,
						  .number = sort});
}

static void lay_out(const struct event_report *r, const struct display *d, struct layout *l)
{
	const struct event_columns *c = &r->choice->columns;
	bool is_wide = d->width == 0 || d->width >= WIDE;
	size_t figures;

	l->others = event_columns_that_fit(r->p, c, d, is_wide ? FIXED_WIDTH : NARROW_WIDTH);
	event_list_init(&l->list, COLUMN_LIST(C(SELF)));
	event_list_add_event(&l->list, r->p, c->sort, EVENT_SELF, NULL);
	if (has_inclusive(r))
		add_inclusive(r, is_wide, l);
	event_list_add_others(&l->list, r->p, c, l->others, EVENT_SELF);
	if (has_calls(r))
		event_list_add(&l->list, COLUMN_LIST(C(SHOWN_CALLS)));
	figures = l->list.columns.count;
	add_names(r, &l->list);
	/* The first name identifies the row, and is never left out. */
	l->less_count = l->list.columns.count - figures - 1;
	for (size_t i = 0; i < l->less_count; i++)
		l->less[i] = (unsigned)(l->list.columns.count - 1 - i);
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
		text_add(out, r->p->sample.is_sampled && r->p->sample.simulated == 0
				      ? "No access was simulated: the run is too short for its "
					"--sample.\n"
				      : "No row is left to show.\n");
		return 0;
	}
	lay_out(r, d, &l);
	table = columns_table(&l.list.columns, d);
	table_may_leave_out(table, l.less, l.less_count);
	for (i = 0; i < r->count && i < top; i++) {
		const struct row row = row_of(r, i);

		has_estimates |= row.x.is_estimate;
		columns_table_row(&l.list.columns, table, &row);
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
	struct event_list l;
	struct file_rows f;

	event_list_init(&l, COLUMN_LIST(C(BY), C(NAME), C(FILE_OF), C(LINE), C(OBJECT), C(PROCESS),
					C(THREAD), C(CALLS), C(ESTIMATE), C(ADDRESS)));
	for (size_t k = 0; k < c->count; k++) {
		event_list_add_event(&l, r->p, c->items[k], EVENT_SELF, "self_");
		event_list_add_event(&l, r->p, c->items[k], EVENT_INCLUSIVE, "inclusive_");
	}
	columns_csv_head(&l.columns, out);
	f = (struct file_rows){
		.list = &l.columns, .most = query_file_rows(r->choice->query), .csv = out};
	for (size_t i = 0; i < r->count; i++) {
		const struct row row = row_of(r, i);

		file_rows_put(&f, &row);
	}
	file_rows_end_csv(&f);
}

/* The events of a row, or of several together. */
static void put_events(const struct event_report *r, const uint64_t *self,
		       const uint64_t *inclusive, json_t *o)
{
	const struct event_columns *c = &r->choice->columns;

	json_object_set_new(o, "self", event_list_json(r->p, c, self));
	if (inclusive != NULL)
		json_object_set_new(o, "inclusive", event_list_json(r->p, c, inclusive));
}

static void put_row(const struct event_report *r, size_t i, struct file_rows *f)
{
	const struct row row = row_of(r, i);
	json_t *o = file_rows_put(f, &row);

	if (o == NULL)
		return;
	if (has_calls(r))
		columns_json_put(COLUMN_LIST(C(CALLS)), &row, o);
	put_events(r, row.x.self, has_inclusive(r) ? row.x.inclusive : NULL, o);
	if (has_inclusive(r))
		columns_json_put(COLUMN_LIST(C(ESTIMATE)), &row, o);
}

/* Inclusive costs of several rows may have counted the same events: only self costs add up. */
static int put_others(const struct event_report *r, size_t from, json_t *others, struct err *err)
{
	uint64_t *sums = calloc(r->p->width + 1, sizeof(*sums));

	if (sums == NULL)
		return err_set(err, "not enough memory for the sum of the events");
	for (size_t i = from; i < r->count; i++)
		for (size_t k = 0; k < r->p->width; k++)
			sums[k] += r->rows.items[r->order[i]].self[k];
	put_events(r, sums, NULL, others);
	free(sums);
	return 0;
}

int event_report_json(const struct event_report *r, struct text *out, struct err *err)
{
	const struct column_list *const lists[EVENT_BY_COUNT] = {
		[EVENT_BY_FUNCTION] =
			COLUMN_LIST(C(NAME), C(FILE_OF), C(OBJECT), C(PROCESS), C(THREAD)),
		[EVENT_BY_LINE] = COLUMN_LIST(C(NAME), C(FILE_OF), C(OBJECT), C(LINE_OR_0),
					      C(PROCESS), C(THREAD)),
		[EVENT_BY_LOOP] = COLUMN_LIST(C(NAME), C(FILE_OF), C(OBJECT), C(LINE_OR_0),
					      C(ADDRESS_OR_0), C(PROCESS), C(THREAD)),
	};
	struct file_rows f = {.list = lists[r->by] != NULL
					      ? lists[r->by]
					      : COLUMN_LIST(C(NAME), C(PROCESS), C(THREAD)),
			      .most = query_file_rows(r->choice->query),
			      .array = json_array()};
	json_t *root = json_pack("{s:s, s:s, s:o}", "by", event_by_names[r->by], "sort",
				 r->p->columns[r->choice->columns.sort].name, "totals",
				 event_list_json(r->p, &r->choice->columns, r->p->totals));
	json_t *others;

	for (size_t i = 0; i < r->count; i++)
		put_row(r, i, &f);
	others = file_rows_end_json(&f, "rows", root);
	if (others != NULL && put_others(r, f.most, others, err) != 0) {
		json_decref(root);
		return -1;
	}
	return json_print(root, out, err);
}
