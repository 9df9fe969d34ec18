/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds the tree of call paths; see paths.h. */
#include "estimate/paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"

struct building {
	struct paths *t;
	struct store_path *paths; /* in ascending order of id */
	size_t path_count;
	bool failed;
};

/* The parent's caller node for this function, added if new. */
static size_t find_node(struct building *b, size_t parent, const char *function)
{
	struct paths *t = b->t;
	size_t *first = parent == PATHS_NONE ? &t->first : &t->items[parent].first_caller, i;

	for (i = *first; i != PATHS_NONE; i = t->items[i].next)
		if (t->items[i].function == function || strcmp(t->items[i].function, function) == 0)
			return i;
	if (!ARRAY_GROW(t)) {
		b->failed = true;
		return PATHS_NONE;
	}
	first = parent == PATHS_NONE ? &t->first : &t->items[parent].first_caller;
	i = t->count++;
	t->items[i] = (struct paths_node){
		.function = function,
		.parent = parent,
		.first_caller = PATHS_NONE,
		.next = *first,
	};
	*first = i;
	return i;
}

static const struct store_path *find_path(const struct building *b, int64_t id)
{
	const size_t found = SEARCH_MATCH(i, b->path_count, SEARCH_ORDER(b->paths[i].id, id));

	return found < b->path_count ? &b->paths[found] : NULL;
}

/* Climb from `node` to the callers in the location's frames, beginning at frame `from`. */
static size_t climb(struct building *b, size_t node, const struct store_location *l, uint32_t from,
		    const struct hot_cost *cost)
{
	for (uint32_t i = from; i < l->frame_count && !b->failed; i++) {
		node = find_node(b, node, l->frames[i].function);
		if (!b->failed)
			hot_add(&b->t->items[node].all, cost);
	}
	return node;
}

/* The first frame of a path to the location, or -1 if it is not requested. */
static int64_t first_frame(const struct building *b, const struct store_location *l)
{
	const struct store_frame *f;

	if (b->t->name == NULL)
		return 0;
	f = code_frame(&b->t->code, l);
	return f != NULL ? f - l->frames : -1;
}

static void add(struct building *b, const struct paths_cost *c, double *known, double *shown)
{
	static const struct store_frame nothing = {"[unknown]", NULL, 0};
	static const struct store_location nowhere = {.frames = &nothing, .frame_count = 1};
	const struct profile *p = b->t->profile;
	const struct store_location *l =
		c->location < p->location_count ? &p->locations[c->location] : &nowhere;
	const struct store_path *path = find_path(b, c->path);
	int64_t from = first_frame(b, l);
	size_t node;

	hot_add(&b->t->total, &c->cost);
	if (from < 0)
		return;
	node = climb(b, PATHS_NONE, l, (uint32_t)from, &c->cost);
	for (size_t i = 0; path != NULL && i < path->count; i++) {
		l = profile_location(p, path->locations[i]);
		node = climb(b, node, l != NULL ? l : &nowhere, 0, &c->cost);
	}
	if (b->failed)
		return;
	hot_add(&b->t->items[node].own, &c->cost);
	*shown += (double)c->cost.samples;
	*known += path != NULL ? (double)c->cost.samples : 0;
}

static int compare_nodes(const void *a, const void *b, void *context)
{
	const struct paths *t = context;
	const struct paths_node *x = &t->items[*(const size_t *)a];
	const struct paths_node *y = &t->items[*(const size_t *)b];

	double mine = hot_figure(t->order, &x->all), other = hot_figure(t->order, &y->all);

	if (mine != other)
		return mine < other ? 1 : -1;
	if (x->all.accesses != y->all.accesses)
		return x->all.accesses < y->all.accesses ? 1 : -1;
	return strcmp(x->function, y->function);
}

static void sort_list(struct paths *t, size_t *first, size_t *order)
{
	size_t count = 0;

	for (size_t i = *first; i != PATHS_NONE; i = t->items[i].next)
		order[count++] = i;
	if (count < 2)
		return;
	qsort_r(order, count, sizeof(*order), compare_nodes, t);
	*first = order[0];
	for (size_t i = 0; i < count; i++)
		t->items[order[i]].next = i + 1 < count ? order[i + 1] : PATHS_NONE;
}

static int sort(struct paths *t, struct err *err)
{
	size_t *order = calloc(t->count + 1, sizeof(*order));

	if (order == NULL)
		return err_set(err, "not enough memory for %zu functions", t->count);
	sort_list(t, &t->first, order);
	for (size_t i = 0; i < t->count; i++)
		sort_list(t, &t->items[i].first_caller, order);
	free(order);
	return 0;
}

static int build(struct building *b, struct err *err)
{
	struct paths *t = b->t;
	struct paths_cost *costs;
	double known = 0, shown = 0;
	size_t count;

	if (paths_costs(t->profile, t->query, &costs, &count, err) != 0)
		return -1;
	for (size_t i = 0; i < count && !b->failed; i++)
		add(b, &costs[i], &known, &shown);
	free(costs);
	if (b->failed)
		return err_set(err, "not enough memory for %zu functions", t->count);
	if (t->name != NULL && t->count == 0)
		return code_fail_unknown(t->profile, t->name, err);
	t->with_path = shown > 0 ? known / shown : 0;
	return sort(t, err);
}

int paths_init(struct paths *t, const struct profile *p, const struct query *q, const char *name,
	       struct err *err)
{
	struct building b = {.t = t};
	int ret;

	*t = (struct paths){
		.profile = p,
		.query = q,
		.name = name,
		.first = PATHS_NONE,
	};
	if (query_order(q, &t->order, err) != 0)
		return -1;
	if (name != NULL && code_find(&t->code, p, q, name, err) != 0)
		return -1;
	if (store_read_paths(p->store, p->process->id, &b.paths, &b.path_count, err) != 0)
		return -1;
	ret = build(&b, err);
	free(b.paths);
	if (ret != 0)
		paths_release(t);
	return ret;
}

void paths_release(struct paths *t)
{
	free(t->items);
	*t = (struct paths){.first = PATHS_NONE};
}
