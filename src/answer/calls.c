/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Callers, callees and trees of calls; see calls.h. */
#include "answer/calls.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/event_list.h"
#include "answer/event_title.h"
#include "answer/json.h"
#include "base/arena.h"
#include "base/array.h"

#define INDENT 2

/* A function in a tree, or a call between two functions. */
struct row {
	struct event_cells events;
	const char *relation; /* to the function that the view is about */
	const char *caller;   /* NULL: nothing calls */
	const char *function, *file, *object, *object_name;
	const struct list *list; /* its own */
	size_t parent;		 /* there; CALLS_NONE: a root, or a call */
	uint64_t tree;		 /* its number */
	unsigned depth;
	double share, cost, calls;
	double whole_calls; /* in texts */
	bool is_estimate, is_recursive;
};

struct list {
	struct row *items;
	size_t count, room;
};

struct held {
	const struct calls *calls;
	const struct calls_choice *choice;
	struct list text, files;
	struct event_made made;
	struct arena values; /* of events */
	uint64_t trees;
};

/* ---- Columns ---- */

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
		  r->is_recursive ? " (recursion)" : "");
	v->text = text_get(v->made);
}

static const struct row *parent_of(const struct row *r)
{
	return r->parent != CALLS_NONE ? &r->list->items[r->parent] : NULL;
}

/* Add the path of the tree, "main;work;read". */
static void add_path(const struct row *r, struct text *out)
{
	if (parent_of(r) != NULL) {
		add_path(parent_of(r), out);
		text_add(out, ";");
	}
	folded_name(out, r->function);
}

static void get_path(const void *row, struct value *v)
{
	add_path(row, v->made);
	v->text = text_get(v->made);
}

static void get_path_list(const void *row, struct value *v)
{
	v->list = json_array();
	for (const struct row *r = row; r != NULL; r = parent_of(r))
		json_array_insert_new(v->list, 0, json_text(r->function));
}

