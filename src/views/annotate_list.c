/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be annotated: the files and functions with samples. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/size.h"
#include "base/text.h"
#include "estimate/annotate.h"
#include "views/figures.h"
#include "views/fit.h"
#include "views/json.h"
#include "views/table.h"
#include "views/views.h"

/* In the list of files, code without a file is of no use: the functions have it. */
static bool is_listed(const struct hot_row *r, bool files)
{
	return !files || r->file != NULL;
}

static int put_list(const struct hot *h, bool files, size_t rows, const struct display *d,
		    struct text *out, struct err *err)
{
	const struct table_column columns[] = {{"MISSES", true, false},
					       {"UNRESOLVED", true, false},
					       {"MISS RATIO", true, false},
					       {"SAMPLES", true, false},
					       {files ? "FILE" : "FUNCTION", false, true}};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(columns[0]), d);
	size_t shown = 0, listed = 0;
	int ret;

	for (size_t i = 0; i < h->count; i++) {
		const struct hot_row *r = &h->rows[i];
		char misses[FIGURE_BYTES], unresolved[FIGURE_BYTES], ratio[FIGURE_BYTES],
			samples[FIGURE_BYTES];
		const char *cells[] = {misses, unresolved, ratio, samples,
				       files ? r->file : r->function};

		if (!is_listed(r, files) || listed++ >= rows)
			continue;
		shown++;
		figure_share(hot_share(r->cost.misses, &h->total), misses);
		figure_share(hot_share(r->cost.unresolved, &h->total), unresolved);
		figure_share(hot_miss_ratio(&r->cost), ratio);
		figure_count(r->cost.samples, samples);
		table_row(t, cells);
	}
	if (shown == 0) {
		table_free(t);
		text_addf(out, "No %s: the program has no line numbers (compile it with -g).\n",
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
	char size[SIZE_TEXT_BYTES], percent[FIGURE_BYTES];
	size_t from = out->count;

	if (l->functions.count == 0) {
		text_add(out, "No samples were taken: there is nothing to annotate.\n");
		return 0;
	}
	text_addf(out,
		  "'dwell annotate NAME' shows one of these. In a cache of %s, miss ratio %s:\n\n",
		  size_format(l->size_bytes, size), figure_percent(l->files.ratio, percent));
	fit_prose(out, from, 0, d);
	if (put_list(&l->files, true, rows, d, out, err) != 0)
		return -1;
	text_add(out, "\n");
	return put_list(&l->functions, false, rows, d, out, err);
}

static void csv_rows(const char *kind, const struct hot *h, bool files, struct text *out)
{
	for (size_t i = 0; i < h->count; i++) {
		const struct hot_row *r = &h->rows[i];

		if (!is_listed(r, files))
			continue;
		text_addf(out, "%s,", kind);
		csv_field(out, files ? r->file : r->function);
		text_addf(out, ",%.8g,%.8g,%.8g,%.8g,%" PRIu64 "\n", hot_miss_ratio(&r->cost),
			  hot_share(r->cost.misses, &h->total),
			  hot_share(r->cost.unresolved, &h->total), r->cost.accesses,
			  r->cost.samples);
	}
}

void annotation_list_csv(const struct annotation_list *l, struct text *out)
{
	text_add(out, "kind,name,miss_ratio,miss_share,unresolved_share,access_share,samples\n");
	csv_rows("file", &l->files, true, out);
	csv_rows("function", &l->functions, false, out);
}

static json_t *json_rows(const struct hot *h, bool files)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < h->count; i++) {
		const struct hot_row *r = &h->rows[i];
		json_t *row;

		if (!is_listed(r, files))
			continue;
		row = json_pack("{s:o}", "name", json_text(files ? r->file : r->function));
		json_put_cost(row, &r->cost, &h->total);
		json_array_append_new(rows, row);
	}
	return rows;
}

int annotation_list_json(const struct annotation_list *l, struct text *out, struct err *err)
{
	return json_print(json_pack("{s:I, s:f, s:o, s:o}", "size_bytes", (json_int_t)l->size_bytes,
				    "miss_ratio", l->files.ratio, "files",
				    json_rows(&l->files, true), "functions",
				    json_rows(&l->functions, false)),
			  out, err);
}
