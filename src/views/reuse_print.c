/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data reuse as text, CSV and JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "answer/cost_columns.h"
#include "answer/figures.h"
#include "answer/json.h"
#include "base/size.h"
#include "base/text.h"
#include "estimate/reuse.h"
#include "estimate/summary.h"
#include "views/columns_table.h"
#include "views/file_rows.h"
#include "views/fit.h"
#include "views/table.h"
#include "views/views.h"

#define BAR_WIDTH	40
#define SHORTEST_BAR	8
#define LABEL_AND_SHARE 40    /* width before a bar */
#define LEAST_ROW	0.001 /* share of the reuses for a row of distances */

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

/* ---- Columns ---- */

/* A reuse; or for CSV a range of distances, which has no places and no misses. */
struct row {
	const char *kind;
	struct reuse_place from, to;
	bool is_self, has_low, has_high, has_samples;
	uint64_t low, high; /* accesses */
	double reuses, misses, ratio, temporal, far;
	uint64_t samples;
};

/* `misses`: the total for the row's share. */
static struct row row_of(const struct reuse *r, size_t i, double misses)
{
	const struct reuse_row *row = &r->rows[i];
	const struct reuse_cost *c = &row->cost;

	return (struct row){.kind = "reuse",
			    .from = row->from,
			    .to = row->to,
			    .is_self = reuse_is_self(row),
			    .has_samples = true,
			    .reuses = part_of(c->accesses, r->total.accesses),
			    .misses = part_of(c->misses, misses),
			    .ratio = reuse_miss_ratio(c),
			    .temporal = part_of(c->temporal, c->accesses),
			    .far = part_of(c->far, c->accesses),
			    .samples = c->samples};
}

static void get_from(const void *row, struct value *v)
{
	const struct row *r = row;

	if (r->is_self)
		text_add(v->made, "self");
	else
		reuse_name(&r->from, v->made);
	v->text = text_get(v->made);
}

static void get_to(const void *row, struct value *v)
{
	reuse_name(&((const struct row *)row)->to, v->made);
	v->text = text_get(v->made);
}

static void put_line(const struct reuse_place *place, struct value *v)
{
	v->whole = place->line;
	v->is_missing = place->line == 0;
}

static void get_from_line(const void *row, struct value *v)
{
	put_line(&((const struct row *)row)->from, v);
}

static void get_to_line(const void *row, struct value *v)
{
	put_line(&((const struct row *)row)->to, v);
}

static void get_low(const void *row, struct value *v)
{
	v->whole = ((const struct row *)row)->low;
	v->is_missing = !((const struct row *)row)->has_low;
}

static void get_high(const void *row, struct value *v)
{
	v->whole = ((const struct row *)row)->high;
	v->is_missing = !((const struct row *)row)->has_high;
}

static void get_samples(const void *row, struct value *v)
{
	v->whole = ((const struct row *)row)->samples;
	v->is_missing = !((const struct row *)row)->has_samples;
}

static void get_self(const void *row, struct value *v)
{
	v->truth = ((const struct row *)row)->is_self;
}

static json_t *json_place(const struct reuse_place *place)
{
	json_t *o = json_object();

	json_object_set_new(o, "function", json_text(place->function));
	json_object_set_new(o, "file", json_text(place->file));
	if (place->line > 0)
		json_object_set_new(o, "line", json_integer(place->line));
	return o;
}

static void get_from_place(const void *row, struct value *v)
{
	v->list = json_place(&((const struct row *)row)->from);
}

static void get_to_place(const void *row, struct value *v)
{
	v->list = json_place(&((const struct row *)row)->to);
}

enum {
	KIND,
	FROM,
	FROM_FUNCTION,
	FROM_FILE,
	FROM_LINE,
	FROM_PLACE,
	TO,
	TO_FUNCTION,
	TO_FILE,
	TO_LINE,
	TO_PLACE,
	SELF,
	LOW,
	HIGH,
	REUSES,
	MISSES,
	MISS_RATIO,
	TEMPORAL,
	FAR,
	SAMPLES,
};

