/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell bins: misses of a simulation by function and data structure. */
#include <math.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "cli/view_options.h"
#include "estimate/counted/bins.h"
#include "views/counted/counted.h"
#include "views/counted/miss_columns.h"
#include "views/figures.h"
#include "views/rows.h"

static const struct option_use uses[] = {
	VIEW_INPUT, {OPTION_PROCESS_ID, .shown = "all"},
	VIEW_SHOWN, {OPTION_ROWS, .usual = "20"},
	VIEW_OTHER, {0},
};

/* ---- Columns ---- */

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

enum {
	COMPUTE,
	WAIT,
	COMPUTE_SHARE,
	WAIT_SHARE,
	INSTRUCTIONS,
	STALL,
	FUNCTION,
	SOURCE_FILE,
	DATA,
	TYPE
};

static void get_type(const void *row, struct value *v)
{
	const struct bins_row *r = row;

	v->text = r->structure != NULL ? r->structure->type : NULL;
}

static const struct column columns[] = {
	[COMPUTE] = {"COMPUTE", NULL, UNIT_SHARE, get_compute},
	[WAIT] = {"WAIT", NULL, UNIT_SHARE, get_wait},
	[COMPUTE_SHARE] = {NULL, "function_compute", UNIT_SHARE,
			   COLUMN_MEMBER(struct bins_row, compute)},
	[WAIT_SHARE] = {NULL, "function_wait", UNIT_SHARE, COLUMN_MEMBER(struct bins_row, wait)},
	[INSTRUCTIONS] = {NULL, "function_instructions", UNIT_COUNT,
			  COLUMN_MEMBER(struct bins_row, instructions)},
	[STALL] = {"STALL", "stall", UNIT_SHARE, COLUMN_MEMBER(struct bins_row, stall)},
	[FUNCTION] = {"FUNCTION", "function", UNIT_TEXT, COLUMN_MEMBER(struct bins_row, function),
		      .may_cut = true},
	[SOURCE_FILE] = {NULL, "file", UNIT_TEXT, COLUMN_MEMBER(struct bins_row, file)},
	[DATA] = {"DATA STRUCTURE", "data", UNIT_TEXT, COLUMN_MEMBER(struct bins_row, data),
		  .may_cut = true},
	[TYPE] = {"TYPE", "type", UNIT_TEXT, get_type, .may_cut = true},
};

#define C(column) (&columns[column])
#define M(column) (&misses[column])
#define R(column) (&references[column])
#define COUNTS	  MISS_COUNTS(misses), C(FUNCTION), C(SOURCE_FILE), C(DATA), C(TYPE)
#define BOUNDS	  M(L1_LOW), M(L1_HIGH), M(LL_LOW), M(LL_HIGH)
#define MISSES_AND_CAUSES \
	M(L1_MISSES), M(L1_OTHERS_SHARE), M(LL_MISSES), M(LL_COLD_SHARE), M(LL_OTHERS_SHARE)
#define MISSES_AND_BOUNDS \
	M(L1_MISSES), M(L1_LOW), M(L1_HIGH), M(L1_OTHERS_SHARE), M(LL_MISSES), M(LL_LOW), M(LL_HIGH)
#define MISSES_AND_CONFLICTS                                                                    \
	M(L1_MISSES), M(L1_CONFLICT_SHARE), M(L1_OTHERS_SHARE), M(LL_MISSES), M(LL_COLD_SHARE), \
		M(LL_CONFLICT_SHARE), M(LL_OTHERS_SHARE)
#define NAMES		C(FUNCTION), C(TYPE), C(DATA)
#define TIME		C(COMPUTE), C(WAIT)
#define FUNCTION_COUNTS C(COMPUTE_SHARE), C(WAIT_SHARE), C(INSTRUCTIONS)

/*
 * Columns when all accesses were simulated, and references are estimates, or exact; the same with
 * conflicts; stretches of them; some sets, without references; and all accesses without those.
 */
static const struct column *const text_of_all[] = {
	TIME, C(STALL), R(REFERENCES), R(RATIO), R(INTERVAL), MISSES_AND_CAUSES, NAMES};
static const struct column *const text_of_exact[] = {TIME,     C(STALL),	  R(REFERENCES),
						     R(RATIO), MISSES_AND_CAUSES, NAMES};
static const struct column *const counts_of_all[] = {C(STALL), REFERENCE_COUNTS(references), COUNTS,
						     FUNCTION_COUNTS};
static const struct column *const text_of_conflicts[] = {
	TIME, C(STALL), R(REFERENCES), R(RATIO), R(INTERVAL), MISSES_AND_CONFLICTS, NAMES};
static const struct column *const text_of_exact_conflicts[] = {
	TIME, C(STALL), R(REFERENCES), R(RATIO), MISSES_AND_CONFLICTS, NAMES};
static const struct column *const counts_of_conflicts[] = {C(STALL), REFERENCE_COUNTS(references),
							   COUNTS, MISS_CONFLICT_COUNTS(misses),
							   FUNCTION_COUNTS};
static const struct column *const text_of_misses_and_conflicts[] = {TIME, C(STALL),
								    MISSES_AND_CONFLICTS, NAMES};
static const struct column *const text_of_part[] = {TIME,     C(STALL),		 R(REFERENCES),
						    R(RATIO), MISSES_AND_BOUNDS, NAMES};
