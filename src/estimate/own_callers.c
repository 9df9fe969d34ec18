/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See own_callers.h. */
#include "estimate/own_callers.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "estimate/own_code.h"
#include "estimate/paths.h"

#define MOST_NAMES 64 /* callers of one function that are told apart */

/* A function and its part of the cost. */
struct named {
	const struct store_frame *frame;
	double cost;
};

struct finding {
	const struct profile *p;
	const struct hot *functions;
	struct paths_cost *costs;
	size_t cost_count;
	struct store_path *paths;
	size_t path_count;
};

/* The cost by which rows are in order; without one, misses. */
static double cost_of(const struct finding *f, const struct hot_cost *c)
{
	return f->functions->total.cycles > 0 ? c->cycles : c->misses + c->cold;
}

/* The user's first function on a path, from the innermost caller on; NULL: there is none. */
static const struct store_frame *own_on(const struct finding *f, int64_t id)
{
	const size_t at = SEARCH_MATCH(i, f->path_count, SEARCH_ORDER(f->paths[i].id, id));

	for (size_t i = 0; at < f->path_count && i < f->paths[at].count; i++) {
		const struct store_location *l = profile_location(f->p, f->paths[at].locations[i]);
		const struct store_frame *frame = l != NULL ? own_code_frame(l) : NULL;

		if (frame != NULL &&
		    !own_code_is_library(frame->file, profile_module_path(f->p, l)))
			return frame;
	}
	return NULL;
}

/* Add to the name's cost; those beyond MOST_NAMES are left out. Returns the number of names. */
static size_t add_named(struct named *names, size_t count, const struct store_frame *frame,
			double cost)
{
	size_t i = 0;

	while (i < count && strcmp(names[i].frame->function, frame->function) != 0)
		i++;
	if (i == MOST_NAMES)
		return count;
	if (i == count)
		names[count++] = (struct named){frame, 0};
	names[i].cost += cost;
	return count;
}

static const struct named *most_of(const struct named *names, size_t count)
{
	const struct named *most = NULL;

	for (size_t i = 0; i < count; i++)
		if (most == NULL || names[i].cost > most->cost)
			most = &names[i];
	return most;
}

/* Who calls the function of a library with most of its cost. */
static const struct store_frame *caller_of(const struct finding *f, const char *function)
{
	struct named names[MOST_NAMES];
	const struct named *most;
	size_t count = 0;

	for (size_t i = 0; i < f->cost_count; i++) {
		const struct paths_cost *c = &f->costs[i];
		const struct store_frame *frame, *own;

		if (c->path == 0 || c->location == f->p->location_count)
			continue;
		frame = own_code_frame(&f->p->locations[c->location]);
		own = frame != NULL && strcmp(frame->function, function) == 0 ? own_on(f, c->path)
									      : NULL;
		if (own != NULL)
			count = add_named(names, count, own, cost_of(f, &c->cost));
	}
	most = most_of(names, count);
	return most != NULL ? most->frame : NULL;
}

static void find(const struct finding *f, struct own_callers *o)
{
	const struct hot *h = f->functions;
	struct store_frame itself[OWN_CALLERS];
	struct named names[MOST_NAMES];
	const struct named *most;
	size_t count = 0;

	for (size_t i = 0; i < h->count && i < OWN_CALLERS; i++) {
		const struct hot_row *r = &h->rows[i];
		const bool is_library = own_code_is_library(r->file, r->module);
		const struct store_frame *own = is_library ? caller_of(f, r->function) : NULL;

		itself[i] = (struct store_frame){r->function, r->file, 0};
		o->caller[i] = own != NULL ? own->function : NULL;
		count = add_named(names, count, own != NULL ? own : &itself[i],
				  cost_of(f, &r->cost));
	}
	most = most_of(names, count);
	if (most == NULL)
		return;
	o->most = most->frame->function;
	o->most_file = most->frame->file;
	o->part = most->cost /
		  (h->total.cycles > 0 ? h->total.cycles : h->total.misses + h->total.cold);
}

int own_callers_find(struct own_callers *o, const struct profile *p,
		     const struct profile_share *shares, const struct hot *functions,
		     struct err *err)
{
	struct finding f = {.p = p, .functions = functions};
	int status = -1;

	*o = (struct own_callers){{0}};
	if (paths_costs_of(p, shares, &f.costs, &f.cost_count, err) != 0)
		return -1;
	if (store_read_paths(p->store, p->process->id, &f.paths, &f.path_count, err) == 0) {
		find(&f, o);
		status = 0;
	}
	free(f.costs);
	free(f.paths);
	return status;
}
