/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Callers, callees and trees of calls as text, CSV and JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "events/calls.h"
#include "views/event_figures.h"
#include "views/figures.h"
#include "views/fit.h"
#include "views/json.h"
#include "views/table.h"
#include "views/views.h"

#define INDENT	    2
#define MOST_CELLS  (EVENT_COLUMNS + 8)
#define FIXED_WIDTH 32 /* approximate width of share, cost and calls */

static const char *name_of(const struct calls *c, size_t row)
{
	return row == CALLS_NONE ? "(nothing)" : c->functions.items[row].name;
}

static const char *object_of(const struct calls *c, size_t row)
{
	const char *object = row == CALLS_NONE ? NULL : c->functions.items[row].object;

	return object != NULL ? path_basename(object) : "";
}

static const char *sort_name(const struct calls *c)
{
	return c->p->columns[c->columns->sort].name;
}

/* ---- Text: the columns of all tables in this file ---- */

struct layout {
	struct table_column columns[MOST_CELLS];
	size_t count, others;
	unsigned object; /* the last column, which is left out first */
};

static void lay_out(const struct calls *c, const struct display *d, bool has_others,
		    const char *const *names, struct layout *l)
{
	const struct event_columns *columns = c->columns;
	size_t i;

	l->count = 0;
	l->others = has_others ? event_columns_that_fit(c->p, columns, d, FIXED_WIDTH) : 0;
	l->columns[l->count++] = (struct table_column){"INCL", true, false};
	l->columns[l->count++] = (struct table_column){sort_name(c), true, false};
	for (i = 0; i < l->others; i++) {
		if (columns->items[i] != columns->sort)
			l->columns[l->count++] = (struct table_column){
				c->p->columns[columns->items[i]].name, true, false};
	}
	l->columns[l->count++] = (struct table_column){"CALLS", true, false};
	for (; *names != NULL; names++)
		l->columns[l->count++] = (struct table_column){*names, false, **names != '\0'};
	l->object = (unsigned)l->count - 1;
}

/* `names`: cells after the figures. values: NULL if only the cost is known. */
static void put_row(const struct calls *c, const struct layout *l, struct table *table, double cost,
		    const uint64_t *values, double calls, bool is_estimate,
		    const char *const *names)
{
	char figures[MOST_CELLS][FIGURE_BYTES];
	const char *cells[MOST_CELLS];
	size_t n = 0, i;

	event_share(cost, c->total, figures[n++]);
	event_figure_of(is_estimate ? (double)(int64_t)(cost + 0.5) : cost, is_estimate,
			figures[n++]);
	for (i = 0; i < l->others; i++) {
		if (c->columns->items[i] == c->columns->sort)
			continue;
		figures[n][0] = '\0';
		if (values != NULL)
			event_figure(events_value(c->p, c->columns->items[i], values), figures[n]);
		n++;
	}
	event_figure((double)(uint64_t)(calls + 0.5), figures[n++]);
	for (i = 0; i < n; i++)
		cells[i] = figures[i];
	while (n < l->count)
		cells[n++] = *names++;
	table_row(table, cells);
}

/* ---- Text: one function, with callers above and callees below ---- */

static void put_item(const struct call_tree *t, const struct layout *l, struct table *table,
		     const struct call_item *item, const char *relation)
{
	const char *names[] = {relation, name_of(t->calls, item->row),
			       object_of(t->calls, item->row)};

	put_row(t->calls, l, table, item->cost, item->values, item->calls, item->is_estimate,
		names);
}

static int put_both(const struct calls *c, const struct calls_choice *choice, size_t row,
		    const struct display *d, struct text *out, struct err *err)
{
	static const char *const names[] = {"", "FUNCTION", "OBJECT", NULL};
	struct call_tree up, down;
	struct table *table;
	struct layout l;
	size_t i;
	int status;

	if (call_tree_init(&up, c, row, true, 1, choice->threshold, err) != 0)
		return -1;
	if (call_tree_init(&down, c, row, false, 1, choice->threshold, err) != 0) {
		call_tree_release(&up);
		return -1;
	}
	lay_out(c, d, true, names, &l);
	table = table_new(l.columns, l.count, d);
	table_may_leave_out(table, &l.object, 1);
	for (i = up.count; i-- > 1;)
		put_item(&up, &l, table, &up.items[i], "from");
	put_item(&up, &l, table, &up.items[0], "*");
	for (i = 1; i < down.count; i++)
		put_item(&down, &l, table, &down.items[i], "to");
	status = table_print(table, out, err);
	table_free(table);
	call_tree_release(&up);
	call_tree_release(&down);
	event_more_columns(c->p, c->columns, l.others, d, out);
	return status;
}

/* ---- Text: trees ---- */

static void put_tree(const struct call_tree *t, const struct layout *l, struct table *table,
		     size_t *room)
{
	size_t i;

	for (i = 0; i<t->count && * room> 0; i++, (*room)--) {
		const struct call_item *item = &t->items[i];
		struct text name = {0};
		const char *names[2];

		text_addf(&name, "%*s%s%s", (int)(item->depth * INDENT), "",
			  name_of(t->calls, item->row), item->is_recursive ? " (recursion)" : "");
		names[0] = text_get(&name);
		names[1] = object_of(t->calls, item->row);
		put_row(t->calls, l, table, item->cost, NULL, item->calls, item->is_estimate,
			names);
		text_release(&name);
	}
}

