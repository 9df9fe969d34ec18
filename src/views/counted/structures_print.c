/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data structures with their counted misses as text, CSV and JSON. */
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "views/counted/counted.h"
#include "views/data_columns.h"
#include "views/event_list.h"
#include "views/figures.h"
#include "views/json.h"
#include "views/parts.h"

struct row {
	struct data_cells cells;
	const struct structures *s;
	const struct structures_row *x;
};

static struct row row_of(const struct structures *s, size_t i)
{
	const struct structures_row *x = &s->rows[i];

	return (struct row){data_cells_of(&s->names.data, x->data), s, x};
}

/* ---- Columns: some for each level ---- */

static const struct counted_misses *misses_of(const void *row, const struct value *v)
{
	return &((const struct row *)row)->x->misses[v->number];
}

static void put_share(uint64_t part, uint64_t whole, struct value *v)
{
	v->real = whole > 0 ? (double)part / (double)whole : NAN;
}

static void get_stall(const void *row, struct value *v)
{
	v->real = ((const struct row *)row)->x->stall;
}

static void get_misses(const void *row, struct value *v)
{
	v->whole = misses_of(row, v)->all;
}

static void get_share(const void *row, struct value *v)
{
	put_share(misses_of(row, v)->all, ((const struct row *)row)->s->totals[v->number], v);
}

static void get_cold(const void *row, struct value *v)
{
	v->whole = misses_of(row, v)->cold;
}

static void get_by_self(const void *row, struct value *v)
{
	v->whole = misses_of(row, v)->by_self;
}

static void get_low(const void *row, struct value *v)
{
	v->whole = counted_low(misses_of(row, v));
}

static void get_high(const void *row, struct value *v)
{
	v->whole = counted_high(misses_of(row, v));
}

static void get_by_others(const void *row, struct value *v)
{
	v->whole = counted_by_others(misses_of(row, v));
}

static void get_cold_share(const void *row, struct value *v)
{
	put_share(misses_of(row, v)->cold, misses_of(row, v)->all, v);
}

static void get_others_share(const void *row, struct value *v)
{
	put_share(counted_by_others(misses_of(row, v)), misses_of(row, v)->all, v);
}

static void get_conflict(const void *row, struct value *v)
{
	v->whole = misses_of(row, v)->conflicts;
}

static void get_capacity(const void *row, struct value *v)
{
	v->whole = counted_capacity(misses_of(row, v));
}

static void get_conflict_share(const void *row, struct value *v)
{
	put_share(misses_of(row, v)->conflicts, misses_of(row, v)->all, v);
}

/* Which profiles have a figure. */
enum figure_of { OF_ALL, OF_SAMPLED, OF_CONFLICTS };

/* ---- References ---- */

static const struct references_count *references_of(const void *row)
{
	return &((const struct row *)row)->x->references;
}

static void get_references(const void *row, struct value *v)
{
	v->whole = (uint64_t)llround(references_of(row)->value);
	v->is_estimate = references_of(row)->low < references_of(row)->high;
}

static void get_references_low(const void *row, struct value *v)
{
	v->whole = (uint64_t)floor(references_of(row)->low);
}

static void get_references_high(const void *row, struct value *v)
{
	v->whole = (uint64_t)ceil(references_of(row)->high);
}

static void get_ratio(const void *row, struct value *v)
{
	const struct model_ratio *r = &((const struct row *)row)->x->ratio;

	v->real = r->known ? r->ratio : NAN;
}

/* "%s": the level. */
static const struct figure {
	const char *name;
	enum unit unit;
	void (*get)(const void *row, struct value *v);
	enum figure_of of;
} shown_figures[] =
	{
		{"%s MISSES", UNIT_COUNT, get_misses},
		{"SHARE", UNIT_SHARE, get_share},
		{"COLD", UNIT_SHARE, get_cold_share},
		{"BY OTHERS", UNIT_SHARE, get_others_share},
		{"CONFLICT", UNIT_SHARE, get_conflict_share, OF_CONFLICTS},
},
  kept_figures[] = {
	  {"%s_misses", UNIT_COUNT, get_misses},
	  {"%s_miss_share", UNIT_SHARE, get_share},
	  {"%s_cold", UNIT_COUNT, get_cold},
	  {"%s_by_self", UNIT_COUNT, get_by_self},
	  {"%s_by_others", UNIT_COUNT, get_by_others},
	  {"%s_low", UNIT_COUNT, get_low, OF_SAMPLED},
	  {"%s_high", UNIT_COUNT, get_high, OF_SAMPLED},
	  {"%s_conflict", UNIT_COUNT, get_conflict, OF_CONFLICTS},
	  {"%s_capacity", UNIT_COUNT, get_capacity, OF_CONFLICTS},
};

static bool has_figure(const struct structures *s, const struct figure *f)
{
	const struct profile *p = s->names.profile;

	return f->of == OF_ALL || (f->of == OF_SAMPLED ? p->stretches > 0 : p->has_conflicts);
}

#define SHOWN	   (sizeof(shown_figures) / sizeof(shown_figures[0]))
#define KEPT	   (sizeof(kept_figures) / sizeof(kept_figures[0]))
#define NAME_BYTES 20
#define MOST_LESS  (STRUCTURES_LEVELS * SHOWN + 5)

enum { STALL, REFERENCES, REFERENCES_LOW, REFERENCES_HIGH, RATIO, OWN_COLUMNS };

