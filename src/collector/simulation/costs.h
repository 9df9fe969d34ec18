/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compact sums of events by code location. A compiler has a million instructions, and only one in
 * ten ever has events beyond those implied by its execution count. So each instruction has that
 * count; only the others have event sums besides.
 */
#ifndef DWELL_COLLECTOR_SIMULATION_COSTS_H
#define DWELL_COLLECTOR_SIMULATION_COSTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

/* The first three events. */
enum { COSTS_INSTRUCTIONS, COSTS_READS, COSTS_WRITES, COSTS_BY_EXECUTION };

/* The accesses of one execution of the instruction. */
struct costs_shape {
	uint8_t reads, writes;
};

struct cost_sum {
	uint64_t executions : 56;	/* of this shape, since the last reset */
	uint64_t reads : 4, writes : 4; /* the shape */
	uint32_t node;			/* of the call graph; 0: there is none */
	uint32_t rare;			/* index + 1 of its cost_rare; 0: none */
};

/* Values that few sums have. */
struct cost_rare {
	uint32_t extra; /* index + 1 of its events beyond executions; 0: it never had any */
	uint32_t next;	/* index + 1 in `others` of the same location in another node; 0: none */
};

/* Empty when all zero but `events`. */
struct costs {
	unsigned events;
	struct cost_sum *items; /* by location */
	size_t count, room;
	struct {
		struct cost_sum *items;
		size_t count, room;
	} others;
	struct map by_node; /* node and location -> index in others */
	struct {
		struct cost_rare *items;
		size_t count, room;
	} rare;
	uint64_t *extra; /* `events` for each */
	size_t extra_count, extra_room;
};

void costs_release(struct costs *c);

/*
 * Add executions of a location in a node. `events`, if not NULL, are counts beyond those that the
 * executions imply. Returns 0, or -1 when memory ran out.
 */
int costs_add(struct costs *c, uint32_t node, uint32_t location, uint64_t executions,
	      struct costs_shape shape, const uint64_t *events);

/* The sum of the location in its next node, or NULL. The first one is items[location]. */
struct cost_sum *costs_next(const struct costs *c, const struct cost_sum *sum);

/* Store the sums in `values`: `events` numbers, all 0 if nothing is new. */
void costs_values(const struct costs *c, const struct cost_sum *sum, uint64_t *values);
/* Reset the sums to 0. */
void costs_forget(const struct costs *c, struct cost_sum *sum);

#endif
