/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summary as CSV and JSON. summary_text.c has the text. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "answer/cost_columns.h"
#include "answer/figures.h"
#include "answer/json.h"
#include "answer/process_columns.h"
#include "base/text.h"
#include "estimate/summary.h"
#include "views/file_rows.h"
#include "views/parts.h"
#include "views/views.h"

/* The counts of a process in CSV and JSON, under the schema's names. */
struct count {
	const char *name;
	uint64_t value;
};
#define COUNTS 14

static void list_counts(const struct store_process *x, struct count counts[COUNTS])
{
	const struct count all[COUNTS] = {{"accesses", x->accesses},
					  {"loads", x->loads},
					  {"stores", x->stores},
					  {"modifies", x->modifies},
					  {"instructions", x->instructions},
					  {"samples", x->samples},
					  {"near_samples", x->near_samples},
					  {"far_samples", x->far_samples},
					  {"cut_samples", x->cut_samples},
					  {"far_reuses", x->far_reuses},
					  {"far_lines", x->far_lines[profile_far_size(64)]},
					  {"windows", x->windows},
					  {"footprint_pages", x->footprint_pages},
					  {"lost_records", x->lost_records}};

	memcpy(counts, all, sizeof(all));
}

/* ---- CSV: one table for all sections ---- */

/* A number is NAN where it is unknown or makes no sense for this kind of row. */
struct row {
	const char *kind, *name, *file;
	bool has_number, has_samples;
	uint64_t number, samples;
	double ratio, low, high, cost, misses, cold, accesses;
	const char *policy; /* of the cache that the row is about */
	uint64_t ways;
};

static void get_number(const void *row, struct value *v)
{
	v->whole = ((const struct row *)row)->number;
	v->is_missing = !((const struct row *)row)->has_number;
}

static void get_samples(const void *row, struct value *v)
{
	v->whole = ((const struct row *)row)->samples;
	v->is_missing = !((const struct row *)row)->has_samples;
}

#define MEMBER(member) COLUMN_MEMBER(struct row, member)

static const struct column csv_columns[] = {
	{NULL, "kind", UNIT_TEXT, MEMBER(kind), .is_kind = true},
	{NULL, "name", UNIT_TEXT, MEMBER(name)},
	{NULL, "file", UNIT_TEXT, MEMBER(file)},
	{NULL, "number", UNIT_NUMBER, get_number},
	{NULL, "miss_ratio", UNIT_SHARE, MEMBER(ratio)},
	{NULL, "low", UNIT_SHARE, MEMBER(low)},
	{NULL, "high", UNIT_SHARE, MEMBER(high)},
	{NULL, "cost_share", UNIT_SHARE, MEMBER(cost), .adds_up = true},
	{NULL, "miss_share", UNIT_SHARE, MEMBER(misses), .adds_up = true},
	{NULL, "cold_share", UNIT_SHARE, MEMBER(cold), .adds_up = true},
	{NULL, "access_share", UNIT_SHARE, MEMBER(accesses), .adds_up = true},
	{NULL, "samples", UNIT_NUMBER, get_samples, .adds_up = true},
	{NULL, "policy", UNIT_TEXT, MEMBER(policy)},
	{NULL, "ways", UNIT_NUMBER, MEMBER(ways), .zero_is_missing = true},
};

struct csv {
	struct file_rows rows; /* of code or data */
	const struct column *items[sizeof(csv_columns) / sizeof(csv_columns[0])];
	struct column_list list;
	const struct query *query;
	struct text *out;
};

static void csv_init(struct csv *csv, const struct query *q, struct text *out)
{
	csv->list = (struct column_list){csv->items, sizeof(csv->items) / sizeof(csv->items[0])};
	for (size_t i = 0; i < csv->list.count; i++)
		csv->items[i] = &csv_columns[i];
	csv->query = q;
	csv->out = out;
	csv->rows = (struct file_rows){.list = &csv->list, .most = query_file_rows(q), .csv = out};
	columns_csv_head(&csv->list, out);
}

static struct row row_of(const char *kind, const char *name)
{
	return (struct row){.kind = kind,
			    .name = name,
			    .ratio = NAN,
			    .low = NAN,
			    .high = NAN,
			    .cost = NAN,
			    .misses = NAN,
			    .cold = NAN,
			    .accesses = NAN};
}

static void put_row(const struct csv *csv, const struct row *row)
{
	columns_csv_row(&csv->list, row, csv->out);
}

