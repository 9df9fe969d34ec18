/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data structures as text, CSV and JSON. */
#include "views/parts.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/size.h"
#include "base/text.h"
#include "views/figures.h"
#include "views/fit.h"
#include "views/json.h"
#include "views/table.h"
#include "views/views.h"

#define WIDE 140 /* columns of a terminal that all figures fit into */

static bool is_shown(const bool *marks, size_t i)
{
	return marks == NULL || marks[i];
}

static double misses_of(const struct data *d, const struct data_row *r)
{
	return hot_share(r->cost.misses + r->cost.unresolved, &d->total);
}

/* "64" or "16-4096", as sizes. */
static void put_sizes(const struct data_row *r, char *buf, size_t room)
{
	char low[SIZE_TEXT_BYTES], high[SIZE_TEXT_BYTES];
	const char *least;

	buf[0] = '\0';
	if (r->largest == 0)
		return;
	least = size_format(r->smallest, low);
	size_format(r->largest, high);
	/* Stacks differ by a page or two, which their sizes do not show. */
	if (r->smallest > 0 && strcmp(least, high) != 0)
		snprintf(buf, room, "%s-%s", least, high);
	else
		snprintf(buf, room, "%s", high);
}

/* All threads' copies of one are a row, as all that has no name is. */
static bool is_variable(const struct data_row *r)
{
	return r->kind == DATA_VARIABLE || (r->kind == DATA_LOCAL && r->site == NULL);
}

/* "head  struct node *  list.c:12" */
static void put_name(const struct data_row *r, struct text *out)
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

/* ---- The table ---- */

enum column {
	MISSES,
	RATIO,
	INTERVAL,
	ACCESSES,
	SAMPLES,
	BLOCKS,
	BYTES,
	SIZE,
	ELEMENT,
	KIND,
	NAME,
	COLUMNS,
};

static const struct {
	struct table_column column;
	bool is_wide; /* left out where there is no room */
} table_columns[COLUMNS] = {
	[MISSES] = {{"MISSES", true, false}, false},
	[RATIO] = {{"MISS RATIO", true, false}, false},
	[INTERVAL] = {{"95 % INTERVAL", true, false}, false},
	[ACCESSES] = {{"ACCESSES", true, false}, false},
	[SAMPLES] = {{"SAMPLES", true, false}, true},
	[BLOCKS] = {{"BLOCKS", true, false}, true},
	[BYTES] = {{"BYTES", true, false}, false},
	[SIZE] = {{"SIZE", true, false}, true},
	[ELEMENT] = {{"ELEMENT", true, false}, true},
	[KIND] = {{"KIND", false, false}, true},
	[NAME] = {{"DATA STRUCTURE", false, true}, false},
};

static void fill_cells(const struct data *d, const struct data_row *r,
		       char cells[COLUMNS][FIGURE_BYTES])
{
	char size[SIZE_TEXT_BYTES];

	for (size_t i = 0; i < COLUMNS; i++)
		cells[i][0] = '\0';
	figure_share(misses_of(d, r), cells[MISSES]);
	figure_share(hot_miss_ratio(&r->cost), cells[RATIO]);
	figure_interval(&r->ratio, cells[INTERVAL]);
	figure_share(r->cost.accesses, cells[ACCESSES]);
	figure_count(r->cost.samples, cells[SAMPLES]);
	if (r->blocks > 0 && r->kind != DATA_VARIABLE && r->kind != DATA_SECTION)
		figure_count(r->blocks, cells[BLOCKS]);
	if (r->bytes > 0)
		snprintf(cells[BYTES], FIGURE_BYTES, "%s", size_format(r->bytes, size));
	put_sizes(r, cells[SIZE], FIGURE_BYTES);
	if (r->element_size > 0)
		snprintf(cells[ELEMENT], FIGURE_BYTES, "%s", size_format(r->element_size, size));
	snprintf(cells[KIND], FIGURE_BYTES, "%s", data_kind_names[r->kind]);
}

