/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data structures with their counted misses as text, CSV and JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "answer/data_columns.h"
#include "answer/event_list.h"
#include "answer/figures.h"
#include "answer/json.h"
#include "answer/miss_columns.h"
#include "base/text.h"
#include "views/columns_table.h"
#include "views/counted/counted.h"
#include "views/file_rows.h"
#include "views/parts.h"

/* What its columns show: copies, as these find what they show by its offset in the row. */
struct row {
	struct data_cells cells;
	struct structures_row x;
	const uint64_t *totals;
};

static struct row row_of(const struct structures *s, size_t i)
{
	return (struct row){data_cells_of(&s->names.data, s->rows[i].data), s->rows[i], s->totals};
}

/* For text: the form; else the kind of memory. */
static void get_form_or_kind(const void *row, struct value *v)
{
	const struct row *r = row;

	v->text = r->x.form != FORM_UNKNOWN ? form_names[r->x.form]
					    : data_kind_names[r->cells.r.kind];
}

static void get_form(const void *row, struct value *v)
{
	v->text = form_names[((const struct row *)row)->x.form];
}

static void get_access(const void *row, struct value *v)
{
	v->text = forms_access(&((const struct row *)row)->x.pattern);
}

static void get_regular(const void *row, struct value *v)
{
	v->real = forms_regular(&((const struct row *)row)->x.pattern);
}

static void get_near(const void *row, struct value *v)
{
	v->real = forms_near(&((const struct row *)row)->x.pattern);
}

enum { FORM_OR_KIND, ACCESS, FORM, REGULAR, NEAR };
static const struct column form_columns[] = {
	[FORM_OR_KIND] = {"KIND", NULL, UNIT_TEXT, get_form_or_kind},
	[ACCESS] = {"ACCESS", "access", UNIT_TEXT, get_access},
	[FORM] = {NULL, "form", UNIT_TEXT, get_form},
	[REGULAR] = {NULL, "regular", UNIT_SHARE, get_regular},
	[NEAR] = {NULL, "near", UNIT_SHARE, get_near},
};

static size_t misses_at(size_t level)
{
	return offsetof(struct row, x.misses) + level * sizeof(struct counted_misses);
}

static void get_share(const void *row, struct value *v)
{
	const struct row *r = row;
	const size_t level = (v->number - misses_at(0)) / sizeof(struct counted_misses);
	const uint64_t total = r->totals[level];

	v->real = total > 0 ? (double)r->x.misses[level].all / (double)total : NAN;
}

/* Which profiles have a figure. */
enum figure_of { OF_ALL, OF_SAMPLED, OF_CONFLICTS };

/* "%s": the level. */
static const struct figure {
	const char *name;
	enum unit unit;
	void (*get)(const void *row, struct value *v);
	enum figure_of of;
	bool adds_up;
} shown_figures[] =
	{
		{"%s MISSES", UNIT_COUNT, miss_all},
		{"LOW", UNIT_COUNT, miss_low, OF_SAMPLED},
		{"HIGH", UNIT_COUNT, miss_high, OF_SAMPLED},
		{"SHARE", UNIT_SHARE, get_share},
		{"COLD", UNIT_SHARE, miss_cold_share},
		{"BY OTHERS", UNIT_SHARE, miss_others_share},
		{"CONFLICT", UNIT_SHARE, miss_conflict_share, OF_CONFLICTS},
},
  kept_figures[] = {
	  {"%s_misses", UNIT_COUNT, miss_all, OF_ALL, true},
	  {"%s_miss_share", UNIT_SHARE, get_share, OF_ALL, true},
	  {"%s_cold", UNIT_COUNT, miss_cold, OF_ALL, true},
	  {"%s_by_self", UNIT_COUNT, miss_by_self, OF_ALL, true},
	  {"%s_by_others", UNIT_COUNT, miss_by_others, OF_ALL, true},
	  {"%s_low", UNIT_COUNT, miss_low, OF_SAMPLED},
	  {"%s_high", UNIT_COUNT, miss_high, OF_SAMPLED},
	  {"%s_conflict", UNIT_COUNT, miss_conflicts, OF_CONFLICTS, true},
	  {"%s_capacity", UNIT_COUNT, miss_capacity, OF_CONFLICTS, true},
};

