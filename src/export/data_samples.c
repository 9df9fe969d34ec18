/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes an event profile from samples: misses in each cache of a machine, accesses and samples, by
 * function, location and recorded call path. Counts are estimates: shares of the model, times the
 * accesses of the process. Readers show the first event by default, so that is the misses by which
 * other views rank.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "base/size.h"
#include "estimate/paths.h"
#include "export/data.h"

/* Misses in each cache, then accesses and samples. */
#define COLUMNS (PROFILE_CACHES + 2)

/* The cost of a location on one call path. */
struct sampled_row {
	size_t location; /* index in the profile; location_count: unknown */
	int64_t path;
	double values[COLUMNS];
};

struct reading {
	struct export_data *d;
	const struct profile *p;
	bool inlined_are_called;
	struct sampled_row *items;
	size_t count, room;
	struct store_path *paths; /* in ascending order of id */
	size_t path_count;
	size_t node_room, arc_room;
	struct map children; /* hash of caller and function -> first node; next[]: the others */
	size_t *next;
	size_t next_room;
	struct map arcs; /* callee node -> arc: in contexts each node has one caller */
};

/* ---- Columns ---- */

static const struct {
	const char *name; /* name of the event */
	const char *title;
} cache_events[PROFILE_CACHES] = {
	{"L1dm", "Misses in an L1 data cache of %s"},
	{"L2m", "Misses in an L2 cache of %s"},
	{"L3m", "Misses in an L3 cache of %s"},
};

static int add_event(struct export_data *d, const char *name, const char *title)
{
	const char *kept = arena_strdup(&d->arena, title);

	if (kept == NULL)
		return -1;
	d->p.columns[d->p.column_count++] =
		(struct event_column){.name = name, .description = kept};
	d->columns = d->p.measured = d->p.width = d->p.column_count;
	return 0;
}

static int add_misses(struct export_data *d, size_t level, uint64_t size_bytes)
{
	char size[SIZE_TEXT_BYTES], title[64];

	snprintf(title, sizeof(title), cache_events[level].title, size_format(size_bytes, size));
	return add_event(d, cache_events[level].name, title);
}

/*
 * Find the cache by which views rank. If the machine does not have it, take its first cache; if it
 * has none, add one to caches[].
 */
static int first_level(const struct profile *p, struct profile_cache *caches, size_t *first,
		       struct err *err)
{
	struct query q;
	uint64_t ranks;

	query_init(&q);
	if (profile_choose_size(p, &q, &ranks, err) != 0)
		return -1;
	profile_caches(p, caches);
	for (*first = 0; *first < PROFILE_CACHES; (*first)++)
		if (caches[*first].size_bytes == ranks)
			return 0;
	for (*first = 0; *first < PROFILE_CACHES; (*first)++)
		if (caches[*first].size_bytes > 0)
			return 0;
	*first = 1;
	caches[1].size_bytes = ranks;
	return 0;
}

/* Add the events, and their caches' sizes in sizes[]: that of first_level, then the others. */
static int make_events(struct export_data *d, uint64_t sizes[PROFILE_CACHES], struct err *err)
{
	struct profile_cache caches[PROFILE_CACHES];
	size_t count = 0, first;

	if (first_level(&d->profile, caches, &first, err) != 0)
		return -1;
	d->p.columns = calloc(COLUMNS, sizeof(*d->p.columns));
	d->p.column_room = COLUMNS;
	if (d->p.columns == NULL)
		return err_set(err, "not enough memory");
	for (size_t i = 0; i < PROFILE_CACHES; i++) {
		size_t level = i == 0 ? first : i - (i <= first);

		if (caches[level].size_bytes < d->profile.line_bytes)
			continue;
		sizes[count++] = caches[level].size_bytes;
		if (add_misses(d, level, caches[level].size_bytes) != 0)
			return err_set(err, "not enough memory");
	}
	if (add_event(d, "Acc", "Memory accesses") != 0 || add_event(d, "Samples", "Samples") != 0)
		return err_set(err, "not enough memory");
	return 0;
}

/* ---- Rows ---- */

static int compare_rows(const void *a, const void *b)
{
	const struct sampled_row *x = a, *y = b;

	if (x->location != y->location)
		return x->location < y->location ? -1 : 1;
	return (x->path > y->path) - (x->path < y->path);
}

