/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two sampled profiles side by side as text, CSV and JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/condition.h"
#include "base/size.h"
#include "base/text.h"
#include "estimate/diff_samples.h"
#include "views/figures.h"
#include "views/fit.h"
#include "views/json.h"
#include "views/parts.h"
#include "views/table.h"
#include "views/views.h"

static const char *const by_names[] = {
	[HOT_FUNCTION] = "function",
	[HOT_FILE] = "file",
	[HOT_LINE] = "line",
};

static double misses_of(const struct hot_cost *c)
{
	return c->misses + c->unresolved;
}

/* Nothing is known about a side without samples. With samples, code without any hardly misses. */
static bool is_known(const struct profile *p)
{
	return p->sample_count > 0;
}

static char *misses_figure(const struct profile *p, const struct hot_cost *c,
			   char buf[FIGURE_BYTES])
{
	if (is_known(p))
		snprintf(buf, FIGURE_BYTES, "%.3f %%", misses_of(c) * 100);
	else
		snprintf(buf, FIGURE_BYTES, "-");
	return buf;
}

static char *change_figure(const struct diff_samples *d, const struct diff_hot_row *r,
			   char buf[FIGURE_BYTES])
{
	if (is_known(d->a) && is_known(d->b))
		snprintf(buf, FIGURE_BYTES, "%+.3f %%",
			 (misses_of(&r->b) - misses_of(&r->a)) * 100);
	else
		snprintf(buf, FIGURE_BYTES, "-");
	return buf;
}

/* ---- Text ---- */

static void add_side(const char *letter, const char *path, const struct profile *p,
		     const struct display *d, struct text *out)
{
	size_t from = out->count;

	text_addf(out, "%s: ", letter);
	fit_add(out, path, d);
	text_add(out, ": ");
	fit_add(out, p->process->command, d);
	text_add(out, "\n");
	fit_prose(out, from, 3, d);
}

static const char *verdict(const struct diff_cache *c)
{
	if (!c->a.known || !c->b.known)
		return "not known";
	return c->is_outside ? "yes" : "no";
}

static char *ratio_figure(const struct model_ratio *r, char buf[FIGURE_BYTES])
{
	if (!r->known)
		snprintf(buf, FIGURE_BYTES, "-");
	else
		figure_percent(r->ratio, buf);
	return buf;
}

static int add_caches(const struct diff_samples *d, const struct display *display, struct text *out,
		      struct err *err)
{
	static const struct table_column columns[] = {
		{"CACHE", false, false},   {"SIZE", true, false},
		{"A", true, false},	   {"95 % INTERVAL", true, false},
		{"B", true, false},	   {"95 % INTERVAL", true, false},
		{"CHANGE %", true, false}, {"OUTSIDE", false, false}};
	struct table *table = table_new(columns, sizeof(columns) / sizeof(columns[0]), display);
	int status;

	for (size_t i = 0; i < d->cache_count; i++) {
		const struct diff_cache *c = &d->caches[i];
		char figures[5][FIGURE_BYTES], size[SIZE_TEXT_BYTES];
		const char *cells[] = {c->name,
				       size_format(c->size_bytes, size),
				       ratio_figure(&c->a, figures[0]),
				       figure_interval(&c->a, figures[1]),
				       ratio_figure(&c->b, figures[2]),
				       figure_interval(&c->b, figures[3]),
				       c->a.known && c->b.known
					       ? diff_percent(c->a.ratio, c->b.ratio, figures[4])
					       : "-",
				       verdict(c)};

		table_row(table, cells);
	}
	status = table_print(table, out, err);
	table_free(table);
	return status;
}

enum {
	AT_A,
	AT_B,
	AT_CHANGE,
	AT_RATIO_A,
	AT_LIMITS_A,
	AT_RATIO_B,
	AT_LIMITS_B,
	AT_OUTSIDE,
	AT_CODE,
	CELLS
};

