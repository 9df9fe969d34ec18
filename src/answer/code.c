/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view `code`: misses of samples by function, file or line. */
#include <stdlib.h>

#include "answer/answer.h"
#include "answer/cost_columns.h"
#include "estimate/hot.h"
#include "events/event_rows.h"

#define USUAL_ROWS 40 /* as of events */

struct held {
	struct query query; /* with the cache */
	struct hot hot;
	struct cost_row *rows;
};

enum { BY_FUNCTION = ROWS_OF_VIEW, BY_FILE = ROWS_OF_VIEW << 1, BY_LINE = ROWS_OF_VIEW << 2 };

static const struct shown text[] = {
	{COST(ALL_MISSES)},
	{COST(COLD), .less = 1},
	{COST(RATIO)},
	{COST(ACCESSES)},
	{COST(SAMPLES), .less = 2},
	{COST(FUNCTION), .needs = BY_FUNCTION},
	{COST(FILE), .needs = BY_FILE},
	{COST(PLACE), .needs = BY_LINE},
};

static const struct shown files[] = {
	{COST(KIND), .in = IN_CSV},
	{COST(FUNCTION)},
	{COST(FILE)},
	{COST(LINE)},
	{COST(MISSES)},
	{COST(COLD)},
	{COST(RATIO)},
	{COST(ACCESSES)},
	{COST(SAMPLES)},
};

/* What tells rows apart; -1: samples have no such rows. */
static int hot_by_of(enum event_by by, unsigned *has)
{
	*has = by == EVENT_BY_FUNCTION ? BY_FUNCTION : by == EVENT_BY_FILE ? BY_FILE : BY_LINE;
	return by == EVENT_BY_FUNCTION ? HOT_FUNCTION
	       : by == EVENT_BY_FILE   ? HOT_FILE
	       : by == EVENT_BY_LINE   ? HOT_LINE
				       : -1;
}

static void release(void *held)
{
	struct held *h = held;

	hot_release(&h->hot);
	free(h->rows);
}

static int make_rows(struct held *h, enum event_by by, struct answer *a, struct err *err)
{
	h->rows = calloc(h->hot.count + 1, sizeof(*h->rows));
	if (h->rows == NULL)
		return err_set(err, "not enough memory for %zu rows", h->hot.count);
	for (size_t i = 0; i < h->hot.count; i++) {
		h->rows[i] = cost_row_of(&h->hot, i);
		h->rows[i].kind = event_by_names[by];
	}
	a->rows = (struct rows){.items = h->rows,
				.count = h->hot.count,
				.bytes_each = sizeof(*h->rows),
				.key = "rows",
				.none = query_filters(&h->query) ? ROWS_NONE_SHOWN
								 : "The profile has no samples."};
	a->usual_rows = USUAL_ROWS;
	return 0;
}

static void put_about(const struct held *h, enum event_by by, struct answer *a)
{
	char percent[FIGURE_BYTES];

	text_addf(&a->title, "Misses by %s in a cache of ", event_by_names[by]);
	figure_cache(&a->profile, &h->query, &a->title);
	text_addf(&a->title, ", miss ratio %s:\n", figure_percent(h->hot.ratio, percent));
	a->about = json_pack("{s:s, s:I, s:f}", "by", event_by_names[by], "size_bytes",
			     (json_int_t)h->query.size_bytes, "miss_ratio", h->hot.ratio);
	assumed_json(&h->query, a->about);
}

int view_code(const struct question *q, struct answer *a, struct err *err)
{
	struct held *h = answer_hold(a, sizeof(*h), err);
	struct hot_cost *costs;
	unsigned has;
	const int by = hot_by_of((enum event_by)q->by, &has);
	int status;

	if (h == NULL || answer_open(a, q, PROFILE_SAMPLES, err) != 0)
		return -1;
	a->is_question_wrong = true;
	if (by < 0)
		return err_set(err, "samples have rows by function, file, line or data, not by %s",
			       event_by_names[q->by]);
	if (profile_choose(&a->profile, q->query, &h->query, err) != 0)
		return -1;
	a->is_question_wrong = false;
	costs = hot_costs(&a->profile, &h->query, err);
	if (costs == NULL)
		return -1;
	status = hot_rows(&a->profile, &h->query, costs, (enum hot_by)by, &h->hot, err);
	free(costs);
	if (status != 0)
		return -1;
	a->release = release;
	if (make_rows(h, (enum event_by)q->by, a, err) != 0)
		return -1;
	ROWS_SHOW(&a->rows, text, files, has);
	put_about(h, (enum event_by)q->by, a);
	return 0;
}
