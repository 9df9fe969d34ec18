/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summary as CSV and JSON. The text is summary_text.c. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "estimate/summary.h"
#include "views/figures.h"
#include "views/json.h"
#include "views/parts.h"
#include "views/views.h"

/* The counts of a process that CSV and JSON give under the names of the schema. */
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

static void csv_rows(const char *kind, const struct hot *h, struct text *out)
{
	for (size_t i = 0; i < h->count; i++) {
		const struct hot_row *r = &h->rows[i];

		text_addf(out, "%s,", kind);
		csv_field(out, r->function);
		text_add(out, ",");
		csv_field(out, r->file);
		text_add(out, ",");
		if (r->line > 0)
			text_addf(out, "%u", r->line);
		text_addf(out, ",%.8g,,,%.8g,%.8g,%.8g,%" PRIu64 "\n", hot_miss_ratio(&r->cost),
			  hot_share(r->cost.misses, &h->total),
			  hot_share(r->cost.unresolved, &h->total), r->cost.accesses,
			  r->cost.samples);
	}
}

static void csv_data(const struct data *d, struct text *out)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct data_row *r = &d->rows[i];

		text_add(out, "object,");
		csv_field(out, r->name);
		text_add(out, ",");
		csv_field(out, r->file);
		text_add(out, ",");
		if (r->line > 0)
			text_addf(out, "%u", r->line);
		text_addf(out, ",%.8g,%.8g,%.8g,%.8g,%.8g,%.8g,%" PRIu64 "\n",
			  hot_miss_ratio(&r->cost), r->ratio.low, r->ratio.high,
			  hot_share(r->cost.misses + r->cost.unresolved, &d->total),
			  hot_share(r->cost.unresolved, &d->total), r->cost.accesses,
			  r->cost.samples);
	}
}

void summary_csv(const struct summary *s, struct text *out)
{
	const struct profile *p = s->profile;
	struct profile_cache caches[PROFILE_CACHES];
	struct count counts[COUNTS];

	text_add(out, "kind,name,file,number,miss_ratio,low,high,miss_share,unresolved_share,"
		      "access_share,samples\n");
	text_add(out, "process,");
	csv_field(out, p->process->command);
	text_addf(out, ",,%" PRId64 ",,,,,,,%" PRIu64 "\n", p->process->id, p->process->samples);
	list_counts(p->process, counts);
	for (size_t i = 0; i < COUNTS; i++)
		text_addf(out, "count,%s,,%" PRIu64 ",,,,,,,\n", counts[i].name, counts[i].value);
	profile_caches(p, caches);
	for (size_t i = 0; i < PROFILE_CACHES; i++) {
		struct model_ratio r;

		if (caches[i].size_bytes == 0)
			continue;
		profile_solve(p, MODEL_RANDOM, caches[i].size_bytes, &r);
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
	json_t *rows = json_array();

	for (size_t i = 0; i < h->count; i++) {
		const struct hot_row *r = &h->rows[i];
		json_t *row = json_object();

		json_object_set_new(row, "function", json_text(r->function));
		json_object_set_new(row, "file", json_text(r->file));
		if (r->line > 0)
			json_object_set_new(row, "line", json_integer(r->line));
		json_put_cost(row, &r->cost, &h->total);
		json_array_append_new(rows, row);
	}
	return rows;
}

static json_t *json_caches(const struct profile *p)
{
	struct profile_cache caches[PROFILE_CACHES];
	json_t *rows = json_array();

	profile_caches(p, caches);
	for (size_t i = 0; i < PROFILE_CACHES; i++) {
		struct model_ratio r;
		json_t *row;

		if (caches[i].size_bytes == 0)
			continue;
		profile_solve(p, MODEL_RANDOM, caches[i].size_bytes, &r);
		row = json_pack("{s:s, s:I}", "name", caches[i].name, "size_bytes",
				(json_int_t)caches[i].size_bytes);
		json_put_ratio(row, &r);
		json_array_append_new(rows, row);
	}
	return rows;
}

/* Not known: null. */
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
		(json_int_t)res.groups, "caches", json_caches(p), "ranked_at_bytes",
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