static void add_row(const struct diff_samples *d, const struct diff_hot_row *r, struct table *table)
{
	char figures[AT_OUTSIDE][FIGURE_BYTES];
	bool known = r->ratio_a.known && r->ratio_b.known;
	struct text place = {0};
	const char *cells[CELLS];

	misses_figure(d->a, &r->a, figures[AT_A]);
	misses_figure(d->b, &r->b, figures[AT_B]);
	change_figure(d, r, figures[AT_CHANGE]);
	ratio_figure(&r->ratio_a, figures[AT_RATIO_A]);
	ratio_figure(&r->ratio_b, figures[AT_RATIO_B]);
	figure_interval(&r->ratio_a, figures[AT_LIMITS_A]);
	figure_interval(&r->ratio_b, figures[AT_LIMITS_B]);
	for (size_t i = 0; i < AT_OUTSIDE; i++)
		cells[i] = figures[i];
	cells[AT_OUTSIDE] = !known ? "not known" : r->is_outside ? "yes" : "no";
	if (r->shown->function != NULL)
		text_add(&place, r->shown->function);
	if (d->by != HOT_FUNCTION && r->shown->file != NULL)
		text_addf(&place, "%s%s", place.count > 0 ? " " : "", r->shown->file);
	if (r->shown->line != 0)
		text_addf(&place, ":%" PRIu32, r->shown->line);
	cells[AT_CODE] = place.count > 0 ? text_get(&place) : "???";
	table_row(table, cells);
	text_release(&place);
}

/*
 * The number of rows that have changed, as far as is known. The rows are sorted by change;
 * otherwise all are shown.
 */
static size_t changed_rows(const struct diff_samples *d)
{
	size_t count = 0;

	if (!is_known(d->a) || !is_known(d->b) || d->query.sort != NULL)
		return d->count;
	while (count < d->count && misses_of(&d->rows[count].a) != misses_of(&d->rows[count].b))
		count++;
	return count;
}

/* The side whose limit the title mentions. */
static const struct profile *less_resolved(const struct diff_samples *d)
{
	return profile_resolved_size(d->b) < profile_resolved_size(d->a) ? d->b : d->a;
}

static int add_rows(const struct diff_samples *d, size_t top, const struct display *display,
		    struct text *out, struct err *err)
{
	static const struct table_column columns[CELLS] = {
		[AT_A] = {"A", true, false},
		[AT_B] = {"B", true, false},
		[AT_CHANGE] = {"CHANGE", true, false},
		[AT_RATIO_A] = {"RATIO A", true, false},
		[AT_LIMITS_A] = {"95 % INTERVAL", true, false},
		[AT_RATIO_B] = {"RATIO B", true, false},
		[AT_LIMITS_B] = {"95 % INTERVAL", true, false},
		[AT_OUTSIDE] = {"OUTSIDE", false, false},
		[AT_CODE] = {"CODE", false, true},
	};
	/* Code names a row; of the figures, the change and the ratios are the most important. */
	static const unsigned least_important[] = {AT_LIMITS_A, AT_LIMITS_B, AT_OUTSIDE};
	size_t changed = changed_rows(d), shown = changed < top ? changed : top, from = out->count;
	struct table *table;
	int status;

	if (changed == 0) {
		text_addf(out, "\nNo %s has changed its misses in a cache of ", by_names[d->by]);
		figure_cache(less_resolved(d), &d->query, out);
		text_add(out, ".\n");
		return 0;
	}
	text_addf(out, "\nBy %s, misses in a cache of ", by_names[d->by]);
	figure_cache(less_resolved(d), &d->query, out);
	text_add(out, " per access of the program, and of the code itself (ratio):\n\n");
	fit_prose(out, from, 0, display);
	table = table_new(columns, CELLS, display);
	table_may_leave_out(table, least_important, 3);
	for (size_t i = 0; i < shown; i++)
		add_row(d, &d->rows[i], table);
	status = table_print(table, out, err);
	table_free(table);
	if (changed > shown)
		figure_more(out, changed - shown, changed < d->count ? " that changed" : "");
	return status;
}

int diff_samples_text(const struct diff_samples *d, size_t top, const struct display *display,
		      struct text *out, struct err *err)
{
	add_side("A", d->path_a, d->a, display, out);
	add_side("B", d->path_b, d->b, display, out);
	text_add(out, "\nMisses per access\n\n");
	if (add_caches(d, display, out, err) != 0)
		return -1;
	if (d->count == 0) {
		text_add(out, query_filters(&d->query)
				      ? "\nNo row matches what --focus and --ignore say.\n"
				      : "\nNeither profile has samples.\n");
		return 0;
	}
	return add_rows(d, top, display, out, err);
}

/* ---- CSV ---- */

