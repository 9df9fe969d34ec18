/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call graph of a simulated run, before it is in the event profile. A node waits here until the
 * location where its function begins has a name.
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
	 * What it is in the store, index + 1; 0: nothing yet. Of code made at run time it may be
	 * another one.
	 */
	uint32_t written_as;
	bool is_made; /* of such code; see made_nodes.h */
};

/* What an arc or a jump is; all of it is known from the first record on. */
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

/* An arc or jump with its counts that are not in the store yet. */
struct simulation_graph_arc {
	struct simulation_graph_arc_key is;
	uint64_t calls;
};

struct simulation_graph_jump {
	struct simulation_graph_jump_key is;
	uint64_t executed, taken;
};

/* All zero is an empty one. Values are `events` numbers for each arc. */
struct simulation_graph {
	struct {
		struct simulation_node *items;
		size_t count, room;
	} nodes;	      /* item i has the id i + 1 in the store */
	size_t written;	      /* nodes before this one are */
	struct map node_ids;  /* process and number there -> index */
	struct map made;      /* of code made at run time: simulation_key() -> index + 1 */
	struct map has_names; /* processes of which some such code has a name */
	struct costs costs;   /* their nodes are indices + 1 */
	struct {
		struct simulation_graph_arc *items;
		size_t count, room;
	} arcs;
	struct map arc_ids; /* by a hash of what it is -> index */
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
 * Write the nodes whose names are known by now, and what belongs to them. Returns 0, or -1 with
 * *err; *waits: something is left.
 */
int simulation_graph_write(struct simulation_graph *g, unsigned events, const struct naming *naming,
			   const struct symbols *symbols, struct store *store, bool *waits,
			   struct err *err);

#endif
