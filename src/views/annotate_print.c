/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Annotated source as text, CSV and JSON. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "answer/cost_columns.h"
#include "answer/figures.h"
#include "answer/json.h"
#include "base/size.h"
#include "base/text.h"
#include "estimate/annotate.h"
#include "views/fit.h"
#include "views/listing/source.h"
#include "views/parts.h"
#include "views/views.h"

#define CONTEXT 3 /* lines around one with samples */

/* The rows of one file: rows[first .. end). */
struct section {
	const struct annotation *a;
	size_t first, end;
	struct source source;
	bool has_source;
};

static size_t section_end(const struct annotation *a, size_t first)
{
	const char *file = a->rows[first].file;
	size_t end = first;

	while (end < a->count &&
	       (file == NULL || a->rows[end].file == NULL ? a->rows[end].file == file
							  : strcmp(a->rows[end].file, file) == 0))
		end++;
	return end;
}

static void section_open(struct section *s, const struct annotation *a, size_t first,
			 struct text *notes)
{
	const char *file = a->rows[first].file;
	struct err err;

	*s = (struct section){.a = a, .first = first, .end = section_end(a, first)};
	if (file == NULL)
		return;
	s->has_source = source_load(&s->source, a->profile->store, file, a->argument, &err) == 0;
	if (notes == NULL)
		return;
	if (!s->has_source)
		text_addf(notes, "%s\n", err.text);
	else
		source_note_change(&s->source, a->profile->store, file, notes);
}

#define NARROW 120 /* columns of a terminal; narrower ones need the interval's space for the code */

static struct cost_row row_of(const struct section *s, size_t i)
{
	const struct hot_row *r = &s->a->rows[i];

	return (struct cost_row){.file = r->file,
				 .line = r->line,
				 .source = s->has_source ? source_line(&s->source, r->line) : NULL,
				 .cost = &r->cost,
				 .whole = &s->a->total,
				 .ratio = &s->a->ratios[i]};
}

/* The figures beside a line. */
static const struct {
	const struct column *column;
	int width;
	bool needs_room; /* for wide terminals only */
} cells[] = {
	{COST(MISSES), 9},	    {COST(COLD), 11},	  {COST(RATIO), 11},
	{COST(INTERVAL), 18, true}, {COST(ACCESSES), 10}, {COST(SAMPLES), 8},
};

#define CELLS (sizeof(cells) / sizeof(cells[0]))

static bool has_cell(size_t cell, const struct display *d)
{
	return !cells[cell].needs_room || d->width == 0 || d->width >= NARROW;
}

/* Width of the figures, and of the line number between them and the code. */
static unsigned used_width(const struct display *d)
{
	unsigned width = 9;

	for (size_t i = 0; i < CELLS; i++)
		width += has_cell(i, d) ? (unsigned)cells[i].width : 0;
	return width;
}

static void put_titles(const struct display *d, struct text *out)
{
	for (size_t i = 0; i < CELLS; i++)
		if (has_cell(i, d))
			text_addf(out, "%*s", cells[i].width, cells[i].column->title);
	text_addf(out, "  %5s\n", "LINE");
}

/* `row`: NULL: only their space. */
static void put_cells(const struct cost_row *row, const struct display *d, struct text *out)
{
	struct text cell = {0};

	for (size_t i = 0; i < CELLS; i++) {
		if (!has_cell(i, d))
			continue;
		cell.count = 0;
		if (row != NULL)
			columns_cell(cells[i].column, row, &cell);
		text_addf(out, "%*s", cells[i].width, cell.count > 0 ? text_get(&cell) : "");
	}
	text_release(&cell);
}

/* Put a line of the source; `row` has its figures, or is NULL. */
static void put_line(const struct section *s, uint32_t number, const struct cost_row *row,
		     const struct display *d, struct text *out)
{
	const char *code = s->has_source ? source_line(&s->source, number) : NULL;

	put_cells(row, d, out);
	text_addf(out, "  %5" PRIu32 "  ", number);
	source_put_code(out, code != NULL ? code : "", used_width(d), d);
}

/* Put lines `at` to `last` of the file, with the figures of the section's rows. */
static void put_section_lines(const struct section *s, bool all, const struct display *d,
			      struct text *out)
{
	const struct hot_row *rows = s->a->rows;
	uint32_t next = 1, total = s->has_source ? (uint32_t)s->source.count : 0;

