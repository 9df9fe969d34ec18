/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two sampled profiles side by side as text, CSV and JSON. */
#include <inttypes.h>
#include <math.h>

#include "answer/cost_columns.h"
#include "answer/figures.h"
#include "answer/json.h"
#include "base/condition.h"
#include "base/size.h"
#include "base/text.h"
#include "estimate/diff_samples.h"
#include "views/columns_table.h"
#include "views/event_figures.h"
#include "views/file_rows.h"
#include "views/fit.h"
#include "views/parts.h"
#include "views/table.h"
#include "views/views.h"

static const char *const by_names[] = {
	[HOT_FUNCTION] = "function",
	[HOT_FILE] = "file",
	[HOT_LINE] = "line",
	[HOT_DATA] = "data",
};

static double misses_of(const struct hot_cost *c)
{
	return c->misses + c->cold;
}

/* Nothing is known about a side without samples. With samples, code without any hardly misses. */
static bool is_known(const struct profile *p)
{
	return p->sample_count > 0;
}

/* ---- Columns ---- */

/* Unknown values are NAN. */
struct side {
	struct ratio_row limits;
	double ratio, low, high;
	double misses; /* per access of the program */
	uint64_t samples;
};

/* A cache, or a row of code. */
struct row {
	const char *kind, *name, *function, *file;
	uint32_t line;
	uint64_t size_bytes;
	struct side a, b;
	double change, growth;
	bool is_outside, are_known;
	const struct diff_samples *d;
};

static struct side side_of(const struct profile *p, const struct model_ratio *r,
			   const struct hot_cost *cost)
{
	bool has_misses = cost != NULL && p->sample_count > 0;

	return (struct side){.limits = {.ratio = r},
			     .ratio = r->known ? r->ratio : NAN,
			     .low = r->known ? r->low : NAN,
			     .high = r->known ? r->high : NAN,
			     .misses = has_misses ? misses_of(cost) : NAN,
			     .samples = cost != NULL ? cost->samples : p->process->samples};
}

static void compare_sides(struct row *r)
{
	r->change = r->b.misses - r->a.misses;
	r->growth = condition_relative(r->a.ratio, r->b.ratio);
	r->are_known = !isnan(r->a.ratio) && !isnan(r->b.ratio);
}

static struct row cache_of(const struct diff_samples *d, size_t i)
{
	const struct diff_cache *c = &d->caches[i];
	struct row row = {.kind = "cache",
			  .name = c->name,
			  .size_bytes = c->size_bytes,
			  .a = side_of(d->a, &c->a, NULL),
			  .b = side_of(d->b, &c->b, NULL),
			  .is_outside = c->is_outside,
			  .d = d};

	compare_sides(&row);
	return row;
}

static struct row row_of(const struct diff_samples *d, size_t i)
{
	const struct diff_hot_row *r = &d->rows[i];
	struct row row = {.kind = by_names[d->by],
			  .function = r->shown->function,
			  .file = r->shown->file,
			  .line = r->shown->line,
			  .a = side_of(d->a, &r->ratio_a, &r->a),
			  .b = side_of(d->b, &r->ratio_b, &r->b),
			  .is_outside = r->is_outside,
			  .d = d};

	compare_sides(&row);
	return row;
}

/* In CSV the size names a cache. */
static void get_name(const void *row, struct value *v)
{
	const struct row *r = row;

	v->text = r->function;
	if (r->size_bytes == 0)
		return;
	text_addf(v->made, "%" PRIu64, r->size_bytes);
	v->text = text_get(v->made);
}

/* Functions are named by themselves, the others with their file. */
static void get_code(const void *row, struct value *v)
{
	const struct row *r = row;

	if (r->function != NULL)
		text_add(v->made, r->function);
	if (r->d->by != HOT_FUNCTION && r->file != NULL)
		text_addf(v->made, "%s%s", v->made->count > 0 ? " " : "", r->file);
	if (r->line != 0)
		text_addf(v->made, ":%" PRIu32, r->line);
	v->text = v->made->count > 0 ? text_get(v->made) : NULL;
}

/* Whether the two intervals do not overlap. */
static void get_outside(const void *row, struct value *v)
{
	const struct row *r = row;

	v->truth = r->is_outside;
	v->is_missing = !r->are_known;
}

enum {
	KIND,
	NAME,
	FUNCTION,
	FILE_OF,
	LINE,
	CODE,
	DATA,
	CACHE,
	SIZE,
	MISSES_A,
	MISSES_B,
	CHANGE,
	CACHE_A,
	CACHE_B,
	RATIO_A,
	RATIO_B,
	LOW_A,
	LOW_B,
	HIGH_A,
	HIGH_B,
	INTERVAL_A,
	INTERVAL_B,
	GROWTH,
	OUTSIDE,
	SAMPLES_A,
	SAMPLES_B,
};

