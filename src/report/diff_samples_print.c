/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two sampled profiles side by side as text, CSV and JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/size.h"
#include "report/diff_samples.h"
#include "report/json.h"

static const char *const by_names[] = {
	[HOT_FUNCTION] = "function",
	[HOT_FILE] = "file",
	[HOT_LINE] = "line",
};

static double misses_of(const struct hot_cost *c)
{
	return c->misses + c->unresolved;
}

/* ---- Text ---- */

static void add_side(const char *letter, const char *path, const struct profile *p,
		     struct text *out)
{
	text_addf(out, "%s: %s: ", letter, path);
	text_add_printable(out, p->process->command, strlen(p->process->command));
	text_add(out, "\n");
}

static const char *verdict(const struct diff_cache *c)
{
	if (!c->a.known || !c->b.known)
		return "not known";
	return c->is_outside ? "yes" : "no";
}

static int add_caches(const struct diff_samples *d, const struct display *display, struct text *out,
		      struct err *err)
{
	static const struct table_column columns[] = {
		{"CACHE", false, false},   {"SIZE", true, false},
		{"A", true, false},	   {"95 % INTERVAL", true, false},
		{"B", true, false},	   {"95 % INTERVAL", true, false},
		{"CHANGE %", true, false}, {"OUTSIDE OF THEM", false, false}};
	struct table *table = table_new(columns, sizeof(columns) / sizeof(columns[0]), display);
	int status;

	for (size_t i = 0; i < d->cache_count; i++) {
		const struct diff_cache *c = &d->caches[i];
		char figures[5][FIGURE_BYTES], size[SIZE_TEXT_BYTES];
		const char *cells[] = {c->name,
				       size_format(c->size_bytes, size),
				       figure_percent(c->a.ratio, figures[0]),
				       figure_interval(&c->a, figures[1]),
				       figure_percent(c->b.ratio, figures[2]),
				       figure_interval(&c->b, figures[3]),
				       diff_percent(c->a.ratio, c->b.ratio, figures[4]),
				       verdict(c)};

		table_row(table, cells);
	}
	status = table_print(table, out, err);
	table_free(table);
	return status;
}

static void add_row(const struct diff_samples *d, const struct diff_hot_row *r, struct table *table)
{
	char a[FIGURE_BYTES], b[FIGURE_BYTES], change[FIGURE_BYTES], in_a[FIGURE_BYTES],
		in_b[FIGURE_BYTES];
	struct text place = {0};
	const char *cells[] = {
		a,   b, change, figure_count(r->a.samples, in_a), figure_count(r->b.samples, in_b),
		NULL};

	snprintf(a, sizeof(a), "%.3f %%", misses_of(&r->a) * 100);
	snprintf(b, sizeof(b), "%.3f %%", misses_of(&r->b) * 100);
	snprintf(change, sizeof(change), "%+.3f %%", (misses_of(&r->b) - misses_of(&r->a)) * 100);
	if (r->shown->function != NULL)
		text_add(&place, r->shown->function);
	if (d->by != HOT_FUNCTION && r->shown->file != NULL)
		text_addf(&place, "%s%s", place.count > 0 ? " " : "", r->shown->file);
	if (r->shown->line != 0)
		text_addf(&place, ":%" PRIu32, r->shown->line);
	cells[5] = place.count > 0 ? text_get(&place) : "???";
	table_row(table, cells);
	text_release(&place);
}

int diff_samples_text(const struct diff_samples *d, size_t top, const struct display *display,
		      struct text *out, struct err *err)
{
	static const struct table_column columns[] = {
		{"A", true, false},	    {"B", true, false},		{"CHANGE", true, false},
		{"SAMPLES A", true, false}, {"SAMPLES B", true, false}, {"CODE", false, true}};
	size_t shown = d->count < top ? d->count : top;
	struct table *table;
	char size[SIZE_TEXT_BYTES];
	int status;

