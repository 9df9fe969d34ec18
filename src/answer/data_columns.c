/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns of data structures; see data_columns.h. */
#include "answer/data_columns.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "answer/json.h"
#include "base/size.h"
#include "base/text.h"

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

bool data_is_variable(const struct data_row *r)
{
	return r->kind == DATA_VARIABLE || (r->kind == DATA_LOCAL && r->site == NULL);
}

/* Put "head  struct node *  list.c:12". */
void data_put_name(const struct data_row *r, struct text *out)
{
	text_add(out, r->name);
	if (!data_is_variable(r))
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
	static const struct store_pattern none;

	return (struct data_cells){.cost = {.name = r->name,
					    .function = r->function,
					    .file = r->file,
					    .line = r->line,
					    .cost = &r->cost,
					    .whole = &d->total,
					    .ratio = &r->ratio},
				   .data = d,
				   .r = *r,
				   .form = forms_of(d->profile, r, &none)};
}

static const struct data_row *data_row_of(const void *row)
{
	return &((const struct data_cells *)row)->r;
}

/* Of what blocks hold. Variables have theirs behind the name, as declared. */
static void get_block_type(const void *row, struct value *v)
{
	const struct data_row *r = data_row_of(row);

	v->text = data_is_variable(r) ? NULL : r->type;
}

static void get_kind(const void *row, struct value *v)
{
	v->text = data_kind_names[data_row_of(row)->kind];
}

static void get_form(const void *row, struct value *v)
{
	v->text = form_names[((const struct data_cells *)row)->form];
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
