/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flat rows as CSV and JSON: one for each line of a function of a process. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "answer/json.h"
#include "base/map.h"
#include "base/search.h"
#include "estimate/counted/code_data.h"
#include "export/formats.h"
#include "export/functions.h"
#include "store/whose.h"
#include "views/counted/counted.h"
#include "views/event_figures.h"

struct cost_row {
	int64_t process;
	size_t function;
	struct store_frame place;
	uint64_t *values;
};

struct cost_rows {
	struct export_functions functions;
	struct cost_row *items;
	size_t count;
	uint64_t *memory;
};

static int compare(const void *a, const void *b)
{
	const struct cost_row *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->place.file != y->place.file)
		return strcmp(x->place.file == NULL ? "" : x->place.file,
			      y->place.file == NULL ? "" : y->place.file);
	return (x->place.line > y->place.line) - (x->place.line < y->place.line);
}

static void rows_release(struct cost_rows *r)
{
	export_functions_release(&r->functions);
	free(r->items);
	free(r->memory);
	*r = (struct cost_rows){0};
}

static void merge(struct cost_rows *r, size_t columns)
{
	size_t kept = 0;

	if (r->count > 0)
		qsort(r->items, r->count, sizeof(*r->items), compare);
	for (size_t i = 0; i < r->count; i++) {
		struct cost_row *to = kept > 0 ? &r->items[kept - 1] : NULL;

		if (to == NULL || compare(to, &r->items[i]) != 0) {
			r->items[kept++] = r->items[i];
			continue;
		}
		for (size_t k = 0; k < columns; k++)
			to->values[k] += r->items[i].values[k];
	}
	r->count = kept;
}

/* The row of the cost i, without its values. */
static struct cost_row key_of(const struct cost_rows *r, const struct export_data *d, size_t i)
{
	const struct store_cost *c = &d->costs[i];
	struct cost_row row = {.process = d->nodes[c->node_id].process_id,
			       .function = r->functions.of_node[c->node_id],
			       .place = export_place(export_location(d, c->location_id))};

	if (row.place.file == NULL)
		row.place =
			(struct store_frame){.file = r->functions.items[row.function].name->file};
	return row;
}

static int rows_init(struct cost_rows *r, const struct export_data *d, struct err *err)
{
	*r = (struct cost_rows){0};
	if (export_functions_init(&r->functions, d, false, err) != 0)
		return -1;
	r->items = calloc(d->cost_count + 1, sizeof(*r->items));
	r->memory = calloc(d->cost_count * d->columns + 1, sizeof(*r->memory));
	if (r->items == NULL || r->memory == NULL) {
		rows_release(r);
		return err_set(err, "not enough memory for %zu rows", d->cost_count);
	}
	for (size_t i = 0; i < d->cost_count; i++) {
		struct cost_row *row = &r->items[r->count++];

		*row = key_of(r, d, i);
		row->values = r->memory + i * d->columns;
		memcpy(row->values, d->costs[i].values, d->columns * sizeof(*row->values));
	}
	merge(r, d->columns);
	return 0;
}

int export_csv(struct export_job *j, struct err *err)
{
	const struct export_columns *c = &j->columns;
	struct text *out = &j->out;
	struct cost_rows rows;

	if (rows_init(&rows, &j->data, err) != 0)
		return -1;
	text_add(out, "function,file,line,object,process");
	for (size_t i = 0; i < c->count; i++) {
		text_add(out, ",");
		csv_field(out, c->items[i].name);
	}
	text_add(out, "\n");
	for (size_t i = 0; i < rows.count; i++) {
		const struct cost_row *r = &rows.items[i];
		const struct store_node *n = rows.functions.items[r->function].name;

		csv_field(out, n->function);
		text_add(out, ",");
		csv_field(out, r->place.file);
		text_addf(out, ",%" PRIu32 ",", r->place.line);
		csv_field(out, n->object);
		text_addf(out, ",%" PRId64, r->process);
		for (size_t k = 0; k < c->count; k++) {
			text_add(out, ",");
			event_csv(out, export_value(&c->items[k], r->values));
		}
		text_add(out, "\n");
	}
	rows_release(&rows);
	return out->failed ? err_set(err, "not enough memory for the rows") : 0;
}