static void merge_rows(struct reading *r)
{
	size_t kept = 0;

	if (r->count > 0)
		qsort(r->items, r->count, sizeof(*r->items), compare_rows);
	for (size_t i = 0; i < r->count; i++) {
		if (kept == 0 || compare_rows(&r->items[kept - 1], &r->items[i]) != 0) {
			r->items[kept++] = r->items[i];
			continue;
		}
		for (size_t k = 0; k < COLUMNS; k++)
			r->items[kept - 1].values[k] += r->items[i].values[k];
	}
	r->count = kept;
}

/*
 * Read the misses for a size. Accesses and samples do not depend on it: the first size's are kept.
 */
static int read_size(struct reading *r, size_t cache, uint64_t size, struct err *err)
{
	const struct query q = {.policy = QUERY_RANDOM, .size_bytes = size};
	double whole = (double)r->p->process->accesses;
	struct paths_cost *costs;
	size_t count;

	if (paths_costs(r->p, &q, &costs, &count, err) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct sampled_row row = {costs[i].location, costs[i].path, {0}};

		if (cache == 0) {
			row.values[r->d->columns - 2] = whole * costs[i].cost.accesses;
			row.values[r->d->columns - 1] = (double)costs[i].cost.samples;
		}
		row.values[cache] = whole * (costs[i].cost.misses + costs[i].cost.cold);
		if (!ARRAY_GROW(r)) {
			free(costs);
			return err_set(err, "not enough memory for %zu samples", count);
		}
		r->items[r->count++] = row;
	}
	free(costs);
	return 0;
}

/* ---- Nodes and arcs ---- */

static int add_node(struct reading *r, const struct store_frame *f, const char *object,
		    int64_t caller, int64_t *node)
{
	struct export_data *d = r->d;
	uint64_t key = ((uintptr_t)f->function * 31 + (uintptr_t)f->file) * 31 +
		       (uint64_t)(caller + 1) * UINT64_C(0x9e3779b97f4a7c15);
	uint64_t at = d->node_count;
	bool any = map_get(&r->children, key, &at);

	for (size_t i = any ? at : SIZE_MAX; i != SIZE_MAX; i = r->next[i]) {
		const struct store_node *n = &d->nodes[i];

		if (n->function == f->function && n->file == f->file && n->caller_id == caller) {
			*node = (int64_t)i;
			return 0;
		}
	}
	if (!array_reserve_in((void **)&d->nodes, &r->node_room, d->node_count + 1,
			      sizeof(*d->nodes)) ||
	    !array_reserve_in((void **)&r->next, &r->next_room, d->node_count + 1,
			      sizeof(*r->next)) ||
	    map_set(&r->children, key, d->node_count) != 0)
		return -1;
	r->next[d->node_count] = any ? at : SIZE_MAX;
	*node = (int64_t)d->node_count;
	d->nodes[d->node_count++] = (struct store_node){
		.id = *node,
		.process_id = r->p->process->id,
		.thread = STORE_NONE,
		.function = f->function,
		.file = f->file,
		.object = object,
		.caller_id = caller,
	};
	return 0;
}

static void add_values(uint64_t *to, const double *values, size_t columns)
{
	for (size_t k = 0; k < columns; k++)
		to[k] += (uint64_t)llrint(fmax(values[k], 0));
}

/*
 * Add the call of `callee`, in its context, from the location in its caller. The number of calls is
 * unknown: 0.
 */
static int add_arc(struct reading *r, int64_t callee, int64_t location, const double *values)
{
	struct export_data *d = r->d;
	uint64_t at, *sums;

	if (!map_get(&r->arcs, (uint64_t)callee, &at)) {
		sums = arena_alloc(&d->arena, COLUMNS * sizeof(*sums));
		if (sums == NULL ||
		    !array_reserve_in((void **)&d->arcs, &r->arc_room, d->arc_count + 1,
				      sizeof(*d->arcs)) ||
		    map_set(&r->arcs, (uint64_t)callee, d->arc_count) != 0)
			return -1;
		at = d->arc_count++;
		d->arcs[at] = (struct store_arc){
			.caller_id = d->nodes[callee].caller_id,
			.location_id = location,
			.callee_id = callee,
			.kind = d->nodes[callee].caller_id == STORE_NONE ? STORE_ARC_START
									 : STORE_ARC_CALL,
			.values = sums,
		};
	}
	/* Memory of the arena, const only for readers. */
	sums = (uint64_t *)(uintptr_t)d->arcs[at].values;
	add_values(sums, values, d->columns);
	return 0;
}

/* ---- From rows to nodes and costs ---- */

static const struct store_path *find_path(const struct reading *r, int64_t id)
{
	const size_t found = SEARCH_MATCH(i, r->path_count, SEARCH_ORDER(r->paths[i].id, id));

	return found < r->path_count ? &r->paths[found] : NULL;
}