#define MEMBER(member)	COLUMN_MEMBER(struct row, member)
#define OR_DASH(member) MEMBER(member), .missing = "-"

static const struct column columns[] = {
	[KIND] = {NULL, "by", UNIT_TEXT, MEMBER(kind), .is_kind = true},
	[NAME] = {NULL, "name", UNIT_TEXT, get_name},
	[FUNCTION] = {NULL, "function", UNIT_TEXT, MEMBER(function)},
	[FILE_OF] = {NULL, "file", UNIT_TEXT, MEMBER(file)},
	[LINE] = {NULL, "line", UNIT_NUMBER, MEMBER(line), .zero_is_missing = true},
	[CODE] = {"CODE", NULL, UNIT_TEXT, get_code, .may_cut = true, .missing = "???"},
	[DATA] = {"DATA STRUCTURE", NULL, UNIT_TEXT, get_code, .may_cut = true},
	[CACHE] = {"CACHE", "name", UNIT_TEXT, MEMBER(name)},
	[SIZE] = {"SIZE", "size_bytes", UNIT_BYTES, MEMBER(size_bytes)},
	[MISSES_A] = {"A", "misses_a", UNIT_MISSES, OR_DASH(a.misses), .adds_up = true},
	[MISSES_B] = {"B", "misses_b", UNIT_MISSES, OR_DASH(b.misses), .adds_up = true},
	[CHANGE] = {"CHANGE", NULL, UNIT_POINTS, OR_DASH(change)},
	[CACHE_A] = {"A", NULL, UNIT_RATIO, OR_DASH(a.ratio)},
	[CACHE_B] = {"B", NULL, UNIT_RATIO, OR_DASH(b.ratio)},
	[RATIO_A] = {"RATIO A", "ratio_a", UNIT_RATIO, OR_DASH(a.ratio)},
	[RATIO_B] = {"RATIO B", "ratio_b", UNIT_RATIO, OR_DASH(b.ratio)},
	[LOW_A] = {NULL, "low_a", UNIT_RATIO, MEMBER(a.low)},
	[LOW_B] = {NULL, "low_b", UNIT_RATIO, MEMBER(b.low)},
	[HIGH_A] = {NULL, "high_a", UNIT_RATIO, MEMBER(a.high)},
	[HIGH_B] = {NULL, "high_b", UNIT_RATIO, MEMBER(b.high)},
	[INTERVAL_A] = {"95 % INTERVAL", NULL, UNIT_INTERVAL, MEMBER(a.limits.ratio)},
	[INTERVAL_B] = {"95 % INTERVAL", NULL, UNIT_INTERVAL, MEMBER(b.limits.ratio)},
	[GROWTH] = {"CHANGE %", NULL, UNIT_GROWTH, MEMBER(growth)},
	[OUTSIDE] = {"OUTSIDE", "outside", UNIT_TRUTH, get_outside, .missing = "not known"},
	[SAMPLES_A] = {NULL, "samples_a", UNIT_NUMBER, MEMBER(a.samples), .adds_up = true},
	[SAMPLES_B] = {NULL, "samples_b", UNIT_NUMBER, MEMBER(b.samples), .adds_up = true},
};

#define C(column) (&columns[column])

/* ---- Text ---- */

static int put_caches(const struct diff_samples *d, const struct display *display, struct text *out,
		      struct err *err)
{
	const struct column_list *list =
		COLUMN_LIST(C(CACHE), C(SIZE), C(CACHE_A), C(INTERVAL_A), C(CACHE_B), C(INTERVAL_B),
			    C(GROWTH), C(OUTSIDE));
	struct table *table = columns_table(list, display);
	int status;

