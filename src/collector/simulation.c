/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Costs of code locations, from records to the event profile; see simulation.h. */
#include "collector/simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "collector/geometry_text.h"
#include "collector/record_check.h"
#include "collector/recorder_parts.h"
#include "sim/events.h"
#include "store/events.h"

#define DUE_NS UINT64_C(2000000000) /* between two writings while the run goes on */

enum { READS = 1, WRITES = 2, OWN_EVENTS = 3 }; /* columns; instructions are the first */

void simulation_release(struct simulation *s)
{
	free(s->locations.items);
	free(s->values);
	map_release(&s->nodes);
	simulation_graph_release(&s->graph);
	*s = (struct simulation){0};
}

/* ---- Columns ---- */

/* Of several hierarchies each has its own names behind the first three: "D1mr", "D1mr_2", ... */
static int add_events(const struct channel_config *c, unsigned hierarchy,
		      struct store_event *events, size_t *count, char (*names)[32], struct err *err)
{
	struct sim_geometry g;
	struct sim_events list;

	memcpy(&g, (const char *)c->geometry + hierarchy * sizeof(g), sizeof(g));
	if (sim_events_of(&g, &list) != 0)
		return err_set(err, "a geometry with more than %d events", SIM_MAX_EVENTS);
	for (unsigned i = hierarchy == 0 ? 0 : OWN_EVENTS; i < list.count; i++) {
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

int simulation_begin(struct simulation *s, const struct channel_config *config, struct store *store,
		     struct err *err)
{
	struct store_event events[STORE_MAX_COLUMNS];
	char names[STORE_MAX_COLUMNS][32];
	size_t count = 0;

	for (unsigned i = 0; i < config->geometry_count; i++)
		if (add_events(config, i, events, &count, names, err) != 0 ||
		    add_geometry(config, i, store, err) != 0)
			return -1;
	s->events = (unsigned)count;
	return store_put_events(store, events, count, err);
}

/* ---- Locations ---- */

/* Room for the location `id`, and zeros in it. */
static int have_room(struct simulation *s, size_t id)
{
	struct {
		struct simulation_location **items;
		size_t *room;
	} l = {&s->locations.items, &s->locations.room};
	size_t before = s->locations.count;

	if (id < before)
		return 0;
	if (!array_reserve_in((void **)l.items, l.room, id + 1, sizeof(**l.items)) ||
	    !array_reserve_in((void **)&s->values, &s->values_room, (id + 1) * s->events,
			      sizeof(*s->values)))
		return -1;
	for (size_t i = before; i <= id; i++)
		s->locations.items[i] = (struct simulation_location){STORE_NONE, 0};
	memset(s->values + before * s->events, 0,
	       (id + 1 - before) * s->events * sizeof(*s->values));
	s->locations.count = id + 1;
	return 0;
}

uint64_t *simulation_values(struct simulation *s, int64_t process, int64_t location)
{
	if (have_room(s, (size_t)location) != 0)
		return NULL;
	s->locations.items[location].process = process;
	s->has_news = true;
	return s->values + (size_t)location * s->events;
}

static uint64_t add_text(uint64_t hash, const char *text)
{
	for (text = text != NULL ? text : "\x01"; *text != '\0'; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

int simulation_named(struct simulation *s, int64_t location, const struct symbols_frame *function,
		     const char *object, struct store *store, struct err *err)
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
	hash = (uint64_t)l->process * UINT64_C(0x9e3779b97f4a7c15);
	hash = add_text(add_text(add_text(hash, node.function), node.file), node.object);
	if (map_get(&s->nodes, hash, &id)) {
		l->node = (int64_t)id;
		return 0;
	}
	node.process_id = l->process;
	node.id = l->node = ++s->node_count;
	if (map_set(&s->nodes, hash, (uint64_t)l->node) != 0)
		return err_set(err, "out of memory");
	return store_put_node(store, &node, err);
}

/* ---- To the store ---- */

int simulation_write(struct simulation *s, struct store *store, struct err *err)
{
	bool is_waiting = false;

	for (size_t i = 1; i < s->locations.count && s->has_news; i++) {
		struct store_cost cost = {
			.node_id = s->locations.items[i].node,
			.location_id = (int64_t)i,
			.values = s->values + i * s->events,
		};

		if (cost.node_id == 0) {
			is_waiting |= s->locations.items[i].process != STORE_NONE;
			continue;
		}
		if (store_put_cost(store, &cost, err) != 0)
			return -1;
		memset(s->values + i * s->events, 0, s->events * sizeof(*s->values));
	}
	s->has_news = is_waiting;
	return 0;
}

bool simulation_is_due(struct simulation *s, uint64_t now_ns)
{
	if (s->events == 0 || !s->has_news || now_ns < s->due_ns)
		return false;
	s->due_ns = now_ns + DUE_NS;
	return true;
}

/* ---- Records ---- */

/* Where what happened at a location in a node of the call graph (0: there is none) is summed up. */
static uint64_t *values_of(struct recorder *r, struct process *p, uint32_t node, int64_t location)
{
	if (node == 0)
		return simulation_values(&r->simulation, p->row.id, location);
	r->simulation.has_news = true;
	return simulation_graph_values(r, p, node, location);
}

const char *recorder_on_segment(struct recorder *r, struct process *p,
				const struct record_header *h)
{
	const struct record_segment *s = (const void *)h;
	const struct segment_part *part = record_segment_parts(s);
	const uint64_t *own = record_segment_events(s);

	if (s->events != r->simulation.events)
		return "a piece of code with events that were not asked for";
	for (unsigned i = 0; i < s->parts && !r->failed; i++) {
		int64_t id = recorder_locate(r, p, s->pc + part[i].offset, s->position);
		uint64_t *v = id > 0 ? values_of(r, p, s->node, id) : NULL;

		if (v == NULL) {
			out_of_memory(r);
			break;
		}
		v[0] += s->executions;
		v[READS] += s->executions * part[i].reads;
		v[WRITES] += s->executions * part[i].writes;
		if (!part[i].has_events)
			continue;
		for (unsigned k = 0; k < s->events; k++)
			v[k] += own[k];
		own += s->events;
	}
	return NULL;
}

int recorder_on_names(void *context, int64_t id, const struct symbols_frame *outermost,
		      struct err *err)
{
	struct recorder *r = context;
	int file = naming_file(&r->naming, id);

	return simulation_named(&r->simulation, id, outermost,
				file >= 0 ? symbols_path(r->symbols, file) : NULL, r->store, err);
}