static bool has_figure(const struct structures *s, const struct figure *f)
{
	const struct profile *p = s->names.profile;

	return f->of == OF_ALL || (f->of == OF_SAMPLED ? p->stretches > 0 : p->has_conflicts);
}

#define SHOWN	   (sizeof(shown_figures) / sizeof(shown_figures[0]))
#define KEPT	   (sizeof(kept_figures) / sizeof(kept_figures[0]))
#define NAME_BYTES 20
#define MOST_LESS  (STRUCTURES_LEVELS * SHOWN + 6)

static const struct column stall = {"STALL", "stall", UNIT_SHARE,
				    COLUMN_MEMBER(struct row, x.stall), .adds_up = true};
static const struct column references[] = REFERENCE_TABLE(struct row, x.references, x.ratio);

#define OF_FORMS \
	&form_columns[FORM], &form_columns[ACCESS], &form_columns[REGULAR], &form_columns[NEAR]

#define FIRST_SHOWN 3 /* columns before those of the levels */
#define ALL_OWN	    &stall, REFERENCE_COUNTS(references)

/* It points into itself: no copies. */
struct layout {
	struct event_list list;
	char names[STRUCTURES_LEVELS][KEPT][NAME_BYTES];
	size_t shown[SHOWN]; /* of shown_figures, those that the profile has */
	size_t shown_count;
	unsigned less[MOST_LESS]; /* columns that may be left out, least important first */
	size_t less_count;
};

static const char *name_of(struct layout *l, const struct structures *s, size_t level,
			   size_t figure, const char *name)
{
	char *buf = l->names[level][figure];

	snprintf(buf, NAME_BYTES, name, s->levels[level]);
	return buf;
}

/* The column of a figure; of a level behind the last one: the first column behind all levels. */
static unsigned shown_column(const struct layout *l, size_t level, size_t at)
{
	return (unsigned)(FIRST_SHOWN + level * l->shown_count + at);
}

/* All columns of a figure may be left out, of those levels. */
static void rank_figure(struct layout *l, const char *name, size_t levels, size_t step)
{
	for (size_t i = 0; i < l->shown_count; i++)
		for (size_t level = 0; level < levels; level += step)
			if (strcmp(shown_figures[l->shown[i]].name, name) == 0)
				l->less[l->less_count++] = shown_column(l, level, i);
}

/* What is known of the blocks, then causes, levels in between, shares, and what the data is. */
static void rank_columns(struct layout *l, size_t levels)
{
	const unsigned blocks = shown_column(l, levels, 0);
	const unsigned of_blocks[] = {blocks + 6, blocks + 2, blocks + 3, blocks}; /* TYPE first */

	for (size_t i = 0; i < sizeof(of_blocks) / sizeof(of_blocks[0]); i++)
		l->less[l->less_count++] = of_blocks[i];
	rank_figure(l, "COLD", levels, 1);
	rank_figure(l, "BY OTHERS", levels, 1);
	rank_figure(l, "CONFLICT", levels, 1);
	for (size_t level = 1; level + 1 < levels; level++)
		for (size_t i = l->shown_count; i-- > 0;)
			if (strcmp(shown_figures[l->shown[i]].name, "SHARE") == 0 ||
			    shown_figures[l->shown[i]].of == OF_SAMPLED || i == 0)
				l->less[l->less_count++] = shown_column(l, level, i);
	rank_figure(l, "SHARE", levels, levels - 1);
	l->less[l->less_count++] = blocks + 5; /* ACCESS */
	l->less[l->less_count++] = blocks + 4; /* KIND */
}