	for (size_t i = 0; i < d->cache_count; i++) {
		const struct row row = cache_of(d, i);

		columns_table_row(list, table, &row);
	}
	status = table_print(table, out, err);
	table_free(table);
	return status;
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

static int put_rows(const struct diff_samples *d, size_t top, const struct display *display,
		    struct text *out, struct err *err)
{
	const struct column_list *list = COLUMN_LIST(
		C(MISSES_A), C(MISSES_B), C(CHANGE), C(RATIO_A), C(INTERVAL_A), C(RATIO_B),
		C(INTERVAL_B), C(OUTSIDE), d->by == HOT_DATA ? C(DATA) : C(CODE));
	/* Code names a row; of the figures, the change and the ratios are the most important. */
	static const unsigned least_important[] = {4, 6, 7}; /* intervals, OUTSIDE */
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
	text_addf(out, " per access of the program, and of the %s itself (ratio):\n\n",
		  d->by == HOT_DATA ? "data" : "code");
	fit_prose(out, from, 0, display);
	table = columns_table(list, display);
	table_may_leave_out(table, least_important, 3);
	for (size_t i = 0; i < shown; i++) {
		const struct row row = row_of(d, i);

		columns_table_row(list, table, &row);
	}
	status = table_print(table, out, err);
	table_free(table);
	if (changed > shown)
		figure_more(out, changed - shown, changed < d->count ? " that changed" : "");
	return status;
}

int diff_samples_text(const struct diff_samples *d, size_t top, const struct display *display,
		      struct text *out, struct err *err)
{
	diff_put_side("A", d->path_a, d->a->process->command, display, out);
	diff_put_side("B", d->path_b, d->b->process->command, display, out);
	text_add(out, "\nMisses per access\n\n");
	if (put_caches(d, display, out, err) != 0)
		return -1;
	if (d->count == 0) {
		text_add(out, query_filters(&d->query)
				      ? "\nNo row matches what --focus and --ignore say.\n"
				      : "\nNeither profile has samples.\n");
		return 0;
	}
	return put_rows(d, top, display, out, err);
}

/* ---- CSV and JSON ---- */

void diff_samples_csv(const struct diff_samples *d, struct text *out)
{
	const struct assumed assumed = assumed_by(&d->query);
	const struct column_list *list =
		COLUMN_LIST(C(KIND), C(NAME), C(FILE_OF), C(LINE), C(MISSES_A), C(MISSES_B),
			    C(RATIO_A), C(LOW_A), C(HIGH_A), C(RATIO_B), C(LOW_B), C(HIGH_B),
			    C(OUTSIDE), C(SAMPLES_A), C(SAMPLES_B), ASSUMED(assumed));

	struct file_rows f = {.list = list, .most = query_file_rows(&d->query), .csv = out};

	columns_csv_head(list, out);
	for (size_t i = 0; i < d->cache_count; i++) {
		const struct row row = cache_of(d, i);

		columns_csv_row(list, &row, out);
	}
	for (size_t i = 0; i < d->count; i++) {
		const struct row row = row_of(d, i);

		file_rows_put(&f, &row);
	}
	file_rows_end_csv(&f);
}

static void put_sides(const struct column_list *list, const struct row *row, json_t *o)
{
	json_object_set_new(o, "a", columns_json(list, &row->a));
	json_object_set_new(o, "b", columns_json(list, &row->b));
	columns_json_put(COLUMN_LIST(C(OUTSIDE)), row, o);
}

static json_t *json_cache(const struct diff_samples *d, size_t i)
{
	const struct row row = cache_of(d, i);
	json_t *o = columns_json(COLUMN_LIST(C(CACHE), C(SIZE)), &row);

	put_sides(COLUMN_LIST(RATIO_LIMITS), &row, o);
	return o;
}

static void put_json_rows(const struct diff_samples *d, json_t *root)
{
	static const struct column misses = {NULL, "misses", UNIT_SHARE,
					     COLUMN_MEMBER(struct side, misses)};
	static const struct column samples = {NULL, "samples", UNIT_NUMBER,
					      COLUMN_MEMBER(struct side, samples)};
	struct file_rows f = {.list = d->by == HOT_DATA
					      ? COLUMN_LIST(C(NAME))
					      : COLUMN_LIST(C(FUNCTION), C(FILE_OF), C(LINE)),
			      .most = query_file_rows(&d->query),
			      .array = json_array()};
	struct row left = {0};
	json_t *o;

	for (size_t i = 0; i < d->count; i++) {
		const struct row row = row_of(d, i);

		o = file_rows_put(&f, &row);
		if (o != NULL) {
			put_sides(COLUMN_LIST(RATIO_LIMITS, &misses, &samples), &row, o);
			continue;
		}
		left.a.misses += row.a.misses;
		left.b.misses += row.b.misses;
		left.a.samples += row.a.samples;
		left.b.samples += row.b.samples;
	}
	o = file_rows_end_json(&f, "rows", root);
	if (o != NULL) {
		json_object_set_new(o, "a", columns_json(COLUMN_LIST(&misses, &samples), &left.a));
		json_object_set_new(o, "b", columns_json(COLUMN_LIST(&misses, &samples), &left.b));
	}
}

int diff_samples_json(const struct diff_samples *d, const struct condition *conditions,
		      size_t count, struct text *out, struct err *err)
{
	json_t *caches = json_array(), *root;

	for (size_t i = 0; i < d->cache_count; i++)
		json_array_append_new(caches, json_cache(d, i));
	root = json_pack("{s:o, s:o, s:o, s:I, s:s, s:o}", "a", json_text(d->path_a), "b",
			 json_text(d->path_b), "caches", caches, "size_bytes",
			 (json_int_t)d->query.size_bytes, "by", by_names[d->by], "conditions",
			 diff_json_conditions(conditions, count));
	put_json_rows(d, root);
	assumed_json(&d->query, root);
	return json_print(root, out, err);
}