static void get_tree(const void *row, struct value *v)
{
	text_addf(v->made, "%" PRIu64, ((const struct row *)row)->tree);
	v->text = text_get(v->made);
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

/* What rows are; trees are of callers or of callees, or of one step in both directions. */
enum {
	PAIRS = ROWS_OF_VIEW,
	BOTH = ROWS_OF_VIEW << 1,
	UP = ROWS_OF_VIEW << 2,
	DOWN = ROWS_OF_VIEW << 3,
};

static const struct shown first[] = {
	{C(SHARE)},
	{C(CALLER), .needs = PAIRS, .in = IN_FILES},
	{C(CALLEE), .needs = PAIRS},
	{C(RELATION), .lacks = PAIRS, .in = IN_FILES},
	{C(DEPTH), .lacks = PAIRS, .in = IN_CSV},
	{C(PATH), .lacks = PAIRS, .in = IN_CSV},
	{C(PATH_LIST), .lacks = PAIRS, .in = IN_JSON},
	{C(FUNCTION), .lacks = PAIRS, .in = IN_CSV},
	{C(FILE_OF), .lacks = PAIRS},
	{C(OBJECT), .lacks = PAIRS},
	{C(CALLS)},
};

static const struct shown last[] = {
	{C(COST), .lacks = PAIRS, .in = IN_JSON},
	{C(ESTIMATE), .lacks = PAIRS},
	{C(SHOWN_CALLS)},
	{C(RELATION), .needs = BOTH, .in = IN_TEXT},
	{C(CALLER), .needs = PAIRS, .in = IN_TEXT},
	{C(FUNCTION), .needs = PAIRS, .in = IN_TEXT},
	{C(FUNCTION), .needs = BOTH, .in = IN_TEXT},
	{C(CALLERS), .needs = UP},
	{C(CALLEES), .needs = DOWN},
	{C(OBJECT_NAME), .less = EVENT_LESS_BELOW},
};

static unsigned has(const struct calls_choice *choice)
{
	return choice->direction == CALLS_UP	 ? UP
	       : choice->direction == CALLS_DOWN ? DOWN
	       : choice->count == 0		 ? PAIRS
						 : BOTH;
}

static void show(struct held *h, struct rows *r, unsigned in)
{
	const struct event_columns *c = h->calls->columns;
	const struct event_profile *p = h->calls->p;
	const unsigned what = has(h->choice);
	struct column cost = columns[COST];

	rows_show(r, first, sizeof(first) / sizeof(first[0]), what, in);
	cost.title = cost.key = p->columns[c->sort].name;
	cost.prefix = "inclusive_";
	if (in == IN_TEXT)
		cost.get = get_cost;
	if (in == IN_TEXT || what != PAIRS)
		event_made_show(&h->made, cost, in == IN_TEXT ? IN_TEXT : IN_CSV, 0, r);
	if (in == IN_TEXT && (what == PAIRS || what == BOTH))
		event_made_show_others(&h->made, p, c, EVENT_INCLUSIVE, r);
	rows_show(r, last, sizeof(last) / sizeof(last[0]), what, in);
	for (size_t i = 0; i < c->count && in == IN_FILES; i++) {
		struct column event = event_column(p, c->items[i], EVENT_INCLUSIVE);

		event.prefix = "inclusive_";
		event.group = "events";
		event.is_optional = true; /* those of long chains are not known */
		event_made_show(&h->made, event, what == PAIRS ? IN_FILES : IN_JSON, 0, r);
	}
}

/* ---- Rows ---- */

static struct row *add_row(struct held *h, struct list *to, size_t function, double cost,
			   double calls, const uint64_t *values, struct err *err)
{
	const struct calls *c = h->calls;
	const struct event_row *r = &c->functions.items[function];
	uint64_t *copy = NULL;

	if (values != NULL)
		copy = arena_alloc(&h->values, (c->p->width + 1) * sizeof(*copy));
	if (!ARRAY_GROW(to) || (values != NULL && copy == NULL)) {
		err_set(err, "not enough memory for %zu calls", to->count);
		return NULL;
	}
	if (values != NULL)
		memcpy(copy, values, c->p->width * sizeof(*copy));
	to->items[to->count] = (struct row){
		.events = {.p = c->p, .inclusive = copy},
		.function = r->name,
		.file = r->file,
		.object = r->object,
		.object_name = r->object != NULL ? path_basename(r->object) : NULL,
		.list = to,
		.parent = CALLS_NONE,
		.tree = h->trees,
		.share = c->total > 0 ? cost / c->total : NAN,
		.cost = cost,
		.calls = calls,
		.whole_calls = (double)(uint64_t)(calls + 0.5),
	};
	return &to->items[to->count++];
}

/* `row_of`: the rows of the tree's items. */
static int add_item(struct held *h, struct list *to, const struct call_tree *t, size_t item,
		    const char *relation, size_t *row_of, struct err *err)
{
	const struct call_item *i = &t->items[item];
	struct row *row =
		add_row(h, to, i->row, i->cost, i->calls, i->depth < 2 ? i->values : NULL, err);

	if (row == NULL)
		return -1;
	row->relation = relation;
	row->depth = i->depth;
	row->is_estimate = i->is_estimate;
	row->is_recursive = i->is_recursive;
	row->parent = i->parent != CALLS_NONE ? row_of[i->parent] : CALLS_NONE;
	row_of[item] = to->count - 1;
	return 0;
}

/* The items that are shown, each with its relation to the function. */
static int add_shown(struct held *h, struct list *to, const struct call_tree *t, size_t from,
		     size_t *row_of, struct err *err)
{
	for (size_t k = from; k < t->count; k++)
		if ((!t->items[k].is_hidden || (k == 0 && has(h->choice) == BOTH)) &&
		    add_item(h, to, t, k,
			     k == 0	? "function"
			     : t->is_up ? "caller"
					: "callee",
			     row_of, err) != 0)
			return -1;
	return 0;
}

/* In text the function is between its callers and its callees. */
static int add_both(struct held *h, const struct call_tree *up, const struct call_tree *down,
		    size_t *row_of, struct err *err)
{
	row_of[0] = CALLS_NONE;
	for (size_t i = up->count; i-- > 1;)
		if (!up->items[i].is_hidden &&
		    add_item(h, &h->text, up, i, "from", row_of, err) != 0)
			return -1;
	if (add_item(h, &h->text, up, 0, "*", row_of, err) != 0)
		return -1;
	for (size_t i = 1; i < down->count; i++)
		if (!down->items[i].is_hidden &&
		    add_item(h, &h->text, down, i, "to", row_of, err) != 0)
			return -1;
	return add_shown(h, &h->files, up, 0, row_of, err) == 0
		       ? add_shown(h, &h->files, down, 1, row_of, err)
		       : -1;
}

/* Add one function's tree, or both. */
static int add_function(struct held *h, size_t function, struct err *err)
{
	const struct calls_choice *c = h->choice;
	const bool is_both = c->direction == CALLS_BOTH;
	const unsigned depth = is_both ? 1 : c->depth;
	struct call_tree up = {0}, down = {0};
	size_t *row_of = NULL;
	int status = 0;

	h->trees++;
	if (c->direction != CALLS_DOWN)
		status = call_tree_init(&up, h->calls, function, true, depth, c->threshold, err);
	if (status == 0 && c->direction != CALLS_UP)
		status = call_tree_init(&down, h->calls, function, false, depth, c->threshold, err);
	if (status == 0)
		row_of = calloc(up.count + down.count + 1, sizeof(*row_of));
	if (status == 0 && row_of == NULL)
		status = err_set(err, "not enough memory for a tree of calls");
	if (status == 0) {
		call_tree_choose(&up, c->query);
		call_tree_choose(&down, c->query);
		status = is_both ? add_both(h, &up, &down, row_of, err)
				 : add_shown(h, &h->files, c->direction == CALLS_UP ? &up : &down,
					     0, row_of, err);
	}
	free(row_of);
	call_tree_release(&up);
	call_tree_release(&down);
	return status;
}

static int add_pairs(struct held *h, struct err *err)
{
	const struct calls *c = h->calls;
	struct call_pair *pairs;
	size_t count;
	int status = 0;

	if (calls_pairs(c, &pairs, &count, err) != 0)
		return -1;
	count = call_pairs_choose(c, pairs, count, h->choice->query);
	for (size_t i = 0; i < count && status == 0; i++) {
		struct row *row = add_row(h, &h->files, pairs[i].to, pairs[i].cost,
					  (double)pairs[i].calls, pairs[i].values, err);

		if (row == NULL)
			status = -1;
		else if (pairs[i].from != CALLS_NONE)
			row->caller = c->functions.items[pairs[i].from].name;
	}
	free(pairs);
	return status;
}

/* Those of pairs that cost enough; they are sorted by that. */
static size_t costly(const struct held *h)
{
	size_t count = 0;

	while (count < h->files.count &&
	       !(h->files.items[count].cost < h->choice->threshold * h->calls->total))
		count++;
	return count;
}

/* ---- The answer ---- */

static void release(void *held)
{
	struct held *h = held;

	free(h->text.items);
	free(h->files.items);
	arena_release(&h->values);
}

static void make_tables(struct held *h, struct answer *a)
{
	static const struct column tree = {NULL, NULL, UNIT_TEXT, get_tree};
	const unsigned what = has(h->choice);
	const struct list *text = what == BOTH ? &h->text : &h->files;

	a->rows = (struct rows){.items = text->items,
				.count = what == PAIRS ? costly(h) : text->count,
				.bytes_each = sizeof(struct row),
				.is_chosen = what == BOTH,
				.section = what == BOTH ? &tree : NULL};
	a->second = (struct rows){.items = h->files.items,
				  .count = h->files.count,
				  .bytes_each = sizeof(struct row),
				  .key = "calls"};
	if (h->choice->query != NULL && query_filters(h->choice->query))
		a->rows.none = "No call matches what --focus and --ignore say.";
	if (h->calls->p->arc_count == 0)
		a->rows.count = 0;
	if (h->calls->p->arc_count == 0)
		a->rows.none = "The profile has no calls: it was made without a call graph.";
	show(h, &a->rows, IN_TEXT);
	show(h, &a->second, IN_FILES);
	for (size_t i = 0; what != BOTH && i < text->count && i < h->choice->top; i++)
		if (text->items[i].is_estimate && a->remarks.count == 0)
			text_add(&a->remarks, "~ estimated: the function's cost in proportion to "
					      "what its callers' calls cost\n");
}

int calls_shown(struct answer *a, const struct calls *c, const struct calls_choice *choice,
		struct err *err)
{
	struct held *h = answer_hold(a, sizeof(*h), err);

	if (h == NULL)
		return -1;
	a->release = release;
	h->calls = c;
	h->choice = choice;
	if (choice->direction == CALLS_BOTH && choice->count == 0 && add_pairs(h, err) != 0)
		return -1;
	for (size_t i = 0; i < choice->count; i++)
		if (add_function(h, choice->rows[i], err) != 0)
			return -1;
	make_tables(h, a);
	event_title(c->p, c->columns, "Calls", &a->title);
	a->head = json_pack("{s:s, s:o}", "sort", c->p->columns[c->columns->sort].name, "totals",
			    event_list_json(c->p, c->columns, c->p->totals));
	return 0;
}