static int print_trees(const struct calls *c, const struct calls_choice *choice,
		       const struct display *d, struct text *out, struct err *err)
{
	bool is_up = choice->direction == CALLS_UP, has_estimates = false;
	const char *const names[] = {is_up ? "FUNCTION, BELOW IT ITS CALLERS"
					   : "FUNCTION, BELOW IT ITS CALLEES",
				     "OBJECT", NULL};
	size_t room = choice->top, all = 0, i, k;
	struct table *table;
	struct layout l;
	int status = 0;

	lay_out(c, d, false, names, &l);
	table = table_new(l.columns, l.count, d);
	table_may_leave_out(table, &l.object, 1);
	for (i = 0; i < choice->count && status == 0; i++) {
		struct call_tree t;

		status = call_tree_init(&t, c, choice->rows[i], is_up, choice->depth,
					choice->threshold, err);
		if (status != 0)
			break;
		for (k = 0; k < t.count && k < room; k++)
			has_estimates |= t.items[k].is_estimate;
		all += t.count;
		put_tree(&t, &l, table, &room);
		call_tree_release(&t);
	}
	if (status == 0)
		status = table_print(table, out, err);
	table_free(table);
	if (all > choice->top)
		figure_more(out, all - choice->top, "");
	if (has_estimates) {
		size_t from = out->count;

		text_add(out, "~ estimated: the function's cost in proportion to what its callers' "
			      "calls cost\n");
		fit_prose(out, from, 2, d);
	}
	return status;
}

/* ---- Text: the most costly calls ---- */

static int print_pairs(const struct calls *c, const struct calls_choice *choice,
		       const struct display *d, struct text *out, struct err *err)
{
	static const char *const names[] = {"CALLER", "FUNCTION", "OBJECT", NULL};
	struct call_pair *pairs;
	struct table *table;
	struct layout l;
	size_t count, shown = 0, all = 0, i;
	int status;

	if (calls_pairs(c, &pairs, &count, err) != 0)
		return -1;
	lay_out(c, d, true, names, &l);
	table = table_new(l.columns, l.count, d);
	table_may_leave_out(table, &l.object, 1);
	for (i = 0; i < count; i++) {
		const struct call_pair *pair = &pairs[i];
		const char *cells[] = {name_of(c, pair->from), name_of(c, pair->to),
				       object_of(c, pair->to)};

		if (pair->cost < choice->threshold * c->total)
			continue;
		if (shown < choice->top) {
			put_row(c, &l, table, pair->cost, pair->values, (double)pair->calls, false,
				cells);
			shown++;
		}
		all++;
	}
	free(pairs);
	status = table_print(table, out, err);
	table_free(table);
	if (all > shown)
		figure_more(out, all - shown, "");
	event_more_columns(c->p, c->columns, l.others, d, out);
	return status;
}

int calls_text(const struct calls *c, const struct calls_choice *choice, const struct display *d,
	       struct text *out, struct err *err)
{
	size_t i;

	event_heading(c->p, c->columns, "Calls", d, out);
	if (c->p->arc_count == 0) {
		text_add(out, "The profile has no calls: it was made without a call graph.\n");
		return 0;
	}
	if (choice->direction != CALLS_BOTH)
		return print_trees(c, choice, d, out, err);
	if (choice->count == 0)
		return print_pairs(c, choice, d, out, err);
	for (i = 0; i < choice->count; i++) {
		if (i > 0)
			text_add(out, "\n");
		if (put_both(c, choice, choice->rows[i], d, out, err) != 0)
			return -1;
	}
	return 0;
}

/* ---- CSV and JSON: the same for pairs, callers and callees, and trees ---- */

typedef void item_function(void *context, const struct call_tree *t, size_t item,
			   const char *relation);

/* Visit all items of the view that are below a function, each with its relation to it. */
static int each_item(const struct calls *c, const struct calls_choice *choice, item_function *take,
		     void *context, struct err *err)
{
	bool is_both = choice->direction == CALLS_BOTH;
	size_t i, k;
	int is_up;

	for (i = 0; i < choice->count; i++) {
		for (is_up = 1; is_up >= 0; is_up--) {
			struct call_tree t;

			if (!is_both && is_up != (choice->direction == CALLS_UP))
				continue;
			if (call_tree_init(&t, c, choice->rows[i], is_up,
					   is_both ? 1 : choice->depth, choice->threshold,
					   err) != 0)
				return -1;
			/* With both directions, the function itself comes only once. */
			for (k = is_both && !is_up; k < t.count; k++)
				take(context, &t, k,
				     k == 0  ? "function"
				     : is_up ? "caller"
					     : "callee");
			call_tree_release(&t);
		}
	}
	return 0;
}

