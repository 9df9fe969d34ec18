/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The views `code` and `code_list`: misses of samples by function, file or line; and the files and
 * functions that can be annotated.
 */
#include <stdlib.h>

#include "answer/answer.h"
#include "answer/cost_columns.h"
#include "estimate/hot.h"
#include "events/event_rows.h"

#define USUAL_ROWS 40 /* as of events */

/* Rows of one kind. */
struct table {
	struct hot hot;
	struct cost_row *rows;
};

struct held {
	struct query query; /* with the cache */
	struct assumed assumed;
	struct table tables[2];
};

enum { BY_FUNCTION = ROWS_OF_VIEW, BY_FILE = ROWS_OF_VIEW << 1, BY_LINE = ROWS_OF_VIEW << 2 };

static const struct shown shown[] = {
	{COST(KIND), .in = IN_CSV},
	{COST(FUNCTION), .in = IN_FILES},
	{COST(FILE), .in = IN_FILES},
	{COST(LINE)},
	{COST(CYCLES)},
	{COST(ALL_MISSES), .in = IN_TEXT},
	{COST(MISSES), .in = IN_FILES},
	{COST(COLD), .less = 1},
	{COST(RATIO)},
	{COST(ACCESSES)},
	{COST(SAMPLES), .less = 2},
	{COST(FUNCTION), .needs = BY_FUNCTION, .in = IN_TEXT},
	{COST(FILE), .needs = BY_FILE, .in = IN_TEXT},
	{COST(PLACE), .needs = BY_LINE},
};

static const struct shown in_list[] = {
	{COST(KIND), .in = IN_CSV},
	{COST(NAME)},
	{COST(CYCLES)},
	{COST(RATIO), .in = IN_FILES},
	{COST(MISSES)},
	{COST(COLD)},
	{COST(RATIO), .in = IN_TEXT},
	{COST(ACCESSES), .in = IN_FILES},
	{COST(SAMPLES)},
	{COST(FILE), .needs = BY_FILE, .in = IN_TEXT},
	{COST(FUNCTION), .needs = BY_FUNCTION, .in = IN_TEXT},
};

static void release(void *held)
{
	struct held *h = held;

	for (size_t i = 0; i < 2; i++) {
		hot_release(&h->tables[i].hot);
		free(h->tables[i].rows);
	}
}

static int open(const struct question *q, struct answer *a, struct held *h, struct err *err)
{
	if (answer_open(a, q, PROFILE_SAMPLES, err) != 0)
		return -1;
	a->release = release;
	a->is_question_wrong = true;
	if (profile_choose(&a->profile, q->query, &h->query, err) != 0)
		return -1;
	a->is_question_wrong = false;
	h->assumed = assumed_by(&h->query);
	a->about = json_object();
	assumed_json(&h->query, a->about);
	return 0;
}

/* The rows of a table; `needs_file`: those with a file. */
static int make_rows(const struct held *h, struct table *t, enum hot_by by, bool needs_file,
		     struct rows *rows, struct err *err)
{
	static const char *const kinds[] = {
		[HOT_FUNCTION] = "function", [HOT_FILE] = "file", [HOT_LINE] = "line"};

	t->rows = calloc(t->hot.count + 1, sizeof(*t->rows));
	if (t->rows == NULL)
		return err_set(err, "not enough memory for %zu rows", t->hot.count);
	rows->items = t->rows;
	rows->bytes_each = sizeof(*t->rows);
	for (size_t i = 0; i < t->hot.count; i++) {
		struct cost_row *row = &t->rows[rows->count];

		if (needs_file && t->hot.rows[i].file == NULL)
			continue;
		*row = cost_row_of(&t->hot, i);
		row->kind = kinds[by];
		row->name = by == HOT_FILE ? row->file : row->function;
		rows->count++;
	}
	assumed_show(&h->assumed, rows);
	return 0;
}

