/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell bins: misses of a simulation by function and data structure. */
#include <math.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "cli/view_options.h"
#include "estimate/counted/bins.h"
#include "views/figures.h"
#include "views/rows.h"

static const struct option_use uses[] = {
	VIEW_INPUT, {OPTION_PROCESS_ID, .shown = "all"},
	VIEW_SHOWN, {OPTION_ROWS, .usual = "20"},
	VIEW_OTHER, {0},
};

/* ---- Columns ---- */

static void put_share(uint64_t part, uint64_t whole, struct value *v)
{
	v->real = whole > 0 ? (double)part / (double)whole : NAN;
}

static void get_first_others(const void *row, struct value *v)
{
	v->whole = counted_by_others(&((const struct bins_row *)row)->first);
}

static void get_first_low(const void *row, struct value *v)
{
	v->whole = counted_low(&((const struct bins_row *)row)->first);
}

static void get_first_high(const void *row, struct value *v)
{
	v->whole = counted_high(&((const struct bins_row *)row)->first);
}

static void get_last_low(const void *row, struct value *v)
{
	v->whole = counted_low(&((const struct bins_row *)row)->last);
}

static void get_last_high(const void *row, struct value *v)
{
	v->whole = counted_high(&((const struct bins_row *)row)->last);
}

static void get_last_others(const void *row, struct value *v)
{
	v->whole = counted_by_others(&((const struct bins_row *)row)->last);
}

static void get_first_others_share(const void *row, struct value *v)
{
	const struct counted_misses *m = &((const struct bins_row *)row)->first;

	put_share(counted_by_others(m), m->all, v);
}

static void get_last_cold_share(const void *row, struct value *v)
{
	const struct counted_misses *m = &((const struct bins_row *)row)->last;

	put_share(m->cold, m->all, v);
}

static void get_last_others_share(const void *row, struct value *v)
{
	const struct counted_misses *m = &((const struct bins_row *)row)->last;

	put_share(counted_by_others(m), m->all, v);
}

static void get_first_conflict_share(const void *row, struct value *v)
{
	const struct counted_misses *m = &((const struct bins_row *)row)->first;

	put_share(m->conflicts, m->all, v);
}

static void get_last_conflict_share(const void *row, struct value *v)
{
	const struct counted_misses *m = &((const struct bins_row *)row)->last;

	put_share(m->conflicts, m->all, v);
}

static void get_first_capacity(const void *row, struct value *v)
{
	v->whole = counted_capacity(&((const struct bins_row *)row)->first);
}

static void get_last_capacity(const void *row, struct value *v)
{
	v->whole = counted_capacity(&((const struct bins_row *)row)->last);
}

static void get_references(const void *row, struct value *v)
{
	const struct references_count *c = &((const struct bins_row *)row)->references;

	v->whole = (uint64_t)llround(c->value);
	v->is_estimate = c->low < c->high;
}

static void get_references_low(const void *row, struct value *v)
{
	v->whole = (uint64_t)floor(((const struct bins_row *)row)->references.low);
}

static void get_references_high(const void *row, struct value *v)
{
	v->whole = (uint64_t)ceil(((const struct bins_row *)row)->references.high);
}

static void get_interval(const void *row, struct value *v)
{
	const struct model_ratio *r = &((const struct bins_row *)row)->ratio;

	v->ratio = r;
	v->is_missing = !r->known || r->low >= r->high;
}

static void get_ratio(const void *row, struct value *v)
{
	const struct model_ratio *r = &((const struct bins_row *)row)->ratio;

	v->real = r->known ? r->ratio : NAN;
}

enum {
	STALL,
	REFERENCES,
	REFERENCES_LOW,
	REFERENCES_HIGH,
	RATIO,
	INTERVAL,
	FIRST,
	FIRST_LOW,
	FIRST_HIGH,
	FIRST_COLD,
	FIRST_SELF,
	FIRST_OTHERS,
	FIRST_OTHERS_SHARE,
	FIRST_CONFLICT,
	FIRST_CONFLICT_SHARE,
	FIRST_CAPACITY,
	LAST,
	LAST_LOW,
	LAST_HIGH,
	LAST_COLD,
	LAST_SELF,
	LAST_OTHERS,
	LAST_COLD_SHARE,
	LAST_OTHERS_SHARE,
	LAST_CONFLICT,
	LAST_CONFLICT_SHARE,
	LAST_CAPACITY,
	FUNCTION,
	SOURCE_FILE,
	DATA,
};

