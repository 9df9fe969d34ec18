/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summary as CSV and JSON. summary_text.c has the text. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "estimate/summary.h"
#include "views/cost_columns.h"
#include "views/figures.h"
#include "views/json.h"
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
					  {"resolved", x->resolved},
					  {"censored", x->censored},
					  {"dangling", x->dangling},
					  {"followed", x->followed},
					  {"followed_touched", x->followed_touched},
					  {"windows", x->windows},
					  {"footprint_pages", x->footprint_pages},
					  {"lost_records", x->lost_records}};

	memcpy(counts, all, sizeof(all));
}

#define CSV_COLUMNS(misses)                                                                   \
	COLUMN_LIST(COST(KIND), COST(NAME), COST(FILE), COST(NUMBER), COST(RATIO), COST(LOW), \
		    COST(HIGH), misses, COST(UNRESOLVED), COST(ACCESSES), COST(SAMPLES))

static void csv_rows(const char *kind, const struct hot *h, struct text *out)
{
	for (size_t i = 0; i < h->count; i++) {
		struct cost_row row = cost_row_of(h, i);

		row.kind = kind;
		row.name = row.function;
		columns_csv_row(CSV_COLUMNS(COST(MISSES)), &row, out);
	}
}

static void csv_data(const struct data *d, struct text *out)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct data_row *r = &d->rows[i];
		const struct cost_row row = {.kind = "object",
					     .name = r->name,
					     .file = r->file,
					     .line = r->line,
					     .cost = &r->cost,
					     .whole = &d->total,
					     .ratio = &r->ratio};

		columns_csv_row(CSV_COLUMNS(COST(ALL_MISSES)), &row, out);
	}
}

void summary_csv(const struct summary *s, struct text *out)
{
	const struct profile *p = s->profile;
	struct profile_cache caches[PROFILE_CACHES];
	struct count counts[COUNTS];

	columns_csv_head(CSV_COLUMNS(COST(MISSES)), out);
	text_add(out, "process,");
	csv_field(out, p->process->command);
	text_addf(out, ",,%" PRId64 ",,,,,,,%" PRIu64 "\n", p->process->id, p->process->samples);
	list_counts(p->process, counts);
	for (size_t i = 0; i < COUNTS; i++)
		text_addf(out, "count,%s,,%" PRIu64 ",,,,,,,\n", counts[i].name, counts[i].value);
	profile_caches(p, caches);
	for (size_t i = 0; i < PROFILE_CACHES; i++) {
		const struct query at = query_at(s->query, caches[i].size_bytes);
		struct model_ratio r;

		if (caches[i].size_bytes == 0)
			continue;
		profile_solve(p, &at, &r);
		text_addf(out, "cache,%s,,%" PRIu64 ",", caches[i].name, caches[i].size_bytes);
		if (r.known)
			text_addf(out, "%.8g,%.8g,%.8g,,,,\n", r.ratio, r.low, r.high);
		else
			text_add(out, ",0,1,,,,\n");
	}
	if (p->sample_count > 0)
		text_addf(out,
			  "reuse,temporal,,,,,,,,%.8g,\nreuse,spatial,,,,,,,,%.8g,\n"
			  "reuse,unresolved,,,,,,,,%.8g,\n",
			  s->temporal, s->spatial, summary_not_reused(s));
	if (!isnan(s->used))
		text_addf(out, "reuse,bytes_used,,,,,,,,%.8g,\n", s->used);
	csv_rows("function", &s->functions, out);
	csv_rows("line", &s->lines, out);
	csv_data(&s->data, out);
}

static json_t *json_process(const struct store_process *x)
{
	struct count counts[COUNTS];
	json_t *o = json_pack("{s:I, s:I, s:o, s:o, s:o}", "id", (json_int_t)x->id, "pid",
			      (json_int_t)x->pid, "exe", json_text(x->exe), "command",
			      json_text(x->command), "state", json_text(x->state));

	json_put_ending(o, x);
	list_counts(x, counts);
	for (size_t i = 0; i < COUNTS; i++)
		json_object_set_new(o, counts[i].name, json_integer((json_int_t)counts[i].value));
	return o;
}

static json_t *json_rows(const struct hot *h)
{
	const struct column_list *columns =
		COLUMN_LIST(COST(FUNCTION), COST(FILE), COST(LINE), COST_SHARES);
	json_t *rows = json_array();

	for (size_t i = 0; i < h->count; i++) {
		struct cost_row row = cost_row_of(h, i);

		json_array_append_new(rows, columns_json(columns, &row));
	}
	return rows;
}

static json_t *json_caches(const struct summary *s)
{
	const struct profile *p = s->profile;
	struct profile_cache caches[PROFILE_CACHES];
	json_t *rows = json_array();

	profile_caches(p, caches);
	for (size_t i = 0; i < PROFILE_CACHES; i++) {
		const struct query at = query_at(s->query, caches[i].size_bytes);
		struct model_ratio r;
		struct ratio_row row;

		if (caches[i].size_bytes == 0)
			continue;
		profile_solve(p, &at, &r);
		row = (struct ratio_row){caches[i].name, caches[i].size_bytes, &r};
		json_array_append_new(
			rows,
			columns_json(COLUMN_LIST(RATIO(NAME), RATIO(SIZE), RATIO_LIMITS), &row));
	}
	return rows;
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

	model_resolve(p->model, &res);
	summary_overhead(p, &o);
	for (size_t i = 0; i < p->process_count; i++)
		json_array_append_new(processes, json_process(&p->processes[i]));
	root = json_pack(
		"{s:o, s:I, s:I, s:i, s:o, s:o, s:{s:o, s:o, s:o}, s:{s:f, s:f, s:f, s:I}, s:o, "
		"s:I,"
		" s:f, s:f, s:o, s:o, s:o}",
		"command", json_text(store_meta_text(p->store, "command")), "wall_ns",
		(json_int_t)store_meta_int(p->store, "wall_ns", 0), "target_cpu_ns",
		(json_int_t)store_meta_int(p->store, "target_cpu_ns", 0), "line_bytes",
		(int)p->line_bytes, "processes", processes, "process", json_process(p->process),
		"overhead", "translate", json_share(o.translate), "scan", json_share(o.scan),
		"collector", json_share(o.collector), "resolution", "distance", res.distance,
		"size_bytes", res.lines * p->line_bytes, "unresolved", res.unresolved, "groups",
		(json_int_t)res.groups, "caches", json_caches(s), "ranked_at_bytes",
		(json_int_t)s->size_bytes, "miss_ratio", s->functions.ratio, "unresolved_share",
		hot_share(s->functions.total.unresolved, &s->functions.total), "functions",
		json_rows(&s->functions), "lines", json_rows(&s->lines), "objects",
		data_json_rows(&s->data, NULL));
	if (p->sample_count > 0)
		json_object_set_new(root, "reuse",
				    json_pack("{s:f, s:f, s:f}", "temporal_share", s->temporal,
					      "spatial_share", s->spatial, "unresolved_share",
					      summary_not_reused(s)));
	if (p->sample_count > 0)
		json_object_set_new(root, "line_order",
				    json_pack("{s:I, s:f, s:o}", "lines", (json_int_t)s->order.rows,
					      "far_share", s->order.far, "rank_correlation",
					      isnan(s->order.likeness)
						      ? json_null()
						      : json_real(s->order.likeness)));
	if (p->sample_count > 0)
		json_object_set_new(root, "bytes_used_share",
				    isnan(s->used) ? json_null() : json_real(s->used));
	return json_print(root, out, err);
}
