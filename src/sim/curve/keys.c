/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums by key. */
#include "sim/curve/keys.h"

#include <stddef.h>

#define FIRST_ROOM 1024

void sim_keys_init(struct sim_keys *k, unsigned size, const struct sim_memory *memory)
{
	*k = (struct sim_keys){.memory = memory, .size = size};
}

void sim_keys_release(struct sim_keys *k)
{
	if (k->memory != NULL)
		sim_give(k->memory, k->items, k->room * sizeof(*k->items));
	*k = (struct sim_keys){0};
}

static int grow(struct sim_keys *k, uint64_t key)
{
	uint64_t room = k->room == 0 ? FIRST_ROOM : k->room;
	struct sim_key *items;

	while (room <= key)
		room *= 2;
	items = sim_take(k->memory, room * sizeof(*items));
	if (items == NULL)
		return -1;
	for (uint64_t i = 0; i < k->count; i++)
		items[i] = k->items[i];
	sim_give(k->memory, k->items, k->room * sizeof(*items));
	k->items = items;
	k->room = room;
	return 0;
}

int sim_keys_add(struct sim_keys *k, uint64_t key, const struct sim_outcome *o)
{
	struct sim_key *item;

	if (key >= k->room && grow(k, key) != 0)
		return -1;
	if (key >= k->count)
		k->count = key + 1;
	item = &k->items[key];
	item->accesses++;
	item->first += o->is_first;
	item->misses[SIM_LRU] += o->lru > k->size;
	item->misses[SIM_RANDOM] += o->random >> k->size & 1;
	return 0;
}