static const struct column columns[] = {
	[STALL] = {"STALL", "stall", UNIT_SHARE, COLUMN_MEMBER(struct bins_row, stall)},
	[REFERENCES] = {"REFERENCES", "references", UNIT_COUNT, get_references},
	[REFERENCES_LOW] = {NULL, "references_low", UNIT_COUNT, get_references_low},
	[REFERENCES_HIGH] = {NULL, "references_high", UNIT_COUNT, get_references_high},
	[RATIO] = {"L1 RATIO", "L1_miss_ratio", UNIT_RATIO, get_ratio},
	[INTERVAL] = {"95 % INTERVAL", NULL, UNIT_INTERVAL, get_interval},
	[FIRST] = {"L1 MISSES", "L1_misses", UNIT_COUNT, COLUMN_MEMBER(struct bins_row, first.all)},
	[FIRST_LOW] = {"LOW", "L1_low", UNIT_COUNT, get_first_low},
	[FIRST_HIGH] = {"HIGH", "L1_high", UNIT_COUNT, get_first_high},
	[FIRST_COLD] = {NULL, "L1_cold", UNIT_COUNT, COLUMN_MEMBER(struct bins_row, first.cold)},
	[FIRST_SELF] = {NULL, "L1_by_self", UNIT_COUNT,
			COLUMN_MEMBER(struct bins_row, first.by_self)},
	[FIRST_OTHERS] = {NULL, "L1_by_others", UNIT_COUNT, get_first_others},
	[FIRST_OTHERS_SHARE] = {"BY OTHERS", NULL, UNIT_SHARE, get_first_others_share},
	[FIRST_CONFLICT] = {NULL, "L1_conflict", UNIT_COUNT,
			    COLUMN_MEMBER(struct bins_row, first.conflicts)},
	[FIRST_CONFLICT_SHARE] = {"CONFLICT", NULL, UNIT_SHARE, get_first_conflict_share},
	[FIRST_CAPACITY] = {NULL, "L1_capacity", UNIT_COUNT, get_first_capacity},
	[LAST] = {"LL MISSES", "LL_misses", UNIT_COUNT, COLUMN_MEMBER(struct bins_row, last.all)},
	[LAST_LOW] = {"LOW", "LL_low", UNIT_COUNT, get_last_low},
	[LAST_HIGH] = {"HIGH", "LL_high", UNIT_COUNT, get_last_high},
	[LAST_COLD] = {NULL, "LL_cold", UNIT_COUNT, COLUMN_MEMBER(struct bins_row, last.cold)},
	[LAST_SELF] = {NULL, "LL_by_self", UNIT_COUNT,
		       COLUMN_MEMBER(struct bins_row, last.by_self)},
	[LAST_OTHERS] = {NULL, "LL_by_others", UNIT_COUNT, get_last_others},
	[LAST_COLD_SHARE] = {"COLD", NULL, UNIT_SHARE, get_last_cold_share},
	[LAST_OTHERS_SHARE] = {"BY OTHERS", NULL, UNIT_SHARE, get_last_others_share},
	[LAST_CONFLICT] = {NULL, "LL_conflict", UNIT_COUNT,
			   COLUMN_MEMBER(struct bins_row, last.conflicts)},
	[LAST_CONFLICT_SHARE] = {"CONFLICT", NULL, UNIT_SHARE, get_last_conflict_share},
	[LAST_CAPACITY] = {NULL, "LL_capacity", UNIT_COUNT, get_last_capacity},
	[FUNCTION] = {"FUNCTION", "function", UNIT_TEXT, COLUMN_MEMBER(struct bins_row, function),
		      .may_cut = true},
	[SOURCE_FILE] = {NULL, "file", UNIT_TEXT, COLUMN_MEMBER(struct bins_row, file)},
	[DATA] = {"DATA STRUCTURE", "data", UNIT_TEXT, COLUMN_MEMBER(struct bins_row, data),
		  .may_cut = true},
};

#define C(column)	 (&columns[column])
#define REFERENCE_COUNTS C(REFERENCES), C(REFERENCES_LOW), C(REFERENCES_HIGH), C(RATIO)
#define MISS_COUNTS                                                                     \
	C(FIRST), C(FIRST_COLD), C(FIRST_SELF), C(FIRST_OTHERS), C(LAST), C(LAST_COLD), \
		C(LAST_SELF), C(LAST_OTHERS), C(FUNCTION), C(SOURCE_FILE), C(DATA)
