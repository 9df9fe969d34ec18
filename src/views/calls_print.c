/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Callers, callees and trees of calls as text, CSV and JSON. */
#include <math.h>
#include <stdlib.h>

#include "answer/event_list.h"
#include "answer/figures.h"
#include "answer/json.h"
#include "base/text.h"
#include "events/calls.h"
#include "views/columns_table.h"
#include "views/event_figures.h"
#include "views/file_rows.h"
#include "views/fit.h"
#include "views/table.h"
#include "views/views.h"

#define INDENT	    2
#define FIXED_WIDTH 32 /* approximate width of share, cost and calls */

static const char *name_of(const struct calls *c, size_t row)
{
	return c->functions.items[row].name;
}

static const char *sort_name(const struct calls *c)
{
	return c->p->columns[c->columns->sort].name;
}

/* ---- Columns ---- */

/* A function in a tree, or a call between two functions. */
struct row {
	struct event_cells events;
	const char *relation; /* to the function that the view is about */
	const char *caller;   /* NULL: nothing calls */
	const char *function, *file, *object, *object_name;
	const struct call_tree *tree; /* NULL: a call */
	size_t item;		      /* of the tree */
	unsigned depth;
	double share, cost, calls;
	double whole_calls; /* in texts */
	bool is_estimate;
};

static struct row row_of(const struct calls *c, size_t function, double cost, double calls)
{
	const struct event_row *r = &c->functions.items[function];

	return (struct row){
		.events.p = c->p,
		.function = r->name,
		.file = r->file,
		.object = r->object,
		.object_name = r->object != NULL ? path_basename(r->object) : NULL,
		.share = c->total > 0 ? cost / c->total : NAN,
		.cost = cost,
		.calls = calls,
		.whole_calls = (double)(uint64_t)(calls + 0.5),
	};
}

static struct row item_of(const struct call_tree *t, size_t item, const char *relation)
{
	const struct call_item *i = &t->items[item];
	struct row row = row_of(t->calls, i->row, i->cost, i->calls);

	row.events.inclusive = i->depth < 2 ? i->values : NULL;
	row.relation = relation;
	row.tree = t;
	row.item = item;
	row.depth = i->depth;
	row.is_estimate = i->is_estimate;
	return row;
}

static struct row pair_of(const struct calls *c, const struct call_pair *pair)
{
	struct row row = row_of(c, pair->to, pair->cost, (double)pair->calls);

	row.events.inclusive = pair->values;
	row.caller = pair->from != CALLS_NONE ? name_of(c, pair->from) : NULL;
	return row;
}

/* Estimates are rounded in the text output. */
static void get_cost(const void *row, struct value *v)
{
	const struct row *r = row;

	v->real = r->is_estimate ? (double)(int64_t)(r->cost + 0.5) : r->cost;
	v->is_estimate = r->is_estimate;
}

static void get_branch(const void *row, struct value *v)
{
	const struct row *r = row;

	text_addf(v->made, "%*s%s%s", (int)(r->depth * INDENT), "", r->function,
		  r->tree->items[r->item].is_recursive ? " (recursion)" : "");
	v->text = text_get(v->made);
}

/* Add the path of the tree, "main;work;read". */
static void add_path(const struct call_tree *t, size_t item, struct text *out)
{
	if (t->items[item].parent != CALLS_NONE) {
		add_path(t, t->items[item].parent, out);
		text_add(out, ";");
	}
	folded_name(out, name_of(t->calls, t->items[item].row));
}

static void get_path(const void *row, struct value *v)
{
	const struct row *r = row;

	add_path(r->tree, r->item, v->made);
	v->text = text_get(v->made);
}

static void get_path_list(const void *row, struct value *v)
{
	const struct row *r = row;
	const struct call_tree *t = r->tree;

	v->list = json_array();
	for (size_t at = r->item; at != CALLS_NONE; at = t->items[at].parent)
		json_array_insert_new(v->list, 0, json_text(name_of(t->calls, t->items[at].row)));
}

enum {
	SHARE,
	SHOWN_CALLS,
	RELATION,
	CALLER,
	FUNCTION,
	CALLEE,
	FILE_OF,
	OBJECT,
	OBJECT_NAME,
	CALLERS,
	CALLEES,
	PATH,
	PATH_LIST,
	DEPTH,
	CALLS,
	COST,
	ESTIMATE,
};

#define MEMBER(member) COLUMN_MEMBER(struct row, member)

