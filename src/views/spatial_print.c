/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Miss ratios by line size as text, CSV and JSON. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "base/size.h"
#include "base/text.h"
#include "estimate/spatial.h"
#include "views/figures.h"
#include "views/fit.h"
#include "views/json.h"
#include "views/table.h"
#include "views/views.h"

static int put_table(const struct spatial *s, size_t size, const struct display *d,
		     struct text *out, struct err *err)
{
	static const struct table_column columns[] = {
		{"LINE", true, false},		{"MISS RATIO", true, false},
		{"95 % INTERVAL", true, false}, {"SPATIAL USE", true, false},
		{"FETCHED", true, false},	{"USED", true, false},
	};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(columns[0]), d);
	int status;

	for (size_t k = 0; k < SPATIAL_LINES; k++) {
		const struct model_ratio *r = &s->ratios[k][size];
		char line[16], ratio[FIGURE_BYTES], interval[FIGURE_BYTES], use[16] = "";
		char fetched[24], used[FIGURE_BYTES];

		if (!r->known)
			continue;
		snprintf(line, sizeof(line), "%" PRIu32, spatial_line(k));
		if (!isnan(spatial_use(s, k, size)))
			snprintf(use, sizeof(use), "%.2f", spatial_use(s, k, size));
		snprintf(fetched, sizeof(fetched), "%.3g B", spatial_traffic(s, k, size));
		table_row(t, (const char *const[]){
				     line, figure_percent(r->ratio, ratio),
				     figure_interval(r, interval), use, fetched,
				     isnan(spatial_used(s, k, size))
					     ? NULL
					     : figure_share(spatial_used(s, k, size), used)});
	}
	status = table_print(t, out, err);
	table_free(t);
	return status;
}

/* How a part's name goes on from "those". */
static const char *const part_words[] = {
	[SUBSET_FUNCTION] = "of",
	[SUBSET_OBJECT] = "to",
	[SUBSET_LINE] = "of",
};

int spatial_text(const struct spatial *s, const struct profile *p, const struct display *d,
		 struct text *out, struct err *err)
{
	char samples[FIGURE_BYTES], size[SIZE_TEXT_BYTES];
	size_t from = out->count;

	text_addf(out, "Miss ratio by line size: ");
	fit_add(out, p->process->command, d);
	if (s->part != NULL) {
		text_addf(out, "\nof the accesses, those %s ", part_words[s->part_kind]);
		fit_add(out, s->part, d);
	}
	text_addf(out,
		  "\nrandom replacement, fully associative; %s samples watched at all line sizes\n"
		  "SPATIAL USE: 1 when misses fall as lines grow beyond %" PRIu32
		  " bytes, 0 when they do not\n"
		  "FETCHED: per access, into a cache of that size; USED: the share asked for\n",
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

/* A number as text, nothing for NAN. */
static void add_number(struct text *out, double v, const char *end)
{
	if (!isnan(v))
		text_addf(out, "%.6g", v);
	text_add(out, end);
}

void spatial_csv(const struct spatial *s, struct text *out)
{
	text_add(out, "size_bytes,line_bytes,miss_ratio,low,high,spatial_use,bytes_fetched,used\n");
	for (size_t i = 0; i < s->size_count; i++)
		for (size_t k = 0; k < SPATIAL_LINES; k++) {
			const struct model_ratio *r = &s->ratios[k][i];

			if (!r->known)
				continue;
			text_addf(out, "%" PRIu64 ",%" PRIu32 ",%.8g,%.8g,%.8g,", s->sizes[i],
				  spatial_line(k), r->ratio, r->low, r->high);
			add_number(out, spatial_use(s, k, i), ",");
			add_number(out, spatial_traffic(s, k, i), ",");
			add_number(out, spatial_used(s, k, i), "\n");
		}
}

static json_t *real_or_null(double v)
{
	return isnan(v) ? json_null() : json_real(v);
}

static json_t *size_json(const struct spatial *s, size_t i)
{
	json_t *lines = json_array();

	for (size_t k = 0; k < SPATIAL_LINES; k++) {
		json_t *line;

		if (!s->ratios[k][i].known)
			continue;
		line = json_pack("{s:i}", "line_bytes", (int)spatial_line(k));
		json_put_ratio(line, &s->ratios[k][i]);
		json_object_set_new(line, "spatial_use", real_or_null(spatial_use(s, k, i)));
		json_object_set_new(line, "bytes_fetched", json_real(spatial_traffic(s, k, i)));
		json_object_set_new(line, "used", real_or_null(spatial_used(s, k, i)));
		json_array_append_new(lines, line);
	}
	return json_pack("{s:I, s:o}", "size_bytes", (json_int_t)s->sizes[i], "lines", lines);
}

int spatial_json(const struct spatial *s, const struct profile *p, struct text *out,
		 struct err *err)
{
	json_t *caches = json_array();

	for (size_t i = 0; i < s->size_count; i++)
		json_array_append_new(caches, size_json(s, i));
	return json_print(json_pack("{s:o, s:I, s:o, s:s, s:i, s:I, s:o}", "part",
				    json_text(s->part), "process", (json_int_t)p->process->id,
				    "command", json_text(p->process->command), "policy", "random",
				    "small_line_bytes", (int)s->small_line, "samples",
				    (json_int_t)s->samples, "caches", caches),
			  out, err);
}
