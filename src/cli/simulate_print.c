/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exact curves and exact misses by code or data, as text, CSV and JSON. */
#include "cli/simulate_print.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/size.h"
#include "base/text.h"
#include "views/figures.h"
#include "views/fit.h"
#include "views/json.h"
#include "views/table.h"

#define MAX_COLUMNS (1 + EXACT_MAX_LINES * SIM_POLICIES)
#define CELL_BYTES  256

static const char *const policy_names[] = {[SIM_RANDOM] = "random", [SIM_LRU] = "lru"};
static const char *const policy_titles[] = {[SIM_RANDOM] = "RANDOM", [SIM_LRU] = "LRU"};

static double ratio(uint64_t part, uint64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

/* The columns of a curve: a policy and a size of line each. */
struct column {
	enum sim_policy policy;
	unsigned line; /* index */
};

static size_t list_columns(const struct exact_options *o, struct column *columns)
{
	size_t n = 0;

	for (unsigned line = 0; line < o->line_count; line++)
		for (unsigned i = SIM_POLICIES; i-- > 0;)
			if (o->policies[i])
				columns[n++] = (struct column){(enum sim_policy)i, line};
	return n;
}

static void put_title(const struct exact *e, const struct exact_process *p, const struct display *d,
		      struct text *out)
{
	char accesses[FIGURE_BYTES];

	fit_add(out, p->command, d);
	text_add(out, "\n");
	text_addf(out, "process %" PRIu32, p->order);
	if (e->process_count > 1)
		text_addf(out, " of %" PRIu64 " in the run", e->process_count);
	text_addf(out, ", %s accesses; ", figure_count(p->accesses, accesses));
}

static int put_curve_table(const struct exact *e, const struct exact_process *p,
			   const struct display *d, struct text *out, struct err *err)
{
	const struct exact_options *o = e->options;
	struct column columns[MAX_COLUMNS];
	struct table_column heads[MAX_COLUMNS + 1] = {{"SIZE", true, false}};
	char titles[MAX_COLUMNS][32], cells[MAX_COLUMNS][FIGURE_BYTES], size[SIZE_TEXT_BYTES];
	size_t count = list_columns(o, columns);
	struct table *t;
	int status;

	for (size_t i = 0; i < count; i++) {
		snprintf(titles[i], sizeof(titles[i]), "%s %u", policy_titles[columns[i].policy],
			 o->line_bytes[columns[i].line]);
		heads[i + 1] = (struct table_column){titles[i], true, false};
	}
	t = table_new(heads, count + 1, d);
	for (unsigned k = 0; k < o->size_count; k++) {
		const char *row[MAX_COLUMNS + 1] = {size_format(o->size_bytes[k], size)};

		for (size_t i = 0; i < count; i++) {
			const struct sim_curve *c = &p->curves[columns[i].line];

			row[i + 1] = figure_percent(
				ratio(c->misses[columns[i].policy].accesses[k], c->accesses),
				cells[i]);
		}
		table_row(t, row);
	}
	status = table_print(t, out, err);
	table_free(t);
	return status;
}

static int put_curve_text(const struct exact *e, const struct exact_process *p,
			  const struct display *d, struct text *out, struct err *err)
{
	char size[SIZE_TEXT_BYTES];
	size_t columns = e->options->line_count, from = out->count;

	text_add(out, "Exact miss ratios by cache size: ");
	put_title(e, p, d, out);
	text_add(out, "fully associative caches, by policy and bytes of a line; lines touched:");
	for (size_t i = 0; i < columns; i++) {
		const struct sim_curve *c = &p->curves[i];
		uint64_t lines = c->policies[SIM_LRU] ? c->lru.lines : c->random.line_count;

		text_addf(out, "%s %s", i > 0 ? "," : "",
			  size_format(lines > 0 ? lines << c->line_shift : 1, size));
	}
	text_add(out, "\n\n");
	fit_prose(out, from, 0, d);
	return put_curve_table(e, p, d, out, err);
}

static void put_curve_csv(const struct exact *e, const struct exact_process *p, struct text *out)
{
	const struct exact_options *o = e->options;
	struct column columns[MAX_COLUMNS];
	size_t count = list_columns(o, columns);

	text_add(out, "policy,line_bytes,size_bytes,miss_ratio,misses,accesses,line_miss_ratio\n");
	for (size_t i = 0; i < count; i++) {
		const struct sim_curve *c = &p->curves[columns[i].line];
		const struct sim_misses *m = &c->misses[columns[i].policy];

		for (unsigned k = 0; k < o->size_count; k++)
			text_addf(out,
				  "%s,%" PRIu32 ",%" PRIu64 ",%.9f,%" PRIu64 ",%" PRIu64 ",%.9f\n",
				  policy_names[columns[i].policy], o->line_bytes[columns[i].line],
				  o->size_bytes[k], ratio(m->accesses[k], c->accesses),
				  m->accesses[k], c->accesses, ratio(m->touches[k], c->touches));
	}
}

static json_t *curve_object(const struct exact_options *o, const struct exact_process *p,
			    const struct column *column)
{
	const struct sim_curve *c = &p->curves[column->line];
	const struct sim_misses *m = &c->misses[column->policy];
	json_t *points = json_array();

	for (unsigned k = 0; k < o->size_count; k++)
		json_array_append_new(points,
				      json_pack("{s:I, s:f, s:I, s:f}", "size_bytes",
						(json_int_t)o->size_bytes[k], "miss_ratio",
						ratio(m->accesses[k], c->accesses), "misses",
						(json_int_t)m->accesses[k], "line_miss_ratio",
						ratio(m->touches[k], c->touches)));
	return json_pack("{s:s, s:i, s:I, s:I, s:o}", "policy", policy_names[column->policy],
			 "line_bytes", (int)o->line_bytes[column->line], "first_touches",
			 (json_int_t)c->first_accesses, "line_touches", (json_int_t)c->touches,
			 "points", points);
}

static json_t *root_object(const struct exact *e, const struct exact_process *p)
{
	return json_pack("{s:I, s:o, s:I, s:I}", "process", (json_int_t)p->order, "command",
			 json_text(p->command), "processes", (json_int_t)e->process_count,
			 "accesses", (json_int_t)p->accesses);
}

static int put_curve_json(const struct exact *e, const struct exact_process *p, struct text *out,
			  struct err *err)
{
	struct column columns[MAX_COLUMNS];
	size_t count = list_columns(e->options, columns);
	json_t *root = root_object(e, p), *curves = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(curves, curve_object(e->options, p, &columns[i]));
	json_object_set_new(root, "curves", curves);
	return json_print(root, out, err);
}

int simulate_print_curves(const struct exact *e, const struct exact_process *p,
			  enum view_format format, const struct display *d, struct text *out,
			  struct err *err)
{
	if (format == VIEW_TEXT)
		return put_curve_text(e, p, d, out, err);
	if (format == VIEW_JSON)
		return put_curve_json(e, p, out, err);
	put_curve_csv(e, p, out);
	return 0;
}

/* ---- Rows ---- */

static void format_place(const struct exact_row *r, char *buf)
{
	if (r->function == NULL)
		snprintf(buf, CELL_BYTES, "0x%" PRIx64, r->address);
	else if (r->line > 0 && r->file != NULL && !r->is_object)
		snprintf(buf, CELL_BYTES, "%s:%u  %s", path_basename(r->file), r->line,
			 r->function);
	else
		snprintf(buf, CELL_BYTES, "%s", r->function);
}

/* The policy that the table is about: the one that the rows are sorted by. */
static enum sim_policy main_policy(const struct exact_options *o)
{
	return o->policies[SIM_LRU] ? SIM_LRU : SIM_RANDOM;
}

/* With both policies the misses of random replacement have a column of their own. */
static int put_rows_table(const struct exact *e, const struct exact_row *rows, size_t count,
			  uint64_t total, const struct display *d, struct text *out,
			  struct err *err)
{
	static const struct table_column heads[] = {
		{"MISSES", true, false},     {"SHARE", true, false},	{"FIRST", true, false},
		{"MISS RATIO", true, false}, {"ACCESSES", true, false}, {"RANDOM", true, false},
		{"PLACE", false, true},
	};
	enum sim_policy policy = main_policy(e->options);
	bool both = e->options->policies[SIM_LRU] && e->options->policies[SIM_RANDOM];
	struct table_column shown[] = {
		heads[0], heads[1], heads[2], heads[3], heads[4], heads[both ? 5 : 6], heads[6]};
	struct table *t = table_new(shown, both ? 7 : 6, d);
	int status;

	for (size_t i = 0; i < count; i++) {
		const struct sim_key *k = &rows[i].sums;
		char cells[6][FIGURE_BYTES], place[CELL_BYTES];

		format_place(&rows[i], place);
		table_row(t,
			  (const char *const[]){
				  figure_count(k->misses[policy], cells[0]),
				  figure_share(ratio(k->misses[policy], total), cells[1]),
				  figure_count(k->first, cells[2]),
				  figure_percent(ratio(k->misses[policy], k->accesses), cells[3]),
				  figure_count(k->accesses, cells[4]),
				  both ? figure_count(k->misses[SIM_RANDOM], cells[5]) : place,
				  place});
	}
	status = table_print(t, out, err);
	table_free(t);
	return status;
}

static int put_rows_text(const struct exact *e, const struct exact_process *p,
			 const struct exact_row *rows, size_t count, uint64_t top,
			 const struct display *d, struct text *out, struct err *err)
{
	enum sim_policy policy = main_policy(e->options);
	size_t shown = top > 0 && top < count ? top : count;
	const struct sim_curve *c = &p->curves[0];
	uint64_t total = c->misses[policy].accesses[e->options->at];
	char size[SIZE_TEXT_BYTES], misses[FIGURE_BYTES], percent[FIGURE_BYTES];
	size_t from = out->count;

	text_add(out, "Exact misses: ");
	put_title(e, p, d, out);
	text_addf(out, "%s replacement, fully associative, %s of %u-byte lines\n",
		  policy == SIM_LRU ? "LRU" : "random",
		  size_format(e->options->size_bytes[e->options->at], size),
		  e->options->line_bytes[0]);
	text_addf(out,
		  "%s misses, %s of the accesses; FIRST: of accesses that touched a line for "
		  "the first time\n\n",
		  figure_count(total, misses), figure_percent(ratio(total, c->accesses), percent));
	fit_prose(out, from, 0, d);
	if (put_rows_table(e, rows, shown, total, d, out, err) != 0)
		return -1;
	if (shown < count)
		text_addf(out, "and %s more: --top 0 shows all\n",
			  figure_things(count - shown, "row", misses));
	return 0;
}

static void put_rows_csv(const struct exact *e, const struct exact_row *rows, size_t count,
			 enum exact_rows_by by, struct text *out)
{
	text_add(out, by == EXACT_DATA	    ? "address"
		      : by == EXACT_OBJECTS ? "file,line,name"
					    : "file,line,function");
	text_add(out, ",accesses,first_touches");
	for (unsigned i = SIM_POLICIES; i-- > 0;)
		if (e->options->policies[i])
			text_addf(out, ",%s_misses", policy_names[i]);
	text_add(out, "\n");
	for (size_t i = 0; i < count; i++) {
		const struct exact_row *r = &rows[i];

		if (by == EXACT_DATA) {
			text_addf(out, "0x%" PRIx64, r->address);
		} else {
			csv_field(out, r->file);
			text_addf(out, ",%u,", r->line);
			csv_field(out, r->function);
		}
		text_addf(out, ",%" PRIu64 ",%" PRIu64, r->sums.accesses, r->sums.first);
		for (unsigned k = SIM_POLICIES; k-- > 0;)
			if (e->options->policies[k])
				text_addf(out, ",%" PRIu64, r->sums.misses[k]);
		text_add(out, "\n");
	}
}

static json_t *row_object(const struct exact_options *o, const struct exact_row *r)
{
	json_t *object = json_object();

	if (r->function == NULL) {
		json_object_set_new(object, "address", json_integer((json_int_t)r->address));
	} else {
		json_object_set_new(object, r->is_object ? "name" : "function",
				    json_text(r->function));
		json_object_set_new(object, "file", json_text(r->file));
		json_object_set_new(object, "line", json_integer(r->line));
	}
	json_object_set_new(object, "accesses", json_integer((json_int_t)r->sums.accesses));
	json_object_set_new(object, "first_touches", json_integer((json_int_t)r->sums.first));
	if (o->policies[SIM_LRU])
		json_object_set_new(object, "lru_misses",
				    json_integer((json_int_t)r->sums.misses[SIM_LRU]));
	if (o->policies[SIM_RANDOM])
		json_object_set_new(object, "random_misses",
				    json_integer((json_int_t)r->sums.misses[SIM_RANDOM]));
	return object;
}

static int put_rows_json(const struct exact *e, const struct exact_process *p,
			 const struct exact_row *rows, size_t count, struct text *out,
			 struct err *err)
{
	json_t *root = root_object(e, p), *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, row_object(e->options, &rows[i]));
	json_object_set_new(root, "line_bytes", json_integer(e->options->line_bytes[0]));
	json_object_set_new(root, "size_bytes",
			    json_integer((json_int_t)e->options->size_bytes[e->options->at]));
	json_object_set_new(root, "rows", list);
	return json_print(root, out, err);
}

int simulate_print_rows(struct exact *e, const struct exact_process *p, enum exact_rows_by by,
			uint64_t top, enum view_format format, const struct display *d,
			struct text *out, struct err *err)
{
	struct exact_row *rows;
	size_t count;
	int status = 0;

	if (exact_rows(e, p, by, &rows, &count, err) != 0)
		return -1;
	if (format == VIEW_TEXT)
		status = put_rows_text(e, p, rows, count, top, d, out, err);
	else if (format == VIEW_JSON)
		status = put_rows_json(e, p, rows, count, out, err);
	else
		put_rows_csv(e, rows, count, by, out);
	free(rows);
	return status;
}
