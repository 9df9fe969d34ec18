/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums of events of code locations, in as little memory as they can do with: a compiler runs a million
 * instructions, of which one in ten ever has an event that does not follow from how often it was
 * executed. So each has that number, and the others have numbers of their own besides.
 */
#ifndef DWELL_COLLECTOR_COSTS_H
#define DWELL_COLLECTOR_COSTS_H

#include <stddef.h>
#include <stdint.h>

/* The first three events. */
enum { COSTS_INSTRUCTIONS, COSTS_READS, COSTS_WRITES, COSTS_BY_EXECUTION };

/* What one execution of the instruction counts. */
struct costs_shape {
	uint8_t reads, writes;
};

struct cost_sum {
	uint64_t executions; /* of this shape, since they were forgotten */
	uint32_t node;	     /* of the call graph; or what else the owner tells apart */
	uint32_t location;
	uint32_t next;	/* another one of this location, index + 1; 0: it is the last */
	uint32_t extra; /* index + 1 of what comes on top; 0: nothing ever did */
	struct costs_shape shape;
};

/* All zero but `events` is an empty one. */
struct costs {
	unsigned events;
	struct cost_sum *items; /* in the order in which they came */
	size_t count, room;
	uint32_t *newest; /* by location: index + 1 of the one that came last */
	size_t newest_room;
	uint64_t *extra; /* `events` for each */
	size_t extra_count, extra_room;
};

void costs_release(struct costs *c);

/*
 * So many executions of a location in a node, and, if not NULL, `events` numbers on top of what these count.
 * Returns 0, or -1 when memory ran out.
 */
int costs_add(struct costs *c, uint32_t node, uint32_t location, uint64_t executions,
	      struct costs_shape shape, const uint64_t *events);

/* The sums of an item: `events` numbers. */
void costs_values(const struct costs *c, size_t item, uint64_t *values);
/* They are 0 from now on. */
void costs_forget(struct costs *c, size_t item);

/* Nothing will be added any more: what only that needs is given back. */
void costs_end(struct costs *c);

#endif