	add_side("A", d->path_a, d->a, out);
	add_side("B", d->path_b, d->b, out);
	text_add(out, "\nMisses per access\n\n");
	if (add_caches(d, display, out, err) != 0)
		return -1;
	text_addf(out, "\nBy %s, misses in a cache of %s per access of the program:\n\n",
		  by_names[d->by], size_format(d->size_bytes, size));
	table = table_new(columns, sizeof(columns) / sizeof(columns[0]), display);
	for (size_t i = 0; i < shown; i++)
		add_row(d, &d->rows[i], table);
	status = table_print(table, out, err);
	table_free(table);
	if (d->count > shown)
		text_addf(out, "... and %zu more\n", d->count - shown);
	return status;
}

/* ---- CSV ---- */

static void csv_number(struct text *out, double n, bool known)
{
	if (known && isfinite(n))
		text_addf(out, ",%.8g", n);
	else
		text_add(out, ",");
}

void diff_samples_csv(const struct diff_samples *d, struct text *out)
{
	text_add(out,
		 "by,name,file,line,a,a_low,a_high,b,b_low,b_high,outside,a_samples,b_samples\n");
	for (size_t i = 0; i < d->cache_count; i++) {
		const struct diff_cache *c = &d->caches[i];

		text_addf(out, "cache,%" PRIu64 ",,", c->size_bytes);
		csv_number(out, c->a.ratio, c->a.known);
		csv_number(out, c->a.low, c->a.known);
		csv_number(out, c->a.high, c->a.known);
		csv_number(out, c->b.ratio, c->b.known);
		csv_number(out, c->b.low, c->b.known);
		csv_number(out, c->b.high, c->b.known);
		text_addf(out, ",%d,%" PRIu64 ",%" PRIu64 "\n", c->is_outside,
			  d->a->process->samples, d->b->process->samples);
	}
	for (size_t i = 0; i < d->count; i++) {
		const struct diff_hot_row *r = &d->rows[i];

		text_addf(out, "%s,", by_names[d->by]);
		csv_field(out, r->shown->function);
		text_add(out, ",");
		csv_field(out, r->shown->file);
		text_add(out, ",");
		if (r->shown->line != 0)
			text_addf(out, "%" PRIu32, r->shown->line);
		csv_number(out, misses_of(&r->a), true);
		text_add(out, ",,");
		csv_number(out, misses_of(&r->b), true);
		text_addf(out, ",,,,%" PRIu64 ",%" PRIu64 "\n", r->a.samples, r->b.samples);
	}
}

/* ---- JSON ---- */

static json_t *json_ratio(const struct model_ratio *r)
{
	json_t *o = json_object();

	json_put_ratio(o, r);
	return o;
}

static json_t *json_cache(const struct diff_cache *c)
{
	return json_pack("{s:o, s:I, s:o, s:o, s:b}", "name", json_text(c->name), "size_bytes",
			 (json_int_t)c->size_bytes, "a", json_ratio(&c->a), "b", json_ratio(&c->b),
			 "outside", c->is_outside);
}

static json_t *json_row(const struct diff_hot_row *r)
{
	const struct hot_row *row = r->shown;

	return json_pack("{s:o, s:o, s:o, s:f, s:f, s:I, s:I}", "function",
			 json_text(row->function), "file", json_text(row->file), "line",
			 row->line != 0 ? json_integer(row->line) : json_null(), "a",
			 misses_of(&r->a), "b", misses_of(&r->b), "a_samples",
			 (json_int_t)r->a.samples, "b_samples", (json_int_t)r->b.samples);
}

int diff_samples_json(const struct diff_samples *d, const struct diff_condition *conditions,
		      size_t count, struct text *out, struct err *err)
{
	json_t *caches = json_array(), *rows = json_array();

	for (size_t i = 0; i < d->cache_count; i++)
		json_array_append_new(caches, json_cache(&d->caches[i]));
	for (size_t i = 0; i < d->count; i++)
		json_array_append_new(rows, json_row(&d->rows[i]));
	return json_print(json_pack("{s:o, s:o, s:o, s:I, s:s, s:o, s:o}", "a",
				    json_text(d->path_a), "b", json_text(d->path_b), "caches",
				    caches, "size_bytes", (json_int_t)d->size_bytes, "by",
				    by_names[d->by], "rows", rows, "conditions",
				    diff_json_conditions(conditions, count)),
			  out, err);
}
