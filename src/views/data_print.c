/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data structures as text, CSV and JSON. */
#include "views/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/size.h"
#include "base/text.h"
#include "estimate/counted/forms.h"
#include "views/data_columns.h"
#include "views/figures.h"
#include "views/fit.h"
#include "views/json.h"
#include "views/table.h"
#include "views/views.h"

#define WIDE 140 /* width of a terminal for all figures */

static bool is_shown(const struct data *d, const bool *marks, size_t i)
{
	const struct data_row *r = &d->rows[i];

	return (marks == NULL || marks[i]) &&
	       query_shows(d->query, (const char *const[]){r->name, r->file, r->module}, 3);
}

/* Write "64" or "16-4096", as sizes. */
static void put_sizes(const struct data_row *r, char *buf, size_t room)
{
	char low[SIZE_TEXT_BYTES], high[SIZE_TEXT_BYTES];
	const char *least;

	buf[0] = '\0';
	if (r->largest == 0)
		return;
	least = size_format(r->smallest, low);
	size_format(r->largest, high);
	/* Stacks differ by a page or two, which disappears in rounded sizes. */
	if (r->smallest > 0 && strcmp(least, high) != 0)
		snprintf(buf, room, "%s-%s", least, high);
	else
		snprintf(buf, room, "%s", high);
}

/* All threads' copies of a variable are one row; so is all data without a name. */
static bool is_variable(const struct data_row *r)
{
	return r->kind == DATA_VARIABLE || (r->kind == DATA_LOCAL && r->site == NULL);
}

/* Put "head  struct node *  list.c:12". */
void data_put_name(const struct data_row *r, struct text *out)
{
	text_add(out, r->name);
	if (!is_variable(r))
		return;
	if (r->type != NULL)
		text_addf(out, "  %s", r->type);
	if (r->file != NULL && r->line > 0)
		text_addf(out, "  %s:%" PRIu32, path_basename(r->file), r->line);
	else if (r->file == NULL && r->module != NULL)
		text_addf(out, "  of %s", path_basename(r->module));
}

/* ---- Columns ---- */

struct data_cells data_cells_of(const struct data *d, const struct data_row *r)
{
	return (struct data_cells){.cost = {.name = r->name,
					    .function = r->function,
					    .file = r->file,
					    .line = r->line,
					    .cost = &r->cost,
					    .whole = &d->total,
					    .ratio = &r->ratio},
				   .data = d,
				   .r = *r};
}

static const struct data_row *data_row_of(const void *row)
{
	return &((const struct data_cells *)row)->r;
}

/* Of what blocks hold. Variables have theirs behind the name, as declared. */
static void get_block_type(const void *row, struct value *v)
{
	const struct data_row *r = data_row_of(row);

	v->text = is_variable(r) ? NULL : r->type;
}

static void get_kind(const void *row, struct value *v)
{
	v->text = data_kind_names[data_row_of(row)->kind];
}

/* By its type, as samples tell no strides. */
static enum form form_of(const void *row)
{
	static const struct store_pattern none;
	const struct data_cells *cells = row;

	return forms_of(cells->data->profile, &cells->r, &none);
}

static void get_form(const void *row, struct value *v)
{
	v->text = form_names[form_of(row)];
}

/* For text: the form; else the kind of memory. */
static void get_form_or_kind(const void *row, struct value *v)
{
	get_form(row, v);
	if (v->text == NULL)
		get_kind(row, v);
}

/* For text: hide the number of blocks of a variable, which is always one. */
static void get_several_blocks(const void *row, struct value *v)
{
	const struct data_row *r = data_row_of(row);

	v->whole = r->blocks;
	v->is_missing = r->blocks == 0 || r->kind == DATA_VARIABLE || r->kind == DATA_SECTION;
}

static void get_known_bytes(const void *row, struct value *v)
{
	v->whole = data_row_of(row)->bytes;
	v->is_missing = v->whole == 0;
}

static void get_known_element(const void *row, struct value *v)
{
	v->whole = data_row_of(row)->element_size;
	v->is_missing = v->whole == 0;
}

static void get_sizes(const void *row, struct value *v)
{
	char sizes[FIGURE_BYTES];

	put_sizes(data_row_of(row), sizes, sizeof(sizes));
	text_add(v->made, sizes);
	v->text = text_get(v->made);
}

static void get_words(const void *row, struct value *v)
{
	data_put_name(data_row_of(row), v->made);
	v->text = text_get(v->made);
}

/* The call path of the site with the most bytes. */
static void get_path(const void *row, struct value *v)
{
	const struct store_site *s = data_row_of(row)->site;
	const struct profile *p = ((const struct data_cells *)row)->data->profile;

	v->list = json_array();
	for (size_t i = 0; s != NULL && i < s->path_count; i++) {
		const struct store_location *l = profile_location(p, s->path[i]);

		for (uint32_t k = 0; l != NULL && k < l->frame_count; k++)
			json_array_append_new(v->list,
					      json_pack("{s:o, s:o, s:I}", "function",
							json_text(l->frames[k].function), "file",
							json_text(l->frames[k].file), "line",
							(json_int_t)l->frames[k].line));
	}
}

