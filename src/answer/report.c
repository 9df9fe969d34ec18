/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of an event profile; see report.h. */
#include "answer/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "answer/event_list.h"
#include "answer/event_title.h"

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

/* What rows have, beside enum rows_needs. */
enum {
	BY_FUNCTION = ROWS_OF_VIEW,
	BY_CLASS = ROWS_OF_VIEW << 1,
	BY_FILE = ROWS_OF_VIEW << 2,
	BY_OBJECT = ROWS_OF_VIEW << 3,
	BY_LINE = ROWS_OF_VIEW << 4,
	BY_LOOP = ROWS_OF_VIEW << 5,
	BY_PROCESS = ROWS_OF_VIEW << 6,
	BY_THREAD = ROWS_OF_VIEW << 7,
	PLACES = ROWS_OF_VIEW << 8,	 /* files and objects */
	LINES = ROWS_OF_VIEW << 9,	 /* with lines */
	INCLUSIVES = ROWS_OF_VIEW << 10, /* inclusive costs */
	ARE_CALLED = ROWS_OF_VIEW << 11,
};

static unsigned has(const struct event_report *r)
{
	static const unsigned of[EVENT_BY_COUNT] = {
		[EVENT_BY_FUNCTION] = BY_FUNCTION | PLACES,
		[EVENT_BY_CLASS] = BY_CLASS,
		[EVENT_BY_FILE] = BY_FILE,
		[EVENT_BY_OBJECT] = BY_OBJECT,
		[EVENT_BY_LINE] = BY_LINE | PLACES | LINES,
		[EVENT_BY_LOOP] = BY_LOOP | PLACES | LINES,
		[EVENT_BY_PROCESS] = BY_PROCESS,
		[EVENT_BY_THREAD] = BY_THREAD,
	};

	return of[r->by] | (has_inclusive(r) ? INCLUSIVES : 0) | (has_calls(r) ? ARE_CALLED : 0);
}

/* Names, of which the first one in text stays, but after its figures; those of files. */
enum { LESS_LAST = EVENT_LESS_BELOW, LESS_SECOND, LESS_COST = EVENT_LESS_ABOVE };

static const struct shown names[] = {
	{C(BY), .in = IN_CSV},
	{C(NAME)},
	{C(FILE_OF), .in = IN_CSV},
	{C(FILE_OF), .needs = PLACES, .in = IN_JSON},
	{C(LINE), .in = IN_CSV},
	{C(OBJECT), .in = IN_CSV},
	{C(OBJECT), .needs = PLACES, .in = IN_JSON},
	{C(LINE_OR_0), .needs = LINES, .in = IN_JSON},
	{C(ADDRESS_OR_0), .needs = BY_LOOP, .in = IN_JSON},
	{C(PROCESS)},
	{C(THREAD)},
	{C(CALLS), .in = IN_CSV},
	{C(CALLS), .needs = ARE_CALLED, .in = IN_JSON},
	{C(ESTIMATE), .in = IN_CSV},
	{C(ADDRESS), .in = IN_CSV},
	{C(SELF)},
};

static const struct shown last[] = {
	{C(ESTIMATE), .needs = INCLUSIVES, .in = IN_JSON},
	{C(SHOWN_CALLS), .needs = ARE_CALLED},
	{C(SHOWN_FUNCTION), .needs = BY_FUNCTION},
	{C(FILE_NAME), .needs = BY_FUNCTION, .less = LESS_SECOND},
	{C(OBJECT_NAME), .needs = BY_FUNCTION, .less = LESS_LAST},
	{C(SHOWN_CLASS), .needs = BY_CLASS},
	{C(SHOWN_FILE), .needs = BY_FILE},
	{C(SHOWN_OBJECT), .needs = BY_OBJECT},
	{C(SHOWN_LINE), .needs = BY_LINE},
	{C(FUNCTION_OR_NONE), .needs = BY_LINE, .less = LESS_SECOND},
	{C(SHOWN_LOOP), .needs = BY_LOOP},
	{C(LOOP_FUNCTION), .needs = BY_LOOP, .less = LESS_SECOND},
	{C(LOOP_OBJECT), .needs = BY_LOOP, .less = LESS_LAST},
	{C(SHOWN_THREAD), .needs = BY_THREAD},
	{C(SHOWN_PROCESS), .needs = BY_PROCESS},
	{C(SHOWN_PROCESS), .needs = BY_THREAD, .less = LESS_SECOND},
	{C(SHOWN_COMMAND), .needs = BY_PROCESS, .less = LESS_LAST},
	{C(SHOWN_COMMAND), .needs = BY_THREAD, .less = LESS_LAST},
};

