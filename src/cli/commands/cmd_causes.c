/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell causes: who evicted the lines that a simulation missed. */
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "cli/view_options.h"
#include "estimate/counted/bins.h"
#include "views/rows.h"

static const char *const by_names[] = {
	[BINS_BY_DATA] = "data",
	[BINS_BY_FUNCTION] = "function",
	[BINS_BY_BOTH] = "both",
	NULL,
};

static const struct option_use uses[] = {
	VIEW_INPUT,
	{OPTION_PROCESS_ID, .shown = "the one with the most accesses"},
	VIEW_SHOWN,
	{OPTION_BY, .usual = "data", .choices = by_names},
	{OPTION_ROWS, .usual = "20"},
	VIEW_OTHER,
	{0},
};

/* ---- Columns ---- */

static const struct bins_eviction *eviction_of(const void *row)
{
	return row;
}

static bool is_cold(const struct bins_eviction *e)
{
	return e->evictor_data == NULL && e->evictor_function == NULL;
}

static bool is_self(const struct bins_eviction *e)
{
	return !is_cold(e) && (e->data == NULL || strcmp(e->data, e->evictor_data) == 0) &&
	       (e->function == NULL || strcmp(e->function, e->evictor_function) == 0);
}

static void get_cause(const void *row, struct value *v)
{
	const struct bins_eviction *e = eviction_of(row);

	v->text = is_cold(e) ? "cold" : is_self(e) ? "self" : "other";
}

enum { CACHE, MISSES, SHARE, CAUSE, FUNCTION, DATA, EVICTOR_FUNCTION, EVICTOR_DATA };

static const struct column columns[] = {
	[CACHE] = {"CACHE", "cache", UNIT_TEXT, COLUMN_MEMBER(struct bins_eviction, cache)},
	[MISSES] = {"MISSES", "misses", UNIT_COUNT, COLUMN_MEMBER(struct bins_eviction, misses)},
	[SHARE] = {"SHARE", "share", UNIT_SHARE, COLUMN_MEMBER(struct bins_eviction, share)},
	[CAUSE] = {"CAUSE", "cause", UNIT_TEXT, get_cause},
	[FUNCTION] = {"FUNCTION", "function", UNIT_TEXT,
		      COLUMN_MEMBER(struct bins_eviction, function), .may_cut = true},
	[DATA] = {"DATA STRUCTURE", "data", UNIT_TEXT, COLUMN_MEMBER(struct bins_eviction, data),
		  .may_cut = true},
	[EVICTOR_FUNCTION] = {"EVICTED BY", "evictor_function", UNIT_TEXT,
			      COLUMN_MEMBER(struct bins_eviction, evictor_function),
			      .may_cut = true},
	[EVICTOR_DATA] = {"EVICTED FOR", "evictor_data", UNIT_TEXT,
			  COLUMN_MEMBER(struct bins_eviction, evictor_data), .may_cut = true},
};

#define C(column) (&columns[column])
#define HEAD	  C(CACHE), C(MISSES), C(SHARE), C(CAUSE)

/* ---- */

static int print(const struct options *o, const struct profile *p)
{
	const struct column_list *const lists[] = {
		[BINS_BY_DATA] = COLUMN_LIST(HEAD, C(DATA), C(EVICTOR_DATA)),
		[BINS_BY_FUNCTION] = COLUMN_LIST(HEAD, C(FUNCTION), C(EVICTOR_FUNCTION)),
		[BINS_BY_BOTH] = COLUMN_LIST(HEAD, C(FUNCTION), C(DATA), C(EVICTOR_FUNCTION),
					     C(EVICTOR_DATA)),
	};
	struct display d = view_display();
	struct text out = {0};
	struct rows r = {.text = lists[o->by],
			 .csv = lists[o->by],
			 .json = lists[o->by],
			 .key = "causes",
			 .bytes_each = sizeof(struct bins_eviction)};
	struct bins b;
	struct err err;
	int status;

	if (bins_init(&b, p, &o->query, (enum bins_by)o->by, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	r.items = b.evictions;
	r.count = b.eviction_count;
	if (o->format == VIEW_TEXT)
		text_add(&out, "Misses by cause: cold, or what took the line's place last, as "
			       "shares of the cache's misses\n\n");
	status = VIEW_WRITE(rows, o, &r, &out, &err, o->query.limit, &d);
	bins_release(&b);
	return view_show(&out, status, &err);
}

static int causes(struct options *o)
{
	return view_run_bins(o, print);
}

const struct command command_causes = {
	.run = causes,
	.words = WORDS_PROFILE,
	.summary = "show which data evicts which",
	.options =
		{
			.name = "causes",
			.arguments = "[FILE]",
			.doc = "Show why lines were missing, in a profile of 'dwell simulate "
			       "--data': cold misses, and for lines that were in the cache before "
			       "the data structure, or function, whose access took their place.",
			.uses = uses,
		},
};