static const struct column columns[] = {
	[SHARE] = {"INCL", NULL, UNIT_SHARE, MEMBER(share)},
	[SHOWN_CALLS] = {"CALLS", NULL, UNIT_EVENT, MEMBER(whole_calls)},
	[RELATION] = {"", "relation", UNIT_TEXT, MEMBER(relation)},
	[CALLER] = {"CALLER", "caller", UNIT_TEXT, MEMBER(caller), .may_cut = true,
		    .missing = "(nothing)"},
	[FUNCTION] = {"FUNCTION", "function", UNIT_TEXT, MEMBER(function), .may_cut = true},
	[CALLEE] = {NULL, "callee", UNIT_TEXT, MEMBER(function)},
	[FILE_OF] = {NULL, "file", UNIT_TEXT, MEMBER(file)},
	[OBJECT] = {NULL, "object", UNIT_TEXT, MEMBER(object)},
	[OBJECT_NAME] = {"OBJECT", NULL, UNIT_TEXT, MEMBER(object_name), .may_cut = true},
	[CALLERS] = {"FUNCTION, BELOW IT ITS CALLERS", NULL, UNIT_TEXT, get_branch,
		     .may_cut = true},
	[CALLEES] = {"FUNCTION, BELOW IT ITS CALLEES", NULL, UNIT_TEXT, get_branch,
		     .may_cut = true},
	[PATH] = {NULL, "path", UNIT_TEXT, get_path},
	[PATH_LIST] = {NULL, "path", UNIT_LIST, get_path_list},
	[DEPTH] = {NULL, "depth", UNIT_NUMBER, MEMBER(depth)},
	[CALLS] = {NULL, "calls", UNIT_EVENT, MEMBER(calls), .adds_up = true},
	[COST] = {NULL, "inclusive", UNIT_EVENT, MEMBER(cost)},
	[ESTIMATE] = {NULL, "is_estimate", UNIT_TRUTH, MEMBER(is_estimate)},
};

#define C(column) (&columns[column])

/* ---- Text: the columns of all tables in this file ---- */

/* The figures, `others` of the events that are not sorted by, and the names. */
static struct table *make_table(const struct calls *c, size_t others,
				const struct column_list *names, const struct display *d,
				struct event_list *l)
{
	event_list_init(l, COLUMN_LIST(C(SHARE)));
	event_list_make(
		l, (struct column){.title = sort_name(c), .unit = UNIT_EVENT, .get = get_cost});
	event_list_add_others(l, c->p, c->columns, others, EVENT_INCLUSIVE);
	event_list_add(l, COLUMN_LIST(C(SHOWN_CALLS)));
	event_list_add(l, names);
	return columns_table(&l->columns, d);
}

/* The object goes first where there is no room. */
static int print_table(const struct event_list *l, struct table *t, struct text *out,
		       struct err *err)
{
	const unsigned object = (unsigned)l->columns.count - 1;
	int status;

	table_may_leave_out(t, &object, 1);
	status = table_print(t, out, err);
	table_free(t);
	return status;
}

/* The first of all the calls that there are to show. */
static int print_calls(const struct event_list *l, struct table *t,
		       const struct calls_choice *choice, size_t all, struct text *out,
		       struct err *err)
{
	int status = print_table(l, t, out, err);

	if (all == 0 && choice->query != NULL && query_filters(choice->query))
		text_add(out, "No call matches what --focus and --ignore say.\n");
	if (all > choice->top)
		figure_more(out, all - choice->top, "");
	return status;
}

static size_t others_that_fit(const struct calls *c, const struct display *d)
{
	return event_columns_that_fit(c->p, c->columns, d, FIXED_WIDTH);
}

/* ---- Text: one function, with callers above and callees below ---- */

static void put_item(const struct call_tree *t, const struct event_list *l, struct table *table,
		     size_t item, const char *relation)
{
	const struct row row = item_of(t, item, relation);

	columns_table_row(&l->columns, table, &row);
}

static int put_both(const struct calls *c, const struct calls_choice *choice, size_t row,
		    const struct display *d, struct text *out, struct err *err)
{
	size_t others = others_that_fit(c, d), i;
	struct call_tree up, down;
	struct table *table;
	struct event_list l;
	int status;

	if (call_tree_init(&up, c, row, true, 1, choice->threshold, err) != 0)
		return -1;
	if (call_tree_init(&down, c, row, false, 1, choice->threshold, err) != 0) {
		call_tree_release(&up);
		return -1;
	}
	table = make_table(c, others, COLUMN_LIST(C(RELATION), C(FUNCTION), C(OBJECT_NAME)), d, &l);
	call_tree_choose(&up, choice->query);
	call_tree_choose(&down, choice->query);
	for (i = up.count; i-- > 1;)
		if (!up.items[i].is_hidden)
			put_item(&up, &l, table, i, "from");
	put_item(&up, &l, table, 0, "*");
	for (i = 1; i < down.count; i++)
		if (!down.items[i].is_hidden)
			put_item(&down, &l, table, i, "to");
	status = print_table(&l, table, out, err);
	call_tree_release(&up);
	call_tree_release(&down);
	event_more_columns(c->p, c->columns, others, d, out);
	return status;
}

/* ---- Text: trees ---- */

