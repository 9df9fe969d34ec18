/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chains of callers, each stored once. */
#include "sim/calls/contexts.h"

#include <stddef.h>

#define FIRST_ROOM 256u

int sim_contexts_init(struct sim_contexts *c, unsigned depth, const struct sim_memory *memory)
{
	*c = (struct sim_contexts){
		.memory = memory, .depth = depth, .count = 1, .room = FIRST_ROOM};
	sim_table_init(&c->table, memory);
	c->items = sim_take(memory, c->room * sizeof(*c->items));
	return c->items == NULL ? -1 : 0;
}

void sim_contexts_release(struct sim_contexts *c)
{
	if (c->memory == NULL)
		return;
	sim_give(c->memory, c->items, c->room * sizeof(*c->items));
	sim_table_release(&c->table);
	*c = (struct sim_contexts){0};
}

static int grow(struct sim_contexts *c)
{
	uint32_t room = c->room * 2;
	struct sim_node *items;

	if (room == 0)
		return -1;
	items = sim_take(c->memory, room * sizeof(*items));
	if (items == NULL)
		return -1;
	for (uint32_t i = 0; i < c->count; i++)
		items[i] = c->items[i];
	sim_give(c->memory, c->items, c->room * sizeof(*items));
	c->items = items;
	c->room = room;
	return 0;
}

/* The node of a function and its chain of callers; 0 when memory ran out. */
static uint32_t node_of(struct sim_contexts *c, uint32_t function, uint32_t caller, uint32_t thread)
{
	uint64_t hash = sim_table_hash((uint64_t)function << 32 | caller, thread), at;
	void *item;

	for (at = sim_table_start(&c->table, hash);
	     (item = sim_table_next(&c->table, hash, &at)) != NULL;) {
		const struct sim_node *n = &c->items[(uintptr_t)item];

		if (n->function == function && n->caller == caller && n->thread == thread)
			return (uint32_t)(uintptr_t)item;
	}
	if (c->count == c->room && grow(c) != 0)
		return 0;
	if (sim_table_add(&c->table, hash, (void *)(uintptr_t)c->count) != 0)
		return 0;
	c->items[c->count] = (struct sim_node){
		.function = function,
		.caller = caller,
		.thread = thread,
		.length = (uint16_t)(caller == 0 ? 1 : c->items[caller].length + 1),
	};
	return c->count++;
}

uint32_t sim_contexts_root(struct sim_contexts *c, uint32_t function, uint32_t thread)
{
	return node_of(c, function, 0, thread);
}

/* The chain without its farthest caller; 0 if nothing is left, or without memory. */
static uint32_t shorten(struct sim_contexts *c, uint32_t node)
{
	uint32_t caller, shorter;

	if (c->items[node].length == 1)
		return 0;
	if (c->items[node].shorter != 0)
		return c->items[node].shorter;
	caller = shorten(c, c->items[node].caller);
	shorter = node_of(c, c->items[node].function, caller, c->items[node].thread);
	c->items[node].shorter = shorter;
	return shorter;
}

uint32_t sim_contexts_child(struct sim_contexts *c, uint32_t caller, uint32_t function)
{
	uint32_t thread = c->items[caller].thread;

	if (c->depth == 0)
		return node_of(c, function, 0, thread);
	if (c->items[caller].length > c->depth)
		caller = shorten(c, caller);
	return node_of(c, function, caller, thread);
}

bool sim_contexts_has(const struct sim_contexts *c, uint32_t node, uint32_t function)
{
	for (unsigned i = 0; i < c->depth && node != 0; i++) {
		if (c->items[node].function == function)
			return true;
		node = c->items[node].caller;
	}
	return false;
}