static void csv_number(struct text *out, double n, bool known)
{
	if (known && isfinite(n))
		text_addf(out, ",%.8g", n);
	else
		text_add(out, ",");
}

/* Tell whether two intervals do not overlap; empty if one is unknown. */
static void csv_outside(struct text *out, const struct model_ratio *a, const struct model_ratio *b,
			bool is_outside)
{
	text_add(out, !a->known || !b->known ? "," : is_outside ? ",1" : ",0");
}

static void csv_ratio(struct text *out, const struct model_ratio *r)
{
	csv_number(out, r->ratio, r->known);
	csv_number(out, r->low, r->known);
	csv_number(out, r->high, r->known);
}

void diff_samples_csv(const struct diff_samples *d, struct text *out)
{
	text_add(out,
		 "by,name,file,line,misses_a,misses_b,ratio_a,low_a,high_a,ratio_b,low_b,high_b,"
		 "outside,samples_a,samples_b\n");
	for (size_t i = 0; i < d->cache_count; i++) {
		const struct diff_cache *c = &d->caches[i];

		text_addf(out, "cache,%" PRIu64 ",,,,", c->size_bytes);
		csv_ratio(out, &c->a);
		csv_ratio(out, &c->b);
		csv_outside(out, &c->a, &c->b, c->is_outside);
		text_addf(out, ",%" PRIu64 ",%" PRIu64 "\n", d->a->process->samples,
			  d->b->process->samples);
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
		csv_number(out, misses_of(&r->a), is_known(d->a));
		csv_number(out, misses_of(&r->b), is_known(d->b));
		csv_ratio(out, &r->ratio_a);
		csv_ratio(out, &r->ratio_b);
		csv_outside(out, &r->ratio_a, &r->ratio_b, r->is_outside);
		text_addf(out, ",%" PRIu64 ",%" PRIu64 "\n", r->a.samples, r->b.samples);
	}
}

/* ---- JSON ---- */

static json_t *json_ratio(const struct model_ratio *r)
{
	json_t *o = json_object();

	json_put_ratio(o, r);
	return o;
}

/* Null if an interval is unknown. */
static json_t *json_outside(const struct model_ratio *a, const struct model_ratio *b,
			    bool is_outside)
{
	return a->known && b->known ? json_boolean(is_outside) : json_null();
}

static json_t *json_side(const struct profile *p, const struct hot_cost *c,
			 const struct model_ratio *r)
{
	json_t *o = json_ratio(r);

	json_object_set_new(o, "misses", is_known(p) ? json_real(misses_of(c)) : json_null());
	json_object_set_new(o, "samples", json_integer((json_int_t)c->samples));
	return o;
}

static json_t *json_cache(const struct diff_cache *c)
{
	return json_pack("{s:o, s:I, s:o, s:o, s:o}", "name", json_text(c->name), "size_bytes",
			 (json_int_t)c->size_bytes, "a", json_ratio(&c->a), "b", json_ratio(&c->b),
			 "outside", json_outside(&c->a, &c->b, c->is_outside));
}

static json_t *json_row(const struct diff_samples *d, const struct diff_hot_row *r)
{
	const struct hot_row *row = r->shown;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "function", json_text(row->function),
			 "file", json_text(row->file), "line",
			 row->line != 0 ? json_integer(row->line) : json_null(), "a",
			 json_side(d->a, &r->a, &r->ratio_a), "b",
			 json_side(d->b, &r->b, &r->ratio_b), "outside",
			 json_outside(&r->ratio_a, &r->ratio_b, r->is_outside));
}

int diff_samples_json(const struct diff_samples *d, const struct condition *conditions,
		      size_t count, struct text *out, struct err *err)
{
	json_t *caches = json_array(), *rows = json_array();

	for (size_t i = 0; i < d->cache_count; i++)
		json_array_append_new(caches, json_cache(&d->caches[i]));
	for (size_t i = 0; i < d->count; i++)
		json_array_append_new(rows, json_row(d, &d->rows[i]));
	return json_print(json_pack("{s:o, s:o, s:o, s:I, s:s, s:o, s:o}", "a",
				    json_text(d->path_a), "b", json_text(d->path_b), "caches",
				    caches, "size_bytes", (json_int_t)d->query.size_bytes, "by",
				    by_names[d->by], "rows", rows, "conditions",
				    diff_json_conditions(conditions, count)),
			  out, err);
}
