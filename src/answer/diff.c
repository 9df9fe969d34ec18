/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two event profiles side by side; see diff.h. */
#include "answer/diff.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/json.h"
#include "estimate/counted/counted.h"

/* ---- Columns ---- */

/* An event on both sides: of the whole profiles, or of code. */
struct row {
	const char *by, *name, *file, *object, *event;
	const char *shown_name, *object_name; /* in texts */
	uint32_t line;
	double a, b, change, growth;
	struct event_form form_a, form_b;
	const struct diff *d;
	const struct diff_row *x; /* NULL: of the whole profiles */
};

static struct row event_row(const struct diff *d, size_t event, double a, double b)
{
	return (struct row){.by = "total",
			    .event = diff_name(d, event),
			    .a = a,
			    .b = b,
			    .d = d,
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

	row.x = r;
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

static void get_events(const void *row, struct value *v);

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
	EVENTS,
	EVENTS_APART,
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
	[EVENTS] = {NULL, "events", UNIT_LIST, get_events, .adds_up = true},
	[EVENTS_APART] = {NULL, "events", UNIT_LIST, get_events},
};

#define C(column) (&columns[column])

/* Each event of a row, or of the whole profiles, with both sides. */
static json_t *events_json(const struct diff *d, const struct diff_row *x)
{
	json_t *o = json_object();

	for (size_t i = 0; i < d->columns; i++) {
		const struct row row = x != NULL ? row_of(d, x, i) : total_of(d, i);

		json_object_set_new(
			o, diff_name(d, i),
			columns_json(COLUMN_LIST(C(A), C(B), C(CHANGE), C(GROWTH)), &row));
	}
	return o;
}

static void get_events(const void *row, struct value *v)
{
	v->list = events_json(((const struct row *)row)->d, ((const struct row *)row)->x);
}

/* How rows are told apart; sums of costs with those of callees make no sense. */
enum {
	BY_FUNCTION = ROWS_OF_VIEW,
	BY_LINE = ROWS_OF_VIEW << 1,
	BY_FILE = ROWS_OF_VIEW << 2,
	BY_OBJECT = ROWS_OF_VIEW << 3,
	BY_CLASS = ROWS_OF_VIEW << 4,
	BY_DATA = ROWS_OF_VIEW << 5,
	INCLUSIVE = ROWS_OF_VIEW << 6,
};

static unsigned has(const struct diff *d)
{
	static const unsigned of[EVENT_BY_COUNT] = {
		[EVENT_BY_FUNCTION] = BY_FUNCTION, [EVENT_BY_LINE] = BY_LINE,
		[EVENT_BY_FILE] = BY_FILE,	   [EVENT_BY_OBJECT] = BY_OBJECT,
		[EVENT_BY_CLASS] = BY_CLASS,	   [EVENT_BY_DATA] = BY_DATA,
	};

	return of[d->by] | (d->is_inclusive ? INCLUSIVE : 0);
}

static const struct shown totals[] = {{C(EVENT)}, {C(A)}, {C(B)}, {C(CHANGE)}, {C(GROWTH)}};

/* Text has rows of the event that they are sorted by, CSV one for each event, JSON all in one. */
static const struct shown shown[] = {
	{C(BY), .in = IN_CSV},
	{C(NAME)},
	{C(FILE_OF)},
	{C(LINE)},
	{C(OBJECT)},
	{C(EVENT), .in = IN_CSV},
	{C(A), .in = IN_TEXT | IN_CSV},
	{C(B), .in = IN_TEXT | IN_CSV},
	{C(CHANGE), .in = IN_TEXT | IN_CSV},
	{C(GROWTH), .in = IN_TEXT | IN_CSV},
	{C(FORM_A), .needs = BY_DATA},
	{C(FORM_B), .needs = BY_DATA},
	{C(ACCESS_A), .needs = BY_DATA},
	{C(ACCESS_B), .needs = BY_DATA},
	{C(EVENTS), .lacks = INCLUSIVE, .in = IN_JSON},
	{C(EVENTS_APART), .needs = INCLUSIVE, .in = IN_JSON},
	{C(KIND), .needs = BY_DATA, .less = 2},
	{C(ACCESS), .needs = BY_DATA, .less = 1},
	{C(SHOWN_FUNCTION), .needs = BY_FUNCTION},
	{C(SHOWN_FUNCTION), .needs = BY_LINE},
	{C(SHOWN_FILE), .needs = BY_FILE},
	{C(SHOWN_OBJECT), .needs = BY_OBJECT},
	{C(SHOWN_CLASS), .needs = BY_CLASS},
	{C(SHOWN_DATA), .needs = BY_DATA},
	{C(PLACE), .needs = BY_LINE},
	{C(PLACE_FILE), .needs = BY_FUNCTION, .less = 2},
	{C(OBJECT_NAME), .needs = BY_FUNCTION, .less = 1},
};

/* ---- Rows ---- */

struct held {
	struct row *totals;
	struct row *rows; /* for each row one of each event */
	struct row *sums; /* of each event, of rows that files leave out */
	uint64_t *a, *b;  /* their counts */
	struct event_row name;
	struct diff_row others;
	struct text none;
};

static void release(void *held)
{
	struct held *h = held;

	free(h->totals);
	free(h->rows);
	free(h->sums);
	free(h->a);
	free(h->b);
	text_release(&h->none);
}

static int hold(struct held *h, const struct diff *d, struct err *err)
{
	h->totals = calloc(d->columns + 1, sizeof(*h->totals));
	h->rows = calloc((d->count + 1) * (d->columns + 1), sizeof(*h->rows));
	h->sums = calloc(d->columns + 1, sizeof(*h->sums));
	h->a = calloc(d->a.profile->width + 1, sizeof(*h->a));
	h->b = calloc(d->b.profile->width + 1, sizeof(*h->b));
	return h->totals != NULL && h->rows != NULL && h->sums != NULL && h->a != NULL &&
			       h->b != NULL
		       ? 0
		       : err_set(err, "not enough memory for %zu rows", d->count);
}

/* Of the rows from one on. */
static void sum_others(struct held *h, const struct diff *d, size_t from)
{
	h->name = (struct event_row){.name = "[others]"};
	h->others = (struct diff_row){.shown = &h->name, .a = h->a, .b = h->b};
	for (size_t i = from; i < d->count; i++) {
		for (size_t k = 0; k < d->a.profile->width; k++)
			h->a[k] += d->rows[i].a[k];
		for (size_t k = 0; k < d->b.profile->width; k++)
			h->b[k] += d->rows[i].b[k];
	}
}

/* The number of rows that have changed; the rows are sorted by change. */
static size_t changed_rows(const struct rows *r)
{
	size_t count = 0;

	while (count < r->count) {
		const double change = ((const struct row *)rows_at(r, count))->change;

		if (change == 0 || isnan(change))
			break;
		count++;
	}
	return count;
}

/* The tables of the answer. */
enum { TOTALS, IN_WORDS, BY_EVENT, SUM_BY_EVENT, WHOLE, TABLES };

static void make_rows(struct held *h, const struct diff *d)
{
	for (size_t k = 0; k < d->columns; k++) {
		h->totals[k] = total_of(d, k);
		h->sums[k] = row_of(d, &h->others, k);
	}
	for (size_t i = 0; i < d->count; i++)
		for (size_t k = 0; k < d->columns; k++)
			h->rows[i * d->columns + k] = row_of(d, &d->rows[i], k);
}

static void fill(struct held *h, const struct diff *d, struct answer *a)
{
	const size_t most = query_file_rows(d->query), each = sizeof(struct row);
	const size_t kept = most > 0 && most < d->count ? most : d->count;
	const bool has_sum = kept < d->count && !d->is_inclusive;

	sum_others(h, d, kept);
	make_rows(h, d);
	a->tables[TOTALS] = (struct rows){
		.items = h->totals, .count = d->columns, .bytes_each = each, .is_chosen = true};
	a->tables[IN_WORDS] = (struct rows){.items = &h->rows[d->sort],
					    .count = d->count,
					    .bytes_each = d->columns * each,
					    .more = " that changed"};
	a->tables[IN_WORDS].count = changed_rows(&a->tables[IN_WORDS]);
	a->tables[BY_EVENT] = (struct rows){.items = h->rows,
					    .count = kept * d->columns,
					    .bytes_each = each,
					    .is_chosen = true};
	a->tables[SUM_BY_EVENT] = (struct rows){.items = h->sums,
						.count = has_sum ? d->columns : 0,
						.bytes_each = each,
						.is_chosen = true};
	a->tables[WHOLE] = (struct rows){.items = h->rows,
					 .count = d->count,
					 .bytes_each = d->columns * each,
					 .key = "rows",
					 .others = h->sums};
	ROWS_SHOW(&a->tables[TOTALS], totals, 0);
	for (size_t i = IN_WORDS; i < TABLES; i++)
		rows_show(&a->tables[i], shown, sizeof(shown) / sizeof(shown[0]), has(d),
			  i == IN_WORDS ? IN_TEXT
			  : i == WHOLE	? IN_JSON
					: IN_CSV);
	a->tables[TOTALS].csv = a->tables[BY_EVENT].csv;
}

/* ---- Words ---- */

void diff_explain(const struct condition *c, struct text *out)
{
	char before[FIGURE_BYTES], now[FIGURE_BYTES], percent[FIGURE_BYTES];

	text_addf(out, "condition '%s' holds: %s, before %s (%s)\n", c->text,
		  event_figure(c->b, now), event_figure(c->a, before),
		  event_growth(condition_relative(c->a, c->b), percent));
}

void diff_put_side(const char *letter, const char *path, const char *command, struct text *out)
{
	text_addf(out, "%s: ", letter);
	answer_words(out, path);
	text_add(out, ": ");
	answer_words(out, command);
	text_add(out, "\n");
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

static void put_side(const char *letter, const struct diff_side *s, struct text *out)
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
	diff_put_side(letter, s->path, text_get(&whole), out);
	text_release(&whole);
}

static void put_words(struct held *h, const struct diff *d, struct answer *a)
{
	struct rows *r = &a->tables[IN_WORDS];
	struct text *title = r->count > 0 ? &r->title : &h->none;

	put_side("A", &d->a, &a->title);
	put_side("B", &d->b, &a->title);
	a->title_indent = DIFF_TITLE_INDENT;
	text_addf(title, r->count > 0 ? "By %s, largest change of " : "No %s has changed in ",
		  event_by_names[d->by]);
	answer_words(title, diff_name(d, d->sort));
	if (r->count > 0)
		text_addf(title, " first%s:\n", d->is_inclusive ? ", with what they call" : "");
	else
		text_add(title, ".");
	r->none = text_get(&h->none);
}

int diff_of_events(struct answer *a, const struct diff *d, const struct condition *conditions,
		   size_t count, struct err *err)
{
	struct held *h = answer_hold(a, sizeof(*h), err);

	if (h == NULL)
		return -1;
	a->release = release;
	if (hold(h, d, err) != 0)
		return -1;
	fill(h, d, a);
	put_words(h, d, a);
	a->head = json_pack("{s:o, s:o, s:s, s:b, s:o}", "a", json_text(d->a.path), "b",
			    json_text(d->b.path), "by", event_by_names[d->by], "inclusive",
			    d->is_inclusive, "totals", events_json(d, NULL));
	a->about = json_pack("{s:o}", "conditions", diff_json_conditions(conditions, count));
	if (d->by == EVENT_BY_DATA)
		json_object_set_new(a->about, "data_known",
				    json_pack("{s:o, s:o}", "a", json_text(d->a.profile->known),
					      "b", json_text(d->b.profile->known)));
	return 0;
}
