/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell causes: who evicted the lines that a simulation missed. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "cli/view_options.h"
#include "estimate/counted/causes.h"
#include "views/counted/counted.h"
#include "views/rows.h"

static const char *const by_names[] = {
	[CAUSES_BY_DATA] = "data",
	[CAUSES_BY_FUNCTION] = "function",
	[CAUSES_BY_BOTH] = "both",
	NULL,
};

static const struct option_use uses[] = {
	VIEW_INPUT,
	{OPTION_PROCESS_ID, .shown = "all"},
	VIEW_SHOWN,
	{OPTION_BY, .usual = "data", .choices = by_names},
	{OPTION_ROWS, .usual = "20"},
	VIEW_OTHER,
	{0},
};

/* ---- Columns ---- */

static const struct cause_row *eviction_of(const void *row)
{
	return row;
}

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
	const struct cause_row *e = eviction_of(row);

	v->text = e->is_unknown ? "unknown" : is_cold(e) ? "cold" : is_self(e) ? "self" : "other";
}

static void get_conflict_share(const void *row, struct value *v)
{
	const struct cause_row *e = eviction_of(row);

	v->real = is_cold(e) ? NAN : (double)e->conflicts / (double)e->misses;
}

static void get_capacity(const void *row, struct value *v)
{
	const struct cause_row *e = eviction_of(row);

	v->whole = is_cold(e) ? 0 : e->misses - e->conflicts;
}

enum {
	STALL,
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

static const struct column columns[] = {
	[STALL] = {"STALL", "stall", UNIT_SHARE, COLUMN_MEMBER(struct cause_row, stall)},
	[CACHE] = {"CACHE", "cache", UNIT_TEXT, COLUMN_MEMBER(struct cause_row, cache)},
	[MISSES] = {"MISSES", "misses", UNIT_COUNT, COLUMN_MEMBER(struct cause_row, misses)},
	[LOW] = {"LOW", "low", UNIT_COUNT, COLUMN_MEMBER(struct cause_row, low)},
	[HIGH] = {"HIGH", "high", UNIT_COUNT, COLUMN_MEMBER(struct cause_row, high)},
	[SHARE] = {"SHARE", "share", UNIT_SHARE, COLUMN_MEMBER(struct cause_row, share)},
	[CAUSE] = {"CAUSE", "cause", UNIT_TEXT, get_cause},
	[CONFLICT] = {NULL, "conflict", UNIT_COUNT, COLUMN_MEMBER(struct cause_row, conflicts)},
	[CONFLICT_SHARE] = {"CONFLICT", NULL, UNIT_SHARE, get_conflict_share},
	[CAPACITY] = {NULL, "capacity", UNIT_COUNT, get_capacity},
	[FUNCTION] = {"FUNCTION", "function", UNIT_TEXT, COLUMN_MEMBER(struct cause_row, function),
		      .may_cut = true},
	[DATA] = {"DATA STRUCTURE", "data", UNIT_TEXT, COLUMN_MEMBER(struct cause_row, data),
		  .may_cut = true},
	[EVICTOR_FUNCTION] = {"EVICTED BY", "evictor_function", UNIT_TEXT,
			      COLUMN_MEMBER(struct cause_row, evictor_function), .may_cut = true},
	[EVICTOR_DATA] = {"EVICTED FOR", "evictor_data", UNIT_TEXT,
			  COLUMN_MEMBER(struct cause_row, evictor_data), .may_cut = true},
};

#define C(column) (&columns[column])
#define HEAD	  C(STALL), C(CACHE), C(MISSES), C(SHARE), C(CAUSE)
#define BOUNDS	  C(STALL), C(CACHE), C(MISSES), C(LOW), C(HIGH), C(SHARE), C(CAUSE)

/* ---- */

/* The columns of rows by data, function or both, behind some that all have. */
#define LISTS(...)                                                                                 \
	{                                                                                          \
		[CAUSES_BY_DATA] = COLUMN_LIST(__VA_ARGS__, C(DATA), C(EVICTOR_DATA)),             \
		[CAUSES_BY_FUNCTION] = COLUMN_LIST(__VA_ARGS__, C(FUNCTION), C(EVICTOR_FUNCTION)), \
		[CAUSES_BY_BOTH] = COLUMN_LIST(__VA_ARGS__, C(FUNCTION), C(DATA),                  \
					       C(EVICTOR_FUNCTION), C(EVICTOR_DATA)),              \
	}

static void put_heading(const struct profile *p, const struct display *d, struct text *out)
{
	text_add(out, "Misses by cause: cold, or what took the line's place last, as shares of the "
		      "cache's misses: ");
	counted_put_how(p, out);
	text_add(out, "\n");
	counted_put_bounds(p, out);
	fit_prose(out, 0, 2, d);
	text_add(out, "\n");
}

static int print(const struct options *o, const struct profile *p)
{
	const struct column_list *const plain[] = LISTS(HEAD);
	const struct column_list *const bounds[] = LISTS(BOUNDS);
	const struct column_list *const text[] = LISTS(HEAD, C(CONFLICT_SHARE));
	const struct column_list *const counts[] = LISTS(HEAD, C(CONFLICT), C(CAPACITY));
	const struct column_list *const without = p->stretches > 0 ? bounds[o->by] : plain[o->by];
	struct display d = view_display();
	struct text out = {0};
	struct rows r = {.text = p->has_conflicts ? text[o->by] : without,
			 .csv = p->has_conflicts ? counts[o->by] : without,
			 .json = p->has_conflicts ? counts[o->by] : without,
			 .none = VIEW_NO_ROW,
			 .key = "causes",
			 .bytes_each = sizeof(struct cause_row)};
	struct causes c;
	struct err err;
	int status;

	if (causes_init(&c, p, &o->query, (enum causes_by)o->by, o->word, &err) != 0)
		return cli_fail(&err, o->word != NULL ? EXIT_USAGE : EXIT_INPUT);
	r.items = c.rows;
	r.count = c.count;
	if (o->format == VIEW_JSON)
		r.around = counted_how_json(p);
	if (o->format == VIEW_TEXT)
		put_heading(p, &d, &out);
	status = VIEW_WRITE(rows, o, &r, &out, &err, o->query.limit, &d);
	causes_release(&c);
	return view_show(&out, status, &err);
}

static int causes(struct options *o)
{
	return view_run_causes(o, print);
}

const struct command command_causes = {
	.run = causes,
	.words = WORDS_NAME,
	.names = OPTION_NAMES_OBJECT,
	.summary = "show which data evicts which",
	.options =
		{
			.name = "causes",
			.arguments = "[FILE] [FUNCTION|DATA]",
			.doc = "Show why lines were missing, in a profile of 'dwell simulate "
			       "--data': cold misses, and for lines that were in the cache before "
			       "the data structure, or function, whose access took their place; "
			       "of these the conflict misses, in a profile of --conflicts. "
			       "The most stall comes first. "
			       "With a name, only the misses of this function or data structure.",
			.notes = VIEW_WORDS,
			.uses = uses,
		},
};
