/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Misses by data structure and field; see objects_fields.h. */
#include "cli/commands/objects_fields.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "cli/view_options.h"
#include "estimate/fields/fields.h"
#include "views/cost_columns.h"
#include "views/figures.h"
#include "views/rows.h"

/* ---- Columns ---- */

struct shown {
	struct cost_row cost; /* of samples */
	struct fields_row r;
};

static const struct fields_row *row_of(const void *row)
{
	return &((const struct shown *)row)->r;
}

static void put_share(uint64_t part, uint64_t whole, struct value *v)
{
	v->real = whole > 0 ? (double)part / (double)whole : NAN;
}

static void get_first_others(const void *row, struct value *v)
{
	v->whole = counted_by_others(&row_of(row)->first);
}

static void get_last_others(const void *row, struct value *v)
{
	v->whole = counted_by_others(&row_of(row)->last);
}

static void get_first_others_share(const void *row, struct value *v)
{
	put_share(counted_by_others(&row_of(row)->first), row_of(row)->first.all, v);
}

static void get_last_others_share(const void *row, struct value *v)
{
	put_share(counted_by_others(&row_of(row)->last), row_of(row)->last.all, v);
}

static void get_last_cold_share(const void *row, struct value *v)
{
	put_share(row_of(row)->last.cold, row_of(row)->last.all, v);
}

static void get_first_conflict_share(const void *row, struct value *v)
{
	put_share(row_of(row)->first.conflicts, row_of(row)->first.all, v);
}

static void get_first_capacity(const void *row, struct value *v)
{
	v->whole = counted_capacity(&row_of(row)->first);
}

static void get_last_capacity(const void *row, struct value *v)
{
	v->whole = counted_capacity(&row_of(row)->last);
}

static void get_data(const void *row, struct value *v)
{
	v->text = row_of(row)->data->name;
}

enum {
	STALL,
	FIRST,
	FIRST_COLD,
	FIRST_SELF,
	FIRST_OTHERS,
	FIRST_OTHERS_SHARE,
	FIRST_CONFLICT,
	FIRST_CONFLICT_SHARE,
	FIRST_CAPACITY,
	LAST,
	LAST_COLD,
	LAST_SELF,
	LAST_OTHERS,
	LAST_COLD_SHARE,
	LAST_OTHERS_SHARE,
	LAST_CONFLICT,
	LAST_CAPACITY,
	DATA,
	FIELD,
	TYPE,
};

#define MEMBER(member) COLUMN_MEMBER(struct shown, r.member)

static const struct column columns[] = {
	[STALL] = {"STALL", "stall", UNIT_SHARE, MEMBER(stall)},
	[FIRST] = {"L1 MISSES", "L1_misses", UNIT_COUNT, MEMBER(first.all)},
	[FIRST_COLD] = {NULL, "L1_cold", UNIT_COUNT, MEMBER(first.cold)},
	[FIRST_SELF] = {NULL, "L1_by_self", UNIT_COUNT, MEMBER(first.by_self)},
	[FIRST_OTHERS] = {NULL, "L1_by_others", UNIT_COUNT, get_first_others},
	[FIRST_OTHERS_SHARE] = {"BY OTHERS", NULL, UNIT_SHARE, get_first_others_share},
	[FIRST_CONFLICT] = {NULL, "L1_conflict", UNIT_COUNT, MEMBER(first.conflicts)},
	[FIRST_CONFLICT_SHARE] = {"CONFLICT", NULL, UNIT_SHARE, get_first_conflict_share},
	[FIRST_CAPACITY] = {NULL, "L1_capacity", UNIT_COUNT, get_first_capacity},
	[LAST] = {"LL MISSES", "LL_misses", UNIT_COUNT, MEMBER(last.all)},
	[LAST_COLD] = {NULL, "LL_cold", UNIT_COUNT, MEMBER(last.cold)},
	[LAST_SELF] = {NULL, "LL_by_self", UNIT_COUNT, MEMBER(last.by_self)},
	[LAST_OTHERS] = {NULL, "LL_by_others", UNIT_COUNT, get_last_others},
	[LAST_COLD_SHARE] = {"COLD", NULL, UNIT_SHARE, get_last_cold_share},
	[LAST_OTHERS_SHARE] = {"BY OTHERS", NULL, UNIT_SHARE, get_last_others_share},
	[LAST_CONFLICT] = {NULL, "LL_conflict", UNIT_COUNT, MEMBER(last.conflicts)},
	[LAST_CAPACITY] = {NULL, "LL_capacity", UNIT_COUNT, get_last_capacity},
	[FIELD] = {"FIELD", "field", UNIT_TEXT, MEMBER(field), .may_cut = true},
	[TYPE] = {"TYPE", "type", UNIT_TEXT, MEMBER(type), .may_cut = true},
	[DATA] = {"DATA STRUCTURE", "data", UNIT_TEXT, get_data, .may_cut = true},
};