static int print_trees(const struct calls *c, const struct calls_choice *choice,
		       const struct display *d, struct text *out, struct err *err)
{
	bool is_up = choice->direction == CALLS_UP, has_estimates = false;
	struct event_list l;
	struct table *table = make_table(
		c, 0, COLUMN_LIST(is_up ? C(CALLERS) : C(CALLEES), C(OBJECT_NAME)), d, &l);
	size_t all = 0, i, k;
	int status = 0;

	for (i = 0; i < choice->count && status == 0; i++) {
		struct call_tree t;

		status = call_tree_init(&t, c, choice->rows[i], is_up, choice->depth,
					choice->threshold, err);
		if (status != 0)
			break;
		call_tree_choose(&t, choice->query);
		for (k = 0; k < t.count; k++) {
			if (t.items[k].is_hidden || all++ >= choice->top)
				continue;
			has_estimates |= t.items[k].is_estimate;
			put_item(&t, &l, table, k, NULL);
		}
		call_tree_release(&t);
	}
	if (status == 0)
		status = print_calls(&l, table, choice, all, out, err);
	else
		table_free(table);
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
	size_t others = others_that_fit(c, d), count, all = 0, i;
	struct call_pair *pairs;
	struct table *table;
	struct event_list l;
	int status;

	if (calls_pairs(c, &pairs, &count, err) != 0)
		return -1;
	count = call_pairs_choose(c, pairs, count, choice->query);
	table = make_table(c, others, COLUMN_LIST(C(CALLER), C(FUNCTION), C(OBJECT_NAME)), d, &l);
	for (i = 0; i < count; i++) {
		const struct row row = pair_of(c, &pairs[i]);

		if (row.cost < choice->threshold * c->total)
			continue;
		if (all++ < choice->top)
			columns_table_row(&l.columns, table, &row);
	}
	free(pairs);
	status = print_calls(&l, table, choice, all, out, err);
	event_more_columns(c->p, c->columns, others, d, out);
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
			call_tree_choose(&t, choice->query);
			for (k = is_both && !is_up; k < t.count; k++)
				if (!t.items[k].is_hidden || (is_both && k == 0))
					take(context, &t, k,
					     k == 0  ? "function"
					     : is_up ? "caller"
						     : "callee");
			call_tree_release(&t);
		}
	}
	return 0;
}

/* With the events of the call, which in CSV are columns. */
static void put_row(const struct calls *c, struct file_rows *f, const struct row *row)
{
	json_t *o = file_rows_put(f, row);

	if (o != NULL && row->events.inclusive != NULL)
		json_object_set_new(o, "events",
				    event_list_json(c->p, c->columns, row->events.inclusive));
}

static void put_file_item(void *f, const struct call_tree *t, size_t item, const char *relation)
{
	const struct row row = item_of(t, item, relation);

	put_row(t->calls, f, &row);
}

static int put_pairs(const struct calls *c, const struct query *q, struct file_rows *f,
		     struct err *err)
{
	struct call_pair *pairs;
	size_t count;

	if (calls_pairs(c, &pairs, &count, err) != 0)
		return -1;
	count = call_pairs_choose(c, pairs, count, q);
	for (size_t i = 0; i < count; i++) {
		const struct row row = pair_of(c, &pairs[i]);

		put_row(c, f, &row);
	}
	free(pairs);
	return 0;
}

static int put_all(const struct calls *c, const struct calls_choice *choice, struct file_rows *f,
		   struct err *err)
{
	f->most = query_file_rows(choice->query);
	return choice->count == 0 ? put_pairs(c, choice->query, f, err)
				  : each_item(c, choice, put_file_item, f, err);
}

int calls_csv(const struct calls *c, const struct calls_choice *choice, struct text *out,
	      struct err *err)
{
	struct column cost = columns[COST];
	struct file_rows f = {.list = COLUMN_LIST(C(RELATION), C(DEPTH), C(PATH), C(FUNCTION),
						  C(FILE_OF), C(OBJECT), C(CALLS), &cost,
						  C(ESTIMATE)),
			      .csv = out};
	struct event_list l;
	int status;

	cost.prefix = "inclusive_";
	cost.key = sort_name(c);
	if (choice->count == 0) {
		event_list_init(&l, COLUMN_LIST(C(CALLER), C(CALLEE), C(CALLS)));
		event_list_add_events(&l, c->p, c->columns, EVENT_INCLUSIVE, "inclusive_");
		f.list = &l.columns;
	}
	columns_csv_head(f.list, out);
	status = put_all(c, choice, &f, err);
	file_rows_end_csv(&f);
	return status;
}

int calls_json(const struct calls *c, const struct calls_choice *choice, struct text *out,
	       struct err *err)
{
	struct file_rows f = {
		.list = choice->count == 0 ? COLUMN_LIST(C(CALLER), C(CALLEE), C(CALLS))
					   : COLUMN_LIST(C(RELATION), C(PATH_LIST), C(FILE_OF),
							 C(OBJECT), C(CALLS), C(COST), C(ESTIMATE)),
		.array = json_array()};
	json_t *root = json_pack("{s:s, s:o}", "sort", sort_name(c), "totals",
				 event_list_json(c->p, c->columns, c->p->totals));
	const int status = put_all(c, choice, &f, err);

	file_rows_end_json(&f, "calls", root);
	if (status == 0)
		return json_print(root, out, err);
	json_decref(root);
	return -1;
}
