/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Costs of code locations, from records to the event profile; see simulation.h. */
#include "collector/simulation/simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "collector/record_check.h"
#include "collector/recorder_parts.h"
#include "collector/simulation/geometry_text.h"
#include "sim/base/events.h"
#include "sim/plan/asks.h"
#include "store/events.h"

/*
 * Time between two writes during the run. Each adds increments for most of the program, so later
 * ones wait longer, as the engine's reports by data structure do.
 */
#define DUE_NS	 UINT64_C(2000000000)
#define DUE_PART 8 /* of the time so far */

void simulation_release(struct simulation *s)
{
	free(s->locations.items);
	costs_release(&s->costs);
	map_release(&s->nodes);
	simulation_graph_release(&s->graph);
	*s = (struct simulation){0};
}

/* ---- Columns ---- */

/*
 * Add the events of a hierarchy. From the second hierarchy on names have a number, "D1mr_2", and
 * the first three events are shared.
 */
static int add_events(const struct channel_config *c, unsigned hierarchy,
		      struct store_event *events, size_t *count, char (*names)[32], struct err *err)
{
	struct sim_geometry g;
	struct sim_events list;

	memcpy(&g, (const char *)c->geometry + hierarchy * sizeof(g), sizeof(g));
	sim_events_of(&g, &list);
	for (unsigned i = hierarchy == 0 ? 0 : COSTS_BY_EXECUTION; i < list.count; i++) {
		if (*count == STORE_MAX_COLUMNS)
			return err_set(err,
				       "the caches have more than %d events together: simulate "
				       "fewer at a time",
				       STORE_MAX_COLUMNS);
		snprintf(names[*count], sizeof(names[0]), hierarchy == 0 ? "%s" : "%s_%u",
			 list.items[i].name, hierarchy + 1);
		events[*count] = (struct store_event){.name = names[*count],
						      .description = list.items[i].description};
		++*count;
	}
	return 0;
}

static int add_geometry(const struct channel_config *c, unsigned hierarchy, struct store *store,
			struct err *err)
{
	struct geometry_row rows[GEOMETRY_ROWS];
	struct sim_geometry g;
	char name[32];
	size_t count;

	memcpy(&g, (const char *)c->geometry + hierarchy * sizeof(g), sizeof(g));
	count = geometry_rows(&g, rows);
	for (size_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), hierarchy == 0 ? "%s" : "%s_%u", rows[i].name,
			 hierarchy + 1);
		if (store_put_geometry(store, name, rows[i].value, err) != 0)
			return -1;
	}
	return 0;
}

uint32_t simulation_levels(const struct channel_config *config)
{
	struct sim_geometry g;

	memcpy(&g, config->geometry, sizeof(g));
	return g.level_count;
}

int simulation_events(const struct channel_config *config, struct store_event *events,
		      char (*names)[32], size_t *count, struct err *err)
{
	*count = 0;
	for (unsigned i = 0; i < config->geometry_count; i++)
		if (add_events(config, i, events, count, names, err) != 0)
			return -1;
	return 0;
}

int simulation_begin(struct simulation *s, const struct channel_config *config, struct store *store,
		     struct err *err)
{
	struct store_event events[STORE_MAX_COLUMNS];
	char names[STORE_MAX_COLUMNS][32];
	size_t count;

	if (simulation_events(config, events, names, &count, err) != 0)
		return -1;
	for (unsigned i = 0; i < config->geometry_count; i++)
		if (add_geometry(config, i, store, err) != 0)
			return -1;
	if (!(config->asks & SIM_ASK_NO_GRAPH))
		s->last_node = SIMULATION_FIRST_NODE;
	s->events = s->costs.events = s->graph.costs.events = (unsigned)count;
	return store_put_events(store, events, count, err);
}

/* ---- Locations ---- */

int simulation_keep(struct simulation *s, uint32_t process, size_t id)
{
	if (id < s->locations.count && s->locations.items[id].process == process)
		return 0;
	if (!array_reserve_in((void **)&s->locations.items, &s->locations.room, id + 1,
			      sizeof(*s->locations.items)))
		return -1;
	while (s->locations.count <= id)
		s->locations.items[s->locations.count++] = (struct simulation_location){0};
	s->locations.items[id].process = process;
	return 0;
}

int64_t simulation_node(const struct simulation *s, size_t location)
{
	return location < s->locations.count ? s->locations.items[location].node : 0;
}

