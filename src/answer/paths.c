/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view `paths`: misses of samples by call path; text has trees, files have whole paths. */
#include "answer/paths.h"

#include <math.h>
#include <stdlib.h>

#include "answer/cost_columns.h"
#include "answer/json.h"
#include "estimate/paths.h"

#define USUAL_FUNCTIONS 10
#define LEAST_SHARE	0.01 /* part of all misses; callers below it are not shown in text */
#define PER_BILLION	1e9

struct row {
	struct cost_row cost;
	const struct paths *t;
	const struct paths_node *node;
};

struct held {
	struct query query; /* with the cache */
	struct assumed assumed;
	struct paths paths;
	struct row *tree, *whole; /* rows */
};

static double misses_of(const struct hot_cost *c)
{
	return c->misses + c->cold;
}

/* ---- Columns ---- */

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

static void get_path(const void *row, struct value *v)
{
	const struct row *r = row;

	add_folded(r->t, r->node, v->made);
	v->text = text_get(v->made);
}

static void get_functions(const void *row, struct value *v)
{
	const struct row *r = row;

	v->list = json_array();
	for (const struct paths_node *at = r->node;; at = &r->t->items[at->parent]) {
		json_array_insert_new(v->list, 0, json_text(at->function));
		if (at->parent == PATHS_NONE)
			return;
	}
}

static const struct column path = {NULL, "path", UNIT_TEXT, get_path};
static const struct column functions = {NULL, "functions", UNIT_LIST, get_functions};

static const struct shown of_tree[] = {
	{COST(CYCLES)},	  {COST(ALL_MISSES)}, {COST(RATIO)},
	{COST(ACCESSES)}, {COST(SAMPLES)},    {COST(CALLERS)},
};

static const struct shown of_whole[] = {
	{&path, .in = IN_CSV}, COST_SHARES_SHOWN, {&functions, .in = IN_JSON}};

/* ---- Rows ---- */

/* The query selects functions that miss, not their callers. */
static bool is_shown(const struct paths *t, const struct paths_node *n)
{
	while (n->parent != PATHS_NONE)
		n = &t->items[n->parent];
	return query_shows(t->query, &n->function, 1);
}

static void add_node(struct held *h, const struct paths_node *n, unsigned depth, struct rows *r)
{
	h->tree[r->count++].cost = (struct cost_row){
		.function = n->function, .depth = depth, .cost = &n->all, .whole = &h->paths.total};
}

/* A function, its callers, theirs, ...; as deep as paths and inlining. */
static void add_tree(struct held *h, size_t node, struct rows *r)
{
	const struct paths *t = &h->paths;
	unsigned depth = 0;
	size_t at = node;

	while (at != PATHS_NONE) {
		const struct paths_node *n = &t->items[at];
		size_t next = n->first_caller;

		if (depth == 0 || hot_share(misses_of(&n->all), &t->total) >= LEAST_SHARE)
			add_node(h, n, depth, r);
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

static void add_trees(struct held *h, size_t most, struct answer *a)
{
	const struct paths *t = &h->paths;
	size_t shown = 0, more = 0;

	for (size_t i = t->first; i != PATHS_NONE; i = t->items[i].next) {
		if (!is_shown(t, &t->items[i]))
			continue;
		if (shown++ < most)
			add_tree(h, i, &a->rows);
		else
			more++;
	}
	figure_more(&a->remarks, more, more == 1 ? " function" : " functions");
}

static void add_whole(struct held *h, struct rows *r)
{
	const struct paths *t = &h->paths;

	for (size_t i = 0; i < t->count; i++) {
		const struct paths_node *n = &t->items[i];

		if ((n->own.samples > 0 || n->own.accesses > 0) && is_shown(t, n))
			h->whole[r->count++] =
				(struct row){{.cost = &n->own, .whole = &t->total}, t, n};
	}
}

void paths_folded(const struct answer *a, struct text *out)
{
	for (size_t i = 0; i < a->second.count; i++) {
		const struct row *r = rows_at(&a->second, i);
		const double misses = round(misses_of(r->cost.cost) * PER_BILLION);

		if (misses < 1)
			continue;
		add_folded(r->t, r->node, out);
		text_addf(out, " %.0f\n", misses);
	}
}

/* ---- The view ---- */

static void put_title(const struct paths *t, struct text *out)
{
	char figure[FIGURE_BYTES];

	text_add(out, t->name != NULL ? "Call paths to " : "Call paths");
	answer_words(out, t->name);
	text_add(out, " by misses in a cache of ");
	figure_cache(t->profile, t->query, out);
	text_add(out, ": ");
	answer_words(out, t->profile->process->command);
	text_addf(out, "\nmiss ratio %s of all accesses; ",
		  figure_percent(misses_of(&t->total), figure));
	text_addf(out, "the callers of %s of the samples are known%s\n",
		  figure_percent(t->with_path, figure),
		  t->with_path > 0 ? "" : ": the run took few samples");
}

static void release(void *held)
{
	struct held *h = held;

	paths_release(&h->paths);
	free(h->tree);
	free(h->whole);
}

int view_paths(const struct question *q, struct answer *a, struct err *err)
{
	struct held *h = answer_hold(a, sizeof(*h), err);
	const struct paths *t;

	if (h == NULL || answer_open(a, q, PROFILE_SAMPLES, err) != 0)
		return -1;
	a->is_question_wrong = true;
	if (profile_choose(&a->profile, q->query, &h->query, err) != 0 ||
	    paths_init(&h->paths, &a->profile, &h->query, q->word, err) != 0)
		return -1;
	a->release = release;
	t = &h->paths;
	h->tree = calloc(t->count + 1, sizeof(*h->tree));
	h->whole = calloc(t->count + 1, sizeof(*h->whole));
	if (h->tree == NULL || h->whole == NULL)
		return err_set(err, "not enough memory for %zu paths", t->count);
	a->rows =
		(struct rows){.items = h->tree, .bytes_each = sizeof(*h->tree), .is_chosen = true};
	a->second =
		(struct rows){.items = h->whole, .bytes_each = sizeof(*h->whole), .key = "paths"};
	rows_show(&a->rows, of_tree, sizeof(of_tree) / sizeof(of_tree[0]), 0, IN_TEXT);
	rows_show(&a->second, of_whole, sizeof(of_whole) / sizeof(of_whole[0]), 0, IN_FILES);
	h->assumed = assumed_by(&h->query);
	assumed_show(&h->assumed, &a->second);
	add_trees(h, q->query->limit != 0 ? q->query->limit : USUAL_FUNCTIONS, a);
	add_whole(h, &a->second);
	if (t->first == PATHS_NONE)
		a->rows.none = "The profile has no samples.";
	else
		put_title(t, &a->title);
	text_add(&a->told, t->code.function.note);
	a->head = json_pack("{s:I, s:f, s:f}", "size_bytes", (json_int_t)h->query.size_bytes,
			    "miss_ratio", misses_of(&t->total), "known_share", t->with_path);
	a->about = json_object();
	assumed_json(&h->query, a->about);
	return 0;
}
