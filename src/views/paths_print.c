/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call paths as text, CSV, JSON and folded stacks. */
#include <inttypes.h>
#include <math.h>

#include "answer/cost_columns.h"
#include "answer/figures.h"
#include "answer/json.h"
#include "base/size.h"
#include "base/text.h"
#include "estimate/paths.h"
#include "estimate/summary.h"
#include "views/columns_table.h"
#include "views/file_rows.h"
#include "views/fit.h"
#include "views/table.h"
#include "views/views.h"

#define LEAST_SHARE 0.01 /* part of all misses; callers below it are not shown in text */
#define PER_BILLION 1e9

static double misses_of(const struct hot_cost *c)
{
	return c->misses + c->cold;
}

/* ---- Text ---- */

static void put_heading(const struct paths *t, const struct display *d, struct text *out)
{
	char figure[FIGURE_BYTES];
	size_t from = out->count;

	text_add(out, t->name != NULL ? "Call paths to " : "Call paths");
	fit_add(out, t->name, d);
	text_add(out, " by misses in a cache of ");
	figure_cache(t->profile, t->query, out);
	text_add(out, ": ");
	fit_add(out, t->profile->process->command, d);
	text_addf(out,
		  "\nmiss ratio %s of all accesses; the callers of %s of the samples are "
		  "known%s\n\n",
		  figure_percent(misses_of(&t->total), figure),
		  figure_percent(t->with_path, (char[FIGURE_BYTES]){0}),
		  t->with_path > 0 ? "" : ": record with --paths for them");
	fit_prose(out, from, 0, d);
}

/* The query selects functions that miss, not their callers. */
static bool is_shown(const struct paths *t, const struct paths_node *n)
{
	while (n->parent != PATHS_NONE)
		n = &t->items[n->parent];
	return query_shows(t->query, &n->function, 1);
}

#define TEXT_COLUMNS \
	COLUMN_LIST(COST(ALL_MISSES), COST(RATIO), COST(ACCESSES), COST(SAMPLES), COST(CALLERS))

static void put_row(const struct paths *t, struct table *table, const struct paths_node *n,
		    unsigned depth)
{
	const struct cost_row row = {
		.function = n->function, .depth = depth, .cost = &n->all, .whole = &t->total};

	columns_table_row(TEXT_COLUMNS, table, &row);
}

/* A function, its callers, theirs, ...; as deep as paths and inlining. */
static void put_tree(const struct paths *t, struct table *table, size_t node)
{
	unsigned depth = 0;
	size_t at = node;

	while (at != PATHS_NONE) {
		const struct paths_node *n = &t->items[at];
		size_t next = n->first_caller;

		if (depth == 0 || hot_share(misses_of(&n->all), &t->total) >= LEAST_SHARE)
			put_row(t, table, n, depth);
		else
			next = PATHS_NONE;
		if (next != PATHS_NONE) {
			at = next;
			depth++;
			continue;
		}
		while (at != node && t->items[at].next == PATHS_NONE) {
			at = t->items[at].parent;
			depth--;
		}
		at = at == node ? PATHS_NONE : t->items[at].next;
	}
}

int paths_text(const struct paths *t, size_t top, const struct display *d, struct text *out,
	       struct err *err)
{
	size_t shown = 0, more = 0;
	struct table *table;
	int ret;

	if (t->first == PATHS_NONE) {
		text_add(out, "The profile has no samples.\n");
		return 0;
	}
	put_heading(t, d, out);
	table = columns_table(TEXT_COLUMNS, d);
	for (size_t i = t->first; i != PATHS_NONE; i = t->items[i].next) {
		if (!is_shown(t, &t->items[i]))
			continue;
		if (shown < top)
			put_tree(t, table, i);
		else
			more++;
		shown++;
	}
	ret = table_print(table, out, err);
	table_free(table);
	figure_more(out, more, more == 1 ? " function" : " functions");
	return ret;
}

/* ---- Whole paths ---- */

static bool ends_here(const struct paths *t, const struct paths_node *n)
{
	return (n->own.samples > 0 || n->own.accesses > 0) && is_shown(t, n);
}

/* Add "main;work;read". */
static void add_folded(const struct paths *t, const struct paths_node *n, struct text *out)
{
	for (;;) {
		folded_name(out, n->function);
		if (n->parent == PATHS_NONE)
			return;
		text_add(out, ";");
		n = &t->items[n->parent];
	}
}

void paths_csv(const struct paths *t, struct text *out)
{
	const struct assumed assumed = assumed_by(t->query);
	const struct column_list *columns = COLUMN_LIST(COST(PATH), COST_SHARES, ASSUMED(assumed));

	struct file_rows f = {.list = columns, .most = query_file_rows(t->query), .csv = out};

	columns_csv_head(columns, out);
	for (size_t i = 0; i < t->count; i++) {
		struct cost_row row = {.cost = &t->items[i].own, .whole = &t->total};
		struct text path = {0};

		if (!ends_here(t, &t->items[i]))
			continue;
		add_folded(t, &t->items[i], &path);
		row.name = text_get(&path);
		file_rows_put(&f, &row);
		text_release(&path);
	}
	file_rows_end_csv(&f);
}

void paths_folded(const struct paths *t, struct text *out)
{
	for (size_t i = 0; i < t->count; i++) {
		double misses = round(misses_of(&t->items[i].own) * PER_BILLION);

		if (!ends_here(t, &t->items[i]) || misses < 1)
			continue;
		add_folded(t, &t->items[i], out);
		text_addf(out, " %.0f\n", misses);
	}
}

static void put_json_path(const struct paths *t, const struct paths_node *n, struct file_rows *f)
{
	const struct cost_row row = {.cost = &n->own, .whole = &t->total};
	json_t *o = file_rows_put(f, &row), *functions = o != NULL ? json_array() : NULL;

	for (const struct paths_node *at = n; o != NULL; at = &t->items[at->parent]) {
		json_array_insert_new(functions, 0, json_text(at->function));
		if (at->parent == PATHS_NONE)
			break;
	}
	if (o != NULL)
		json_object_set_new(o, "functions", functions);
}

int paths_json(const struct paths *t, struct text *out, struct err *err)
{
	struct file_rows f = {.list = COLUMN_LIST(COST_SHARES),
			      .most = query_file_rows(t->query),
			      .array = json_array()};
	json_t *root = json_pack("{s:I, s:f, s:f}", "size_bytes", (json_int_t)t->query->size_bytes,
				 "miss_ratio", misses_of(&t->total), "known_share", t->with_path);

	for (size_t i = 0; i < t->count; i++)
		if (ends_here(t, &t->items[i]))
			put_json_path(t, &t->items[i], &f);
	file_rows_end_json(&f, "paths", root);
	assumed_json(t->query, root);
	return json_print(root, out, err);
}
