/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The call graph of an event profile, indexed by caller and callee; functions by name. */
#include "events/calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/names.h"
#include "base/text.h"

#define MOST_SIMILAR 5

/* ---- The graph ---- */

/* Index the arcs by one of their ends. Arcs without that end are left out. */
static int index_arcs(const struct event_profile *p, bool by_caller, size_t **arcs, size_t **first,
		      struct err *err)
{
	size_t i;

	*arcs = malloc((p->arc_count + 1) * sizeof(**arcs));
	*first = calloc(p->node_count + 2, sizeof(**first));
	if (*arcs == NULL || *first == NULL)
		return err_set(err, "out of memory");
	/*
	 * Counts go two places ahead: then first[i + 1] is the start of node i while the arcs are
	 * placed.
	 */
	for (i = 0; i < p->arc_count; i++) {
		int64_t id = by_caller ? p->arcs[i].caller_id : p->arcs[i].callee_id;

		if (id != STORE_NONE)
			(*first)[events_node_index(p, id) + 2]++;
	}
	for (i = 2; i < p->node_count + 2; i++)
		(*first)[i] += (*first)[i - 1];
	for (i = 0; i < p->arc_count; i++) {
		int64_t id = by_caller ? p->arcs[i].caller_id : p->arcs[i].callee_id;

		if (id != STORE_NONE)
			(*arcs)[(*first)[events_node_index(p, id) + 1]++] = i;
	}
	return 0;
}

int calls_init(struct calls *c, const struct event_profile *p, const struct event_columns *columns,
	       struct err *err)
{
	*c = (struct calls){.p = p, .columns = columns};
	c->total = events_value(p, columns->sort, p->totals);
	if (event_rows_init(&c->functions, p, EVENT_BY_FUNCTION, err) == 0 &&
	    event_rows_init(&c->nodes, p, EVENT_BY_NODE, err) == 0 &&
	    index_arcs(p, true, &c->out, &c->out_first, err) == 0 &&
	    index_arcs(p, false, &c->in, &c->in_first, err) == 0)
		return 0;
	calls_release(c);
	return -1;
}

void calls_release(struct calls *c)
{
	event_rows_release(&c->functions);
	event_rows_release(&c->nodes);
	free(c->out);
	free(c->out_first);
	free(c->in);
	free(c->in_first);
	*c = (struct calls){0};
}

/* ---- Functions by name ---- */

static int name_similar(const struct calls *c, const char *name, struct err *err)
{
	struct text similar = {0}, one = {0};
	size_t i, found = 0;

	for (i = 0; i < c->functions.count && found < MOST_SIMILAR; i++) {
		text_release(&one);
		text_add(&one, "'");
		name_plain(c->functions.items[i].name, &one);
		text_add(&one, "'");
		if (strcasestr(text_get(&one), name) != NULL &&
		    strstr(text_get(&similar), text_get(&one)) == NULL)
			text_addf(&similar, "%s%s", found++ > 0 ? ", " : "", text_get(&one));
	}
	text_release(&one);
	if (found > 0)
		err_set(err, "no function '%s'; similar: %s", name, text_get(&similar));
	else
		err_set(err, "no function '%s': 'dwell report' lists them", name);
	text_release(&similar);
	return -1;
}

static double inclusive_of(const struct calls *c, size_t row)
{
	double v = events_value(c->p, c->columns->sort, c->functions.items[row].inclusive);

	return isnan(v) ? 0 : v;
}

struct found {
	double cost;
	size_t row;
};

