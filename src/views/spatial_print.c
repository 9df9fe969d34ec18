/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Miss ratios by line size as text, CSV and JSON. */
#include <inttypes.h>
#include <jansson.h>

#include "answer/cost_columns.h"
#include "answer/figures.h"
#include "answer/json.h"
#include "base/size.h"
#include "base/text.h"
#include "estimate/spatial.h"
#include "views/columns_table.h"
#include "views/fit.h"
#include "views/table.h"
#include "views/views.h"

/* ---- Rows: a line size in a cache ---- */

struct row {
	struct ratio_row ratio;
	const struct spatial *s;
	size_t line, size;
};

/* Returns false if the cache cannot hold such a line. */
static bool make_row(const struct spatial *s, size_t line, size_t size, struct row *row)
{
	*row = (struct row){{NULL, s->sizes[size], &s->ratios[line][size]}, s, line, size};
	return row->ratio.ratio->known;
}

static void get_line(const void *row, struct value *v)
{
	v->whole = spatial_line(((const struct row *)row)->line);
}

static void get_use(const void *row, struct value *v)
{
	const struct row *r = row;

	v->real = spatial_use(r->s, r->line, r->size);
}

static void get_fetched(const void *row, struct value *v)
{
	const struct row *r = row;

	v->real = spatial_traffic(r->s, r->line, r->size);
}

static void get_used(const void *row, struct value *v)
{
	const struct row *r = row;

	v->real = spatial_used(r->s, r->line, r->size);
}

enum { LINE, USE, FETCHED, USED };

static const struct column columns[] = {
	[LINE] = {"LINE", "line_bytes", UNIT_NUMBER, get_line},
	[USE] = {"SPATIAL USE", "spatial_use", UNIT_FACTOR, get_use, .precise = 6},
	[FETCHED] = {"FETCHED", "bytes_fetched", UNIT_TRAFFIC, get_fetched, .precise = 6},
	[USED] = {"USED", "used", UNIT_SHARE, get_used, .precise = 6},
};

#define FIGURES &columns[USE], &columns[FETCHED], &columns[USED]

/* ---- Text ---- */

static int put_table(const struct spatial *s, size_t size, const struct display *d,
		     struct text *out, struct err *err)
{
	const struct column_list *list =
		COLUMN_LIST(&columns[LINE], RATIO(MISSES), RATIO(INTERVAL), FIGURES);
	struct table *t = columns_table(list, d);
	struct row row;
	int status;

	for (size_t k = 0; k < SPATIAL_LINES; k++)
		if (make_row(s, k, size, &row))
			columns_table_row(list, t, &row);
	status = table_print(t, out, err);
	table_free(t);
	return status;
}

/* The words between "those" and a part's name. */
static const char *const part_words[] = {
	[SUBSET_FUNCTION] = "of",
	[SUBSET_OBJECT] = "to",
	[SUBSET_LINE] = "of",
	[SUBSET_THREAD] = "of thread",
};

int spatial_text(const struct spatial *s, const struct profile *p, const struct display *d,
		 struct text *out, struct err *err)
{
	char samples[FIGURE_BYTES], ways[FIGURE_BYTES], size[SIZE_TEXT_BYTES];
	size_t from = out->count;

	text_addf(out, "Miss ratio by line size: ");
	fit_add(out, p->process->command, d);
	if (s->part != NULL) {
		text_addf(out, "\nof the accesses, those %s ", part_words[s->part_kind]);
		fit_add(out, s->part, d);
	}
	text_addf(out,
		  "\n%s replacement, %s; %s samples watched at all line sizes\n"
		  "SPATIAL USE: 1 when misses fall as lines grow beyond %" PRIu32
		  " bytes, 0 when they do not\n"
		  "FETCHED: per access, into a cache of that size; USED: the share asked for\n",
		  figure_policy(profile_policy(s->query)), figure_ways(s->query, ways),
		  figure_count(s->samples, samples), s->small_line);
	fit_prose(out, from, 0, d);
	if (s->samples == 0) {
		text_addf(out, "\n%s: the miss ratios are not known.\n",
			  p->sample_count == 0 ? "No samples were taken"
					       : "No sample was watched at all line sizes");
		return 0;
	}
	for (size_t i = 0; i < s->size_count; i++) {
		const char *name = profile_cache_name(p, s->sizes[i]);

		text_addf(out, "\n%s%s%s\n", name != NULL ? name : "cache of",
			  name != NULL ? ", " : " ", size_format(s->sizes[i], size));
		if (put_table(s, i, d, out, err) != 0)
			return -1;
	}
	return 0;
}

/* ---- CSV and JSON ---- */

void spatial_csv(const struct spatial *s, struct text *out)
{
	const struct assumed assumed = assumed_by(s->query);
	const struct column_list *list =
		COLUMN_LIST(RATIO(SIZE), &columns[LINE], RATIO_LIMITS, FIGURES, ASSUMED(assumed));
	struct row row;

	columns_csv_head(list, out);
	for (size_t i = 0; i < s->size_count; i++)
		for (size_t k = 0; k < SPATIAL_LINES; k++)
			if (make_row(s, k, i, &row))
				columns_csv_row(list, &row, out);
}

static json_t *size_json(const struct spatial *s, size_t i)
{
	const struct column_list *list = COLUMN_LIST(&columns[LINE], RATIO_LIMITS, FIGURES);
	json_t *lines = json_array();
	struct row row;

	for (size_t k = 0; k < SPATIAL_LINES; k++)
		if (make_row(s, k, i, &row))
			json_array_append_new(lines, columns_json(list, &row));
	return json_pack("{s:I, s:o}", "size_bytes", (json_int_t)s->sizes[i], "lines", lines);
}

int spatial_json(const struct spatial *s, const struct profile *p, struct text *out,
		 struct err *err)
{
	json_t *caches = json_array(), *root;

	for (size_t i = 0; i < s->size_count; i++)
		json_array_append_new(caches, size_json(s, i));
	root = json_pack("{s:o, s:I, s:o, s:s, s:i, s:I, s:o}", "part", json_text(s->part),
			 "process", (json_int_t)p->process->id, "command",
			 json_text(p->process->command), "policy",
			 policy_word(profile_policy(s->query)), "small_line_bytes",
			 (int)s->small_line, "samples", (json_int_t)s->samples, "caches", caches);
	assumed_json(s->query, root);
	return json_print(root, out, err);
}
