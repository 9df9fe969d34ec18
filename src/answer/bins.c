/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view `bins`: misses of a simulation by function and data structure. */
#include "estimate/counted/bins.h"

#include <math.h>

#include "answer/answer.h"
#include "answer/counted_how.h"
#include "answer/miss_columns.h"

static const struct column misses[] = MISS_TABLE(struct bins_row, first, last);
static const struct column references[] = REFERENCE_TABLE(struct bins_row, references, ratio);

/* Once for each function of the text. */
static void get_compute(const void *row, struct value *v)
{
	const struct bins_row *r = row;

	v->real = r->is_first_of_function ? r->compute : NAN;
}

static void get_wait(const void *row, struct value *v)
{
	const struct bins_row *r = row;

	v->real = r->is_first_of_function ? r->wait : NAN;
}

static void get_type(const void *row, struct value *v)
{
	const struct bins_row *r = row;

	v->text = r->structure != NULL ? r->structure->type : NULL;
}

enum {
	COMPUTE,
	WAIT,
	COMPUTE_SHARE,
	WAIT_SHARE,
	INSTRUCTIONS,
	CYCLES,
	FUNCTION,
	SOURCE_FILE,
	DATA,
	TYPE
};

#define MEMBER(member) COLUMN_MEMBER(struct bins_row, member)

static const struct column columns[] = {
	[COMPUTE] = {"COMPUTE", NULL, UNIT_SHARE, get_compute},
	[WAIT] = {"WAIT", NULL, UNIT_SHARE, get_wait},
	[COMPUTE_SHARE] = {NULL, "function_compute", UNIT_SHARE, MEMBER(compute)},
	[WAIT_SHARE] = {NULL, "function_wait", UNIT_SHARE, MEMBER(wait)},
	[INSTRUCTIONS] = {NULL, "function_instructions", UNIT_COUNT, MEMBER(instructions)},
	[CYCLES] = {"COST", "cost_share", UNIT_SHARE, MEMBER(cost), .adds_up = true},
	[FUNCTION] = {"FUNCTION", "function", UNIT_TEXT, MEMBER(function), .may_cut = true},
	[SOURCE_FILE] = {NULL, "file", UNIT_TEXT, MEMBER(file)},
	[DATA] = {"DATA STRUCTURE", "data", UNIT_TEXT, MEMBER(data), .may_cut = true},
	[TYPE] = {"TYPE", "type", UNIT_TEXT, get_type, .may_cut = true},
};

#define C(column) &columns[column]
#define M(column) &misses[column]
#define R(column) &references[column]

/* What the rows of a profile have, beside enum rows_needs. */
enum {
	INTERVALS = ROWS_OF_VIEW,	  /* references are estimates, of a run without gaps */
	SOME_SETS = ROWS_OF_VIEW << 1,	  /* only these were simulated: references are of all */
	LOW_AND_HIGH = ROWS_OF_VIEW << 2, /* in files */
};

static const struct shown shown[] = {
	{C(COMPUTE)},
	{C(WAIT)},
	{C(CYCLES)},
	{R(REFERENCES), .lacks = SOME_SETS, .in = IN_FILES},
	{R(REFERENCES), .needs = ROWS_REFERENCES, .less = 10, .in = IN_TEXT},
	{R(REFERENCES_LOW), .lacks = SOME_SETS},
	{R(REFERENCES_HIGH), .lacks = SOME_SETS},
	{R(RATIO), .lacks = SOME_SETS, .in = IN_FILES},
	{R(RATIO), .needs = ROWS_REFERENCES, .less = 7, .in = IN_TEXT},
	{R(INTERVAL), .needs = INTERVALS, .less = 5},
	{M(L1_MISSES)},
	{M(L1_LOW), .needs = ROWS_BOUNDS, .less = 8, .in = IN_TEXT},
	{M(L1_HIGH), .needs = ROWS_BOUNDS, .less = 9, .in = IN_TEXT},
	{M(L1_CONFLICT_SHARE), .needs = ROWS_CONFLICTS},
	{M(L1_OTHERS_SHARE), .less = 2},
	{M(L1_COLD)},
	{M(L1_SELF)},
	{M(L1_OTHERS)},
	{M(LL_MISSES)},
	{M(LL_LOW), .needs = ROWS_BOUNDS, .in = IN_TEXT},
	{M(LL_HIGH), .needs = ROWS_BOUNDS, .in = IN_TEXT},
	{M(LL_COLD_SHARE), .lacks = ROWS_BOUNDS, .less = 4},
	{M(LL_CONFLICT_SHARE), .needs = ROWS_CONFLICTS, .less = 6},
	{M(LL_OTHERS_SHARE), .needs = ROWS_CONFLICTS, .less = 3},
	{M(LL_OTHERS_SHARE), .lacks = ROWS_CONFLICTS | ROWS_BOUNDS, .less = 5},
	{M(LL_COLD)},
	{M(LL_SELF)},
	{M(LL_OTHERS)},
	{C(FUNCTION)},
	{C(SOURCE_FILE)},
	{C(TYPE), .less = 1, .in = IN_TEXT},
	{C(DATA)},
	{C(TYPE), .in = IN_FILES},
	MISS_BOUNDS_SHOWN(misses, LOW_AND_HIGH),
	MISS_CONFLICTS_SHOWN(misses),
	{C(COMPUTE_SHARE)},
	{C(WAIT_SHARE)},
	{C(INSTRUCTIONS)},
};

static unsigned has(const struct bins *b)
{
	const struct profile *p = b->names.profile;

	if (p->sets > 1)
		return SOME_SETS | LOW_AND_HIGH;
	if (p->stretches > 0)
		return ROWS_REFERENCES | ROWS_BOUNDS | LOW_AND_HIGH;
	return (p->has_conflicts ? ROWS_CONFLICTS : 0) |
	       (b->references.are_counted ? ROWS_REFERENCES : 0) |
	       (b->references.are_counted && !b->references.are_exact ? INTERVALS : 0);
}

static void put_references(const struct references *r, const struct profile *p, struct text *out)
{
	char count[FIGURE_BYTES];

	if (p->sets > 1 || !r->are_counted)
		return;
	text_add(out, p->stretches == 0 && r->are_exact
			      ? "\nReferences, hits too: exact"
			      : "\nReferences, hits too: estimates have a ~");
	if (r->unseen > 0)
		text_addf(out, "; %s more are of code that no window saw",
			  figure_count(r->unseen, count));
}

static void release(void *held)
{
	bins_release(held);
}

int view_bins(const struct question *q, struct answer *a, struct err *err)
{
	const struct profile *p = &a->profile;
	struct bins *b = answer_hold(a, sizeof(*b), err);

	if (b == NULL || answer_open(a, q, PROFILE_BINS, err) != 0)
		return -1;
	a->is_question_wrong = q->word != NULL;
	if (bins_init(b, p, q->query, q->word, err) != 0)
		return -1;
	a->release = release;
	counted_title(p, "Misses by function and data structure in simulated caches: ",
		      "; and causes in each", &a->title);
	put_references(&b->references, p, &a->title);
	counted_title_end(p, &a->title);
	a->title_indent = COUNTED_TITLE_INDENT;
	a->rows = (struct rows){.items = b->rows,
				.count = b->count,
				.bytes_each = sizeof(*b->rows),
				.key = "bins",
				.none = ROWS_NONE_SHOWN};
	ROWS_SHOW(&a->rows, shown, has(b));
	a->about = counted_how_json(p);
	return 0;
}