static int add_table(struct answer *a, struct held *h, size_t at, enum hot_by by, bool needs_file,
		     struct rows *rows, struct err *err)
{
	struct hot_cost *costs = hot_costs(&a->profile, &h->query, err);
	int status;

	if (costs == NULL)
		return -1;
	status = hot_rows(&a->profile, &h->query, costs, by, &h->tables[at].hot, err);
	free(costs);
	return status == 0 ? make_rows(h, &h->tables[at], by, needs_file, rows, err) : -1;
}

/* ---- The view `code` ---- */

/* What tells rows apart; -1: samples have no such rows. */
static int hot_by_of(enum event_by by, unsigned *has)
{
	*has = by == EVENT_BY_FUNCTION ? BY_FUNCTION : by == EVENT_BY_FILE ? BY_FILE : BY_LINE;
	return by == EVENT_BY_FUNCTION ? HOT_FUNCTION
	       : by == EVENT_BY_FILE   ? HOT_FILE
	       : by == EVENT_BY_LINE   ? HOT_LINE
				       : -1;
}

static void put_about(const struct held *h, double ratio, struct answer *a)
{
	char percent[FIGURE_BYTES];

	figure_cache(&a->profile, &h->query, &a->title);
	text_addf(&a->title, ", miss ratio %s:\n", figure_percent(ratio, percent));
	json_object_set_new(a->about, "size_bytes", json_integer((json_int_t)h->query.size_bytes));
	json_object_set_new(a->about, "miss_ratio", json_real(ratio));
}

int view_code(const struct question *q, struct answer *a, struct err *err)
{
	struct held *h = answer_hold(a, sizeof(*h), err);
	unsigned has;
	const int by = hot_by_of((enum event_by)q->by, &has);

	if (h == NULL || open(q, a, h, err) != 0)
		return -1;
	a->is_question_wrong = by < 0;
	if (by < 0)
		return err_set(err, "samples have rows by function, file, line or data, not by %s",
			       event_by_names[q->by]);
	ROWS_SHOW(&a->rows, shown, has);
	if (add_table(a, h, 0, (enum hot_by)by, false, &a->rows, err) != 0)
		return -1;
	a->rows.key = "rows";
	a->rows.none = query_filters(q->query) ? ROWS_NONE_SHOWN : "The profile has no samples.";
	a->usual_rows = USUAL_ROWS;
	text_addf(&a->title, "Misses by %s in a cache of ", event_by_names[q->by]);
	put_about(h, h->tables[0].hot.ratio, a);
	json_object_set_new(a->about, "by", json_string(event_by_names[q->by]));
	return 0;
}

/* ---- The view `code_list` ---- */

int view_code_list(const struct question *q, struct answer *a, struct err *err)
{
	struct held *h = answer_hold(a, sizeof(*h), err);
	const bool is_filtered = query_filters(q->query);

	if (h == NULL || open(q, a, h, err) != 0)
		return -1;
	ROWS_SHOW(&a->rows, in_list, BY_FILE);
	ROWS_SHOW(&a->second, in_list, BY_FUNCTION);
	if (add_table(a, h, 0, HOT_FILE, true, &a->rows, err) != 0 ||
	    add_table(a, h, 1, HOT_FUNCTION, false, &a->second, err) != 0)
		return -1;
	a->rows.key = "files";
	a->rows.none = is_filtered ? "No files match what --focus and --ignore say."
				   : "No files: the program has no line numbers (compile it with "
				     "-g).";
	a->second.key = "functions";
	a->second.none = "No functions match what --focus and --ignore say.";
	text_add(&a->title, "'dwell annotate NAME' shows one of these. In a cache of ");
	put_about(h, h->tables[0].hot.ratio, a);
	if (a->second.count > 0 || is_filtered)
		return 0;
	a->title.count = 0;
	text_add(&a->title, "No samples were taken: there is nothing to annotate.\n");
	a->rows.none = a->second.none = "";
	return 0;
}