	for (size_t i = s->first; i < s->end; i++) {
		const struct cost_row row = row_of(s, i);
		uint32_t line = rows[i].line, from, to;

		if (line == 0)
			continue; /* in the heading */
		from = all || line <= CONTEXT ? 1 : line - CONTEXT;
		to = all && i + 1 == s->end ? total : line + CONTEXT;
		/* Stop before the next line with samples, which continues from there. */
		if (i + 1 < s->end && to >= rows[i + 1].line)
			to = rows[i + 1].line - 1;
		to = to < total ? to : total;
		from = from > next ? from : next;
		if (from > next && next > 1)
			text_addf(out, "%*s\n", (int)used_width(d) - 2, "...");
		if (s->has_source)
			for (; from < line && from <= total; from++)
				put_line(s, from, NULL, d, out);
		put_line(s, line, &row, d, out);
		for (next = line + 1; next <= to; next++)
			put_line(s, next, NULL, d, out);
	}
}

static void put_heading(const struct section *s, const struct display *d, struct text *out)
{
	const struct annotation *a = s->a;
	const struct hot_row *row = &a->rows[s->first];
	struct hot_cost sum = {0};
	char misses[FIGURE_BYTES], cold[FIGURE_BYTES], ratio[FIGURE_BYTES];
	size_t from = out->count;

	for (size_t i = s->first; i < s->end; i++)
		hot_add(&sum, &a->rows[i].cost);
	fit_add(out, row->file != NULL ? row->file : "[no line information]", d);
	text_add(out, "\n");
	text_addf(out, "%s of all misses and %s first touches, miss ratio %s, in a cache of ",
		  figure_share(hot_share(sum.misses, &a->total), misses),
		  figure_share(hot_share(sum.cold, &a->total), cold),
		  figure_percent(hot_miss_ratio(&sum), ratio));
	figure_cache(a->profile, a->query, out);
	text_add(out, "\n");
	if (row->line == 0)
		text_addf(out, "%s of all misses is code without line numbers\n",
			  figure_share(hot_share(row->cost.misses + row->cost.cold, &a->total),
				       misses));
	fit_prose(out, from, 0, d);
	text_add(out, "\n");
	put_titles(d, out);
}

int annotation_text(const struct annotation *a, bool all, const struct display *d, struct text *out,
		    struct text *notes, struct err *err)
{
	for (size_t first = 0; first < a->count;) {
		struct section s;

		section_open(&s, a, first, notes);
		if (first > 0)
			text_add(out, "\n");
		put_heading(&s, d, out);
		put_section_lines(&s, all, d, out);
		first = s.end;
		source_release(&s.source);
	}
	return out->failed ? err_set(err, "not enough memory for the annotated source") : 0;
}

void annotation_csv(const struct annotation *a, struct text *out)
{
	const struct assumed assumed = assumed_by(a->query);
	const struct column_list *columns = COLUMN_LIST(
		COST(FILE), COST(LINE_OR_0), COST(RATIO), COST(LOW), COST(HIGH), COST(MISSES),
		COST(COLD), COST(ACCESSES), COST(SAMPLES), COST(SOURCE), ASSUMED(assumed));

	columns_csv_head(columns, out);
	for (size_t first = 0; first < a->count;) {
		struct section s;

		section_open(&s, a, first, NULL);
		for (; first < s.end; first++) {
			struct cost_row row = row_of(&s, first);

			columns_csv_row(columns, &row, out);
		}
		source_release(&s.source);
	}
}

int annotation_json(const struct annotation *a, struct text *out, struct err *err)
{
	const struct column_list *columns =
		COLUMN_LIST(COST(LINE_OR_0), COST_SHARES, COST(LOW), COST(HIGH), COST(SOURCE));
	json_t *files = json_array(), *root;

	for (size_t first = 0; first < a->count;) {
		struct section s;
		json_t *lines = json_array();

		section_open(&s, a, first, NULL);
		for (; first < s.end; first++) {
			struct cost_row row = row_of(&s, first);
			json_t *line = columns_json(columns, &row);

			json_object_set_new(line, "data_from",
					    annotation_sources_json(a, &a->rows[first]));
			json_array_append_new(lines, line);
		}
		json_array_append_new(files,
				      json_pack("{s:o, s:o}", "file",
						json_text(a->rows[s.first].file), "lines", lines));
		source_release(&s.source);
	}
	root = json_pack("{s:I, s:f, s:f, s:o}", "size_bytes", (json_int_t)a->query->size_bytes,
			 "miss_ratio", a->total.misses + a->total.cold, "cold_share",
			 hot_share(a->total.cold, &a->total), "files", files);
	assumed_json(a->query, root);
	return json_print(root, out, err);
}