static void lay_out_text(struct layout *l, const struct structures *s)
{
	l->less_count = l->shown_count = 0;
	for (size_t i = 0; i < SHOWN; i++)
		if (has_figure(s, &shown_figures[i]))
			l->shown[l->shown_count++] = i;
	event_list_init(&l->list, COLUMN_LIST(&stall, &references[REFERENCES], &references[RATIO]));
	for (size_t level = 0; level < s->level_count; level++)
		for (size_t i = 0; i < l->shown_count; i++) {
			const struct figure *f = &shown_figures[l->shown[i]];

			event_list_make(&l->list,
					(struct column){.title = name_of(l, s, level, i, f->name),
							.unit = f->unit,
							.get = f->get,
							.number = misses_at(level)});
		}
	event_list_add(&l->list, COLUMN_LIST(DATA(SEVERAL_BLOCKS), DATA(KNOWN_BYTES), DATA(SIZES),
					     DATA(KNOWN_ELEMENT), &form_columns[FORM_OR_KIND],
					     &form_columns[ACCESS], DATA(BLOCK_TYPE), DATA(WORDS)));
	rank_columns(l, s->level_count);
}

static void add_kept(struct layout *l, const struct structures *s)
{
	for (size_t level = 0; level < s->level_count; level++)
		for (size_t i = 0; i < KEPT; i++) {
			const struct column c = {
				.key = name_of(l, s, level, i, kept_figures[i].name),
				.unit = kept_figures[i].unit,
				.get = kept_figures[i].get,
				.number = misses_at(level),
				.adds_up = kept_figures[i].adds_up};

			if (has_figure(s, &kept_figures[i]))
				event_list_make(&l->list, c);
		}
}

/* ---- Text ---- */

static void put_heading(const struct structures *s, const struct display *d, struct text *out)
{
	const size_t from = out->count;
	char count[FIGURE_BYTES];

	text_add(out, "Data structures in simulated caches, ");
	counted_put_how(s->names.profile, out);
	text_add(out, ": misses,");
	for (size_t i = 0; i < s->level_count; i++)
		text_addf(out, "%s %s" FIT_STAY "%s", i > 0 ? "," : "", s->levels[i],
			  figure_count(s->totals[i], count));
	text_add(out, "; and causes in each");
	if (s->names.profile->sets > 1)
		text_add(out, "; references to some sets are not counted\n");
	else if (!s->references.are_counted)
		text_add(out, "; references are not counted\n");
	else
		text_add(out, s->references.are_exact
				      ? "; exact references, hits too\n"
				      : "; references, hits too: estimates have a ~\n");
	counted_put_bounds(s->names.profile, out);
	fit_prose(out, from, 0, d);
	text_add(out, "\n");
}

int structures_table(const struct structures *s, size_t rows, const struct display *d,
		     struct text *out, struct err *err)
{
	const size_t most = rows < s->count ? rows : s->count;
	struct layout l;
	struct table *t;
	int status;

	lay_out_text(&l, s);
	t = columns_table(&l.list.columns, d);
	table_may_leave_out(t, l.less, l.less_count);
	for (size_t i = 0; i < most; i++) {
		const struct row row = row_of(s, i);

		columns_table_row(&l.list.columns, t, &row);
	}
	status = table_print(t, out, err);
	table_free(t);
	return status;
}

#define LEAST_STEP 0.1 /* of the accesses with a usual stride: to be told */

static void put_percent(const char *before, double share, const char *after, struct text *out)
{
	char percent[FIGURE_BYTES];

	text_addf(out, "%s%s%s", before, figure_percent(share, percent), after);
}