/* A row about a cache also names the assumed policy and number of ways. */
static void assume(const struct csv *csv, struct row *row)
{
	row->policy = policy_word(profile_policy(csv->query));
	row->ways = csv->query->ways;
}

static void put_number(const struct csv *csv, const char *kind, const char *name, uint64_t number)
{
	struct row row = row_of(kind, name);

	row.has_number = true;
	row.number = number;
	put_row(csv, &row);
}

static void put_share(const struct csv *csv, const char *name, double share)
{
	struct row row = row_of("reuse", name);

	row.accesses = share;
	put_row(csv, &row);
}

static void put_process(const struct csv *csv, const struct store_process *x)
{
	struct row row = row_of("process", x->command);
	struct count counts[COUNTS];

	row.has_number = row.has_samples = true;
	row.number = (uint64_t)x->id;
	row.samples = x->samples;
	put_row(csv, &row);
	list_counts(x, counts);
	for (size_t i = 0; i < COUNTS; i++)
		put_number(csv, "count", counts[i].name, counts[i].value);
}

static void put_caches(const struct csv *csv, const struct summary *s)
{
	struct profile_cache caches[PROFILE_CACHES];

	profile_caches(s->profile, caches);
	for (size_t i = 0; i < PROFILE_CACHES; i++) {
		const struct query at = query_at(s->query, caches[i].size_bytes);
		struct row row = row_of("cache", caches[i].name);
		struct model_ratio r;

		if (caches[i].size_bytes == 0)
			continue;
		profile_solve(s->profile, &at, &r);
		row.has_number = true;
		row.number = caches[i].size_bytes;
		row.ratio = r.known ? r.ratio : NAN;
		row.low = r.known ? r.low : 0;
		row.high = r.known ? r.high : 1;
		assume(csv, &row);
		put_row(csv, &row);
	}
}

static struct row cost_of(const char *kind, const char *name, const char *file, uint32_t line,
			  const struct hot_cost *cost, const struct hot_cost *whole)
{
	struct row row = row_of(kind, name);

	row.file = file;
	row.has_number = line != 0;
	row.number = line;
	row.ratio = hot_miss_ratio(cost);
	row.cost = whole->cycles > 0 ? cost->cycles / whole->cycles : 0;
	row.misses = hot_share(cost->misses, whole);
	row.cold = hot_share(cost->cold, whole);
	row.accesses = cost->accesses;
	row.has_samples = true;
	row.samples = cost->samples;
	return row;
}

static void put_hot(struct csv *csv, const char *kind, const struct hot *h)
{
	for (size_t i = 0; i < h->count; i++) {
		const struct hot_row *r = &h->rows[i];
		struct row row = cost_of(kind, r->function, r->file, r->line, &r->cost, &h->total);

		assume(csv, &row);
		file_rows_put(&csv->rows, &row);
	}
	file_rows_end_csv(&csv->rows);
}

static void put_data(struct csv *csv, const struct data *d)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct data_row *r = &d->rows[i];
		struct row row = cost_of("object", r->name, r->file, r->line, &r->cost, &d->total);

		row.misses = hot_share(r->cost.misses + r->cost.cold, &d->total);
		row.low = r->ratio.low;
		row.high = r->ratio.high;
		assume(csv, &row);
		file_rows_put(&csv->rows, &row);
	}
	file_rows_end_csv(&csv->rows);
}

void summary_csv(const struct summary *s, struct text *out)
{
	struct csv csv;

	csv_init(&csv, s->query, out);
	put_process(&csv, s->profile->process);
	put_caches(&csv, s);
	if (s->profile->sample_count > 0) {
		put_share(&csv, "temporal", s->temporal);
		put_share(&csv, "spatial", s->spatial);
		put_share(&csv, "cold", s->cold);
	}
	if (!isnan(s->used))
		put_share(&csv, "bytes_used", s->used);
	put_hot(&csv, "function", &s->functions);
	put_hot(&csv, "line", &s->lines);
	put_data(&csv, &s->data);
}

/* ---- JSON ---- */

static json_t *json_process(const struct store_process *x)
{
	struct count counts[COUNTS];
	json_t *o = columns_json(COLUMN_LIST(PROCESS(ID), PROCESS(PID), PROCESS(EXE),
					     PROCESS(COMMAND), PROCESS(STATE), PROCESS_ENDING),
				 x);

	list_counts(x, counts);
	for (size_t i = 0; i < COUNTS; i++)
		json_object_set_new(o, counts[i].name, json_integer((json_int_t)counts[i].value));
	return o;
}