const struct column data_columns[DATA_COLUMNS] = {
	[DATA_COLUMN_KIND] = {"KIND", "kind", UNIT_TEXT, get_kind},
	[DATA_COLUMN_FORM_OR_KIND] = {"KIND", NULL, UNIT_TEXT, get_form_or_kind},
	[DATA_COLUMN_FORM] = {NULL, "form", UNIT_TEXT, get_form},
	[DATA_COLUMN_TYPE] = {NULL, "type", UNIT_TEXT, COLUMN_MEMBER(struct data_cells, r.type)},
	[DATA_COLUMN_MODULE] = {NULL, "module", UNIT_TEXT,
				COLUMN_MEMBER(struct data_cells, r.module)},
	[DATA_COLUMN_ALLOCATOR] = {NULL, "allocator", UNIT_TEXT,
				   COLUMN_MEMBER(struct data_cells, r.allocator)},
	[DATA_COLUMN_SITES] = {NULL, "sites", UNIT_NUMBER,
			       COLUMN_MEMBER(struct data_cells, r.sites)},
	[DATA_COLUMN_SEVERAL_BLOCKS] = {"BLOCKS", NULL, UNIT_COUNT, get_several_blocks},
	[DATA_COLUMN_KNOWN_BYTES] = {"BYTES", NULL, UNIT_BYTES, get_known_bytes},
	[DATA_COLUMN_SIZES] = {"SIZE", NULL, UNIT_TEXT, get_sizes, .to_right = true},
	[DATA_COLUMN_KNOWN_ELEMENT] = {"ELEMENT", NULL, UNIT_BYTES, get_known_element},
	[DATA_COLUMN_BLOCK_TYPE] = {"TYPE", NULL, UNIT_TEXT, get_block_type, .may_cut = true},
	[DATA_COLUMN_WORDS] = {"DATA STRUCTURE", NULL, UNIT_TEXT, get_words, .may_cut = true},
	[DATA_COLUMN_PATH] = {NULL, "path", UNIT_LIST, get_path},
	[DATA_COLUMN_BLOCKS] = {NULL, "blocks", UNIT_NUMBER,
				COLUMN_MEMBER(struct data_cells, r.blocks)},
	[DATA_COLUMN_BYTES] = {NULL, "bytes", UNIT_NUMBER,
			       COLUMN_MEMBER(struct data_cells, r.bytes)},
	[DATA_COLUMN_ALLOCATED_BYTES] = {NULL, "allocated_bytes", UNIT_NUMBER,
					 COLUMN_MEMBER(struct data_cells, r.allocated_bytes)},
	[DATA_COLUMN_LIVE_BLOCKS] = {NULL, "live_blocks", UNIT_NUMBER,
				     COLUMN_MEMBER(struct data_cells, r.live_blocks)},
	[DATA_COLUMN_LIVE_BYTES] = {NULL, "live_bytes", UNIT_NUMBER,
				    COLUMN_MEMBER(struct data_cells, r.live_bytes)},
	[DATA_COLUMN_SMALLEST] = {NULL, "smallest", UNIT_NUMBER,
				  COLUMN_MEMBER(struct data_cells, r.smallest)},
	[DATA_COLUMN_LARGEST] = {NULL, "largest", UNIT_NUMBER,
				 COLUMN_MEMBER(struct data_cells, r.largest)},
	[DATA_COLUMN_ELEMENT_SIZE] = {NULL, "element_size", UNIT_NUMBER,
				      COLUMN_MEMBER(struct data_cells, r.element_size)},
};

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
	if (is_variable(r) && r->file != NULL) {
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

	columns_csv_head(list, out);
	for (size_t i = 0; i < d->count; i++) {
		struct data_cells row = data_cells_of(d, &d->rows[i]);

		if (is_shown(d, marks, i))
			columns_csv_row(list, &row, out);
	}
}

/* For an exact run: all accesses are samples. */
static void put_counts(json_t *row, const struct data_row *r)
{
	json_object_set_new(row, "accesses", json_integer((json_int_t)r->cost.samples));
	json_object_set_new(row, "misses", json_integer((json_int_t)r->misses));
	json_object_set_new(row, "first_touches", json_integer((json_int_t)r->first_touches));
}

json_t *data_json_rows(const struct data *d, const bool *marks)
{
	const struct column_list *list = COLUMN_LIST(
		COST(NAME), C(KIND), C(TYPE), COST(FILE), COST(LINE_OR_0), COST(FUNCTION),
		C(MODULE), C(ALLOCATOR), COST(ALL_MISSES), COST(COLD), COST(RATIO), COST(ACCESSES),
		COST(SAMPLES), COST(LOW), COST(HIGH), DATA_NUMBERS, C(SITES), C(PATH), C(FORM));
	json_t *rows = json_array();

	for (size_t i = 0; i < d->count; i++) {
		struct data_cells row = data_cells_of(d, &d->rows[i]);

		if (!is_shown(d, marks, i))
			continue;
		json_array_append_new(rows, columns_json(list, &row));
		if (d->profile->is_exact)
			put_counts(json_array_get(rows, json_array_size(rows) - 1), &d->rows[i]);
	}
	return rows;
}

int data_json(const struct data *d, const bool *marks, struct text *out, struct err *err)
{
	json_t *ratio = d->count > 0 ? json_real(d->total.misses + d->total.cold) : json_null();

	json_t *root =
		json_pack("{s:I, s:o, s:f, s:o}", "size_bytes", (json_int_t)d->size_bytes,
			  "miss_ratio", ratio, "cold_share", hot_share(d->total.cold, &d->total),
			  "objects", data_json_rows(d, marks));

	if (d->profile->is_exact) {
		json_object_set_new(root, "exact", json_true());
		json_object_set_new(root, "policy", json_string(policy_word(d->policy)));
		json_object_set_new(root, "accesses", json_integer((json_int_t)d->accesses));
	} else {
		assumed_json(d->query, root);
	}
	return json_print(root, out, err);
}
