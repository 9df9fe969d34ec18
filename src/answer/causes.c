/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view `causes`: who evicted the lines that a simulation missed. */
#include "estimate/counted/causes.h"

#include <math.h>
#include <string.h>

#include "answer/answer.h"
#include "answer/counted_how.h"

static bool is_cold(const struct cause_row *e)
{
	return e->evictor_data == NULL && e->evictor_function == NULL;
}

static bool is_self(const struct cause_row *e)
{
	return !is_cold(e) && (e->data == NULL || strcmp(e->data, e->evictor_data) == 0) &&
	       (e->function == NULL || strcmp(e->function, e->evictor_function) == 0);
}

static void get_cause(const void *row, struct value *v)
{
	const struct cause_row *e = row;

	v->text = e->is_unknown ? "unknown" : is_cold(e) ? "cold" : is_self(e) ? "self" : "other";
}

static void get_conflict_share(const void *row, struct value *v)
{
	const struct cause_row *e = row;

	v->real = is_cold(e) ? NAN : (double)e->conflicts / (double)e->misses;
}

static void get_capacity(const void *row, struct value *v)
{
	const struct cause_row *e = row;

	v->whole = is_cold(e) ? 0 : e->misses - e->conflicts;
}

enum {
	CYCLES,
	CACHE,
	MISSES,
	LOW,
	HIGH,
	SHARE,
	CAUSE,
	CONFLICT,
	CONFLICT_SHARE,
	CAPACITY,
	FUNCTION,
	DATA,
	EVICTOR_FUNCTION,
	EVICTOR_DATA
};

#define MEMBER(member) COLUMN_MEMBER(struct cause_row, member)

static const struct column columns[] = {
	[CYCLES] = {"COST", "cost_share", UNIT_SHARE, MEMBER(cost)},
	[CACHE] = {"CACHE", "cache", UNIT_TEXT, MEMBER(cache)},
	[MISSES] = {"MISSES", "misses", UNIT_COUNT, MEMBER(misses), .adds_up = true},
	[LOW] = {"LOW", "low", UNIT_COUNT, MEMBER(low)},
	[HIGH] = {"HIGH", "high", UNIT_COUNT, MEMBER(high)},
	[SHARE] = {"SHARE", "share", UNIT_SHARE, MEMBER(share)},
	[CAUSE] = {"CAUSE", "cause", UNIT_TEXT, get_cause},
	[CONFLICT] = {NULL, "conflict", UNIT_COUNT, MEMBER(conflicts), .adds_up = true},
	[CONFLICT_SHARE] = {"CONFLICT", NULL, UNIT_SHARE, get_conflict_share},
	[CAPACITY] = {NULL, "capacity", UNIT_COUNT, get_capacity, .adds_up = true},
	[FUNCTION] = {"FUNCTION", "function", UNIT_TEXT, MEMBER(function), .may_cut = true},
	[DATA] = {"DATA STRUCTURE", "data", UNIT_TEXT, MEMBER(data), .may_cut = true},
	[EVICTOR_FUNCTION] = {"EVICTED BY", "evictor_function", UNIT_TEXT, MEMBER(evictor_function),
			      .may_cut = true},
	[EVICTOR_DATA] = {"EVICTED FOR", "evictor_data", UNIT_TEXT, MEMBER(evictor_data),
			  .may_cut = true},
};

#define C(column) &columns[column]

/* By what rows are told apart. */
enum { BY_FUNCTION = ROWS_OF_VIEW, BY_DATA = ROWS_OF_VIEW << 1 };

static const struct shown shown[] = {
	{C(CYCLES)},
	{C(CACHE)},
	{C(MISSES)},
	{C(LOW), .needs = ROWS_BOUNDS, .lacks = ROWS_CONFLICTS},
	{C(HIGH), .needs = ROWS_BOUNDS, .lacks = ROWS_CONFLICTS},
	{C(SHARE)},
	{C(CAUSE)},
	{C(CONFLICT), .needs = ROWS_CONFLICTS},
	{C(CONFLICT_SHARE), .needs = ROWS_CONFLICTS},
	{C(CAPACITY), .needs = ROWS_CONFLICTS},
	{C(FUNCTION), .needs = BY_FUNCTION},
	{C(DATA), .needs = BY_DATA},
	{C(EVICTOR_FUNCTION), .needs = BY_FUNCTION},
	{C(EVICTOR_DATA), .needs = BY_DATA},
};

static unsigned has(const struct causes *c)
{
	const struct profile *p = c->names.profile;

	return (p->has_conflicts ? ROWS_CONFLICTS : 0) | (p->stretches > 0 ? ROWS_BOUNDS : 0) |
	       (c->by != CAUSES_BY_DATA ? BY_FUNCTION : 0) |
	       (c->by != CAUSES_BY_FUNCTION ? BY_DATA : 0);
}

static void release(void *held)
{
	causes_release(held);
}

int view_causes(const struct question *q, struct answer *a, struct err *err)
{
	const struct profile *p = &a->profile;
	struct causes *c = answer_hold(a, sizeof(*c), err);

	if (c == NULL || answer_open(a, q, PROFILE_BINS | PROFILE_CAUSES, err) != 0)
		return -1;
	a->is_question_wrong = q->word != NULL;
	if (causes_init(c, p, q->query, (enum causes_by)q->by, q->word, err) != 0)
		return -1;
	a->release = release;
	counted_title(p,
		      "Misses by cause: cold, or what took the line's place last, as shares of the "
		      "cache's misses: ",
		      "", &a->title);
	counted_title_end(p, &a->title);
	a->title_indent = COUNTED_TITLE_INDENT;
	a->rows = (struct rows){.items = c->rows,
				.count = c->count,
				.bytes_each = sizeof(*c->rows),
				.key = "causes",
				.none = ROWS_NONE_SHOWN};
	ROWS_SHOW(&a->rows, shown, has(c));
	a->about = counted_how_json(p);
	return 0;
}
