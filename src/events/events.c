/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads an event profile, with its derived events: stored, built-in and requested ones. */
#include "events/events.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "store/store_read.h"

/* ---- Columns ---- */

static bool find_column(const void *context, const char *name, size_t length, size_t *column)
{
	const struct event_profile *p = context;
	size_t i;

	for (i = 0; i < p->column_count; i++) {
		if (strlen(p->columns[i].name) == length &&
		    strncmp(p->columns[i].name, name, length) == 0) {
			*column = i;
			return true;
		}
	}
	return false;
}

static int add_column(struct event_profile *p, const struct event_column *c, struct err *err)
{
	if (!array_reserve_in((void **)&p->columns, &p->column_room, p->column_count + 1,
			      sizeof(*c)))
		return err_set(err, "out of memory");
	p->columns[p->column_count++] = *c;
	return 0;
}

#define MAX_WEIGHT 100000 /* limits formulas of formulas, which may double it at each step */

static size_t weigh_column(const void *context, size_t column)
{
	return ((const struct event_profile *)context)->columns[column].weight;
}

/* A formula names only existing columns, so there are no cycles. */
static int add_derived(struct event_profile *p, const char *name, size_t length, const char *text,
		       const char *description, struct err *err)
{
	struct event_column c = {
		.name = arena_strndup(&p->texts, name, length),
		.description = description,
		.text = arena_strdup(&p->texts, text),
	};

	if (c.name == NULL || c.text == NULL)
		return err_set(err, "out of memory");
	if (formula_parse(&c.formula, c.text, find_column, p, err) != 0)
		return -1;
	c.weight = formula_weight(&c.formula, weigh_column, p);
	if (c.weight > MAX_WEIGHT)
		err_set(err, "formula '%s' is too large", c.text);
	else if (add_column(p, &c, err) == 0)
		return 0;
	formula_release(&c.formula);
	return -1;
}

/*
 * The usual sums of cache events, unless the file defines these names itself: the sum of the
 * measured parts. The prices are those of KCachegrind's cycle estimation.
 */
static const struct known_sum {
	const char *name, *description;
	const char *parts[4];
} known_sums[] = {
	{"L1m", "misses of L1", {"I1mr", "D1mr", "D1mw"}},
	{"L2m", "misses of L2", {"I2mr", "D2mr", "D2mw"}},
	{"LLm", "misses of the last level", {"ILmr", "DLmr", "DLmw"}},
};

#define ESTIMATE "Ir + 10*L1m + 100*LLm"

static int add_known_sums(struct event_profile *p, struct err *err)
{
	size_t column, i, k;
	int status = 0;

	for (i = 0; i < sizeof(known_sums) / sizeof(known_sums[0]) && status == 0; i++) {
		const struct known_sum *known = &known_sums[i];
		struct text sum = {0};

		for (k = 0; known->parts[k] != NULL; k++) {
			if (find_column(p, known->parts[k], strlen(known->parts[k]), &column))
				text_addf(&sum, "%s%s", sum.count > 0 ? " + " : "",
					  known->parts[k]);
		}
		if (sum.count > 0 && !find_column(p, known->name, strlen(known->name), &column))
			status = add_derived(p, known->name, strlen(known->name), text_get(&sum),
					     known->description, err);
		text_release(&sum);
	}
	return status;
}

static int add_estimate(struct event_profile *p, struct err *err)
{
	size_t column;

	if (!find_column(p, "Ir", 2, &column) || !find_column(p, "L1m", 3, &column) ||
	    !find_column(p, "LLm", 3, &column) || find_column(p, "CEst", 4, &column))
		return 0;
	return add_derived(p, "CEst", 4, ESTIMATE, "cycles, estimated", err);
}

/* Add the file's formulas, which may name each other in any order. Invalid ones are left out. */
static void add_stored(struct event_profile *p, const struct store_event *events, size_t count)
{
	size_t before, i, column;

	do {
		before = p->column_count;
		for (i = 0; i < count; i++) {
			const struct store_event *e = &events[i];

			if (e->formula != NULL &&
			    !find_column(p, e->name, strlen(e->name), &column))
				add_derived(p, e->name, strlen(e->name), e->formula, e->description,
					    NULL);
		}
	} while (p->column_count > before);
}

/* Formulas of the file come first, and may redefine the built-in names, and use them. */
static int add_all_derived(struct event_profile *p, const struct store_event *events, size_t count,
			   struct err *err)
{
	add_stored(p, events, count);
	if (add_known_sums(p, err) != 0)
		return -1;
	add_stored(p, events, count);
	if (add_estimate(p, err) != 0)
		return -1;
	add_stored(p, events, count);
	return 0;
}