static const struct column *const counts_of_part[] = {C(STALL), REFERENCE_COUNTS(references),
						      COUNTS, BOUNDS, FUNCTION_COUNTS};
static const struct column *const text_of_sets[] = {TIME, C(STALL), MISSES_AND_CAUSES, NAMES};
static const struct column *const counts_of_sets[] = {C(STALL), COUNTS, BOUNDS, FUNCTION_COUNTS};
static const unsigned least_of_all[] = {12, 7, 9, 10, 5, 4, 3},
		      least_of_exact[] = {11, 6, 8, 9, 4, 3},
		      least_of_conflicts[] = {14, 8, 12, 10, 5, 11, 4, 3},
		      least_of_exact_conflicts[] = {13, 7, 11, 9, 10, 4, 3},
		      least_of_part[] = {13, 8, 4, 6, 7, 3}, least_of_sets[] = {9, 4, 6, 7},
		      least_of_misses_and_conflicts[] = {11, 5, 9, 7, 8};

#define LIST(columns) (&(const struct column_list){columns, sizeof(columns) / sizeof(*(columns))})
#define ROWS(text_columns, counts, least)                                                      \
	{                                                                                      \
		.bytes_each = sizeof(struct bins_row), .text = LIST(text_columns),             \
		.csv = LIST(counts), .json = LIST(counts), .none = VIEW_NO_ROW, .key = "bins", \
		.least_important = (least), .least_count = sizeof(least) / sizeof(*(least))    \
	}

static const struct rows of_all = ROWS(text_of_all, counts_of_all, least_of_all),
			 of_exact = ROWS(text_of_exact, counts_of_all, least_of_exact),
			 of_conflicts =
				 ROWS(text_of_conflicts, counts_of_conflicts, least_of_conflicts),
			 of_exact_conflicts = ROWS(text_of_exact_conflicts, counts_of_conflicts,
						   least_of_exact_conflicts),
			 of_part = ROWS(text_of_part, counts_of_part, least_of_part),
			 of_sets = ROWS(text_of_sets, counts_of_sets, least_of_sets),
			 of_misses = ROWS(text_of_sets, counts_of_all, least_of_sets),
			 of_misses_and_conflicts =
				 ROWS(text_of_misses_and_conflicts, counts_of_conflicts,
				      least_of_misses_and_conflicts);

/* ---- */

static const struct rows *rows_of(const struct bins *b)
{
	const struct profile *p = b->names.profile;

	if (p->sets > 1)
		return &of_sets;
	if (p->stretches > 0)
		return &of_part;
	if (!b->references.are_counted)
		return p->has_conflicts ? &of_misses_and_conflicts : &of_misses;
	if (p->has_conflicts)
		return b->references.are_exact ? &of_exact_conflicts : &of_conflicts;
	return b->references.are_exact ? &of_exact : &of_all;
}

static void put_heading(struct text *out, const struct bins *b, const struct display *d)
{
	const struct profile *p = b->names.profile;
	char count[FIGURE_BYTES];

	text_add(out, "Misses by function and data structure in simulated caches: ");
	counted_put_how(p, out);
	text_add(out, "; and causes in each");
	if (p->sets == 1 && b->references.are_counted)
		text_add(out, p->stretches == 0 && b->references.are_exact
				      ? "\nReferences, hits too: exact"
				      : "\nReferences, hits too: estimates have a ~");
	if (b->references.unseen > 0 && p->sets == 1 && b->references.are_counted)
		text_addf(out, "; %s more are of code that no window saw",
			  figure_count(b->references.unseen, count));
	text_add(out, "\n");
	counted_put_bounds(p, out);
	fit_prose(out, 0, 2, d);
	text_add(out, "\n");
}

static int print(const struct options *o, const struct profile *p)
{
	struct rows r;
	struct display d = view_display();
	struct text out = {0};
	struct bins b;
	struct err err;
	int status;

	if (bins_init(&b, p, &o->query, o->word, &err) != 0)
		return cli_fail(&err, o->word != NULL ? EXIT_USAGE : EXIT_INPUT);
	if (o->format == VIEW_TEXT)
		put_heading(&out, &b, &d);
	r = *rows_of(&b);
	r.items = b.rows;
	r.count = b.count;
	if (o->format == VIEW_JSON)
		r.around = counted_how_json(p);
	status = VIEW_WRITE(rows, o, &r, &out, &err, o->query.limit, &d);
	bins_release(&b);
	return view_show(&out, status, &err);
}

static int bins(struct options *o)
{
	return view_run_bins(o, print);
}

const struct command command_bins = {
	.run = bins,
	.words = WORDS_NAME,
	.names = OPTION_NAMES_OBJECT,
	.summary = "show misses by function and data structure",
	.options =
		{
			.name = "bins",
			.arguments = "[FILE] [FUNCTION|DATA]",
			.doc = "Show which function misses on which data structure, in a profile "
			       "of 'dwell simulate --data': the bins of MemSpy, with the functions "
			       "first that compute and wait most. Misses are exact; references, "
			       "hits too, are "
			       "estimated with a 95 % interval, or exact in a profile of "
			       "--references. Causes: cold misses, and lines "
			       "that accesses to other data structures evicted; and conflict "
			       "misses in a profile of --conflicts. With a name, only "
			       "this function or data structure.",
			.notes = VIEW_WORDS,
			.uses = uses,
		},
};