static const struct column own[OWN_COLUMNS] = {
	[STALL] = {"STALL", "stall", UNIT_SHARE, get_stall},
	[REFERENCES] = {"REFERENCES", "references", UNIT_COUNT, get_references},
	[REFERENCES_LOW] = {NULL, "references_low", UNIT_COUNT, get_references_low},
	[REFERENCES_HIGH] = {NULL, "references_high", UNIT_COUNT, get_references_high},
	[RATIO] = {"L1 RATIO", "L1_miss_ratio", UNIT_RATIO, get_ratio},
};

#define OWN(column)    (&own[column])
#define FIRST_SHOWN    3 /* columns before those of the levels */
#define REFERENCES_OWN OWN(REFERENCES), OWN(REFERENCES_LOW), OWN(REFERENCES_HIGH), OWN(RATIO)
#define ALL_OWN	       OWN(STALL), REFERENCES_OWN

/* It points into itself: no copies. */
struct layout {
	struct event_list list;
	char names[STRUCTURES_LEVELS][KEPT][NAME_BYTES];
	size_t shown;		  /* of shown_figures */
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

static unsigned shown_column(const struct layout *l, size_t level, size_t figure)
{
	return (unsigned)(1 + level * l->shown + figure);
	return (unsigned)(FIRST_SHOWN + level * SHOWN + figure);
}

/* What is known of the blocks, then causes, then levels in between, then shares. */
static void rank_columns(struct layout *l, size_t levels)
{
	const unsigned blocks = shown_column(l, levels, 0);
	const unsigned of_blocks[] = {blocks + 2, blocks + 3, blocks + 4, blocks};
	const size_t causes[] = {2, 3, 4}, shares[] = {1};

	for (size_t i = 0; i < sizeof(of_blocks) / sizeof(of_blocks[0]); i++)
		l->less[l->less_count++] = of_blocks[i];
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]) && causes[i] < l->shown; i++)
		for (size_t level = 0; level < levels; level++)
			l->less[l->less_count++] = shown_column(l, level, causes[i]);
	for (size_t level = 1; level + 1 < levels; level++) {
		l->less[l->less_count++] = shown_column(l, level, 1);
		l->less[l->less_count++] = shown_column(l, level, 0);
	}
	for (size_t level = 0; level < levels; level += levels - 1)
		l->less[l->less_count++] = shown_column(l, level, shares[0]);
}

static void lay_out_text(struct layout *l, const struct structures *s)
{
	l->less_count = l->shown = 0;
	while (l->shown < SHOWN && has_figure(s, &shown_figures[l->shown]))
		l->shown++;
	event_list_init(&l->list, COLUMN_LIST(OWN(STALL), OWN(REFERENCES), OWN(RATIO)));
	for (size_t level = 0; level < s->level_count; level++)
		for (size_t i = 0; i < l->shown; i++)
			event_list_make(&l->list,
					(struct column){.title = name_of(l, s, level, i,
									 shown_figures[i].name),
							.unit = shown_figures[i].unit,
							.get = shown_figures[i].get,
							.number = level});
	event_list_add(&l->list, COLUMN_LIST(DATA(SEVERAL_BLOCKS), DATA(KNOWN_BYTES), DATA(SIZES),
					     DATA(KNOWN_ELEMENT), DATA(KIND), DATA(WORDS)));
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
				.number = level};

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
	text_add(out, s->references.are_exact ? "; exact references, hits too\n\n"
					      : "; references, hits too: estimates have a ~\n\n");
	fit_prose(out, from, 0, d);
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
	for (size_t i = 0; s->names.word != NULL && i < most; i++)
		data_put_details(&s->names.data, (size_t)(s->rows[i].data - s->names.data.rows), d,
				 out);
	return 0;
}

/* ---- CSV and JSON ---- */

void structures_csv(const struct structures *s, struct text *out)
{
	struct layout l;

	event_list_init(&l.list,
			COLUMN_LIST(COST(NAME), DATA(KIND), DATA(TYPE), COST(FILE), COST(LINE),
				    COST(FUNCTION), DATA(MODULE), DATA(ALLOCATOR), ALL_OWN));
	add_kept(&l, s);
	event_list_add(&l.list, COLUMN_LIST(DATA(SITES), DATA_NUMBERS));
	columns_csv_head(&l.list.columns, out);
	for (size_t i = 0; i < s->count; i++) {
		const struct row row = row_of(s, i);

		columns_csv_row(&l.list.columns, &row, out);
	}
}

int structures_json(const struct structures *s, struct text *out, struct err *err)
{
	json_t *levels = json_array(), *list = json_array();
	struct layout l;

	event_list_init(&l.list,
			COLUMN_LIST(COST(NAME), DATA(KIND), DATA(TYPE), COST(FILE), COST(LINE_OR_0),
				    COST(FUNCTION), DATA(MODULE), DATA(ALLOCATOR), ALL_OWN));
	add_kept(&l, s);
	event_list_add(&l.list, COLUMN_LIST(DATA_NUMBERS, DATA(SITES), DATA(PATH)));
	for (size_t i = 0; i < s->level_count; i++)
		json_array_append_new(levels, json_pack("{s:s, s:I}", "cache", s->levels[i],
							"misses", (json_int_t)s->totals[i]));
	for (size_t i = 0; i < s->count; i++) {
		const struct row row = row_of(s, i);

		json_array_append_new(list, columns_json(&l.list.columns, &row));
	}
	return json_print(json_pack("{s:b, s:o, s:o}", "exact",
				    s->names.profile->stretches == 0 && s->names.profile->sets == 1,
				    "caches", levels, "objects", list),
			  out, err);
}
