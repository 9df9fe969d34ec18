/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call graph of a simulated run, before it is written to the event profile. A node waits until
 * the location where its function begins has a name.
 */
#ifndef DWELL_COLLECTOR_SIMULATION_SIMULATION_GRAPH_H
#define DWELL_COLLECTOR_SIMULATION_SIMULATION_GRAPH_H

#include <stdbool.h>

#include "base/map.h"
#include "channel/channel.h"
#include "collector/naming/naming.h"
#include "collector/simulation/costs.h"
#include "store/store.h"
#include "symbols/symbols.h"

struct simulation_node {
	int64_t process;
	int64_t start;	 /* location; 0: memory ran out */
	uint32_t caller; /* index + 1; 0: none */
	uint32_t thread; /* UINT32_MAX: all */
	uint32_t kind;	 /* enum channel_function */
	/*
	 * Its node in the store, index + 1; 0: none yet. Nodes of code made at run time may share
	 * one.
	 */
	uint32_t written_as;
	bool is_made; /* is code made at run time; see made_nodes.h */
};

/* Identifies an arc or a jump; known from the first record on. */
struct simulation_graph_arc_key {
	uint32_t caller, callee; /* indices + 1; the caller may be 0 */
	uint32_t location;	 /* 0: none */
	uint32_t kind;		 /* enum store_arc_kind, and SIMULATION_NESTED */
};

#define SIMULATION_NESTED 0x100u /* as ARC_NESTED */

struct simulation_graph_jump_key {
	uint32_t node;
	uint32_t from, to;
	uint32_t conditional;
};

/* An arc or jump, with the counts that are not in the store yet. */
struct simulation_graph_arc {
	struct simulation_graph_arc_key is;
	uint64_t calls;
};

struct simulation_graph_jump {
	struct simulation_graph_jump_key is;
	uint64_t executed, taken;
};

/* Empty when all zero. Values are `events` numbers for each arc. */
struct simulation_graph {
	struct {
		struct simulation_node *items;
		size_t count, room;
	} nodes;	      /* item i has id i + 1 in the store */
	size_t written;	      /* all nodes before this one are written */
	struct map node_ids;  /* process and its number of the node -> index */
	struct map made;      /* nodes of made code: simulation_key() -> index + 1 */
	struct map has_names; /* processes with a name for some made code */
	struct costs costs;   /* the nodes of these costs are indices + 1 */
	struct {
		struct simulation_graph_arc *items;
		size_t count, room;
	} arcs;
	struct map arc_ids; /* hash of the key -> index */
	uint64_t *arc_values;
	size_t arc_values_room;
	struct {
		struct simulation_graph_jump *items;
		size_t count, room;
	} jumps;
	struct map jump_ids; /* the same */
};

void simulation_graph_release(struct simulation_graph *g);

/*
 * Write the nodes whose names are known, with their costs, arcs and jumps. Returns 0, or -1 with
 * *err; *waits: something is left.
 */
int simulation_graph_write(struct simulation_graph *g, unsigned events, const struct naming *naming,
			   const struct symbols *symbols, struct store *store, bool *waits,
			   struct err *err);

#endif