/* What windows saw of a structure, for its details. */
static void put_pattern(const struct store_pattern *x, struct text *out)
{
	const char *before = "; usual, in bytes: ";

	if (forms_access(x) == NULL)
		return;
	text_addf(out, "    %-10s%s", "access", forms_access(x));
	put_percent(": ", forms_regular(x), " of strides are usual,", out);
	put_percent(" ", forms_near(x), " less than a line", out);
	for (size_t i = 0; i < STORE_PATTERN_STEPS; i++) {
		if ((double)x->steps[i].accesses < LEAST_STEP * (double)x->usual)
			continue;
		text_addf(out, "%s%" PRIu64, before, x->steps[i].bytes);
		before = ", ";
	}
	text_add(out, "\n");
	if (x->from_self + x->from_others == 0)
		return;
	text_addf(out, "    %-10s", "links");
	put_percent("", (double)x->from_self / (double)x->accesses,
		    " of accesses through addresses that it held itself,", out);
	put_percent(" ", (double)x->from_others / (double)x->accesses, " that others held\n", out);
}

int structures_text(const struct structures *s, size_t rows, const struct display *d,
		    struct text *out, struct err *err)
{
	const size_t most = rows < s->count ? rows : s->count;

	put_heading(s, d, out);
	if (s->count == 0) {
		text_add(out, "No row matches what --focus and --ignore say.\n");
		return 0;
	}
	if (structures_table(s, rows, d, out, err) != 0)
		return -1;
	figure_more(out, s->count - most, "");
	for (size_t i = 0; s->names.word != NULL && i < most; i++) {
		if (s->rows[i].data == &counted_unfollowed)
			continue;
		data_put_details(&s->names.data, (size_t)(s->rows[i].data - s->names.data.rows), d,
				 out);
		put_pattern(&s->rows[i].pattern, out);
	}
	return 0;
}

/* ---- CSV and JSON ---- */

void structures_csv(const struct structures *s, struct text *out)
{
	struct file_rows f;
	struct layout l;

	event_list_init(&l.list,
			COLUMN_LIST(COST(NAME), DATA(KIND), DATA(TYPE), COST(FILE), COST(LINE),
				    COST(FUNCTION), DATA(MODULE), DATA(ALLOCATOR), ALL_OWN));
	add_kept(&l, s);
	event_list_add(&l.list, COLUMN_LIST(DATA(SITES), DATA_NUMBERS, OF_FORMS));
	columns_csv_head(&l.list.columns, out);
	f = (struct file_rows){
		.list = &l.list.columns, .most = query_file_rows(s->names.query), .csv = out};
	for (size_t i = 0; i < s->count; i++) {
		const struct row row = row_of(s, i);

		file_rows_put(&f, &row);
	}
	file_rows_end_csv(&f);
}

int structures_json(const struct structures *s, struct text *out, struct err *err)
{
	json_t *levels = json_array(), *root = counted_how_json(s->names.profile);
	struct file_rows f;
	struct layout l;

	event_list_init(&l.list,
			COLUMN_LIST(COST(NAME), DATA(KIND), DATA(TYPE), COST(FILE), COST(LINE_OR_0),
				    COST(FUNCTION), DATA(MODULE), DATA(ALLOCATOR), ALL_OWN));
	add_kept(&l, s);
	event_list_add(&l.list, COLUMN_LIST(DATA_NUMBERS, DATA(SITES), DATA(PATH), OF_FORMS));
	for (size_t i = 0; i < s->level_count; i++)
		json_array_append_new(levels, json_pack("{s:s, s:I}", "cache", s->levels[i],
							"misses", (json_int_t)s->totals[i]));
	f = (struct file_rows){.list = &l.list.columns,
			       .most = query_file_rows(s->names.query),
			       .array = json_array()};
	for (size_t i = 0; i < s->count; i++) {
		const struct row row = row_of(s, i);

		file_rows_put(&f, &row);
	}
	json_object_set_new(root, "caches", levels);
	file_rows_end_json(&f, "objects", root);
	return json_print(root, out, err);
}