#define BOUNDS C(FIRST_LOW), C(FIRST_HIGH), C(LAST_LOW), C(LAST_HIGH)
#define MISSES_AND_CAUSES \
	C(FIRST), C(FIRST_OTHERS_SHARE), C(LAST), C(LAST_COLD_SHARE), C(LAST_OTHERS_SHARE)
#define MISSES_AND_BOUNDS                                                                   \
	C(FIRST), C(FIRST_LOW), C(FIRST_HIGH), C(FIRST_OTHERS_SHARE), C(LAST), C(LAST_LOW), \
		C(LAST_HIGH)
#define MISSES_AND_CONFLICTS                                                                   \
	C(FIRST), C(FIRST_CONFLICT_SHARE), C(FIRST_OTHERS_SHARE), C(LAST), C(LAST_COLD_SHARE), \
		C(LAST_CONFLICT_SHARE), C(LAST_OTHERS_SHARE)
#define CONFLICT_COUNTS C(FIRST_CONFLICT), C(FIRST_CAPACITY), C(LAST_CONFLICT), C(LAST_CAPACITY)
#define NAMES		C(FUNCTION), C(DATA)

/*
 * Columns when all accesses were simulated, and references are estimates, or exact; the same with
 * conflicts; stretches of them; and some sets, without references.
 */
static const struct column *const text_of_all[] = {C(STALL),	C(REFERENCES),	   C(RATIO),
						   C(INTERVAL), MISSES_AND_CAUSES, NAMES};
static const struct column *const text_of_exact[] = {C(STALL), C(REFERENCES), C(RATIO),
						     MISSES_AND_CAUSES, NAMES};
static const struct column *const counts_of_all[] = {C(STALL), REFERENCE_COUNTS, MISS_COUNTS};
static const struct column *const text_of_conflicts[] = {
	C(STALL), C(REFERENCES), C(RATIO), C(INTERVAL), MISSES_AND_CONFLICTS, NAMES};
static const struct column *const text_of_exact_conflicts[] = {C(STALL), C(REFERENCES), C(RATIO),
							       MISSES_AND_CONFLICTS, NAMES};
static const struct column *const counts_of_conflicts[] = {C(STALL), REFERENCE_COUNTS, MISS_COUNTS,
							   CONFLICT_COUNTS};
static const struct column *const text_of_part[] = {C(STALL), C(REFERENCES), C(RATIO),
						    MISSES_AND_BOUNDS, NAMES};
static const struct column *const counts_of_part[] = {C(STALL), REFERENCE_COUNTS, MISS_COUNTS,
						      BOUNDS};
static const struct column *const text_of_sets[] = {C(STALL), MISSES_AND_CAUSES, NAMES};
static const struct column *const counts_of_sets[] = {C(STALL), MISS_COUNTS, BOUNDS};
static const unsigned least_of_all[] = {5, 7, 8, 3}, least_of_exact[] = {4, 6, 7},
		      least_of_conflicts[] = {6, 10, 8, 3, 9},
		      least_of_exact_conflicts[] = {5, 9, 7, 8}, least_of_part[] = {6, 2, 4, 5},
		      least_of_sets[] = {2, 4, 5};

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
			 of_sets = ROWS(text_of_sets, counts_of_sets, least_of_sets);

/* ---- */

static const struct rows *rows_of(const struct bins *b)
{
	const struct profile *p = b->names.profile;

	if (p->sets > 1)
		return &of_sets;
	if (p->stretches > 0)
		return &of_part;
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
	if (p->sets == 1)
		text_add(out, p->stretches == 0 && b->references.are_exact
				      ? "\nReferences, hits too: exact"
				      : "\nReferences, hits too: estimates have a ~");
	if (b->references.unseen > 0 && p->sets == 1)
		text_addf(out, "; %s more are of code that no window saw",
			  figure_count(b->references.unseen, count));
	text_add(out, "\n\n");
	fit_prose(out, 0, 2, d);
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
			       "of 'dwell simulate --data': the bins of MemSpy, with the most "
			       "stall first. Misses are exact; references, hits too, are "
			       "estimated with a 95 % interval, or exact in a profile of "
			       "--references. Causes: cold misses, and lines "
			       "that accesses to other data structures evicted; and conflict "
			       "misses in a profile of --conflicts. With a name, only "
			       "this function or data structure.",
			.notes = VIEW_WORDS,
			.uses = uses,
		},
};
