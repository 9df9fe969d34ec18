/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of events of code locations; see costs.h. */
#include "collector/costs.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static_assert(sizeof(struct cost_sum) == 24, "there is one for each instruction that ran");

void costs_release(struct costs *c)
{
	free(c->items);
	free(c->others.items);
	free(c->extra);
	*c = (struct costs){0};
}

/* The first sum of a location; NULL when memory ran out. */
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

struct cost_sum *costs_next(const struct costs *c, const struct cost_sum *sum)
{
	return sum->next != 0 ? &c->others.items[sum->next - 1] : NULL;
}

static struct cost_sum *add_other(struct costs *c, uint32_t location, uint32_t node)
{
	struct cost_sum *first = &c->items[location];

	if (c->others.count >= UINT32_MAX || !ARRAY_GROW(&c->others))
		return NULL;
	c->others.items[c->others.count++] = (struct cost_sum){.node = node, .next = first->next};
	first->next = (uint32_t)c->others.count;
	return &c->others.items[c->others.count - 1];
}

/* The sum of a location in a node, which is made if it is new; NULL when memory ran out. */
static struct cost_sum *find(struct costs *c, uint32_t node, uint32_t location)
{
	struct cost_sum *sum = first_of(c, location);

	if (sum == NULL)
		return NULL;
	if (sum->node == 0) /* it was in no node yet, or there are none */
		sum->node = node;
	for (; sum != NULL; sum = costs_next(c, sum))
		if (sum->node == node)
			return sum;
	return add_other(c, location, node);
}

/* What comes on top of a sum's executions; NULL when memory ran out. */
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

/* Code that has changed may have another instruction at the same place. */
static bool fits(struct cost_sum *sum, struct costs_shape shape)
{
	if (sum->executions == 0)
		sum->shape = shape;
	return sum->shape.reads == shape.reads && sum->shape.writes == shape.writes;
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
	if (sum->extra != 0)
		memcpy(values, c->extra + (size_t)(sum->extra - 1) * c->events,
		       c->events * sizeof(*values));
	else
		memset(values, 0, c->events * sizeof(*values));
	add_executions(values, sum->executions, sum->shape);
}

void costs_forget(const struct costs *c, struct cost_sum *sum)
{
	sum->executions = 0;
	if (sum->extra != 0)
		memset(c->extra + (size_t)(sum->extra - 1) * c->events, 0,
		       c->events * sizeof(*c->extra));
}