static int compare_found(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* The rows for which `is_wanted` holds, highest cost first. */
static int collect(const struct calls *c,
		   bool (*is_wanted)(const struct calls *, size_t, const void *),
		   const void *context, size_t **rows, size_t *count, struct err *err)
{
	struct found *found = malloc((c->functions.count + 1) * sizeof(*found));
	size_t i;

	*count = 0;
	*rows = malloc((c->functions.count + 1) * sizeof(**rows));
	if (found == NULL || *rows == NULL) {
		free(found);
		free(*rows);
		return err_set(err, "out of memory");
	}
	for (i = 0; i < c->functions.count; i++) {
		if (is_wanted(c, i, context))
			found[(*count)++] = (struct found){inclusive_of(c, i), i};
	}
	qsort(found, *count, sizeof(*found), compare_found);
	for (i = 0; i < *count; i++)
		(*rows)[i] = found[i].row;
	free(found);
	return 0;
}

static bool has_name(const struct calls *c, size_t row, const void *name)
{
	return name_is_meant(c->functions.items[row].name, name);
}

int calls_find(const struct calls *c, const char *name, size_t **rows, size_t *count,
	       struct err *err)
{
	if (collect(c, has_name, name, rows, count, err) != 0)
		return -1;
	if (*count > 0)
		return 0;
	free(*rows);
	return name_similar(c, name, err);
}

/* context: for each row, whether another function calls it. */
static bool is_root(const struct calls *c, size_t row, const void *context)
{
	return !((const bool *)context)[row];
}

int calls_find_roots(const struct calls *c, size_t **rows, size_t *count, struct err *err)
{
	bool *is_called = calloc(c->functions.count + 1, sizeof(*is_called));
	const size_t *row_of = c->functions.row_of_node;
	size_t i;
	int status;

	if (is_called == NULL)
		return err_set(err, "out of memory");
	for (i = 0; i < c->p->arc_count; i++) {
		const struct store_arc *a = &c->p->arcs[i];
		size_t to = row_of[events_node_index(c->p, a->callee_id)];

		if (a->caller_id != STORE_NONE && to != SIZE_MAX &&
		    row_of[events_node_index(c->p, a->caller_id)] != to)
			is_called[to] = true;
	}
	status = collect(c, is_root, is_called, rows, count, err);
	free(is_called);
	return status;
}

/* ---- Pairs ---- */

static int compare_ends(const void *a, const void *b)
{
	const struct call_pair *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static int compare_costs(const void *a, const void *b)
{
	const struct call_pair *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	return compare_ends(a, b);
}

static size_t merge_pairs(struct call_pair *pairs, size_t count, size_t measured)
{
	size_t kept = 0, i, k;

	qsort(pairs, count, sizeof(*pairs), compare_ends);
	for (i = 0; i < count; i++) {
		if (kept == 0 || compare_ends(&pairs[kept - 1], &pairs[i]) != 0) {
			pairs[kept++] = pairs[i];
			continue;
		}
		pairs[kept - 1].calls += pairs[i].calls;
		for (k = 0; k < measured; k++)
			pairs[kept - 1].values[k] += pairs[i].values[k];
	}
	return kept;
}

int calls_pairs(const struct calls *c, struct call_pair **pairs, size_t *count, struct err *err)
{
	const size_t *row_of = c->functions.row_of_node;
	size_t i;

	*count = 0;
	*pairs = calloc(c->p->arc_count + 1, sizeof(**pairs));
	if (*pairs == NULL)
		return err_set(err, "out of memory");
	for (i = 0; i < c->p->arc_count; i++) {
		const struct store_arc *a = &c->p->arcs[i];
		struct call_pair pair = {.from = CALLS_NONE, .calls = a->calls};

		if (events_is_inside(c->p, a))
			continue;
		if (a->caller_id != STORE_NONE)
			pair.from = row_of[events_node_index(c->p, a->caller_id)];
		pair.to = row_of[events_node_index(c->p, a->callee_id)];
		/* Functions without a row have no events. */
		if (pair.to == SIZE_MAX || (a->caller_id != STORE_NONE && pair.from == SIZE_MAX))
			continue;
		memcpy(pair.values, a->values, c->p->width * sizeof(*a->values));
		(*pairs)[(*count)++] = pair;
	}
	*count = merge_pairs(*pairs, *count, c->p->width);
	for (i = 0; i < *count; i++) {
		double cost = events_value(c->p, c->columns->sort, (*pairs)[i].values);

		(*pairs)[i].cost = isnan(cost) ? 0 : cost;
	}
	qsort(*pairs, *count, sizeof(**pairs), compare_costs);
	return 0;
}
