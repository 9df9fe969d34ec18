/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums up the costs of code locations in a simulated run. They go to the event profile from time to
 * time, once the function of each location is known.
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

/* Code that a call graph has no room for has nodes of its own, behind the graph's. */
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
	struct costs costs; /* what the store does not have yet; their nodes are 0 */
	struct map nodes;   /* by a hash of process, function, file and object */
	int64_t last_node;  /* its id; those of a graph come before SIMULATION_FIRST_NODE */
	struct simulation_graph graph; /* instead of all of these, if there is one */
	bool has_news;
	uint64_t pieces; /* of code that was told of, each as often as it was */
	uint64_t due_ns;
};

/*
 * The events that a run measures, at most STORE_MAX_COLUMNS, with room for their names. Returns 0,
 * or -1 with *err when there are more.
 */
int simulation_events(const struct channel_config *config, struct store_event *events,
		      char (*names)[32], size_t *count, struct err *err);

/* The columns and the geometry, for the store. Returns 0, or -1 with *err. */
int simulation_begin(struct simulation *s, const struct channel_config *config, struct store *store,
		     struct err *err);
/* What tells functions in contexts apart: a hash of all of the node but its id. */
uint64_t simulation_key(const struct store_node *node);

void simulation_release(struct simulation *s);

/* The location is in this function of the file `object` (or NULL). Returns 0, or -1 with *err. */
int simulation_named(struct simulation *s, int64_t location, const struct symbols_frame *function,
		     const char *object, struct store *store, struct err *err);

/* The location is one of the process: its function is to be a node. Returns 0, or -1: no memory. */
int simulation_keep(struct simulation *s, uint32_t process, size_t location);
/* The node of the function that it is in; 0: not known. */
int64_t simulation_node(const struct simulation *s, size_t location);

/* Write what is new of locations that have their names. Returns 0, or -1 with *err. */
int simulation_write(struct simulation *s, struct store *store, struct err *err);
/* Is it time for it, while the run goes on? */
bool simulation_is_due(struct simulation *s, uint64_t now_ns);

#endif
