/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data reuse as text, CSV and JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/size.h"
#include "base/text.h"
#include "estimate/reuse.h"
#include "estimate/summary.h"
#include "views/figures.h"
#include "views/fit.h"
#include "views/json.h"
#include "views/table.h"
#include "views/views.h"

#define BAR_WIDTH	40
#define SHORTEST_BAR	8
#define LABEL_AND_SHARE 40 /* characters before a bar */

static double part_of(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static double bin_sum(const struct reuse_bin *bin)
{
	return bin->temporal + bin->spatial;
}

void reuse_name(const struct reuse_place *place, struct text *out)
{
	figure_place(place->file, place->line, place->function, out);
}

/* ---- Text: the rows ---- */

static void put_cache(const struct reuse *r, struct text *out)
{
	const char *cache = profile_cache_name(r->profile, r->size_bytes);
	char size[SIZE_TEXT_BYTES];

	text_addf(out, "in a cache of %s", size_format(r->size_bytes, size));
	if (cache != NULL)
		text_addf(out, " (%s)", cache);
}

static void put_heading(const struct reuse *r, const struct display *d, struct text *out)
{
	const struct reuse_cost *t = &r->total;
	double accesses = t->all.accesses + r->unresolved.accesses;
	char ratio[FIGURE_BYTES], share[FIGURE_BYTES], samples[FIGURE_BYTES];
	size_t from = out->count;

	if (r->argument == NULL) {
		text_add(out, "Data touched and touched again, ");
		put_cache(r, out);
		text_add(out, ": ");
		fit_add(out, r->profile->process->command, d);
		text_addf(out, "\nmiss ratio %s of all accesses\n",
			  figure_percent(r->ratio, ratio));
	} else {
		text_add(out, "Where the data of ");
		fit_add(out, r->argument, d);
		text_add(out, " comes from, ");
		put_cache(r, out);
		text_addf(out, "\n%s of the accesses, %s samples; ",
			  figure_percent(accesses, share), figure_count(t->samples, samples));
		text_addf(out, "miss ratio %s\n",
			  figure_percent(part_of(t->all.misses + r->unresolved.misses, accesses),
					 ratio));
	}
	text_addf(out, "Of them %s touch bytes again (temporal), ",
		  figure_share(part_of(t->temporal, accesses), share));
	text_addf(out, "%s other bytes of the line (spatial), ",
		  figure_share(part_of(t->all.accesses - t->temporal, accesses), share));
	text_addf(out, "%s are first touches or not resolved\n\n",
		  figure_share(part_of(r->unresolved.accesses, accesses), share));
	fit_prose(out, from, 0, d);
}

static void name_row(const struct reuse_row *row, struct text *from, struct text *to)
{
	if (reuse_is_self(row))
		text_add(from, "self");
	else
		reuse_name(&row->from, from);
	reuse_name(&row->to, to);
}

static int put_rows(const struct reuse *r, size_t rows, const struct display *d, struct text *out,
		    struct err *err)
{
	const bool pairs = r->argument == NULL || r->code.line == 0;
	const struct table_column columns[] = {
		{"REUSES", true, false},    {"MISSES", true, false}, {"MISS RATIO", true, false},
		{"TEMPORAL", true, false},  {"FAR", true, false},    {"SAMPLES", true, false},
		{"DATA FROM", false, true}, {"TO", false, true}};
	/* The pair of places is what the view is for. */
	static const unsigned least_important[] = {5, 4, 3};
	struct table *t =
		table_new(columns, sizeof(columns) / sizeof(columns[0]) - (pairs ? 0 : 1), d);
	double misses = r->argument == NULL ? r->ratio : r->total.all.misses;
	int ret;

	table_may_leave_out(t, least_important, 3);
	for (size_t i = 0; i < r->count && i < rows; i++) {
		const struct reuse_row *row = &r->rows[i];
		char reuses[FIGURE_BYTES], missed[FIGURE_BYTES], ratio[FIGURE_BYTES],
			temporal[FIGURE_BYTES], far[FIGURE_BYTES], samples[FIGURE_BYTES];
		struct text from = {0}, to = {0};
		const char *cells[] = {reuses, missed, ratio, temporal, far, samples, NULL, NULL};
		const struct reuse_cost *c = &row->cost;

		name_row(row, &from, &to);
		cells[6] = text_get(&from);
		cells[7] = text_get(&to);
		figure_share(part_of(c->all.accesses, r->total.all.accesses), reuses);
		figure_share(part_of(c->all.misses, misses), missed);
		figure_share(reuse_miss_ratio(c), ratio);
		figure_share(part_of(c->temporal, c->all.accesses), temporal);
		figure_share(part_of(c->far, c->all.accesses), far);
		figure_count(c->samples, samples);
		table_row(t, cells);
		text_release(&from);
		text_release(&to);
	}
	ret = table_print(t, out, err);
	table_free(t);
	if (r->count > rows)
		figure_more(out, r->count - rows, "");
	return ret;
}

/* ---- Text: the distances ---- */

static void put_bar(const struct reuse_bin *bin, double most, unsigned width,
		    const struct display *d, struct text *out)
{
	double scale = most > 0 ? width / most : 0;
	long whole = lround(bin_sum(bin) * scale);
	long temporal = lround(bin->temporal * scale);

	if (whole > 0)
		text_add(out, "  ");
	for (long i = 0; i < whole; i++) {
		if (i < temporal)
			text_add(out, d->unicode ? "\xe2\x96\x88" : "#");
		else
			text_add(out, d->unicode ? "\xe2\x96\x91" : "-");
	}
}

static void put_bin(const struct reuse *r, const char *label, const struct reuse_bin *bin,
		    double most, const struct display *d, struct text *out)
{
	unsigned width = BAR_WIDTH;
	char share[FIGURE_BYTES];

	if (d->width > 0 && d->width < LABEL_AND_SHARE + width)
		width = d->width > LABEL_AND_SHARE + SHORTEST_BAR ? d->width - LABEL_AND_SHARE
								  : SHORTEST_BAR;
	text_addf(out, "%25s  %9s", label,
		  figure_share(part_of(bin_sum(bin), r->total.all.accesses), share));
	put_bar(bin, most, width, d, out);
	text_add(out, "\n");
}

static void put_distances(const struct reuse *r, const struct display *d, struct text *out)
{
	unsigned first = REUSE_BINS, last = 0;
	double most = bin_sum(&r->far);
	char low[FIGURE_BYTES], high[FIGURE_BYTES], label[3 * FIGURE_BYTES];
	size_t from;

	for (unsigned b = 0; b < REUSE_BINS; b++) {
		if (bin_sum(&r->bins[b]) <= 0)
			continue;
		first = first < b ? first : b;
		last = b;
		most = fmax(most, bin_sum(&r->bins[b]));
	}
	if (most <= 0)
		return;
	from = out->count;
	text_addf(out,
		  "\nReuse distances in accesses (%s the same bytes, %s other bytes of the line)\n",
		  d->unicode ? "\xe2\x96\x88" : "#", d->unicode ? "\xe2\x96\x91" : "-");
	fit_prose(out, from, 0, d);
	for (unsigned b = first; b <= last; b++) {
		figure_count(reuse_bin_low(b), low);
		figure_count(reuse_bin_high(b), high);
		if (b <= 1)
			snprintf(label, sizeof(label), "%s", low);
		else
			snprintf(label, sizeof(label), "%s - %s", low, high);
		put_bin(r, label, &r->bins[b], most, d, out);
	}
	if (bin_sum(&r->far) > 0) {
		snprintf(label, sizeof(label), "farther than %s",
			 figure_count((uint64_t)r->resolution, low));
		put_bin(r, label, &r->far, most, d, out);
	}
}

int reuse_text(const struct reuse *r, size_t rows, const struct display *d, struct text *out,
	       struct err *err)
{
	if (r->count == 0) {
		text_add(out, "No sample saw data touched again.\n");
		return 0;
	}
	put_heading(r, d, out);
	if (put_rows(r, rows, d, out, err) != 0)
		return -1;
	put_distances(r, d, out);
	return 0;
}

/* ---- CSV ---- */

static void csv_place(const struct reuse_place *place, struct text *out)
{
	csv_field(out, place->function);
	text_add(out, ",");
	csv_field(out, place->file);
	text_add(out, ",");
	if (place->line > 0)
		text_addf(out, "%" PRIu32, place->line);
	text_add(out, ",");
}

static void csv_bin(const struct reuse *r, const struct reuse_bin *bin, const char *low,
		    const char *high, struct text *out)
{
	double sum = bin_sum(bin);

	if (sum > 0)
		text_addf(out, "distance,,,,,,,%s,%s,%.8g,,,%.8g,,\n", low, high,
			  part_of(sum, r->total.all.accesses), bin->temporal / sum);
}

void reuse_csv(const struct reuse *r, struct text *out)
{
	char low[FIGURE_BYTES], high[FIGURE_BYTES];

	text_add(out, "kind,from_function,from_file,from_line,to_function,to_file,to_line,low,high,"
		      "reuse_share,miss_share,miss_ratio,temporal_share,far_share,samples\n");
	for (size_t i = 0; i < r->count; i++) {
		const struct reuse_cost *c = &r->rows[i].cost;

		text_add(out, "reuse,");
		csv_place(&r->rows[i].from, out);
		csv_place(&r->rows[i].to, out);
		text_addf(out, ",,%.8g,%.8g,%.8g,%.8g,%.8g,%" PRIu64 "\n",
			  part_of(c->all.accesses, r->total.all.accesses),
			  part_of(c->all.misses, r->ratio), reuse_miss_ratio(c),
			  part_of(c->temporal, c->all.accesses), part_of(c->far, c->all.accesses),
			  c->samples);
	}
	for (unsigned b = 0; b < REUSE_BINS; b++) {
		snprintf(low, sizeof(low), "%" PRIu64, reuse_bin_low(b));
		snprintf(high, sizeof(high), "%" PRIu64, reuse_bin_high(b));
		csv_bin(r, &r->bins[b], low, high, out);
	}
	snprintf(low, sizeof(low), "%.0f", r->resolution);
	csv_bin(r, &r->far, low, "", out);
}

/* ---- JSON ---- */

static json_t *json_place(const struct reuse_place *place)
{
	json_t *o = json_object();

	json_object_set_new(o, "function", json_text(place->function));
	json_object_set_new(o, "file", json_text(place->file));
	if (place->line > 0)
		json_object_set_new(o, "line", json_integer(place->line));
	return o;
}

static json_t *json_bin(const struct reuse *r, const struct reuse_bin *bin)
{
	return json_pack("{s:f, s:f}", "temporal_share",
			 part_of(bin->temporal, r->total.all.accesses), "spatial_share",
			 part_of(bin->spatial, r->total.all.accesses));
}

static json_t *json_rows(const struct reuse *r)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < r->count; i++) {
		const struct reuse_row *row = &r->rows[i];
		const struct reuse_cost *c = &row->cost;

		json_array_append_new(
			rows, json_pack("{s:o, s:o, s:b, s:f, s:f, s:f, s:f, s:f, s:I}", "from",
					json_place(&row->from), "to", json_place(&row->to), "self",
					reuse_is_self(row), "reuse_share",
					part_of(c->all.accesses, r->total.all.accesses),
					"miss_share", part_of(c->all.misses, r->ratio),
					"miss_ratio", reuse_miss_ratio(c), "temporal_share",
					part_of(c->temporal, c->all.accesses), "far_share",
					part_of(c->far, c->all.accesses), "samples",
					(json_int_t)c->samples));
	}
	return rows;
}

