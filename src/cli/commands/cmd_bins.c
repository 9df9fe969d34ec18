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
	VIEW_INPUT, {OPTION_PROCESS_ID, .shown = "the one with the most accesses"},
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
	FIRST_COLD,
	FIRST_SELF,
	FIRST_OTHERS,
	FIRST_OTHERS_SHARE,
	LAST,
	LAST_COLD,
	LAST_SELF,
	LAST_OTHERS,
	LAST_COLD_SHARE,
	LAST_OTHERS_SHARE,
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
	[FIRST_COLD] = {NULL, "L1_cold", UNIT_COUNT, COLUMN_MEMBER(struct bins_row, first.cold)},
	[FIRST_SELF] = {NULL, "L1_by_self", UNIT_COUNT,
			COLUMN_MEMBER(struct bins_row, first.by_self)},
	[FIRST_OTHERS] = {NULL, "L1_by_others", UNIT_COUNT, get_first_others},
	[FIRST_OTHERS_SHARE] = {"BY OTHERS", NULL, UNIT_SHARE, get_first_others_share},
	[LAST] = {"LL MISSES", "LL_misses", UNIT_COUNT, COLUMN_MEMBER(struct bins_row, last.all)},
	[LAST_COLD] = {NULL, "LL_cold", UNIT_COUNT, COLUMN_MEMBER(struct bins_row, last.cold)},
	[LAST_SELF] = {NULL, "LL_by_self", UNIT_COUNT,
		       COLUMN_MEMBER(struct bins_row, last.by_self)},
	[LAST_OTHERS] = {NULL, "LL_by_others", UNIT_COUNT, get_last_others},
	[LAST_COLD_SHARE] = {"COLD", NULL, UNIT_SHARE, get_last_cold_share},
	[LAST_OTHERS_SHARE] = {"BY OTHERS", NULL, UNIT_SHARE, get_last_others_share},
	[FUNCTION] = {"FUNCTION", "function", UNIT_TEXT, COLUMN_MEMBER(struct bins_row, function),
		      .may_cut = true},
	[SOURCE_FILE] = {NULL, "file", UNIT_TEXT, COLUMN_MEMBER(struct bins_row, file)},
	[DATA] = {"DATA STRUCTURE", "data", UNIT_TEXT, COLUMN_MEMBER(struct bins_row, data),
		  .may_cut = true},
};

#define C(column) (&columns[column])
#define COUNTS                                                                              \
	C(STALL), C(REFERENCES), C(REFERENCES_LOW), C(REFERENCES_HIGH), C(RATIO), C(FIRST), \
		C(FIRST_COLD), C(FIRST_SELF), C(FIRST_OTHERS), C(LAST), C(LAST_COLD),       \
		C(LAST_SELF), C(LAST_OTHERS), C(FUNCTION), C(SOURCE_FILE), C(DATA)

#define CAUSES                                                                              \
	C(FIRST), C(FIRST_OTHERS_SHARE), C(LAST), C(LAST_COLD_SHARE), C(LAST_OTHERS_SHARE), \
		C(FUNCTION), C(DATA)

/* ---- */

static void put_heading(struct text *out, const struct bins *b)
{
	char count[FIGURE_BYTES];

	text_add(out, "Misses by function and data structure: exact, in simulated caches; and "
		      "causes in each\n");
	text_add(out, b->references.are_exact ? "References, hits too: exact"
					      : "References, hits too: estimates have a ~");
	if (b->references.unseen > 0)
		text_addf(out, "; %s more are of code that no window saw",
			  figure_count(b->references.unseen, count));
	text_add(out, "\n\n");
}

static int print(const struct options *o, const struct profile *p)
{
	/* the causes, and the interval */
	static const unsigned of_estimates[] = {5, 7, 8, 3}, of_exact[] = {4, 6, 7};
	const struct column_list *estimates =
		COLUMN_LIST(C(STALL), C(REFERENCES), C(RATIO), C(INTERVAL), CAUSES);
	const struct column_list *exact = COLUMN_LIST(C(STALL), C(REFERENCES), C(RATIO), CAUSES);
	bool is_exact;
	struct display d = view_display();
	struct text out = {0};
	struct bins b;
	struct err err;
	int status;

	if (bins_init(&b, p, &o->query, o->word, &err) != 0)
		return cli_fail(&err, o->word != NULL ? EXIT_USAGE : EXIT_INPUT);
	is_exact = b.references.are_exact;
	if (o->format == VIEW_TEXT)
		put_heading(&out, &b);
	status = VIEW_WRITE(rows, o,
			    (&(struct rows){.items = b.rows,
					    .count = b.count,
					    .bytes_each = sizeof(*b.rows),
					    .text = is_exact ? exact : estimates,
					    .csv = COLUMN_LIST(COUNTS),
					    .json = COLUMN_LIST(COUNTS),
					    .none = VIEW_NO_ROW,
					    .key = "bins",
					    .least_important = is_exact ? of_exact : of_estimates,
					    .least_count = is_exact ? 3 : 4}),
			    &out, &err, o->query.limit, &d);
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
			       "that accesses to other data structures evicted. With a name, only "
			       "this function or data structure.",
			.notes = VIEW_WORDS,
			.uses = uses,
		},
};
