/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of events of code locations; see costs.h. */
#include "collector/costs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void costs_release(struct costs *c)
{
	free(c->items);
	free(c->newest);
	free(c->extra);
	*c = (struct costs){0};
}

void costs_end(struct costs *c)
{
	free(c->newest);
	c->newest = NULL;
	c->newest_room = 0;
}

/* Room for the location among the newest ones. */
static int reach(struct costs *c, uint32_t location)
{
	size_t before = c->newest_room;

	if (location < before)
		return 0;
	if (!array_reserve_in((void **)&c->newest, &c->newest_room, (size_t)location + 1,
			      sizeof(*c->newest)))
		return -1;
	memset(c->newest + before, 0, (c->newest_room - before) * sizeof(*c->newest));
	return 0;
}

/* The item of a location in a node, which is made if it is new; NULL when memory ran out. */
static struct cost_sum *find(struct costs *c, uint32_t node, uint32_t location,
			     struct costs_shape shape)
{
	uint32_t i;

	if (reach(c, location) != 0)
		return NULL;
	for (i = c->newest[location]; i != 0; i = c->items[i - 1].next)
		if (c->items[i - 1].node == node)
			return &c->items[i - 1];
	if (c->count >= UINT32_MAX || !ARRAY_GROW(c))
		return NULL;
	c->items[c->count++] = (struct cost_sum){
		.node = node,
		.location = location,
		.next = c->newest[location],
		.shape = shape,
	};
	c->newest[location] = (uint32_t)c->count;
	return &c->items[c->count - 1];
}

/* What comes on top of an item's executions; NULL when memory ran out. */
static uint64_t *extra_of(struct costs *c, struct cost_sum *sum)
{
	const size_t at = c->extra_count * c->events;

	if (sum->extra != 0)
		return c->extra + (size_t)(sum->extra - 1) * c->events;
	if (c->extra_count >= UINT32_MAX ||
	    !array_reserve_in((void **)&c->extra, &c->extra_room, at + c->events,
			      sizeof(*c->extra)))
		return NULL;
	memset(c->extra + at, 0, c->events * sizeof(*c->extra));
	sum->extra = (uint32_t)++c->extra_count;
	return c->extra + at;
}

static void add_executions(uint64_t *values, uint64_t executions, struct costs_shape shape)
{
	values[COSTS_INSTRUCTIONS] += executions;
	values[COSTS_READS] += executions * shape.reads;
	values[COSTS_WRITES] += executions * shape.writes;
}

int costs_add(struct costs *c, uint32_t node, uint32_t location, uint64_t executions,
	      struct costs_shape shape, const uint64_t *events)
{
	struct cost_sum *sum = find(c, node, location, shape);
	/* Code that has changed may have another instruction at the same place. */
	bool is_other = sum != NULL && (sum->shape.reads != shape.reads ||
					sum->shape.writes != shape.writes);
	uint64_t *extra = NULL;

	if (sum == NULL)
		return -1;
	if (is_other || events != NULL) {
		extra = extra_of(c, sum);
		if (extra == NULL)
			return -1;
	}
	if (is_other)
		add_executions(extra, executions, shape);
	else
		sum->executions += executions;
	for (unsigned i = 0; events != NULL && i < c->events; i++)
		extra[i] += events[i];
	return 0;
}

void costs_values(const struct costs *c, size_t item, uint64_t *values)
{
	const struct cost_sum *sum = &c->items[item];

	if (sum->extra != 0)
		memcpy(values, c->extra + (size_t)(sum->extra - 1) * c->events,
		       c->events * sizeof(*values));
	else
		memset(values, 0, c->events * sizeof(*values));
	add_executions(values, sum->executions, sum->shape);
}

void costs_forget(struct costs *c, size_t item)
{
	struct cost_sum *sum = &c->items[item];

	sum->executions = 0;
	if (sum->extra != 0)
		memset(c->extra + (size_t)(sum->extra - 1) * c->events, 0,
		       c->events * sizeof(*c->extra));
}