static const struct column columns[] = {
	[KIND] = {NULL, "kind", UNIT_TEXT, COLUMN_MEMBER(struct row, kind), .is_kind = true},
	[FROM] = {"DATA FROM", NULL, UNIT_TEXT, get_from, .may_cut = true},
	[FROM_FUNCTION] = {NULL, "from_function", UNIT_TEXT,
			   COLUMN_MEMBER(struct row, from.function)},
	[FROM_FILE] = {NULL, "from_file", UNIT_TEXT, COLUMN_MEMBER(struct row, from.file)},
	[FROM_LINE] = {NULL, "from_line", UNIT_NUMBER, get_from_line},
	[FROM_PLACE] = {NULL, "from", UNIT_LIST, get_from_place},
	[TO] = {"TO", NULL, UNIT_TEXT, get_to, .may_cut = true},
	[TO_FUNCTION] = {NULL, "to_function", UNIT_TEXT, COLUMN_MEMBER(struct row, to.function)},
	[TO_FILE] = {NULL, "to_file", UNIT_TEXT, COLUMN_MEMBER(struct row, to.file)},
	[TO_LINE] = {NULL, "to_line", UNIT_NUMBER, get_to_line},
	[TO_PLACE] = {NULL, "to", UNIT_LIST, get_to_place},
	[SELF] = {NULL, "self", UNIT_TRUTH, get_self},
	[LOW] = {NULL, "low", UNIT_NUMBER, get_low},
	[HIGH] = {NULL, "high", UNIT_NUMBER, get_high},
	[REUSES] = {"REUSES", "reuse_share", UNIT_SHARE, COLUMN_MEMBER(struct row, reuses),
		    .adds_up = true},
	[MISSES] = {"MISSES", "miss_share", UNIT_SHARE, COLUMN_MEMBER(struct row, misses),
		    .adds_up = true},
	[MISS_RATIO] = {"MISS RATIO", "miss_ratio", UNIT_SHARE, COLUMN_MEMBER(struct row, ratio)},
	[TEMPORAL] = {"TEMPORAL", "temporal_share", UNIT_SHARE,
		      COLUMN_MEMBER(struct row, temporal)},
	[FAR] = {"FAR", "far_share", UNIT_SHARE, COLUMN_MEMBER(struct row, far)},
	[SAMPLES] = {"SAMPLES", "samples", UNIT_COUNT, get_samples, .adds_up = true},
};

#define C(column) (&columns[column])
#define FIGURES	  C(REUSES), C(MISSES), C(MISS_RATIO), C(TEMPORAL), C(FAR), C(SAMPLES)

/* ---- Text: the rows ---- */

static void put_heading(const struct reuse *r, const struct display *d, struct text *out)
{
	const struct reuse_cost *t = &r->total;
	double accesses = t->accesses + r->cold;
	char ratio[FIGURE_BYTES], share[FIGURE_BYTES], samples[FIGURE_BYTES];
	size_t from = out->count;

	if (r->argument == NULL) {
		text_add(out, "Data touched and touched again, in a cache of ");
		figure_cache(r->profile, r->query, out);
		text_add(out, ": ");
		fit_add(out, r->profile->process->command, d);
		text_addf(out, "\nmiss ratio %s of all accesses\n",
			  figure_percent(r->ratio, ratio));
	} else {
		text_add(out, "Where the data of ");
		fit_add(out, r->argument, d);
		text_add(out, " comes from, in a cache of ");
		figure_cache(r->profile, r->query, out);
		text_addf(out, "\n%s of the accesses, %s samples; ",
			  figure_percent(accesses, share), figure_count(t->samples, samples));
		text_addf(out, "miss ratio %s\n",
			  figure_percent(part_of(t->misses + r->cold_misses, accesses), ratio));
	}
	text_addf(out, "Of them %s touch bytes again (temporal), ",
		  figure_share(part_of(t->temporal, accesses), share));
	text_addf(out, "%s other bytes of the line (spatial), ",
		  figure_share(part_of(t->accesses - t->temporal, accesses), share));
	text_addf(out, "%s are first touches\n\n", figure_share(part_of(r->cold, accesses), share));
	fit_prose(out, from, 0, d);
}

static int put_rows(const struct reuse *r, size_t rows, const struct display *d, struct text *out,
		    struct err *err)
{
	const bool pairs = r->argument == NULL || r->code.line == 0;
	const struct column_list *list =
		pairs ? COLUMN_LIST(FIGURES, C(FROM), C(TO)) : COLUMN_LIST(FIGURES, C(FROM));
	/*
	 * The two places are what the view is for; samples, far and temporal are the least
	 * important.
	 */
	static const unsigned least_important[] = {5, 4, 3};
	struct table *t = columns_table(list, d);
	double misses = r->argument == NULL ? r->ratio : r->total.misses;
	int ret;

	table_may_leave_out(t, least_important, 3);
	for (size_t i = 0; i < r->count && i < rows; i++) {
		struct row row = row_of(r, i, misses);

		columns_table_row(list, t, &row);
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
		  figure_share(part_of(bin_sum(bin), r->total.accesses), share));
	put_bar(bin, most, width, d, out);
	text_add(out, "\n");
}

/* Consecutive rows with hardly any reuses are one mark. */
static void put_bins(const struct reuse *r, double most, const struct display *d, struct text *out)
{
	char low[FIGURE_BYTES], high[FIGURE_BYTES], label[3 * FIGURE_BYTES];
	bool is_first = true, is_left_out = false;

	for (unsigned b = 0; b < REUSE_BINS; b++) {
		if (bin_sum(&r->bins[b]) < LEAST_ROW * r->total.accesses) {
			is_left_out = true;
			continue;
		}
		if (is_left_out && !is_first)
			text_add(out, "...\n");
		is_first = is_left_out = false;
		figure_count(reuse_bin_low(b), low);
		figure_count(reuse_bin_high(b), high);
		if (b <= 1)
			snprintf(label, sizeof(label), "%s", low);
		else
			snprintf(label, sizeof(label), "%s - %s", low, high);
		put_bin(r, label, &r->bins[b], most, d, out);
	}
}

