/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects the requested lines of source, with their costs and calls. */
#include "events/event_annotate.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/names.h"
#include "base/search.h"

struct collection {
	const struct event_profile *p;
	const char *argument;
	struct meant *function; /* if it is not a file */
	bool is_file, by_address;
	struct map *asked; /* address of a function's name -> whether `argument` means it */
	struct event_line *items;
	size_t count, room;
};

static bool is_this_file(const char *path, const char *argument)
{
	size_t length = strlen(argument), have;

	if (path == NULL)
		return false;
	have = strlen(path);
	if (have < length || strcmp(path + have - length, argument) != 0)
		return false;
	return have == length || argument[0] == '/' || path[have - length - 1] == '/';
}

static bool has_file(const struct event_profile *p, const char *argument)
{
	size_t i, k;

	for (i = 0; i < p->location_count; i++) {
		for (k = 0; k < p->locations[i].frame_count; k++) {
			if (is_this_file(p->locations[i].frames[k].file, argument))
				return true;
		}
	}
	return false;
}

/*
 * Tell whether any symbol that the argument means has this name. Names are stored once each, and
 * most costs are of names seen before: to parse them each time would take seconds.
 */
static bool is_asked(const struct collection *c, const char *function)
{
	const struct meant any = {.asked = c->argument};
	uint64_t known;

	if (map_get(c->asked, (uintptr_t)function, &known))
		return known != 0;
	known = meant_has(&any, function, NULL);
	map_set(c->asked, (uintptr_t)function, known); /* a failure costs only time */
	return known != 0;
}

static bool is_meant(const struct collection *c, const char *function, const char *object)
{
	return is_asked(c, function) && meant_has(c->function, function, object);
}

/*
 * The innermost frame in the requested file or function, so that a line includes code that was
 * inlined into it. Returns NULL if the location is elsewhere.
 */
static const struct store_frame *find_frame(const struct collection *c, const struct store_node *n,
					    const struct store_location *l)
{
	uint32_t i;

	for (i = 0; l != NULL && i < l->frame_count; i++) {
		const struct store_frame *f = &l->frames[i];

		if (c->is_file ? is_this_file(f->file, c->argument)
			       : is_meant(c, f->function, n->object))
			return f;
	}
	if (c->is_file || l == NULL || !is_meant(c, n->function, n->object))
		return NULL;
	return &l->frames[0];
}

static int add_line(struct collection *c, const struct store_node *n, int64_t location,
		    const struct event_line *line, struct err *err)
{
	static const struct store_frame nowhere;
	const struct store_location *l = events_location(c->p, location);
	const struct store_frame *f = find_frame(c, n, l);

	/* A cost of the function without a location. */
	if (f == NULL && l == NULL && !c->is_file && is_meant(c, n->function, n->object))
		f = &nowhere;
	if (f == NULL)
		return 0;
	if (!ARRAY_GROW(c))
		return err_set(err, "out of memory");
	c->items[c->count] = *line;
	c->items[c->count].file = f->line != 0 || f->file != NULL ? f->file : n->file;
	c->items[c->count].line = f->line;
	c->items[c->count].location = location;
	if (c->by_address && l != NULL) {
		c->items[c->count].object = events_object(c->p, l);
		c->items[c->count].address = l->module_id != STORE_NONE ? l->module_address : l->pc;
	}
	c->count++;
	return 0;
}

static int collect(struct collection *c, struct err *err)
{
	const struct event_profile *p = c->p;
	size_t i;

	for (i = 0; i < p->cost_count; i++) {
		const struct store_cost *cost = &p->costs[i];

		if (add_line(c, events_node(p, cost->node_id), cost->location_id,
			     &(struct event_line){.values = cost->values}, err) != 0)
			return -1;
	}
	for (i = 0; i < p->arc_count; i++) {
		const struct store_arc *a = &p->arcs[i];
		struct event_line line = {.calls = a->calls, .values = a->values};

		if (a->caller_id == STORE_NONE || events_is_inside(p, a))
			continue;
		line.callee = events_node(p, a->callee_id)->function;
		if (add_line(c, events_node(p, a->caller_id), a->location_id, &line, err) != 0)
			return -1;
	}
	return 0;
}

