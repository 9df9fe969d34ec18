/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data structures as text, CSV and JSON. */
#include "views/file_rows.h"
#include "views/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "answer/data_columns.h"
#include "answer/figures.h"
#include "answer/json.h"
#include "base/size.h"
#include "base/text.h"
#include "estimate/counted/forms.h"
#include "views/columns_table.h"
#include "views/fit.h"
#include "views/table.h"
#include "views/views.h"

#define WIDE 140 /* width of a terminal for all figures */

static bool is_shown(const struct data *d, const bool *marks, size_t i)
{
	const struct data_row *r = &d->rows[i];

	return (marks == NULL || marks[i]) &&
	       query_shows(d->query, (const char *const[]){r->name, r->file, r->module}, 3);
}

#define C(column) DATA(column)

/* ---- The table ---- */

int data_table(const struct data *d, size_t rows, const bool *marks, const struct display *display,
	       struct text *out, struct err *err)
{
	bool is_wide = display->width == 0 || display->width >= WIDE;
	/* Exact counts have no intervals. */
	const struct column_list *list =
		d->profile->is_exact
			? is_wide ? COLUMN_LIST(COST(ALL_MISSES), COST(RATIO), COST(ACCESSES),
						C(SEVERAL_BLOCKS), C(KNOWN_BYTES), C(SIZES),
						C(KNOWN_ELEMENT), C(FORM_OR_KIND), C(BLOCK_TYPE),
						C(WORDS))
				  : COLUMN_LIST(COST(ALL_MISSES), COST(RATIO), COST(ACCESSES),
						C(KNOWN_BYTES), C(WORDS))
		: is_wide
			? COLUMN_LIST(COST(ALL_MISSES), COST(RATIO), COST(INTERVAL), COST(ACCESSES),
				      COST(SAMPLES), C(SEVERAL_BLOCKS), C(KNOWN_BYTES), C(SIZES),
				      C(KNOWN_ELEMENT), C(FORM_OR_KIND), C(BLOCK_TYPE), C(WORDS))
			: COLUMN_LIST(COST(ALL_MISSES), COST(RATIO), COST(INTERVAL), COST(ACCESSES),
				      C(KNOWN_BYTES), C(WORDS));
	struct table *t = columns_table(list, display);
	struct cost_limit limit = cost_limit_of(d->query, &d->total, rows);
	int ret;

	/* Who names rows wants them; exact counts are none too few. */
	limit.keeps_all |= marks != NULL || d->profile->is_exact;
	for (size_t i = 0; i < d->count; i++) {
		struct data_cells row = data_cells_of(d, &d->rows[i]);

		if (is_shown(d, marks, i) && cost_limit_shows(&limit, &d->rows[i].cost))
			columns_table_row(list, t, &row);
	}
	ret = limit.shown > 0 ? table_print(t, out, err) : 0;
	table_free(t);
	figure_more(out, limit.left, "");
	return ret;
}

/* ---- Details of one data structure ---- */

static void put_detail(const char *label, const char *value, const struct display *display,
		       struct text *out)
{
	text_addf(out, "    %-10s", label);
	fit_add(out, value, display);
}

void data_put_details(const struct data *d, size_t row, const struct display *display,
		      struct text *out)
{
	const struct data_row *r = &d->rows[row];

	text_add(out, "\n");
	fit_add(out, r->name, display);
	text_add(out, "\n");
	if (r->type != NULL) {
		put_detail("type", r->type, display, out);
		text_add(out, "\n");
	}
	if (data_is_variable(r) && r->file != NULL) {
		put_detail("declared", r->file, display, out);
		text_addf(out, ":%" PRIu32 "\n", r->line);
	}
	if (r->module != NULL) {
		put_detail("file", r->module, display, out);
		text_add(out, "\n");
	}
	if (r->site != NULL && !data_is_one(r->kind))
		data_paths_text(d, row, display, out);
}

int data_text(const struct data *d, size_t rows, const bool *marks, const struct display *display,
	      struct text *out, struct err *err)
{
	char percent[FIGURE_BYTES];
	size_t from = out->count;