static void put_distances(const struct reuse *r, const struct display *d, struct text *out)
{
	double most = bin_sum(&r->beyond);
	char low[FIGURE_BYTES], label[2 * FIGURE_BYTES];
	size_t from;

	for (unsigned b = 0; b < REUSE_BINS; b++)
		most = fmax(most, bin_sum(&r->bins[b]));
	if (most <= 0)
		return;
	from = out->count;
	text_addf(out,
		  "\nReuse distances in accesses (%s the same bytes, %s other bytes of the line)\n",
		  d->unicode ? "\xe2\x96\x88" : "#", d->unicode ? "\xe2\x96\x91" : "-");
	fit_prose(out, from, 0, d);
	put_bins(r, most, d, out);
	if (bin_sum(&r->beyond) > 0) {
		snprintf(label, sizeof(label), "farther than %s",
			 figure_count((uint64_t)r->resolution, low));
		put_bin(r, label, &r->beyond, most, d, out);
	}
}

int reuse_text(const struct reuse *r, size_t rows, const struct display *d, struct text *out,
	       struct err *err)
{
	if (r->count == 0) {
		text_add(out, query_filters(r->query)
				      ? "No reuse matches what --focus and --ignore say.\n"
				      : "No sample saw data touched again.\n");
		return 0;
	}
	put_heading(r, d, out);
	if (put_rows(r, rows, d, out, err) != 0)
		return -1;
	put_distances(r, d, out);
	return 0;
}

/* ---- CSV ---- */

/* A row for distances from `low` to `high` accesses, or above `low`. */
static void csv_bin(const struct reuse *r, const struct reuse_bin *bin, uint64_t low, uint64_t high,
		    bool has_high, const struct column_list *list, struct text *out)
{
	double sum = bin_sum(bin);
	const struct row row = {.kind = "distance",
				.has_low = true,
				.has_high = has_high,
				.low = low,
				.high = high,
				.reuses = part_of(sum, r->total.accesses),
				.misses = NAN,
				.ratio = NAN,
				.temporal = sum > 0 ? bin->temporal / sum : 0,
				.far = NAN};

	if (sum > 0)
		columns_csv_row(list, &row, out);
}

void reuse_csv(const struct reuse *r, struct text *out)
{
	const struct assumed assumed = assumed_by(r->query);
	const struct column_list *list =
		COLUMN_LIST(C(KIND), C(FROM_FUNCTION), C(FROM_FILE), C(FROM_LINE), C(TO_FUNCTION),
			    C(TO_FILE), C(TO_LINE), C(LOW), C(HIGH), FIGURES, ASSUMED(assumed));

	struct file_rows f = {.list = list, .most = query_file_rows(r->query), .csv = out};

	columns_csv_head(list, out);
	for (size_t i = 0; i < r->count; i++) {
		struct row row = row_of(r, i, r->ratio);

		file_rows_put(&f, &row);
	}
	file_rows_end_csv(&f);
	for (unsigned b = 0; b < REUSE_BINS; b++)
		csv_bin(r, &r->bins[b], reuse_bin_low(b), reuse_bin_high(b), true, list, out);
	csv_bin(r, &r->beyond, (uint64_t)nearbyint(r->resolution), 0, false, list, out);
}

/* ---- JSON ---- */

static json_t *json_bin(const struct reuse *r, const struct reuse_bin *bin)
{
	return json_pack("{s:f, s:f}", "temporal_share", part_of(bin->temporal, r->total.accesses),
			 "spatial_share", part_of(bin->spatial, r->total.accesses));
}

static void put_json_rows(const struct reuse *r, json_t *root)
{
	struct file_rows f = {.list = COLUMN_LIST(C(FROM_PLACE), C(TO_PLACE), C(SELF), FIGURES),
			      .most = query_file_rows(r->query),
			      .array = json_array()};

	for (size_t i = 0; i < r->count; i++) {
		struct row row = row_of(r, i, r->ratio);

		file_rows_put(&f, &row);
	}
	file_rows_end_json(&f, "reuses", root);
}

int reuse_json(const struct reuse *r, struct text *out, struct err *err)
{
	double accesses = r->total.accesses + r->cold;
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
	root = json_pack("{s:o, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:o, s:o}", "argument",
			 json_text(r->argument), "size_bytes", (json_int_t)r->query->size_bytes,
			 "miss_ratio", r->ratio, "access_share", accesses, "code_miss_ratio",
			 part_of(r->total.misses + r->cold_misses, accesses), "temporal_share",
			 part_of(r->total.temporal, accesses), "spatial_share",
			 part_of(r->total.accesses - r->total.temporal, accesses), "cold_share",
			 part_of(r->cold, accesses), "samples", (json_int_t)r->total.samples,
			 "distances", distances, "beyond", json_bin(r, &r->beyond));
	put_json_rows(r, root);
	json_object_set_new(root, "resolution_distance", json_real(r->resolution));
	assumed_json(r->query, root);
	return json_print(root, out, err);
}
