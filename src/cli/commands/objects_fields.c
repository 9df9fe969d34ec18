/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Misses by data structure and field; see objects_fields.h. */
#include "cli/commands/objects_fields.h"

#include <stdlib.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "cli/view_options.h"
#include "estimate/fields/fields.h"
#include "views/cost_columns.h"
#include "views/counted/counted.h"
#include "views/counted/miss_columns.h"
#include "views/figures.h"
#include "views/fit.h"
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

static void get_data(const void *row, struct value *v)
{
	v->text = row_of(row)->data->name;
}

static const struct column misses[] = MISS_TABLE(struct shown, r.first, r.last);

enum { STALL, DATA, FIELD, TYPE };

#define MEMBER(member) COLUMN_MEMBER(struct shown, r.member)

static const struct column columns[] = {
	[STALL] = {"STALL", "stall", UNIT_SHARE, MEMBER(stall)},
	[FIELD] = {"FIELD", "field", UNIT_TEXT, MEMBER(field), .may_cut = true},
	[TYPE] = {"TYPE", "type", UNIT_TEXT, MEMBER(type), .may_cut = true},
	[DATA] = {"DATA STRUCTURE", "data", UNIT_TEXT, get_data, .may_cut = true},
};

#define C(column) (&columns[column])
#define M(column) (&misses[column])
#define NAMES	  C(DATA), C(FIELD), C(TYPE)
#define COUNTS	  C(STALL), MISS_COUNTS(misses), NAMES
#define SAMPLES	  COST(ALL_MISSES), COST(COLD), COST(ACCESSES), COST(SAMPLES), NAMES

/* ---- */

static void put_heading(const struct profile *p, struct text *out, const struct display *d)
{
	text_add(out, "Misses by data structure and field in simulated caches: ");
	counted_put_how(p, out);
	text_add(out, "; and causes in each\n");
	counted_put_bounds(p, out);
	fit_prose(out, 0, 2, d);
	text_add(out, "\n");
}

static int print_counted(const struct options *o, const struct fields *f, struct rows *r,
			 struct text *out, struct err *err)
{
	/* the causes, the type */
	static const unsigned least_important[] = {2, 4, 5, 8}, of_conflicts[] = {2, 5, 6, 9},
			      of_bounds[] = {4, 9, 2, 3};
	const struct profile *p = f->data.profile;
	const bool has_conflicts = p->has_conflicts, has_bounds = p->stretches > 0;
	const struct column_list *text =
		COLUMN_LIST(C(STALL), M(L1_MISSES), M(L1_OTHERS_SHARE), M(LL_MISSES),
			    M(LL_COLD_SHARE), M(LL_OTHERS_SHARE), NAMES);
	const struct column_list *with_conflicts =
		COLUMN_LIST(C(STALL), M(L1_MISSES), M(L1_OTHERS_SHARE), M(L1_CONFLICT_SHARE),
			    M(LL_MISSES), M(LL_COLD_SHARE), M(LL_OTHERS_SHARE), NAMES);
	const struct column_list *with_bounds =
		COLUMN_LIST(C(STALL), M(L1_MISSES), M(L1_LOW), M(L1_HIGH), M(L1_OTHERS_SHARE),
			    M(LL_MISSES), M(LL_LOW), M(LL_HIGH), NAMES);
	const struct column_list *counts = COLUMN_LIST(COUNTS);
	const struct column_list *counts_and_bounds =
		COLUMN_LIST(COUNTS, M(L1_LOW), M(L1_HIGH), M(LL_LOW), M(LL_HIGH));
	const struct column_list *counts_of_conflicts =
		COLUMN_LIST(COUNTS, MISS_CONFLICT_COUNTS(misses));
	struct display d = view_display();

	r->text = has_bounds ? with_bounds : has_conflicts ? with_conflicts : text;
	r->csv = r->json = has_bounds	   ? counts_and_bounds
			   : has_conflicts ? counts_of_conflicts
					   : counts;
	r->least_important = has_bounds	     ? of_bounds
			     : has_conflicts ? of_conflicts
					     : least_important;
	r->least_count = 4;
	if (o->format == VIEW_TEXT)
		put_heading(p, out, &d);
	if (o->format == VIEW_JSON)
		r->around = counted_how_json(p);
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
		if (f->rows[i].data != &counted_unfollowed && marks[f->rows[i].data - f->data.rows])
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
