/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Miss ratios by line size; see spatial.h. */
#include "report/spatial.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "report/figures.h"
#include "report/json.h"
#include "report/summary.h"

static uint32_t line_of(size_t k)
{
	return SPATIAL_FIRST << k;
}

/* The part's ratios, lines per access and samples instead of the process's. */
static int restrict_line(const struct profile *at, struct spatial *s, size_t k, struct err *err)
{
	struct curve_point points[SPATIAL_SIZES] = {0};
	struct curve curve = {.profile = at, .points = points};
	double touches = 0, weight = 0;
	struct subset part;
	size_t samples = 0;
	int status;

	if (subset_find(&part, at, s->part_kind, s->part, err) != 0)
		return -1;
	for (size_t i = 0; i < s->size_count; i++)
		if (s->ratios[k][i].known)
			points[curve.count++] = (struct curve_point){s->sizes[i], s->ratios[k][i]};
	status = subset_solve(&part, at, &curve, err);
	for (size_t i = 0, n = 0; status == 0 && i < s->size_count; i++)
		if (s->ratios[k][i].known)
			s->ratios[k][i] = points[n++].ratio;
	for (size_t i = 0; i < at->sample_count; i++) {
		if (part.row_of[i] != 0)
			continue;
		touches += (double)at->weights[i] *
			   profile_lines_touched(&at->samples[i].begin, line_of(k));
		weight += at->weights[i];
		samples++;
	}
	if (weight > 0)
		s->touches[k] = touches / weight;
	s->samples = samples < s->samples ? samples : s->samples;
	if (s->note == NULL && part.note != NULL)
		s->note = strdup(part.note);
	subset_release(&part);
	return status;
}

static int compute_line(const struct profile *p, const struct profile_nested *n, struct spatial *s,
			size_t k, struct err *err)
{
	struct profile at;
	int status = 0;

	if (profile_at_line(p, n, line_of(k), &at, err) != 0)
		return -1;
	s->touches[k] = at.touches;
	for (size_t i = 0; i < s->size_count; i++) {
		s->ratios[k][i] = (struct model_ratio){.high = 1, .bound_high = 1};
		if (s->sizes[i] >= line_of(k))
			profile_solve(&at, MODEL_RANDOM, s->sizes[i], &s->ratios[k][i]);
	}
	if (s->part != NULL)
		status = restrict_line(&at, s, k, err);
	else
		s->samples = at.sample_count < s->samples ? at.sample_count : s->samples;
	profile_leave_line(&at);
	return status;
}

void spatial_release(struct spatial *s)
{
	free(s->note);
	s->note = NULL;
}

int spatial_compute(const struct profile *p, struct spatial *s, struct err *err)
{
	struct profile_nested n;
	int status = 0;

	if (profile_read_nested(p, &n, err) != 0)
		return -1;
	s->samples = SIZE_MAX;
	for (size_t k = 0; k < SPATIAL_LINES && status == 0; k++)
		status = compute_line(p, &n, s, k, err);
	free(n.items);
	return status;
}

double spatial_use(const struct spatial *s, size_t line, size_t size)
{
	size_t small = (size_t)__builtin_ctz(s->small_line / SPATIAL_FIRST);
	double fetched = s->ratios[line][size].ratio * s->touches[line];
	double fetched_small = s->ratios[small][size].ratio * s->touches[small];

	if (line <= small || !s->ratios[line][size].known || !s->ratios[small][size].known ||
	    fetched_small <= 0)
		return NAN;
	return (1 - fetched / fetched_small) / (1 - (double)s->small_line / line_of(line));
}

double spatial_traffic(const struct spatial *s, size_t line, size_t size)
{
	return s->ratios[line][size].ratio * s->touches[line] * line_of(line);
}

double spatial_used(const struct spatial *s, size_t line, size_t size)
{
	double asked = spatial_traffic(s, 0, size), fetched = spatial_traffic(s, line, size);

	return fetched > 0 ? fmin(1, asked / fetched) : NAN;
}

int spatial_used_of(const struct profile *p, uint64_t size_bytes, double *used, struct err *err)
{
	struct spatial s = {.sizes = {size_bytes}, .size_count = 1, .small_line = SPATIAL_FIRST};
	size_t line = (size_t)__builtin_ctz(p->line_bytes / SPATIAL_FIRST);
	struct profile_nested n;
	int status;

	*used = NAN;
	if (store_meta_int(p->store, "nested_one_in", 0) == 0)
		return 0;
	if (profile_read_nested(p, &n, err) != 0)
		return -1;
	status = compute_line(p, &n, &s, 0, err);
	if (status == 0)
		status = compute_line(p, &n, &s, line, err);
	free(n.items);
	if (status == 0 && s.ratios[0][0].known && s.ratios[line][0].known)
		*used = spatial_used(&s, line, 0);
	return status;
}

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
		snprintf(line, sizeof(line), "%" PRIu32, line_of(k));
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
		const char *name = summary_cache_name(p, s->sizes[i]);

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
				  line_of(k), r->ratio, r->low, r->high);
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
		line = json_pack("{s:i}", "line_bytes", (int)line_of(k));
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