#define C(column) (&columns[column])
#define NAMES	  C(DATA), C(FIELD), C(TYPE)
#define COUNTS                                                                                    \
	C(STALL), C(FIRST), C(FIRST_COLD), C(FIRST_SELF), C(FIRST_OTHERS), C(LAST), C(LAST_COLD), \
		C(LAST_SELF), C(LAST_OTHERS), NAMES
#define SAMPLES COST(ALL_MISSES), COST(UNRESOLVED), COST(ACCESSES), COST(SAMPLES), NAMES

/* ---- */

static int print_counted(const struct options *o, const struct fields *f, struct rows *r,
			 struct text *out, struct err *err)
{
	/* the causes, the type */
	static const unsigned least_important[] = {2, 4, 5, 8}, of_conflicts[] = {2, 5, 6, 9};
	const bool has_conflicts = f->data.profile->has_conflicts;
	const struct column_list *text =
		COLUMN_LIST(C(STALL), C(FIRST), C(FIRST_OTHERS_SHARE), C(LAST), C(LAST_COLD_SHARE),
			    C(LAST_OTHERS_SHARE), NAMES);
	const struct column_list *with_conflicts =
		COLUMN_LIST(C(STALL), C(FIRST), C(FIRST_OTHERS_SHARE), C(FIRST_CONFLICT_SHARE),
			    C(LAST), C(LAST_COLD_SHARE), C(LAST_OTHERS_SHARE), NAMES);
	const struct column_list *counts = COLUMN_LIST(COUNTS);
	const struct column_list *counts_of_conflicts = COLUMN_LIST(
		COUNTS, C(FIRST_CONFLICT), C(FIRST_CAPACITY), C(LAST_CONFLICT), C(LAST_CAPACITY));
	struct display d = view_display();

	r->text = has_conflicts ? with_conflicts : text;
	r->csv = r->json = has_conflicts ? counts_of_conflicts : counts;
	r->least_important = has_conflicts ? of_conflicts : least_important;
	r->least_count = 4;
	if (o->format == VIEW_TEXT)
		text_add(out, "Misses by data structure and field: exact, in simulated caches; and "
			      "causes in each\n\n");
	return VIEW_WRITE(rows, o, r, out, err, o->query.limit, &d);
}

static int print_sampled(const struct options *o, const struct fields *f, struct rows *r,
			 struct text *out, struct err *err)
{
	struct display d = view_display();

	r->text = COLUMN_LIST(COST(ALL_MISSES), COST(ACCESSES), COST(SAMPLES), NAMES);
	r->csv = r->json = COLUMN_LIST(SAMPLES);
	if (o->format == VIEW_TEXT) {
		text_add(out, "Fields of data structures in a cache of ");
		figure_cache(f->data.profile, f->data.query, out);
		text_add(out, "\n\n");
	}
	return VIEW_WRITE(rows, o, r, out, err, o->query.limit, &d);
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
		if (marks[f->rows[i].data - f->data.rows])
			f->rows[kept++] = f->rows[i];
	f->count = kept;
	free(marks);
	return 0;
}

static int print_rows(const struct options *o, const struct fields *f)
{
	struct shown *shown = calloc(f->count + 1, sizeof(*shown));
	struct rows r = {
		.items = shown, .count = f->count, .bytes_each = sizeof(*shown), .key = "fields"};
	struct text out = {0};
	struct err err;
	int status;

	if (shown == NULL) {
		err_set(&err, "not enough memory for %zu fields", f->count);
		return cli_fail(&err, EXIT_OUTPUT);
	}
	for (size_t i = 0; i < f->count; i++)
		shown[i] =
			(struct shown){.cost = {.cost = &f->rows[i].cost, .whole = &f->data.total},
				       .r = f->rows[i]};
	status = f->is_counted ? print_counted(o, f, &r, &out, &err)
			       : print_sampled(o, f, &r, &out, &err);
	free(shown);
	return view_show(&out, status, &err);
}

static int print(const struct options *o, const struct profile *p)
{
	struct query q;
	struct fields f;
	struct err err;
	int code;

	if (p->structure_count > 0)
		q = o->query;
	else if (profile_choose(p, &o->query, &q, &err) != 0)
		return cli_fail(&err, EXIT_USAGE);
	if (fields_init(&f, p, &q, (enum data_by)o->sites_by, &err) != 0)
		return cli_fail(&err, EXIT_INPUT);
	code = o->word != NULL && choose(&f, o->word, &err) != 0 ? cli_fail(&err, EXIT_USAGE)
								 : print_rows(o, &f);
	fields_release(&f);
	return code;
}

int objects_fields(const struct options *o)
{
	return view_run_fields(o, print);
}