int data_table(const struct data *d, size_t rows, const bool *marks, const struct display *display,
	       struct text *out, struct err *err)
{
	struct table_column columns[COLUMNS];
	bool is_wide = display->width == 0 || display->width >= WIDE;
	size_t used = 0, shown = 0, left = 0;
	struct table *t;
	int ret;

	for (size_t c = 0; c < COLUMNS; c++)
		if (is_wide || !table_columns[c].is_wide)
			columns[used++] = table_columns[c].column;
	t = table_new(columns, used, display);
	for (size_t i = 0; i < d->count; i++) {
		char cells[COLUMNS][FIGURE_BYTES];
		const char *row[COLUMNS];
		struct text name = {0};
		size_t at = 0;

		if (!is_shown(marks, i))
			continue;
		if (shown == rows) {
			left++;
			continue;
		}
		shown++;
		fill_cells(d, &d->rows[i], cells);
		put_name(&d->rows[i], &name);
		for (size_t c = 0; c < COLUMNS; c++)
			if (is_wide || !table_columns[c].is_wide)
				row[at++] = c == NAME ? text_get(&name) : cells[c];
		table_row(t, row);
		text_release(&name);
	}
	ret = shown > 0 ? table_print(t, out, err) : 0;
	table_free(t);
	figure_more(out, left, "");
	return ret;
}

/* ---- All of one ---- */

static void put_detail(const char *label, const char *value, const struct display *display,
		       struct text *out)
{
	text_addf(out, "    %-10s", label);
	fit_add(out, value, display);
}

static void put_details(const struct data *d, size_t row, const struct display *display,
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
	if (r->site != NULL && r->kind != DATA_STACK && r->kind != DATA_LOCAL)
		data_paths_text(d, row, display, out);
}

int data_text(const struct data *d, size_t rows, const bool *marks, const struct display *display,
	      struct text *out, struct err *err)
{
	char size[SIZE_TEXT_BYTES], percent[FIGURE_BYTES];

	if (d->count == 0) {
		text_add(out, "No samples were taken: nothing is known of the data.\n");
		return 0;
	}
	text_addf(out, "Data structures in a cache of %s (miss ratio %s)\n\n",
		  size_format(d->size_bytes, size),
		  figure_percent(d->total.misses + d->total.unresolved, percent));
	if (data_table(d, rows, marks, display, out, err) != 0)
		return -1;
	if (marks == NULL && d->profile->site_count == 0)
		text_add(out,
			 "\nThe profile knows of no stacks and allocations: it was recorded with "
			 "--no-objects.\n");
	for (size_t i = 0; marks != NULL && i < d->count; i++)
		if (marks[i] && rows-- > 0)
			put_details(d, i, display, out);
		else if (rows == SIZE_MAX)
			break;
	return 0;
}

/* ---- For programs ---- */

/* Numbers that CSV and JSON give by the same names. */
static const struct {
	const char *name;
	size_t offset;
} numbers[] = {
	{"blocks", offsetof(struct data_row, blocks)},
	{"bytes", offsetof(struct data_row, bytes)},
	{"allocated_bytes", offsetof(struct data_row, allocated_bytes)},
	{"live_blocks", offsetof(struct data_row, live_blocks)},
	{"live_bytes", offsetof(struct data_row, live_bytes)},
	{"smallest", offsetof(struct data_row, smallest)},
	{"largest", offsetof(struct data_row, largest)},
	{"element_size", offsetof(struct data_row, element_size)},
};

#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

static uint64_t number_of(const struct data_row *r, size_t i)
{
	return *(const uint64_t *)(const void *)((const char *)r + numbers[i].offset);
}