int reuse_json(const struct reuse *r, struct text *out, struct err *err)
{
	double accesses = r->total.all.accesses + r->unresolved.accesses;
	json_t *distances = json_array(), *root;

	for (unsigned b = 0; b < REUSE_BINS; b++) {
		json_t *bin;

		if (bin_sum(&r->bins[b]) <= 0)
			continue;
		bin = json_bin(r, &r->bins[b]);
		json_object_set_new(bin, "low", json_integer((json_int_t)reuse_bin_low(b)));
		json_object_set_new(bin, "high", json_integer((json_int_t)reuse_bin_high(b)));
		json_array_append_new(distances, bin);
	}
	root = json_pack("{s:o, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:o, s:o, s:o}", "argument",
			 json_text(r->argument), "size_bytes", (json_int_t)r->size_bytes,
			 "miss_ratio", r->ratio, "access_share", accesses, "code_miss_ratio",
			 part_of(r->total.all.misses + r->unresolved.misses, accesses),
			 "temporal_share", part_of(r->total.temporal, accesses), "spatial_share",
			 part_of(r->total.all.accesses - r->total.temporal, accesses),
			 "unresolved_share", part_of(r->unresolved.accesses, accesses), "samples",
			 (json_int_t)r->total.samples, "reuses", json_rows(r), "distances",
			 distances, "far", json_bin(r, &r->far));
	json_object_set_new(root, "resolution_distance", json_real(r->resolution));
	return json_print(root, out, err);
}