static json_t *json_row(const struct cost_rows *rows, const struct export_columns *c,
			const struct cost_row *r)
{
	const struct store_node *n = rows->functions.items[r->function].name;
	json_t *o = json_object(), *values = json_object();

	json_object_set_new(o, "function", json_text(n->function));
	json_object_set_new(o, "file", json_text(r->place.file));
	json_object_set_new(o, "line",
			    r->place.line != 0 ? json_integer(r->place.line) : json_null());
	json_object_set_new(o, "object", json_text(n->object));
	json_object_set_new(o, "process", json_integer((json_int_t)r->process));
	for (size_t k = 0; k < c->count; k++)
		json_object_set_new(values, c->items[k].name,
				    event_json(export_value(&c->items[k], r->values)));
	json_object_set_new(o, "values", values);
	return o;
}

/* ---- The data that rows miss on ---- */

/* Of each location with costs: the number of its row. */
static int map_rows(const struct cost_rows *rows, const struct export_data *d, struct map *row_of,
		    struct err *err)
{
	for (size_t i = 0; i < d->cost_count; i++) {
		const struct store_location *l = export_location(d, d->costs[i].location_id);
		const struct cost_row key = key_of(rows, d, i);
		const size_t row = SEARCH_MATCH(k, rows->count, compare(&rows->items[k], &key));

		if (l != NULL && row < rows->count && map_set(row_of, (uint64_t)l->id, row) != 0)
			return err_set(err, "not enough memory for %zu rows", rows->count);
	}
	return 0;
}

static size_t find_row(const void *row_of, int64_t location)
{
	uint64_t row;

	return map_get(row_of, (uint64_t)location, &row) ? (size_t)row : SIZE_MAX;
}

/* Add the data structures of one process to its rows in the list. */
static int add_data_of(const struct cost_rows *rows, const struct export_data *d, int64_t process,
		       const struct map *row_of, json_t *list, struct err *err)
{
	struct code_data data;
	struct profile p;
	struct query all;
	int status;

	if (profile_open_parts(&p, d->path, process,
			       PROFILE_BINS | PROFILE_RANGES | PROFILE_SAMPLES, err) != 0)
		return -1;
	query_init(&all);
	status = code_data_init(&data, &p, &all, find_row, row_of, err);
	for (size_t i = 0; status == 0 && i < rows->count; i++)
		if (rows->items[i].process == process)
			json_object_set_new(json_array_get(list, i), "data",
					    code_data_json(&data, i));
	if (status == 0)
		code_data_release(&data);
	query_release(&all);
	profile_close(&p);
	return status;
}

static int add_data(const struct cost_rows *rows, const struct export_data *d, json_t *list,
		    struct err *err)
{
	struct map row_of = {0};
	int status = map_rows(rows, d, &row_of, err);

	for (size_t i = 0; status == 0 && i < d->process_count; i++)
		status = add_data_of(rows, d, d->processes[i].id, &row_of, list, err);
	map_release(&row_of);
	return status;
}

/* ---- JSON ---- */

static json_t *json_event(const struct export_data *d, const struct export_column *c)
{
	json_t *o = json_object();

	json_object_set_new(o, "name", json_text(c->name));
	json_object_set_new(o, "description", json_text(c->title));
	json_object_set_new(
		o, "estimated",
		json_boolean(d->is_sampled || event_use_is_estimate(c->profile, c->index)));
	return o;
}

int export_json(struct export_job *j, struct err *err)
{
	const struct export_data *d = &j->data;
	const struct export_columns *c = &j->columns;
	json_t *events = json_array(), *list = json_array();
	struct cost_rows rows;
	int status = 0;

	if (rows_init(&rows, d, err) != 0) {
		json_decref(events);
		json_decref(list);
		return -1;
	}
	for (size_t k = 0; k < c->count; k++)
		json_array_append_new(events, json_event(d, &c->items[k]));
	for (size_t i = 0; i < rows.count; i++)
		json_array_append_new(list, json_row(&rows, c, &rows.items[i]));
	if (!d->is_sampled && store_has_bins(d->p.store))
		status = add_data(&rows, d, list, err);
	rows_release(&rows);
	if (status != 0) {
		json_decref(events);
		json_decref(list);
		return -1;
	}
	return json_print(json_pack("{s:o, s:o, s:o}", "command", json_text(d->command), "events",
				    events, "rows", list),
			  &j->out, err);
}