void data_csv(const struct data *d, const bool *marks, struct text *out)
{
	text_add(out, "name,kind,type,file,line,function,module,allocator,miss_share,"
		      "unresolved_share,miss_ratio,low,high,access_share,samples,sites");
	for (size_t i = 0; i < NUMBERS; i++)
		text_addf(out, ",%s", numbers[i].name);
	text_add(out, "\n");
	for (size_t i = 0; i < d->count; i++) {
		const struct data_row *r = &d->rows[i];

		if (!is_shown(marks, i))
			continue;
		csv_field(out, r->name);
		text_addf(out, ",%s,", data_kind_names[r->kind]);
		csv_field(out, r->type);
		text_add(out, ",");
		csv_field(out, r->file);
		text_add(out, ",");
		if (r->line > 0)
			text_addf(out, "%" PRIu32, r->line);
		text_add(out, ",");
		csv_field(out, r->function);
		text_add(out, ",");
		csv_field(out, r->module);
		text_add(out, ",");
		csv_field(out, r->allocator);
		text_addf(out, ",%.8g,%.8g,%.8g,%.8g,%.8g,%.8g,%" PRIu64, misses_of(d, r),
			  hot_share(r->cost.unresolved, &d->total), hot_miss_ratio(&r->cost),
			  r->ratio.low, r->ratio.high, r->cost.accesses, r->cost.samples);
		text_addf(out, ",%zu", r->sites);
		for (size_t k = 0; k < NUMBERS; k++)
			text_addf(out, ",%" PRIu64, number_of(r, k));
		text_add(out, "\n");
	}
}

static json_t *json_path(const struct profile *p, const struct store_site *s)
{
	json_t *frames = json_array();

	for (size_t i = 0; s != NULL && i < s->path_count; i++) {
		const struct store_location *l = profile_location(p, s->path[i]);

		for (uint32_t k = 0; l != NULL && k < l->frame_count; k++)
			json_array_append_new(frames,
					      json_pack("{s:o, s:o, s:I}", "function",
							json_text(l->frames[k].function), "file",
							json_text(l->frames[k].file), "line",
							(json_int_t)l->frames[k].line));
	}
	return frames;
}

static json_t *json_row(const struct data *d, const struct data_row *r)
{
	json_t *row = json_pack("{s:o, s:s}", "name", json_text(r->name), "kind",
				data_kind_names[r->kind]);

	json_object_set_new(row, "type", json_text(r->type));
	json_object_set_new(row, "file", json_text(r->file));
	json_object_set_new(row, "line", json_integer(r->line));
	json_object_set_new(row, "function", json_text(r->function));
	json_object_set_new(row, "module", json_text(r->module));
	json_object_set_new(row, "allocator", json_text(r->allocator));
	json_put_cost(row, &r->cost, &d->total);
	json_object_set_new(row, "miss_share", json_real(misses_of(d, r)));
	json_object_set_new(row, "low", json_real(r->ratio.low));
	json_object_set_new(row, "high", json_real(r->ratio.high));
	for (size_t i = 0; i < NUMBERS; i++)
		json_object_set_new(row, numbers[i].name,
				    json_integer((json_int_t)number_of(r, i)));
	json_object_set_new(row, "sites", json_integer((json_int_t)r->sites));
	json_object_set_new(row, "path", json_path(d->profile, r->site));
	return row;
}

json_t *data_json_rows(const struct data *d, const bool *marks)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < d->count; i++)
		if (is_shown(marks, i))
			json_array_append_new(rows, json_row(d, &d->rows[i]));
	return rows;
}

int data_json(const struct data *d, const bool *marks, struct text *out, struct err *err)
{
	json_t *ratio =
		d->count > 0 ? json_real(d->total.misses + d->total.unresolved) : json_null();

	return json_print(json_pack("{s:I, s:o, s:f, s:o}", "size_bytes", (json_int_t)d->size_bytes,
				    "miss_ratio", ratio, "unresolved_share",
				    hot_share(d->total.unresolved, &d->total), "objects",
				    data_json_rows(d, marks)),
			  out, err);
}