/* Descend from *node through the functions of the location, outermost first. */
static int descend(struct reading *r, const struct store_location *l, int64_t from, int64_t *node,
		   const double *values)
{
	static const struct store_frame nothing = {"[unknown]", NULL, 0};
	const char *object = l != NULL ? profile_module_path(r->p, l) : NULL;
	uint32_t count = l != NULL ? l->frame_count : 0, depth = count > 0 ? count : 1;

	for (uint32_t i = depth; i-- > 0;) {
		const struct store_frame *f = count > 0 ? &l->frames[i] : &nothing;

		if (add_node(r, f, object, *node, node) != 0 ||
		    add_arc(r, *node, from, values) != 0)
			return -1;
		/* An inlined function is called from the same location. */
		from = l != NULL ? l - r->p->locations : STORE_NONE;
		if (!r->inlined_are_called)
			break;
	}
	return 0;
}

static int add_row(struct reading *r, const struct sampled_row *row)
{
	const struct store_path *path = find_path(r, row->path);
	const struct store_location *l = NULL;
	struct export_data *d = r->d;
	int64_t node = STORE_NONE, from = STORE_NONE;
	uint64_t *values = arena_alloc(&d->arena, COLUMNS * sizeof(*values));

	if (values == NULL)
		return -1;
	for (size_t i = path != NULL ? path->count : 0; i-- > 0;) {
		l = profile_location(r->p, path->locations[i]);
		if (descend(r, l, from, &node, row->values) != 0)
			return -1;
		from = l != NULL ? l - r->p->locations : STORE_NONE;
	}
	l = row->location < r->p->location_count ? &r->p->locations[row->location] : NULL;
	if (descend(r, l, from, &node, row->values) != 0)
		return -1;
	add_values(values, row->values, d->columns);
	d->costs[d->cost_count++] = (struct store_cost){
		.node_id = node,
		.location_id = l != NULL ? (int64_t)row->location : STORE_NONE,
		.values = values,
	};
	return 0;
}

static int compare_costs(const void *a, const void *b)
{
	const struct store_cost *x = a, *y = b;

	if (x->node_id != y->node_id)
		return x->node_id < y->node_id ? -1 : 1;
	return (x->location_id > y->location_id) - (x->location_id < y->location_id);
}

static int add_rows(struct reading *r)
{
	struct export_data *d = r->d;

	d->costs = calloc(r->count + 1, sizeof(*d->costs));
	if (d->costs == NULL)
		return -1;
	for (size_t i = 0; i < r->count; i++)
		if (add_row(r, &r->items[i]) != 0)
			return -1;
	qsort(d->costs, d->cost_count, sizeof(*d->costs), compare_costs);
	return 0;
}

/* Copy the arrays: the profile keeps its own. */
static int copy_code(struct export_data *d)
{
	const struct profile *p = &d->profile;

	d->locations = calloc(p->location_count + 1, sizeof(*d->locations));
	d->modules = calloc(p->module_count + 1, sizeof(*d->modules));
	if (d->locations == NULL || d->modules == NULL)
		return -1;
	if (p->location_count > 0)
		memcpy(d->locations, p->locations, p->location_count * sizeof(*d->locations));
	if (p->module_count > 0)
		memcpy(d->modules, p->modules, p->module_count * sizeof(*d->modules));
	d->location_count = p->location_count;
	d->module_count = p->module_count;
	return 0;
}

int export_from_samples(struct export_data *d, const struct export_request *q, struct err *err)
{
	struct reading r = {.d = d, .p = &d->profile, .inlined_are_called = q->inlined_are_called};
	uint64_t sizes[PROFILE_CACHES] = {0};
	int status = make_events(d, sizes, err);

	for (size_t i = 0; status == 0 && i < PROFILE_CACHES && sizes[i] != 0; i++)
		status = read_size(&r, i, sizes[i], err);
	if (status == 0)
		merge_rows(&r);
	if (status == 0 && r.count == 0)
		status = err_set(err, "'%s' has no samples to export", q->input);
	if (status == 0)
		status = store_read_paths(d->profile.store, d->profile.process->id, &r.paths,
					  &r.path_count, err);
	if (status == 0 && (copy_code(d) != 0 || add_rows(&r) != 0))
		status = err_set(err, "not enough memory for %zu samples", r.count);
	free(r.items);
	free(r.paths);
	free(r.next);
	map_release(&r.children);
	map_release(&r.arcs);
	return status;
}