static uint64_t add_text(uint64_t hash, const char *text)
{
	for (text = text != NULL ? text : "\x01"; *text != '\0'; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

uint64_t simulation_key(const struct store_node *n)
{
	uint64_t hash = (uint64_t)n->process_id * UINT64_C(0x9e3779b97f4a7c15);

	hash = (hash ^ (uint64_t)n->thread) * UINT64_C(0xd6e8feb86659fd93);
	hash = (hash ^ (uint64_t)n->caller_id) * UINT64_C(0x9e3779b97f4a7c15);
	return add_text(add_text(add_text(hash, n->function), n->file), n->object);
}

/* The location is in this function of the file `object` (or NULL). Returns 0, or -1 with *err. */
static int set_function(struct simulation *s, int64_t location,
			const struct symbols_frame *function, const char *object,
			struct store *store, struct err *err)
{
	struct simulation_location *l;
	struct store_node node = {
		.thread = STORE_NONE,
		.caller_id = STORE_NONE,
		.function = function->function,
		.file = function->file,
		.object = object,
	};
	uint64_t hash, id;

	if ((size_t)location >= s->locations.count)
		return 0;
	l = &s->locations.items[location];
	node.process_id = l->process;
	hash = simulation_key(&node);
	if (map_get(&s->nodes, hash, &id)) {
		l->node = (uint32_t)id;
		return 0;
	}
	if (s->last_node == STORE_MAX_ID)
		return 0; /* no ids are left for nodes: omit the function */
	l->node = (uint32_t)++s->last_node;
	node.id = l->node;
	if (map_set(&s->nodes, hash, l->node) != 0)
		return err_set(err, "out of memory");
	return store_put_node(store, &node, err);
}

/* ---- Writing ---- */

int simulation_write(struct simulation *s, struct store *store, struct err *err)
{
	uint64_t values[STORE_MAX_COLUMNS];
	bool is_waiting = false;

	for (size_t i = 0; i < s->costs.count && s->has_news; i++) {
		struct cost_sum *sum = &s->costs.items[i];
		struct store_cost cost = {
			.node_id = s->locations.items[i].node,
			.location_id = (int64_t)i,
			.values = values,
		};

		if (cost.node_id == 0) {
			is_waiting |= sum->executions != 0 || sum->rare != 0;
			continue;
		}
		costs_values(&s->costs, sum, values);
		if (store_put_cost(store, &cost, err) != 0)
			return -1;
		costs_forget(&s->costs, sum);
	}
	s->has_news = is_waiting;
	return 0;
}

bool simulation_is_due(struct simulation *s, uint64_t now_ns)
{
	if (s->events == 0 || !s->has_news || now_ns < s->due_ns)
		return false;
	if (s->began_ns == 0)
		s->began_ns = now_ns;
	s->due_ns = now_ns + DUE_NS + (now_ns - s->began_ns) / DUE_PART;
	return true;
}

/* ---- Records ---- */

/* The sums for a node of the call graph, or for code without a node. */
static struct costs *costs_of(struct simulation *s, uint32_t node)
{
	return node == 0 ? &s->costs : &s->graph.costs;
}

/* Add an instruction of a segment. */
static int add_part(struct recorder *r, const struct process *p, uint32_t node, int64_t location,
		    const struct record_segment *s, const struct segment_part *part,
		    const uint64_t *own)
{
	const struct costs_shape shape = {part->reads, part->writes};

	if (location <= 0 || (node == 0 && simulation_keep(&r->simulation, (uint32_t)p->row.id,
							   (size_t)location) != 0))
		return -1;
	return costs_add(costs_of(&r->simulation, node), node, (uint32_t)location, s->executions,
			 shape, part->has_events ? own : NULL);
}

const char *recorder_on_segment(struct recorder *r, struct process *p,
				const struct record_header *h)
{
	const struct record_segment *s = (const void *)h;
	const struct segment_part *part = record_segment_parts(s);
	const uint64_t *own = record_segment_events(s);
	const uint32_t node = s->node == 0 ? 0 : simulation_graph_node(r, p, s->node);

	if (s->events != r->simulation.events)
		return "a piece of code with events that were not requested";
	if (node == 0 && s->node != 0)
		return "a piece of code in an unknown function";
	r->simulation.has_news = true;
	r->simulation.pieces++;
	for (unsigned i = 0; i < s->parts; i++)
		code_map_prefetch(&p->code, s->pc + part[i].offset);
	for (unsigned i = 0; i < s->parts && !r->failed; i++) {
		int64_t id = recorder_locate(r, p, s->pc + part[i].offset, s->position);

		if (add_part(r, p, node, id, s, &part[i], own) != 0)
			out_of_memory(r);
		if (part[i].has_events)
			own += s->events;
	}
	return NULL;
}

int recorder_on_names(void *context, int64_t id, const struct symbols_frame *outermost,
		      struct err *err)
{
	struct recorder *r = context;

	return set_function(&r->simulation, id, outermost,
			    symbols_path(r->symbols, naming_file(&r->naming, id)), r->store, err);
}