/* Returns the number of measured events, or -1. */
static int read_columns(struct event_profile *p, struct err *err)
{
	struct store_event *events;
	size_t count, i;
	int status = 0;

	if (store_read_events(p->store, &events, &count, err) != 0)
		return -1;
	for (i = 0; i < count && events[i].formula == NULL && status == 0; i++) {
		struct event_column c = {events[i].name, events[i].description};

		status = p->measured == STORE_MAX_COLUMNS ? err_set(err, "too many events")
							  : add_column(p, &c, err);
		p->measured++;
	}
	if (status == 0)
		status = add_all_derived(p, events, count, err);
	free(events);
	return status == 0 ? (int)p->measured : -1;
}

static int list_events(const struct event_profile *p, const char *name, struct err *err)
{
	struct text names = {0};
	size_t i;

	for (i = 0; i < p->column_count; i++)
		text_addf(&names, "%s%s", i > 0 ? " " : "", p->columns[i].name);
	err_set(err, "there is no event '%s': the profile has %s", name, text_get(&names));
	text_release(&names);
	return -1;
}

int events_column(struct event_profile *p, const char *text, size_t *column, struct err *err)
{
	const char *formula;
	size_t length;

	if (strchr(text, '=') == NULL)
		return find_column(p, text, strlen(text), column) ? 0 : list_events(p, text, err);
	text += strspn(text, " \t");
	formula = events_split(text, &length);
	if (formula == NULL)
		return err_set(err, "'%s': an event is 'NAME' or 'NAME = FORMULA'", text);
	if (find_column(p, text, length, column)) {
		if (*column < p->measured)
			return err_set(err,
				       "event '%.*s' is measured: give the formula another name",
				       (int)length, text);
		/* Existing formulas that name it keep the old meaning. */
		p->columns[*column].name = "";
	}
	*column = p->column_count;
	return add_derived(p, text, length, formula, NULL, err);
}

const char *events_split(const char *text, size_t *length)
{
	const char *at;

	*length = formula_name_length(text);
	at = text + *length + strspn(text + *length, " \t");
	return *length > 0 && *at == '=' ? at + 1 + strspn(at + 1, " \t") : NULL;
}

int events_check(const struct store_event *measured, size_t count, const char *const *formulas,
		 size_t formula_count, struct err *err)
{
	struct event_profile p = {0};
	int status = 0;
	size_t column;

	for (; p.measured < count && status == 0; p.measured++)
		status = add_column(&p, &(struct event_column){measured[p.measured].name}, err);
	if (status == 0)
		status = add_all_derived(&p, NULL, 0, err);
	for (size_t i = 0; i < formula_count && status == 0; i++)
		status = events_column(&p, formulas[i], &column, err);
	events_close(&p);
	return status;
}

struct values {
	const struct event_profile *p;
	const uint64_t *values;
};

static double value_of(const void *context, size_t column)
{
	const struct values *v = context;

	return events_value(v->p, column, v->values);
}

double events_value(const struct event_profile *p, size_t column, const uint64_t *values)
{
	const struct event_column *c = &p->columns[column];
	double value;

	if (column < p->measured)
		return (double)values[column];
	value = formula_value(&c->formula, value_of, &(struct values){p, values});
	return c->variance != 0 ? event_use_bound(p, c, values, value)
				: event_sample_bound(p, c->bound, value, values);
}

/* ---- The rest ---- */

static int index_nodes(struct event_profile *p, struct err *err)
{
	size_t i;

	for (i = 0; i < p->node_count; i++) {
		if (map_set(&p->node_index, (uint64_t)p->nodes[i].id, i) != 0)
			return err_set(err, "out of memory");
	}
	for (i = 0; i < p->location_count; i++) {
		if (map_set(&p->location_index, (uint64_t)p->locations[i].id, i) != 0)
			return err_set(err, "out of memory");
	}
	return 0;
}

static int read_modules(struct event_profile *p, struct err *err)
{
	size_t i;

	if (store_read_modules(p->store, p->process, &p->modules, &p->module_count, err) != 0)
		return -1;
	for (i = 0; i < p->module_count; i++) {
		if (map_set(&p->module_paths, (uint64_t)p->modules[i].id,
			    (uintptr_t)p->modules[i].path) != 0)
			return err_set(err, "out of memory");
	}
	return 0;
}

/* Check that a node's caller is in the same process; otherwise the file is damaged. */
static int check_callers(const struct event_profile *p, const char *path, struct err *err)
{
	uint64_t index;
	size_t i;

	for (i = 0; i < p->arc_count; i++) {
		if (p->arcs[i].caller_id != STORE_NONE &&
		    !map_get(&p->node_index, (uint64_t)p->arcs[i].caller_id, &index))
			return err_set(err, "profile '%s' is truncated or damaged", path);
	}
	return 0;
}

