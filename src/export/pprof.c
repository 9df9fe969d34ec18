/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pprof's profile.proto (github.com/google/pprof, proto/profile.proto): a stack is a list of
 * locations, innermost first. The last function of a stack has a location for each instruction or
 * line with a cost, including inlined functions. Its callers are locations of whole functions.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "export/formats.h"
#include "export/functions.h"
#include "export/proto.h"

/* Field numbers of the messages. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
	TYPE_NAME = 1,
	TYPE_UNIT = 2,
	SAMPLE_LOCATIONS = 1,
	SAMPLE_VALUES = 2,
	MAPPING_ID = 1,
	MAPPING_LIMIT = 3,
	MAPPING_FILE = 5,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILES = 8,
	MAPPING_HAS_LINES = 9,
	MAPPING_HAS_INLINED = 10,
	LOCATION_ID = 1,
	LOCATION_MAPPING = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
	LINE_FUNCTION = 1,
	LINE_NUMBER = 2,
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILE = 4,
};

/* A leaf below this part of the total, in all events, counts for its function. */
#define LEAST_PART  1e-6
#define LEAST_COUNT 0.5

struct pprof {
	const struct export_data *d;
	const struct export_columns *c;
	const struct stacks *s;
	struct text *out;
	struct export_functions nodes;
	size_t *first_cost;	/* by node; count + 1 items */
	unsigned char *written; /* locations: those of the data, then one for each function */
	struct map strings;	/* address of a string -> number */
	struct map functions;	/* name and file -> number */
	struct map mappings;	/* file's number -> number */
	struct stacks_rounding *rounding;
	double *least, *values, *rest;
	uint64_t *ids; /* locations of a sample */
	size_t id_room;
	struct text part; /* a message under construction */
	bool failed;
};

/* ---- Tables ---- */

static uint64_t number_of(struct pprof *p, struct map *m, uint64_t key, bool *is_new)
{
	uint64_t number;

	*is_new = !map_get(m, key, &number);
	if (!*is_new)
		return number;
	number = m->count + 1;
	if (map_set(m, key, number) != 0)
		p->failed = true;
	return number;
}

/* The string's number; string 0 is "". */
static uint64_t string_of(struct pprof *p, const char *s)
{
	struct text safe = {0};
	uint64_t number;
	bool is_new;

	if (s == NULL || s[0] == '\0')
		return 0;
	number = number_of(p, &p->strings, (uintptr_t)s, &is_new);
	if (is_new) {
		text_add_printable(&safe, s, strlen(s));
		proto_bytes(p->out, PROFILE_STRING, text_get(&safe), safe.count);
		text_release(&safe);
	}
	return number;
}

static uint64_t function_of(struct pprof *p, const char *name, const char *file)
{
	uint64_t name_string = string_of(p, name), file_string = string_of(p, file), number;
	struct text m = {0};
	bool is_new;

	number = number_of(p, &p->functions, name_string << 32 | file_string, &is_new);
	if (!is_new)
		return number;
	proto_number(&m, FUNCTION_ID, number);
	proto_number(&m, FUNCTION_NAME, name_string);
	proto_number(&m, FUNCTION_SYSTEM_NAME, name_string);
	proto_number(&m, FUNCTION_FILE, file_string);
	proto_message(p->out, PROFILE_FUNCTION, &m);
	return number;
}

