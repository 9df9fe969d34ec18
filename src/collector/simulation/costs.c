/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of events of code locations; see costs.h. */
#include "collector/simulation/costs.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static_assert(sizeof(struct cost_sum) == 16, "there is one for each instruction that ran");

void costs_release(struct costs *c)
{
	free(c->items);
	free(c->others.items);
	map_release(&c->by_node);
	free(c->rare.items);
	free(c->extra);
	*c = (struct costs){0};
}

/* The first sum of a location. Returns NULL when memory ran out. */
static struct cost_sum *first_of(struct costs *c, uint32_t location)
{
	const size_t count = (size_t)location + 1;

	if (count > c->count) {
		if (!array_reserve_in((void **)&c->items, &c->room, count, sizeof(*c->items)))
			return NULL;
		memset(c->items + c->count, 0, (count - c->count) * sizeof(*c->items));
		c->count = count;
	}
	return &c->items[location];
}

static struct cost_rare rare_of(const struct costs *c, const struct cost_sum *sum)
{
	return sum->rare != 0 ? c->rare.items[sum->rare - 1] : (struct cost_rare){0};
}

/* The sum's rare part, added if it has none. Returns NULL when memory ran out. */
static struct cost_rare *need_rare(struct costs *c, struct cost_sum *sum)
{
	if (sum->rare == 0) {
		if (c->rare.count >= UINT32_MAX || !ARRAY_GROW(&c->rare))
			return NULL;
		c->rare.items[c->rare.count++] = (struct cost_rare){0};
		sum->rare = (uint32_t)c->rare.count;
	}
	return &c->rare.items[sum->rare - 1];
}

struct cost_sum *costs_next(const struct costs *c, const struct cost_sum *sum)
{
	const uint32_t next = rare_of(c, sum).next;

	return next != 0 ? &c->others.items[next - 1] : NULL;
}

static uint64_t key_of(uint32_t node, uint32_t location)
{
	return (uint64_t)node << 32 | location;
}

static struct cost_sum *add_other(struct costs *c, uint32_t location, uint32_t node)
{
	struct cost_rare *first = need_rare(c, &c->items[location]), *rare;
	struct cost_sum *sum;
	uint32_t next;

	if (first == NULL || c->others.count >= UINT32_MAX || !ARRAY_GROW(&c->others) ||
	    map_set(&c->by_node, key_of(node, location), c->others.count) != 0)
		return NULL;
	sum = &c->others.items[c->others.count++];
	*sum = (struct cost_sum){.node = node};
	next = first->next;
	first->next = (uint32_t)c->others.count;
	if (next == 0)
		return sum;
	rare = need_rare(c, sum);
	if (rare == NULL)
		return NULL;
	rare->next = next;
	return sum;
}

/* The sum of a location in a node, added if new. Returns NULL when memory ran out. */
static struct cost_sum *find(struct costs *c, uint32_t node, uint32_t location)
{
	struct cost_sum *sum = first_of(c, location);
	uint64_t index;

	if (sum == NULL)
		return NULL;
	if (sum->node == 0) /* the first node of this location, or there are no nodes */
		sum->node = node;
	if (sum->node == node)
		return sum;
	/* Few locations are in several nodes; but one may be in thousands, by context. */
	if (map_get(&c->by_node, key_of(node, location), &index))
		return &c->others.items[index];
	return add_other(c, location, node);
}

/* The events of a sum beyond its executions. Returns NULL when memory ran out. */
static uint64_t *extra_of(struct costs *c, struct cost_sum *sum)
{
	const size_t at = c->extra_count * c->events;
	struct cost_rare *rare = need_rare(c, sum);

	if (rare == NULL)
		return NULL;
	if (rare->extra != 0)
		return c->extra + (size_t)(rare->extra - 1) * c->events;
	if (c->extra_count >= UINT32_MAX || !array_reserve_in((void **)&c->extra, &c->extra_room,
							      at + c->events, sizeof(*c->extra)))
		return NULL;
	memset(c->extra + at, 0, c->events * sizeof(*c->extra));
	rare->extra = (uint32_t)++c->extra_count;
	return c->extra + at;
}

static void add_executions(uint64_t *values, uint64_t executions, struct costs_shape shape)
{
	values[COSTS_INSTRUCTIONS] += executions;
	values[COSTS_READS] += executions * shape.reads;
	values[COSTS_WRITES] += executions * shape.writes;
}

/*
 * Tell whether the sum's shape fits. Modified code may have another instruction at the same
 * address.
 */
static bool fits(struct cost_sum *sum, struct costs_shape shape)
{
	if (sum->executions == 0) {
		sum->reads = shape.reads & 15;
		sum->writes = shape.writes & 15;
	}
	return sum->reads == shape.reads && sum->writes == shape.writes;
}

int costs_add(struct costs *c, uint32_t node, uint32_t location, uint64_t executions,
	      struct costs_shape shape, const uint64_t *events)
{
	struct cost_sum *sum = find(c, node, location);
	uint64_t *extra;

	if (sum == NULL)
		return -1;
	if (events == NULL && fits(sum, shape)) {
		sum->executions += executions;
		return 0;
	}
	extra = extra_of(c, sum);
	if (extra == NULL)
		return -1;
	add_executions(extra, executions, shape);
	for (unsigned i = 0; events != NULL && i < c->events; i++)
		extra[i] += events[i];
	return 0;
}

void costs_values(const struct costs *c, const struct cost_sum *sum, uint64_t *values)
{
	const uint32_t extra = rare_of(c, sum).extra;

	if (extra != 0)
		memcpy(values, c->extra + (size_t)(extra - 1) * c->events,
		       c->events * sizeof(*values));
	else
		memset(values, 0, c->events * sizeof(*values));
	add_executions(values, sum->executions, (struct costs_shape){sum->reads, sum->writes});
}

void costs_forget(const struct costs *c, struct cost_sum *sum)
{
	const uint32_t extra = rare_of(c, sum).extra;

	sum->executions = 0;
	if (extra != 0)
		memset(c->extra + (size_t)(extra - 1) * c->events, 0,
		       c->events * sizeof(*c->extra));
}