static void put_json_rows(const struct hot *h, const struct query *q, const char *key, json_t *root)
{
	struct file_rows f = {
		.list = COLUMN_LIST(COST(FUNCTION), COST(FILE), COST(LINE), COST_SHARES),
		.most = query_file_rows(q),
		.array = json_array()};

	for (size_t i = 0; i < h->count; i++) {
		struct cost_row row = cost_row_of(h, i);

		file_rows_put(&f, &row);
	}
	file_rows_end_json(&f, key, root);
}

static json_t *json_caches(const struct cost *c)
{
	const struct column_list *list = COLUMN_LIST(RATIO(NAME), RATIO(SIZE), RATIO_LIMITS,
						     RATIO(PER_THOUSAND), RATIO(CYCLES));
	json_t *rows = json_array();

	for (size_t i = 0; i < c->count; i++) {
		struct model_ratio r;
		const struct ratio_row row = ratio_row_of(c, i, &r);

		json_array_append_new(rows, columns_json(list, &row));
	}
	return rows;
}

/* Whether the program waits for memory, and about how long. */
static json_t *json_cost(const struct cost *c)
{
	static const char *const verdicts[] = {[COST_LITTLE] = "does not wait",
					       [COST_REUSES] = "waits",
					       [COST_FIRST] = "waits for first touches",
					       [COST_UNKNOWN] = "not known"};

	if (c->count == 0)
		return json_null();
	return json_pack("{s:s, s:f, s:f, s:f, s:f, s:o}", "verdict", verdicts[c->verdict],
			 "cycles", c->levels[0].beyond, "low", c->levels[0].least_beyond, "high",
			 c->levels[0].most_beyond, "cold_cycles", c->cold_cycles, "level",
			 json_text(c->focus < c->count ? c->levels[c->focus].name : NULL));
}

/* Null if unknown. */
static json_t *json_share(double share)
{
	return share < 0 ? json_null() : json_real(share);
}

int summary_json(const struct summary *s, struct text *out, struct err *err)
{
	const struct profile *p = s->profile;
	struct model_resolution res;
	struct summary_overhead o;
	json_t *root, *processes = json_array();
	struct cost cost;

	profile_cost(p, s->query, &cost);
	model_resolve(p->model, &res);
	summary_overhead(p, &o);
	for (size_t i = 0; i < p->process_count; i++)
		json_array_append_new(processes, json_process(&p->processes[i]));
	root = json_pack(
		"{s:o, s:I, s:I, s:i, s:o, s:o, s:{s:o, s:o, s:o}, s:{s:f, s:f, s:f, s:f, s:I},"
		" s:o, s:I, s:f, s:f}",
		"command", json_text(store_meta_text(p->store, "command")), "wall_ns",
		(json_int_t)store_meta_int(p->store, "wall_ns", 0), "target_cpu_ns",
		(json_int_t)store_meta_int(p->store, "target_cpu_ns", 0), "line_bytes",
		(int)p->line_bytes, "processes", processes, "process", json_process(p->process),
		"overhead", "translate", json_share(o.translate), "scan", json_share(o.scan),
		"collector", json_share(o.collector), "resolution", "distance", res.distance,
		"size_bytes", res.lines * p->line_bytes, "unresolved", res.unresolved, "cold",
		res.cold, "windows", (json_int_t)res.windows, "caches", json_caches(&cost),
		"ranked_at_bytes", (json_int_t)s->size_bytes, "miss_ratio", s->functions.ratio,
		"cold_share", hot_share(s->functions.total.cold, &s->functions.total));
	put_json_rows(&s->functions, s->query, "functions", root);
	put_json_rows(&s->lines, s->query, "lines", root);
	data_json_rows(&s->data, NULL, root);
	json_object_set_new(root, "cost", p->sample_count > 0 ? json_cost(&cost) : json_null());
	if (p->sample_count > 0)
		json_object_set_new(root, "reuse",
				    json_pack("{s:f, s:f, s:f}", "temporal_share", s->temporal,
					      "spatial_share", s->spatial, "cold_share", s->cold));
	if (p->sample_count > 0)
		json_object_set_new(root, "line_order",
				    json_pack("{s:I, s:o}", "lines", (json_int_t)s->order.rows,
					      "rank_correlation",
					      isnan(s->order.likeness)
						      ? json_null()
						      : json_real(s->order.likeness)));
	if (p->sample_count > 0)
		json_object_set_new(root, "bytes_used_share",
				    isnan(s->used) ? json_null() : json_real(s->used));
	assumed_json(s->query, root);
	return json_print(root, out, err);
}