	if (d->count == 0 && d->profile->is_exact) {
		text_add(out, "The run was not simulated by data: see dwell simulate --by.\n");
		return 0;
	}
	if (d->count == 0) {
		text_add(out, "No samples were taken: nothing is known of the data.\n");
		return 0;
	}
	text_add(out, "Data structures in a cache of ");
	figure_cache(d->profile, d->query, out);
	text_addf(out, ": %smiss ratio %s\n\n",
		  !d->profile->is_exact	   ? ""
		  : d->policy == MODEL_LRU ? "LRU replacement, exact "
					   : "random replacement, exact ",
		  figure_percent(d->total.misses + d->total.cold, percent));
	fit_prose(out, from, 0, display);
	if (data_table(d, rows, marks, display, out, err) != 0)
		return -1;
	if (marks == NULL && d->profile->site_count == 0 && !d->profile->is_exact)
		text_add(out,
			 "\nThe profile knows of no stacks and allocations: it was recorded with "
			 "--no-objects.\n");
	for (size_t i = 0; marks != NULL && i < d->count; i++)
		if (is_shown(d, marks, i) && rows-- > 0)
			data_put_details(d, i, display, out);
		else if (rows == SIZE_MAX)
			break;
	return 0;
}

/* ---- CSV and JSON ---- */

void data_csv(const struct data *d, const bool *marks, struct text *out)
{
	const struct assumed assumed = assumed_of(d->policy, d->query->ways);
	const struct column_list *list = COLUMN_LIST(
		COST(NAME), C(KIND), C(TYPE), COST(FILE), COST(LINE), COST(FUNCTION), C(MODULE),
		C(ALLOCATOR), COST(ALL_MISSES), COST(COLD), COST(RATIO), COST(LOW), COST(HIGH),
		COST(ACCESSES), COST(SAMPLES), C(SITES), DATA_NUMBERS, C(FORM), ASSUMED(assumed));

	struct file_rows f = {.list = list, .most = query_file_rows(d->query), .csv = out};

	columns_csv_head(list, out);
	for (size_t i = 0; i < d->count; i++) {
		struct data_cells row = data_cells_of(d, &d->rows[i]);

		if (is_shown(d, marks, i))
			file_rows_put(&f, &row);
	}
	file_rows_end_csv(&f);
}

/* For an exact run: all accesses are samples. */
static void put_counts(json_t *row, const struct data_row *r)
{
	json_object_set_new(row, "accesses", json_integer((json_int_t)r->cost.samples));
	json_object_set_new(row, "misses", json_integer((json_int_t)r->misses));
	json_object_set_new(row, "first_touches", json_integer((json_int_t)r->first_touches));
}

void data_json_rows(const struct data *d, const bool *marks, json_t *object)
{
	const struct column_list *list = COLUMN_LIST(
		COST(NAME), C(KIND), C(TYPE), COST(FILE), COST(LINE_OR_0), COST(FUNCTION),
		C(MODULE), C(ALLOCATOR), COST(ALL_MISSES), COST(COLD), COST(RATIO), COST(ACCESSES),
		COST(SAMPLES), COST(LOW), COST(HIGH), DATA_NUMBERS, C(SITES), C(PATH), C(FORM));
	struct file_rows f = {
		.list = list, .most = query_file_rows(d->query), .array = json_array()};

	for (size_t i = 0; i < d->count; i++) {
		struct data_cells row = data_cells_of(d, &d->rows[i]);
		json_t *o = is_shown(d, marks, i) ? file_rows_put(&f, &row) : NULL;

		if (o != NULL && d->profile->is_exact)
			put_counts(o, &d->rows[i]);
	}
	file_rows_end_json(&f, "objects", object);
}

int data_json(const struct data *d, const bool *marks, struct text *out, struct err *err)
{
	json_t *ratio = d->count > 0 ? json_real(d->total.misses + d->total.cold) : json_null();

	json_t *root =
		json_pack("{s:I, s:o, s:f}", "size_bytes", (json_int_t)d->size_bytes, "miss_ratio",
			  ratio, "cold_share", hot_share(d->total.cold, &d->total));

	data_json_rows(d, marks, root);
	if (d->profile->is_exact) {
		json_object_set_new(root, "exact", json_true());
		json_object_set_new(root, "policy", json_string(policy_word(d->policy)));
		json_object_set_new(root, "accesses", json_integer((json_int_t)d->accesses));
	} else {
		assumed_json(d->query, root);
	}
	return json_print(root, out, err);
}