static uint64_t mapping_of(struct pprof *p, const char *path)
{
	uint64_t file = string_of(p, path), number;
	struct text m = {0};
	bool is_new;

	if (file == 0)
		return 0;
	number = number_of(p, &p->mappings, file, &is_new);
	if (!is_new)
		return number;
	proto_number(&m, MAPPING_ID, number);
	/* Addresses are those in the file. */
	proto_number(&m, MAPPING_LIMIT, INT64_MAX);
	proto_number(&m, MAPPING_FILE, file);
	proto_number(&m, MAPPING_HAS_FUNCTIONS, 1);
	proto_number(&m, MAPPING_HAS_FILES, 1);
	proto_number(&m, MAPPING_HAS_LINES, 1);
	proto_number(&m, MAPPING_HAS_INLINED, 1);
	proto_message(p->out, PROFILE_MAPPING, &m);
	return number;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/*
 * The file of the program: an object with its path; or with the same name, as imported files may
 * have no path; or the executable itself, which may have no costs, as an interpreter. NULL if
 * unknown.
 */
static const char *main_object(const struct export_data *d)
{
	const char *exe = d->processes[0].exe, *found = exe[0] == '/' ? exe : NULL;

	for (size_t i = 0; i < d->node_count; i++) {
		const char *object = d->nodes[i].object;

		if (object != NULL && strcmp(object, exe) == 0)
			return object;
		if (object != NULL && strcmp(base_name(object), base_name(exe)) == 0)
			found = object;
	}
	return found;
}

/* ---- Locations ---- */

static void add_line(struct text *location, uint64_t function, uint32_t line)
{
	struct text m = {0};

	proto_number(&m, LINE_FUNCTION, function);
	proto_number(&m, LINE_NUMBER, line);
	proto_message(location, LOCATION_LINE, &m);
}

static uint64_t location_of_function(struct pprof *p, size_t node)
{
	const struct store_node *n = &p->d->nodes[node];
	size_t index = p->d->location_count + p->nodes.of_node[node];
	struct text m = {0};

	if (p->written[index])
		return index + 1;
	p->written[index] = 1;
	proto_number(&m, LOCATION_ID, index + 1);
	proto_number(&m, LOCATION_MAPPING, mapping_of(p, n->object));
	add_line(&m, function_of(p, n->function, n->file), 0);
	proto_message(p->out, PROFILE_LOCATION, &m);
	return index + 1;
}

static uint64_t location_of(struct pprof *p, size_t node, int64_t location)
{
	const struct store_location *l = export_location(p->d, location);
	struct text m = {0};

	if (l == NULL || l->frame_count == 0)
		return location_of_function(p, node);
	if (p->written[location])
		return (uint64_t)location + 1;
	p->written[location] = 1;
	proto_number(&m, LOCATION_ID, (uint64_t)location + 1);
	proto_number(&m, LOCATION_MAPPING, mapping_of(p, p->d->nodes[node].object));
	proto_number(&m, LOCATION_ADDRESS, export_address(l));
	for (uint32_t i = 0; i < l->frame_count; i++)
		add_line(&m, function_of(p, l->frames[i].function, l->frames[i].file),
			 l->frames[i].line);
	proto_message(p->out, PROFILE_LOCATION, &m);
	return (uint64_t)location + 1;
}

/* ---- Samples ---- */

/* Add the sample of a leaf from p->values, unless all round to 0. */
static void add_sample(struct pprof *p, const struct stack *x, uint64_t leaf)
{
	struct text m = {0};
	bool any = false;
	size_t count = 0;

	for (size_t k = 0; k < p->c->count; k++) {
		p->values[k] = stacks_round(&p->rounding[k], p->values[k]);
		any = any || p->values[k] != 0;
	}
	if (!any)
		return;
	for (;;) {
		if (!array_reserve_in((void **)&p->ids, &p->id_room, count + 1, sizeof(*p->ids))) {
			p->failed = true;
			return;
		}
		p->ids[count] = count == 0 ? leaf : location_of_function(p, x->node);
		count++;
		if (x->parent == STACKS_NONE)
			break;
		x = &p->s->items[x->parent];
	}
	proto_numbers(&m, SAMPLE_LOCATIONS, p->ids, count);
	proto_counts(&m, SAMPLE_VALUES, p->values, p->c->count);
	proto_message(p->out, PROFILE_SAMPLE, &m);
}

/* Add the own cost of a stack, by the instructions of its last function. */
static void add_leaves(struct pprof *p, const struct stack *x)
{
	const struct export_data *d = p->d;

	memset(p->rest, 0, p->c->count * sizeof(*p->rest));
	for (size_t i = p->first_cost[x->node]; i < p->first_cost[x->node + 1]; i++) {
		bool is_small = true;

		for (size_t k = 0; k < p->c->count; k++) {
			p->values[k] =
				x->shares[k] * export_value(&p->c->items[k], d->costs[i].values);
			is_small = is_small && fabs(p->values[k]) < p->least[k];
		}
		for (size_t k = 0; is_small && k < p->c->count; k++)
			p->rest[k] += p->values[k];
		if (!is_small)
			add_sample(p, x, location_of(p, x->node, d->costs[i].location_id));
	}
	memcpy(p->values, p->rest, p->c->count * sizeof(*p->values));
	add_sample(p, x, location_of_function(p, x->node));
}

static void add_samples(struct pprof *p)
{
	for (size_t i = 0; i < p->s->count && !p->failed; i++) {
		const struct stack *x = &p->s->items[i];

		if (!x->is_whole) {
			add_leaves(p, x);
			continue;
		}
		for (size_t k = 0; k < p->c->count; k++)
			p->values[k] = stacks_value(p->s, x, k);
		add_sample(p, x, location_of_function(p, x->node));
	}
}

/* ---- The profile ---- */

static void add_types(struct pprof *p)
{
	uint64_t unit;
	size_t main = 0;

	proto_bytes(p->out, PROFILE_STRING, "", 0);
	unit = string_of(p, "count");
	for (size_t k = 0; k < p->c->count; k++) {
		struct text m = {0};

		proto_number(&m, TYPE_NAME, string_of(p, p->c->items[k].name));
		proto_number(&m, TYPE_UNIT, unit);
		proto_message(p->out, PROFILE_SAMPLE_TYPE, &m);
		if (strcmp(p->c->items[k].name, p->d->p.columns[p->d->primary].name) == 0)
			main = k;
	}
	proto_number(&p->part, TYPE_NAME, string_of(p, p->c->items[main].name));
	proto_number(&p->part, TYPE_UNIT, unit);
	proto_message(p->out, PROFILE_PERIOD_TYPE, &p->part);
	proto_number(p->out, PROFILE_PERIOD, 1);
	proto_number(p->out, PROFILE_COMMENT, string_of(p, p->d->command));
	proto_number(p->out, PROFILE_DEFAULT_TYPE, string_of(p, p->c->items[main].name));
}

static void index_costs(struct pprof *p)
{
	size_t at = 0;

	for (size_t node = 0; node <= p->d->node_count; node++) {
		while (at < p->d->cost_count && (size_t)p->d->costs[at].node_id < node)
			at++;
		p->first_cost[node] = at;
	}
}

static void find_least(struct pprof *p)
{
	for (size_t i = 0; i < p->d->cost_count; i++)
		for (size_t k = 0; k < p->c->count; k++)
			p->least[k] += export_value(&p->c->items[k], p->d->costs[i].values);
	for (size_t k = 0; k < p->c->count; k++)
		p->least[k] = fmax(fabs(p->least[k]) * LEAST_PART, LEAST_COUNT);
}

static int prepare(struct pprof *p, struct err *err)
{
	size_t columns = p->c->count + 1;

	if (export_functions_init(&p->nodes, p->d, false, err) != 0)
		return -1;
	p->first_cost = calloc(p->d->node_count + 1, sizeof(*p->first_cost));
	p->written = calloc(p->d->location_count + p->nodes.count + 1, 1);
	p->rounding = calloc(columns, sizeof(*p->rounding));
	p->least = calloc(3 * columns, sizeof(*p->least));
	if (p->first_cost == NULL || p->written == NULL || p->rounding == NULL || p->least == NULL)
		return err_set(err, "not enough memory for %zu functions", p->nodes.count);
	p->values = p->least + columns;
	p->rest = p->values + columns;
	index_costs(p);
	find_least(p);
	return 0;
}

static void release(struct pprof *p)
{
	export_functions_release(&p->nodes);
	map_release(&p->strings);
	map_release(&p->functions);
	map_release(&p->mappings);
	free(p->first_cost);
	free(p->written);
	free(p->rounding);
	free(p->least);
	free(p->ids);
}

int export_pprof(struct export_job *j, struct err *err)
{
	struct text plain = {0};
	struct pprof p = {.d = &j->data, .c = &j->columns, .s = &j->stacks, .out = &plain};
	int status = prepare(&p, err);

	if (status == 0) {
		add_types(&p);
		/* Readers regard the first mapping as the program. */
		mapping_of(&p, main_object(p.d));
		add_samples(&p);
		status = p.failed || plain.failed
				 ? err_set(err, "not enough memory for the profile")
				 : proto_gzip(&plain, &j->out, err);
	}
	release(&p);
	text_release(&plain);
	return status;
}
