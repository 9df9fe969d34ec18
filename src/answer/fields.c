/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view `fields`: misses by data structure and field, of samples or as a simulation counts. */
#include "estimate/fields/fields.h"

#include <stdlib.h>

#include "answer/answer.h"
#include "answer/cost_columns.h"
#include "answer/counted_how.h"
#include "answer/miss_columns.h"

#define USUAL_ROWS 20

struct row {
	struct cost_row cost; /* of samples */
	struct fields_row r;
};

static void get_data(const void *row, struct value *v)
{
	v->text = ((const struct row *)row)->r.data->name;
}

static const struct column misses[] = MISS_TABLE(struct row, r.first, r.last);

enum { CYCLES, DATA, FIELD, TYPE };

#define MEMBER(member) COLUMN_MEMBER(struct row, r.member)

static const struct column columns[] = {
	[CYCLES] = {"COST", "cost_share", UNIT_SHARE, MEMBER(cost_share), .adds_up = true},
	[FIELD] = {"FIELD", "field", UNIT_TEXT, MEMBER(field), .may_cut = true},
	[TYPE] = {"TYPE", "type", UNIT_TEXT, MEMBER(type), .may_cut = true},
	[DATA] = {"DATA STRUCTURE", "data", UNIT_TEXT, get_data, .may_cut = true},
};

#define C(column) &columns[column]
#define M(column) &misses[column]

enum { COUNTED = ROWS_OF_VIEW }; /* of a simulation; without it, of samples */

static const struct shown shown[] = {
	{COST(ALL_MISSES), .lacks = COUNTED},
	{COST(COLD), .lacks = COUNTED, .in = IN_FILES},
	{COST(ACCESSES), .lacks = COUNTED},
	{COST(SAMPLES), .lacks = COUNTED},
	{C(CYCLES), .needs = COUNTED},
	{M(L1_MISSES), .needs = COUNTED},
	{M(L1_LOW), .needs = ROWS_BOUNDS, .less = 5, .in = IN_TEXT},
	{M(L1_HIGH), .needs = ROWS_BOUNDS, .less = 6, .in = IN_TEXT},
	{M(L1_OTHERS_SHARE), .needs = COUNTED, .less = 1},
	{M(L1_CONFLICT_SHARE), .needs = ROWS_CONFLICTS, .lacks = ROWS_BOUNDS},
	{M(L1_COLD), .needs = COUNTED},
	{M(L1_SELF), .needs = COUNTED},
	{M(L1_OTHERS), .needs = COUNTED},
	{M(LL_MISSES), .needs = COUNTED},
	{M(LL_LOW), .needs = ROWS_BOUNDS, .in = IN_TEXT},
	{M(LL_HIGH), .needs = ROWS_BOUNDS, .in = IN_TEXT},
	{M(LL_COLD_SHARE), .needs = COUNTED, .lacks = ROWS_BOUNDS, .less = 2},
	{M(LL_OTHERS_SHARE), .needs = COUNTED, .lacks = ROWS_BOUNDS, .less = 3},
	{M(LL_COLD), .needs = COUNTED},
	{M(LL_SELF), .needs = COUNTED},
	{M(LL_OTHERS), .needs = COUNTED},
	{C(DATA)},
	{C(FIELD)},
	{C(TYPE), .lacks = COUNTED},
	{C(TYPE), .needs = COUNTED, .less = 4},
	MISS_BOUNDS_SHOWN(misses, ROWS_BOUNDS),
	{M(L1_CONFLICTS), .needs = ROWS_CONFLICTS, .lacks = ROWS_BOUNDS},
	{M(L1_CAPACITY), .needs = ROWS_CONFLICTS, .lacks = ROWS_BOUNDS},
	{M(LL_CONFLICTS), .needs = ROWS_CONFLICTS, .lacks = ROWS_BOUNDS},
	{M(LL_CAPACITY), .needs = ROWS_CONFLICTS, .lacks = ROWS_BOUNDS},
};

struct held {
	struct fields fields;
	struct query query; /* with the cache, of samples */
	struct row *rows;
};

static void release(void *held)
{
	struct held *h = held;

	fields_release(&h->fields);
	free(h->rows);
}

/* Keep the rows of the data structures that the name means. */
static int choose(struct fields *f, const char *name, struct err *err)
{
	bool *marks = calloc(f->data.count + 1, sizeof(*marks));
	size_t kept = 0;

	if (marks == NULL)
		return err_set(err, "not enough memory for %zu data structures", f->data.count);
	if (data_find(&f->data, name, marks, err) == 0) {
		free(marks);
		return -1;
	}
	for (size_t i = 0; i < f->count; i++)
		if (f->rows[i].data != &counted_unfollowed && marks[f->rows[i].data - f->data.rows])
			f->rows[kept++] = f->rows[i];
	f->count = kept;
	free(marks);
	return 0;
}

static void show(const struct fields *f, struct answer *a)
{
	const struct profile *p = f->data.profile;

	if (!f->is_counted) {
		text_add(&a->title, "Fields of data structures in a cache of ");
		figure_cache(p, f->data.query, &a->title);
		text_add(&a->title, "\n");
		ROWS_SHOW(&a->rows, shown, 0);
		return;
	}
	counted_title(p, "Misses by data structure and field in simulated caches: ",
		      "; and causes in each", &a->title);
	counted_title_end(p, &a->title);
	a->title_indent = COUNTED_TITLE_INDENT;
	ROWS_SHOW(&a->rows, shown,
		  COUNTED | (p->has_conflicts ? ROWS_CONFLICTS : 0) |
			  (p->stretches > 0 ? ROWS_BOUNDS : 0));
	a->about = counted_how_json(p);
}

static int make_rows(struct held *h, struct answer *a, struct err *err)
{
	const struct fields *f = &h->fields;

	h->rows = calloc(f->count + 1, sizeof(*h->rows));
	if (h->rows == NULL)
		return err_set(err, "not enough memory for %zu fields", f->count);
	for (size_t i = 0; i < f->count; i++)
		h->rows[i] =
			(struct row){.cost = {.cost = &f->rows[i].cost, .whole = &f->data.total},
				     .r = f->rows[i]};
	a->rows = (struct rows){.items = h->rows,
				.count = f->count,
				.bytes_each = sizeof(*h->rows),
				.key = "fields"};
	a->usual_rows = USUAL_ROWS;
	show(f, a);
	return 0;
}

int view_fields(const struct question *q, struct answer *a, struct err *err)
{
	const struct profile *p = &a->profile;
	struct held *h = answer_hold(a, sizeof(*h), err);

	if (h == NULL ||
	    answer_open(a, q, PROFILE_BINS | PROFILE_RANGES | PROFILE_SAMPLES, err) != 0)
		return -1;
	a->is_question_wrong = true;
	h->query = *q->query;
	if (p->structure_count == 0 && profile_choose(p, q->query, &h->query, err) != 0)
		return -1;
	a->is_question_wrong = false;
	if (fields_init(&h->fields, p, &h->query, (enum data_by)q->sites_by, err) != 0)
		return -1;
	a->release = release;
	a->is_question_wrong = q->word != NULL;
	if (q->word != NULL && choose(&h->fields, q->word, err) != 0)
		return -1;
	return make_rows(h, a, err);
}