struct held {
	struct row *rows;
	struct event_made made;
	char title[FIGURE_BYTES]; /* of the inclusive cost */
	uint64_t *sums;		  /* of events that files leave out */
	struct row others;
};

static void show_inclusive(struct held *h, const struct event_report *r, struct rows *rows)
{
	static const struct shown inclusive[] = {{C(INCLUSIVE)}};
	const size_t sort = r->choice->columns.sort;

	if (!has_inclusive(r))
		return;
	snprintf(h->title, sizeof(h->title), "%.30s INCL", r->p->columns[sort].name);
	ROWS_SHOW(rows, inclusive, 0);
	event_made_show(&h->made,
			(struct column){.title = h->title,
					.unit = UNIT_EVENT,
					.get = get_inclusive_cost,
					.number = sort},
			IN_TEXT, LESS_COST, rows);
}

static void show_columns(struct held *h, const struct event_report *r, struct rows *rows)
{
	const struct event_columns *c = &r->choice->columns;

	ROWS_SHOW(rows, names, has(r));
	event_made_show(&h->made, event_column(r->p, c->sort, EVENT_SELF), IN_TEXT, 0, rows);
	show_inclusive(h, r, rows);
	event_made_show_others(&h->made, r->p, c, EVENT_SELF, rows);
	for (size_t i = 0; i < c->count; i++) {
		struct column self = event_column(r->p, c->items[i], EVENT_SELF);
		struct column inclusive = event_column(r->p, c->items[i], EVENT_INCLUSIVE);

		self.prefix = "self_";
		self.group = "self";
		self.adds_up = true;
		inclusive.prefix = "inclusive_";
		inclusive.group = "inclusive";
		event_made_show(&h->made, self, IN_FILES, 0, rows);
		event_made_show(&h->made, inclusive, has_inclusive(r) ? IN_FILES : IN_CSV, 0, rows);
	}
	ROWS_SHOW(rows, last, has(r));
}

static void release(void *held)
{
	struct held *h = held;

	free(h->rows);
	free(h->sums);
}

/* Inclusive costs of several rows may have counted the same events: only self costs add up. */
static void sum_others(struct held *h, const struct event_report *r, struct rows *rows)
{
	const size_t most = query_file_rows(r->choice->query);

	for (size_t i = most; most > 0 && i < r->count; i++)
		for (size_t k = 0; k < r->p->width; k++)
			h->sums[k] += h->rows[i].x.self[k];
	h->others.events = (struct event_cells){.p = r->p, .self = h->sums};
	rows->others = &h->others;
}

int report_of_events(struct answer *a, const struct event_report *r, size_t most, struct err *err)
{
	struct held *h = answer_hold(a, sizeof(*h), err);
	char what[32];

	if (h == NULL)
		return -1;
	a->release = release;
	h->rows = calloc(r->count + 1, sizeof(*h->rows));
	h->sums = calloc(r->p->width + 1, sizeof(*h->sums));
	if (h->rows == NULL || h->sums == NULL)
		return err_set(err, "not enough memory for %zu rows", r->count);
	a->rows = (struct rows){.items = h->rows,
				.count = r->count,
				.bytes_each = sizeof(*h->rows),
				.key = "rows",
				.none = "No row is left to show."};
	if (r->p->sample.is_sampled && r->p->sample.simulated == 0)
		a->rows.none = "No access was simulated: the run is too short for its --sample.";
	a->usual_rows = most;
	for (size_t i = 0; i < r->count; i++) {
		h->rows[i] = row_of(r, i);
		if (h->rows[i].x.is_estimate && i < most && a->remarks.count == 0)
			text_addf(&a->remarks,
				  "~ at most: calls lead out of the %s and back into it\n",
				  event_by_names[r->by]);
	}
	show_columns(h, r, &a->rows);
	sum_others(h, r, &a->rows);
	snprintf(what, sizeof(what), "Events by %s", event_by_names[r->by]);
	event_title(r->p, &r->choice->columns, what, &a->title);
	a->head = json_pack("{s:s, s:s, s:o}", "by", event_by_names[r->by], "sort",
			    r->p->columns[r->choice->columns.sort].name, "totals",
			    event_list_json(r->p, &r->choice->columns, r->p->totals));
	return 0;
}