/* Add the path of the tree, "main;work;read". */
static void add_path(const struct call_tree *t, size_t item, struct text *out)
{
	if (t->items[item].parent != CALLS_NONE) {
		add_path(t, t->items[item].parent, out);
		text_add(out, ";");
	}
	for (const char *at = name_of(t->calls, t->items[item].row); *at != '\0'; at++)
		text_addf(out, "%c", *at == ';' ? ':' : *at);
}

static void csv_item(void *context, const struct call_tree *t, size_t item, const char *relation)
{
	const struct call_item *i = &t->items[item];
	const struct event_row *row = &t->calls->functions.items[i->row];
	struct text *out = context, path = {0};

	text_addf(out, "%s,%u,", relation, i->depth);
	add_path(t, item, &path);
	csv_field(out, text_get(&path));
	text_add(out, ",");
	csv_field(out, row->name);
	text_add(out, ",");
	csv_field(out, row->file);
	text_add(out, ",");
	csv_field(out, row->object);
	text_addf(out, ",%.8g,", i->calls);
	event_csv(out, i->cost);
	text_addf(out, ",%d\n", i->is_estimate);
	text_release(&path);
}

static int pairs_csv(const struct calls *c, struct text *out, struct err *err)
{
	struct call_pair *pairs;
	size_t count, i, k;

	if (calls_pairs(c, &pairs, &count, err) != 0)
		return -1;
	text_add(out, "caller,callee,calls");
	for (k = 0; k < c->columns->count; k++)
		text_addf(out, ",inclusive_%s", c->p->columns[c->columns->items[k]].name);
	text_add(out, "\n");
	for (i = 0; i < count; i++) {
		csv_field(out, pairs[i].from == CALLS_NONE ? "" : name_of(c, pairs[i].from));
		text_add(out, ",");
		csv_field(out, name_of(c, pairs[i].to));
		text_addf(out, ",%" PRIu64, pairs[i].calls);
		for (k = 0; k < c->columns->count; k++) {
			text_add(out, ",");
			event_csv(out, events_value(c->p, c->columns->items[k], pairs[i].values));
		}
		text_add(out, "\n");
	}
	free(pairs);
	return 0;
}

int calls_csv(const struct calls *c, const struct calls_choice *choice, struct text *out,
	      struct err *err)
{
	if (choice->count == 0)
		return pairs_csv(c, out, err);
	text_addf(out, "relation,depth,path,function,file,object,calls,inclusive_%s,is_estimate\n",
		  sort_name(c));
	return each_item(c, choice, csv_item, out, err);
}

static json_t *json_values(const struct calls *c, const uint64_t *values)
{
	json_t *o = json_object();
	size_t k;

	for (k = 0; k < c->columns->count; k++) {
		size_t column = c->columns->items[k];

		json_object_set_new(o, c->p->columns[column].name,
				    event_json(events_value(c->p, column, values)));
	}
	return o;
}

static void json_item(void *context, const struct call_tree *t, size_t item, const char *relation)
{
	const struct call_item *i = &t->items[item];
	const struct event_row *row = &t->calls->functions.items[i->row];
	json_t *o = json_object(), *path = json_array();
	size_t at;

	for (at = item; at != CALLS_NONE; at = t->items[at].parent)
		json_array_insert_new(path, 0, json_text(name_of(t->calls, t->items[at].row)));
	json_object_set_new(o, "relation", json_string(relation));
	json_object_set_new(o, "path", path);
	json_object_set_new(o, "file", json_text(row->file));
	json_object_set_new(o, "object", json_text(row->object));
	json_object_set_new(o, "calls", event_json(i->calls));
	json_object_set_new(o, "inclusive", event_json(i->cost));
	json_object_set_new(o, "is_estimate", json_boolean(i->is_estimate));
	if (i->depth < 2)
		json_object_set_new(o, "events", json_values(t->calls, i->values));
	json_array_append_new(context, o);
}

static int pairs_json(const struct calls *c, json_t *list, struct err *err)
{
	struct call_pair *pairs;
	size_t count, i;

	if (calls_pairs(c, &pairs, &count, err) != 0)
		return -1;
	for (i = 0; i < count; i++) {
		json_t *o = json_object();

		json_object_set_new(o, "caller",
				    pairs[i].from == CALLS_NONE
					    ? json_null()
					    : json_text(name_of(c, pairs[i].from)));
		json_object_set_new(o, "callee", json_text(name_of(c, pairs[i].to)));
		json_object_set_new(o, "calls", json_integer((json_int_t)pairs[i].calls));
		json_object_set_new(o, "events", json_values(c, pairs[i].values));
		json_array_append_new(list, o);
	}
	free(pairs);
	return 0;
}

int calls_json(const struct calls *c, const struct calls_choice *choice, struct text *out,
	       struct err *err)
{
	json_t *list = json_array();
	int status = choice->count == 0 ? pairs_json(c, list, err)
					: each_item(c, choice, json_item, list, err);

	if (status != 0) {
		json_decref(list);
		return -1;
	}
	return json_print(json_pack("{s:s, s:o, s:o}", "sort", sort_name(c), "totals",
				    json_values(c, c->p->totals), "calls", list),
			  out, err);
}