/* Choose among functions of that name, by the event to sort by. */
static void choose_function(struct collection *c, size_t column)
{
	const struct event_profile *p = c->p;

	for (size_t i = 0; i < p->cost_count; i++) {
		const struct store_cost *cost = &p->costs[i];
		const struct store_node *n = events_node(p, cost->node_id);
		const struct store_frame *f =
			find_frame(c, n, events_location(p, cost->location_id));
		double value = events_value(p, column, cost->values);

		if (f != NULL && is_meant(c, f->function, n->object))
			meant_add(c->function, f->function, n->object, value);
		else if (is_asked(c, n->function))
			meant_add(c->function, n->function, n->object, value);
	}
	meant_choose(c->function, p->columns[column].name);
}

static int compare_texts(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a != NULL) - (b != NULL);
	return a == b ? 0 : strcmp(a, b);
}

/* Lines have no address, and an instruction has only one line. */
static int compare_lines(const void *a, const void *b)
{
	const struct event_line *x = a, *y = b;
	int order = compare_texts(x->object, y->object);

	if (order == 0)
		order = (x->address > y->address) - (x->address < y->address);
	if (order == 0)
		order = compare_texts(x->file, y->file);

	if (order == 0)
		order = (x->line > y->line) - (x->line < y->line);
	return order != 0 ? order : compare_texts(x->callee, y->callee);
}

static int compare_places(const void *a, const void *b)
{
	const struct event_place *x = a, *y = b;

	return (x->location > y->location) - (x->location < y->location);
}

/* Merge equal lines, and give each its own values. */
static int merge(struct event_annotation *a, struct collection *c, struct err *err)
{
	size_t m = a->p->width, kept = 0, i, k;
	uint64_t *sum = NULL;

	if (c->count > 0)
		qsort(c->items, c->count, sizeof(*c->items), compare_lines);
	a->values = calloc(c->count * m + 1, sizeof(*a->values));
	a->places = calloc(c->count + 1, sizeof(*a->places));
	if (a->values == NULL || a->places == NULL)
		return err_set(err, "out of memory");
	for (i = 0; i < c->count; i++) {
		struct event_line line = c->items[i];

		if (kept > 0 && compare_lines(&c->items[kept - 1], &line) == 0) {
			c->items[kept - 1].calls += line.calls;
		} else {
			sum = a->values + kept * m;
			c->items[kept] = line;
			c->items[kept++].values = sum;
		}
		for (k = 0; k < m; k++)
			sum[k] += line.values[k];
		if (line.callee == NULL && line.location != STORE_NONE)
			a->places[a->place_count++] = (struct event_place){line.location, kept - 1};
	}
	qsort(a->places, a->place_count, sizeof(*a->places), compare_places);
	c->count = kept;
	return 0;
}

int event_annotation_init(struct event_annotation *a, const struct event_profile *p,
			  const struct event_columns *columns, const char *argument,
			  bool by_address, struct err *err)
{
	struct map asked = {0};
	struct collection c = {.p = p,
			       .asked = &asked,
			       .argument = argument,
			       .function = &a->function,
			       .is_file = has_file(p, argument),
			       .by_address = by_address};
	int status;

	*a = (struct event_annotation){.p = p, .columns = columns, .argument = argument};
	a->function.asked = argument;
	if (!c.is_file)
		choose_function(&c, columns->sort);
	a->total = events_value(p, columns->sort, p->totals);
	status = collect(&c, err) == 0 ? merge(a, &c, err) : -1;
	map_release(&asked);
	if (status != 0) {
		free(c.items);
		event_annotation_release(a);
		return -1;
	}
	a->lines = c.items;
	a->count = c.count;
	if (a->count > 0)
		return 0;
	event_annotation_release(a);
	return err_set(err,
		       "the profile has no file and no function '%s': 'dwell report' and 'dwell "
		       "report --by file' list them",
		       argument);
}

void event_annotation_release(struct event_annotation *a)
{
	free(a->lines);
	free(a->places);
	free(a->values);
	*a = (struct event_annotation){0};
}

size_t event_annotation_line(const struct event_annotation *a, int64_t location)
{
	const struct event_place *p = a->places;
	const size_t found = SEARCH_MATCH(i, a->place_count, SEARCH_ORDER(p[i].location, location));

	return found < a->place_count ? p[found].line : SIZE_MAX;
}
