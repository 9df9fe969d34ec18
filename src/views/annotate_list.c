/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of files and functions that have samples, and so can be annotated. */
#include "answer/cost_columns.h"
#include "answer/figures.h"
#include "answer/json.h"
#include "base/size.h"
#include "base/text.h"
#include "estimate/annotate.h"
#include "views/columns_table.h"
#include "views/file_rows.h"
#include "views/fit.h"
#include "views/table.h"
#include "views/views.h"

/* Leave code without a file out of the list of files; the list of functions has it. */
static bool is_listed(const struct hot_row *r, bool files)
{
	return !files || r->file != NULL;
}

static struct cost_row row_of(const struct hot *h, size_t i, bool files)
{
	struct cost_row row = cost_row_of(h, i);

	row.kind = files ? "file" : "function";
	row.name = files ? row.file : row.function;
	return row;
}

static bool is_filtered(const struct annotation_list *l)
{
	return query_filters(l->query);
}

static int put_list(const struct annotation_list *l, bool files, size_t rows,
		    const struct display *d, struct text *out, struct err *err)
{
	const struct hot *h = files ? &l->files : &l->functions;
	const struct column_list *columns =
		COLUMN_LIST(COST(MISSES), COST(COLD), COST(RATIO), COST(SAMPLES),
			    files ? COST(FILE) : COST(FUNCTION));
	struct table *t = columns_table(columns, d);
	size_t shown = 0, listed = 0;
	int ret;

	for (size_t i = 0; i < h->count; i++) {
		struct cost_row row = row_of(h, i, files);

		if (!is_listed(&h->rows[i], files) || listed++ >= rows)
			continue;
		shown++;
		columns_table_row(columns, t, &row);
	}
	if (shown == 0) {
		table_free(t);
		text_addf(out,
			  is_filtered(l)
				  ? "No %s match what --focus and --ignore say.\n"
				  : "No %s: the program has no line numbers (compile it with "
				    "-g).\n",
			  files ? "files" : "functions");
		return 0;
	}
	ret = table_print(t, out, err);
	table_free(t);
	if (listed > shown)
		figure_more(out, listed - shown, "");
	return ret;
}

int annotation_list_text(const struct annotation_list *l, size_t rows, const struct display *d,
			 struct text *out, struct err *err)
{
	char percent[FIGURE_BYTES];
	size_t from = out->count;

	if (l->functions.count == 0 && !is_filtered(l)) {
		text_add(out, "No samples were taken: there is nothing to annotate.\n");
		return 0;
	}
	text_add(out, "'dwell annotate NAME' shows one of these. In a cache of ");
	figure_cache(l->profile, l->query, out);
	text_addf(out, ", miss ratio %s:\n\n", figure_percent(l->files.ratio, percent));
	fit_prose(out, from, 0, d);
	if (put_list(l, true, rows, d, out, err) != 0)
		return -1;
	text_add(out, "\n");
	return put_list(l, false, rows, d, out, err);
}

void annotation_list_csv(const struct annotation_list *l, struct text *out)
{
	const struct assumed assumed = assumed_by(l->query);
	const struct column_list *columns =
		COLUMN_LIST(COST(KIND), COST(NAME), COST(RATIO), COST(MISSES), COST(COLD),
			    COST(ACCESSES), COST(SAMPLES), ASSUMED(assumed));

	struct file_rows f = {.list = columns, .most = query_file_rows(l->query), .csv = out};

	columns_csv_head(columns, out);
	for (int files = 1; files >= 0; files--) {
		const struct hot *h = files ? &l->files : &l->functions;

		for (size_t i = 0; i < h->count; i++) {
			struct cost_row row = row_of(h, i, files);

			if (is_listed(&h->rows[i], files))
				file_rows_put(&f, &row);
		}
		file_rows_end_csv(&f);
	}
}

static void put_json_rows(const struct annotation_list *l, bool files, json_t *root)
{
	const struct hot *h = files ? &l->files : &l->functions;
	struct file_rows f = {.list = COLUMN_LIST(COST(NAME), COST_SHARES),
			      .most = query_file_rows(l->query),
			      .array = json_array()};

	for (size_t i = 0; i < h->count; i++) {
		struct cost_row row = row_of(h, i, files);

		if (is_listed(&h->rows[i], files))
			file_rows_put(&f, &row);
	}
	file_rows_end_json(&f, files ? "files" : "functions", root);
}

int annotation_list_json(const struct annotation_list *l, struct text *out, struct err *err)
{
	json_t *root = json_pack("{s:I, s:f}", "size_bytes", (json_int_t)l->query->size_bytes,
				 "miss_ratio", l->files.ratio);

	put_json_rows(l, true, root);
	put_json_rows(l, false, root);
	assumed_json(l->query, root);
	return json_print(root, out, err);
}
