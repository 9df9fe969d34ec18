/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view `reuse`: which code touched the data before, and how long ago. */
#include "estimate/reuse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "answer/answer.h"
#include "answer/cost_columns.h"
#include "answer/json.h"

#define USUAL_ROWS 10
#define LEAST_BAR  0.001 /* share of the reuses for a bar of distances */

static double part_of(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static double bin_sum(const struct reuse_bin *bin)
{
	return bin->temporal + bin->spatial;
}

static void put_place(const struct reuse_place *place, struct text *out)
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
	double shown_misses; /* in text: share of the misses of the code */
	uint64_t samples;
};

static struct row row_of(const struct reuse *r, size_t i)
{
	const struct reuse_row *row = &r->rows[i];
	const struct reuse_cost *c = &row->cost;

	return (struct row){.kind = "reuse",
			    .from = row->from,
			    .to = row->to,
			    .is_self = reuse_is_self(row),
			    .has_samples = true,
			    .reuses = part_of(c->accesses, r->total.accesses),
			    .misses = part_of(c->misses, r->ratio),
			    .shown_misses = part_of(
				    c->misses, r->argument == NULL ? r->ratio : r->total.misses),
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
		put_place(&r->from, v->made);
	v->text = text_get(v->made);
}

static void get_to(const void *row, struct value *v)
{
	put_place(&((const struct row *)row)->to, v->made);
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
	SHOWN_MISSES,
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
	[SHOWN_MISSES] = {"MISSES", NULL, UNIT_SHARE, COLUMN_MEMBER(struct row, shown_misses)},
	[MISSES] = {NULL, "miss_share", UNIT_SHARE, COLUMN_MEMBER(struct row, misses),
		    .adds_up = true},
	[MISS_RATIO] = {"MISS RATIO", "miss_ratio", UNIT_SHARE, COLUMN_MEMBER(struct row, ratio)},
	[TEMPORAL] = {"TEMPORAL", "temporal_share", UNIT_SHARE,
		      COLUMN_MEMBER(struct row, temporal)},
	[FAR] = {"FAR", "far_share", UNIT_SHARE, COLUMN_MEMBER(struct row, far)},
	[SAMPLES] = {"SAMPLES", "samples", UNIT_COUNT, get_samples, .adds_up = true},
};

#define C(column) (&columns[column])

enum { PAIRS = ROWS_OF_VIEW }; /* both places differ from row to row */

static const struct shown shown[] = {
	{C(KIND), .in = IN_CSV},
	{C(FROM_FUNCTION), .in = IN_CSV},
	{C(FROM_FILE), .in = IN_CSV},
	{C(FROM_LINE), .in = IN_CSV},
	{C(FROM_PLACE), .in = IN_JSON},
	{C(TO_FUNCTION), .in = IN_CSV},
	{C(TO_FILE), .in = IN_CSV},
	{C(TO_LINE), .in = IN_CSV},
	{C(TO_PLACE), .in = IN_JSON},
	{C(SELF), .in = IN_JSON},
	{C(LOW), .in = IN_CSV},
	{C(HIGH), .in = IN_CSV},
	{C(REUSES)},
	{C(SHOWN_MISSES)},
	{C(MISSES)},
	{C(MISS_RATIO)},
	{C(TEMPORAL), .less = 3},
	{C(FAR), .less = 2},
	{C(SAMPLES), .less = 1},
	{C(FROM)},
	{C(TO), .needs = PAIRS},
};

struct held {
	struct query query; /* with the cache */
	struct assumed assumed;
	struct reuse reuse;
	struct row *rows;
	struct row distances[REUSE_BINS + 1];
	struct bar bars[REUSE_BINS + 1];
};

/* ---- Distances ---- */

/* A row for distances from `low` to `high` accesses; 0: any above `low`. */
static void add_distance(struct held *h, const struct reuse_bin *bin, uint64_t low, uint64_t high,
			 bool has_high, struct rows *r)
{
	const double sum = bin_sum(bin);

	if (sum > 0)
		h->distances[r->count++] =
			(struct row){.kind = "distance",
				     .has_low = true,
				     .has_high = has_high,
				     .low = low,
				     .high = high,
				     .reuses = part_of(sum, h->reuse.total.accesses),
				     .misses = NAN,
				     .ratio = NAN,
				     .temporal = bin->temporal / sum,
				     .far = NAN};
}

static void add_bar(struct held *h, const struct reuse_bin *bin, bool follows_gap, struct bars *b)
{
	struct bar *bar = &h->bars[b->count++];

	bar->dark = part_of(bin->temporal, h->reuse.total.accesses);
	bar->light = part_of(bin->spatial, h->reuse.total.accesses);
	bar->follows_gap = follows_gap;
}

/* Consecutive bins with hardly any reuses are a gap. */
static void add_bars(struct held *h, struct bars *b)
{
	const struct reuse *r = &h->reuse;
	char low[FIGURE_BYTES], high[FIGURE_BYTES];
	bool is_gap = false;

	*b = (struct bars){"Reuse distances in accesses", "the same bytes",
			   "other bytes of the line", h->bars};
	for (unsigned i = 0; i < REUSE_BINS; i++) {
		if (bin_sum(&r->bins[i]) < LEAST_BAR * r->total.accesses) {
			is_gap = true;
			continue;
		}
		figure_count(reuse_bin_low(i), low);
		figure_count(reuse_bin_high(i), high);
		snprintf(h->bars[b->count].label, BAR_LABEL_BYTES, "%s%s%s", low,
			 i > 1 ? " - " : "", i > 1 ? high : "");
		add_bar(h, &r->bins[i], is_gap && b->count > 0, b);
		is_gap = false;
	}
	if (bin_sum(&r->beyond) <= 0)
		return;
	snprintf(h->bars[b->count].label, BAR_LABEL_BYTES, "farther than %s",
		 figure_count((uint64_t)r->resolution, low));
	add_bar(h, &r->beyond, false, b);
}

/* ---- The view ---- */

static void put_title(const struct reuse *r, struct text *out)
{
	const struct reuse_cost *t = &r->total;
	const double accesses = t->accesses + r->cold;
	char figure[FIGURE_BYTES];

	if (r->argument == NULL) {
		text_add(out, "Data touched and touched again, in a cache of ");
		figure_cache(r->profile, r->query, out);
		text_add(out, ": ");
		answer_words(out, r->profile->process->command);
		text_addf(out, "\nmiss ratio %s of all accesses\n",
			  figure_percent(r->ratio, figure));
	} else {
		text_add(out, "Where the data of ");
		answer_words(out, r->argument);
		text_add(out, " comes from, in a cache of ");
		figure_cache(r->profile, r->query, out);
		text_addf(out, "\n%s of the accesses, ", figure_percent(accesses, figure));
		text_addf(out, "%s samples; ", figure_count(t->samples, figure));
		text_addf(out, "miss ratio %s\n",
			  figure_percent(part_of(t->misses + r->cold_misses, accesses), figure));
	}
	text_addf(out, "Of them %s touch bytes again (temporal), ",
		  figure_share(part_of(t->temporal, accesses), figure));
	text_addf(out, "%s other bytes of the line (spatial), ",
		  figure_share(part_of(t->accesses - t->temporal, accesses), figure));
	text_addf(out, "%s are first touches\n", figure_share(part_of(r->cold, accesses), figure));
}

static json_t *json_bin(const struct reuse *r, const struct reuse_bin *bin)
{
	return json_pack("{s:f, s:f}", "temporal_share", part_of(bin->temporal, r->total.accesses),
			 "spatial_share", part_of(bin->spatial, r->total.accesses));
}

static void put_json(const struct reuse *r, struct answer *a)
{
	const double accesses = r->total.accesses + r->cold;
	json_t *distances = json_array();

	for (unsigned b = 0; b < REUSE_BINS; b++) {
		json_t *bin;

		if (bin_sum(&r->bins[b]) <= 0)
			continue;
		bin = json_bin(r, &r->bins[b]);
		json_object_set_new(bin, "low", json_integer((json_int_t)reuse_bin_low(b)));
		json_object_set_new(bin, "high", json_integer((json_int_t)reuse_bin_high(b)));
		json_array_append_new(distances, bin);
	}
	a->head = json_pack("{s:o, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:o, s:o}", "argument",
			    json_text(r->argument), "size_bytes", (json_int_t)r->query->size_bytes,
			    "miss_ratio", r->ratio, "access_share", accesses, "code_miss_ratio",
			    part_of(r->total.misses + r->cold_misses, accesses), "temporal_share",
			    part_of(r->total.temporal, accesses), "spatial_share",
			    part_of(r->total.accesses - r->total.temporal, accesses), "cold_share",
			    part_of(r->cold, accesses), "samples", (json_int_t)r->total.samples,
			    "distances", distances, "beyond", json_bin(r, &r->beyond));
	a->about = json_pack("{s:f}", "resolution_distance", r->resolution);
	assumed_json(r->query, a->about);
}

static void release(void *held)
{
	struct held *h = held;

	reuse_release(&h->reuse);
	free(h->rows);
}

static void fill(struct held *h, struct answer *a)
{
	const struct reuse *r = &h->reuse;

	a->rows = (struct rows){.items = h->rows,
				.count = r->count,
				.bytes_each = sizeof(*h->rows),
				.key = "reuses",
				.none = query_filters(r->query)
						? "No reuse matches what --focus and --ignore say."
						: "No sample saw data touched again."};
	a->second = (struct rows){
		.items = h->distances, .bytes_each = sizeof(*h->distances), .is_chosen = true};
	for (size_t i = 0; i < r->count; i++)
		h->rows[i] = row_of(r, i);
	for (unsigned b = 0; b < REUSE_BINS; b++)
		add_distance(h, &r->bins[b], reuse_bin_low(b), reuse_bin_high(b), true, &a->second);
	add_distance(h, &r->beyond, (uint64_t)nearbyint(r->resolution), 0, false, &a->second);
	h->assumed = assumed_by(r->query);
	ROWS_SHOW(&a->rows, shown, r->argument == NULL || r->code.line == 0 ? PAIRS : 0);
	assumed_show(&h->assumed, &a->rows);
	a->second.csv = a->rows.csv;
	a->usual_rows = USUAL_ROWS;
	put_json(r, a);
	if (r->count == 0)
		return;
	put_title(r, &a->title);
	add_bars(h, &a->bars);
}

int view_reuse(const struct question *q, struct answer *a, struct err *err)
{
	struct held *h = answer_hold(a, sizeof(*h), err);

	if (h == NULL || answer_open(a, q, PROFILE_SAMPLES, err) != 0)
		return -1;
	a->is_question_wrong = true;
	if (profile_choose(&a->profile, q->query, &h->query, err) != 0 ||
	    reuse_init(&h->reuse, &a->profile, &h->query, q->word, err) != 0)
		return -1;
	a->release = release;
	h->rows = calloc(h->reuse.count + 1, sizeof(*h->rows));
	if (h->rows == NULL)
		return err_set(err, "not enough memory for %zu reuses", h->reuse.count);
	fill(h, a);
	text_add(&a->told, h->reuse.code.function.note);
	return 0;
}
