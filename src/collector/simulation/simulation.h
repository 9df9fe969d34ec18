/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums up the costs of code locations in a simulated run. They are written to the event profile
 * regularly, once the function of each location is known.
 */
#ifndef DWELL_COLLECTOR_SIMULATION_SIMULATION_H
#define DWELL_COLLECTOR_SIMULATION_SIMULATION_H

#include <stdbool.h>

#include "base/map.h"
#include "channel/channel.h"
#include "collector/simulation/costs.h"
#include "collector/simulation/simulation_graph.h"
#include "store/events.h"
#include "store/store.h"
#include "symbols/symbols.h"

/* Code that does not fit into the call graph has nodes of its own, with ids after the graph's. */
#define SIMULATION_FIRST_NODE (UINT32_C(1) << 31)

struct simulation_location {
	uint32_t process;
	uint32_t node; /* 0: its function is not known yet */
};

struct simulation {
	unsigned events; /* 0: the run does not simulate */
	struct {
		struct simulation_location *items;
		size_t count, room;
	} locations;	    /* by id; item 0 stands for none */
	struct costs costs; /* costs that are not in the store yet, without nodes */
	struct map nodes;   /* by a hash of process, function, file and object */
	int64_t last_node;  /* the last id; ids of a graph are below SIMULATION_FIRST_NODE */
	struct simulation_graph graph; /* if there is a call graph, it replaces the members above */
	bool has_news;
	uint64_t pieces; /* reported pieces of code; each counts as often as it was reported */
	uint64_t began_ns, due_ns; /* of the first write; of the next one */
};

/*
 * The measured events of a run, at most STORE_MAX_COLUMNS, with memory for their names. Returns 0,
 * or -1 with *err if there are more.
 */
int simulation_events(const struct channel_config *config, struct store_event *events,
		      char (*names)[32], size_t *count, struct err *err);

/* Levels of the run's first hierarchy. */
uint32_t simulation_levels(const struct channel_config *config);

/* Write the columns and the geometry to the store. Returns 0, or -1 with *err. */
int simulation_begin(struct simulation *s, const struct channel_config *config, struct store *store,
		     struct err *err);
/* A hash of the node without its id: identifies a function in a context. */
uint64_t simulation_key(const struct store_node *node);

void simulation_release(struct simulation *s);

/*
 * The location belongs to the process, and its function needs a node. Returns 0, or -1 when memory
 * ran out.
 */
int simulation_keep(struct simulation *s, uint32_t process, size_t location);
/* The node of the location's function; 0: not known. */
int64_t simulation_node(const struct simulation *s, size_t location);

/* Write the new costs of locations that have names. Returns 0, or -1 with *err. */
int simulation_write(struct simulation *s, struct store *store, struct err *err);
/* Tell whether it is time to write, during the run. */
bool simulation_is_due(struct simulation *s, uint64_t now_ns);

#endif