static int choose_process(struct event_profile *p, int64_t process, struct err *err)
{
	size_t i;

	p->process = process == STORE_NONE ? STORE_ALL : process;
	if (process == STORE_NONE)
		return 0;
	for (i = 0; i < p->process_count; i++) {
		if (p->processes[i].id == process)
			return 0;
	}
	return err_set(err, "the profile has no process %" PRId64 ": 'dwell info' lists them",
		       process);
}

static int read_all(struct event_profile *p, const char *path, int64_t process, struct err *err)
{
	struct store *s = p->store;

	if (store_read_processes(s, &p->processes, &p->process_count, err) != 0 ||
	    choose_process(p, process, err) != 0 ||
	    store_read_nodes(s, p->process, &p->nodes, &p->node_count, err) != 0 ||
	    store_read_costs(s, p->process, &p->costs, &p->cost_count, err) != 0 ||
	    store_read_arcs(s, p->process, &p->arcs, &p->arc_count, err) != 0 ||
	    store_read_locations(s, p->process, &p->locations, &p->location_count, err) != 0 ||
	    read_modules(p, err) != 0 || index_nodes(p, err) != 0 ||
	    check_callers(p, path, err) != 0)
		return -1;
	return 0;
}

void events_sum(struct event_profile *p)
{
	memset(p->totals, 0, sizeof(p->totals));
	for (size_t i = 0; i < p->cost_count; i++)
		for (size_t k = 0; k < p->width; k++)
			p->totals[k] += p->costs[i].values[k];
}

int events_open_counts(struct event_profile *p, const char *path, int64_t process, struct err *err)
{
	int measured, status;

	*p = (struct event_profile){.thread = STORE_NONE};
	if (store_open_readonly(path, &p->store, err) != 0)
		return -1;
	measured = read_columns(p, err);
	p->width = p->measured;
	if (measured > 0)
		status = read_all(p, path, process, err);
	else
		status = measured == 0 ? 1 : -1;
	if (status != 0)
		events_close(p);
	return status;
}

int events_open(struct event_profile *p, const char *path, int64_t process, struct err *err)
{
	const int status = events_open_counts(p, path, process, err);

	if (status != 0)
		return status;
	if (event_sample_apply(p, true, err) != 0 || event_sample_add_bounds(p, err) != 0 ||
	    event_use_apply(p, err) != 0 || event_use_add_bounds(p, err) != 0) {
		events_close(p);
		return -1;
	}
	events_sum(p);
	return 0;
}

void events_close(struct event_profile *p)
{
	size_t i;

	for (i = 0; i < p->column_count; i++)
		formula_release(&p->columns[i].formula);
	free(p->columns);
	free(p->processes);
	free(p->nodes);
	free(p->forms);
	free(p->costs);
	free(p->sample.values);
	free(p->arcs);
	free(p->locations);
	free(p->modules);
	map_release(&p->node_index);
	map_release(&p->location_index);
	map_release(&p->module_paths);
	arena_release(&p->texts);
	store_close(p->store);
	*p = (struct event_profile){0};
}

size_t events_node_index(const struct event_profile *p, int64_t id)
{
	uint64_t index = 0;
	int is_there = map_get(&p->node_index, (uint64_t)id, &index);

	assert(is_there);
	return (size_t)index;
}

const struct store_node *events_node(const struct event_profile *p, int64_t id)
{
	return &p->nodes[events_node_index(p, id)];
}

static bool is_same_name(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

bool events_is_inside(const struct event_profile *p, const struct store_arc *a)
{
	const struct store_node *from, *to;

	if (a->caller_id == STORE_NONE || a->caller_id == a->callee_id ||
	    a->kind == STORE_ARC_RECURSIVE)
		return false;
	from = events_node(p, a->caller_id);
	to = events_node(p, a->callee_id);
	return is_same_name(from->function, to->function) && is_same_name(from->file, to->file) &&
	       is_same_name(from->object, to->object);
}

const struct store_location *events_location(const struct event_profile *p, int64_t id)
{
	uint64_t index;

	if (id == STORE_NONE || !map_get(&p->location_index, (uint64_t)id, &index))
		return NULL;
	return &p->locations[index];
}

const char *events_object(const struct event_profile *p, const struct store_location *l)
{
	uint64_t path;

	if (l->module_id == STORE_NONE || !map_get(&p->module_paths, (uint64_t)l->module_id, &path))
		return NULL;
	return (const char *)(uintptr_t)path;
}
