/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Linear probing. Removal leaves no mark: the following items move up. */
#include "sim/base/index.h"

#include <stddef.h>

int sim_index_init(struct sim_index *x, uint64_t most, const struct sim_memory *memory)
{
	uint64_t room = 16;

	while (room < most * 2)
		room *= 2;
	*x = (struct sim_index){.memory = memory, .room = room};
	x->items = sim_take(memory, room * sizeof(*x->items));
	return x->items != NULL ? 0 : -1;
}

void sim_index_release(struct sim_index *x)
{
	if (x->memory != NULL)
		sim_give(x->memory, x->items, x->room * sizeof(*x->items));
	*x = (struct sim_index){0};
}

/* The item of the key, or the free item for it. */
static uint64_t find(const struct sim_index *x, uint64_t key)
{
	uint64_t at = sim_place(key, x->room);

	while (x->items[at].key != key && x->items[at].key != 0)
		at = (at + 1) & (x->room - 1);
	return at;
}

uint32_t sim_index_find(const struct sim_index *x, uint64_t line)
{
	const struct sim_index_item *item = &x->items[find(x, line + 1)];

	return item->key != 0 ? item->place : SIM_NO_PLACE;
}

void sim_index_add(struct sim_index *x, uint64_t line, uint32_t place)
{
	x->items[find(x, line + 1)] = (struct sim_index_item){line + 1, place};
}

uint32_t sim_index_remove(struct sim_index *x, uint64_t line)
{
	uint64_t mask = x->room - 1, hole = find(x, line + 1);
	uint32_t place = x->items[hole].place;

	if (x->items[hole].key == 0)
		return SIM_NO_PLACE;
	for (uint64_t at = (hole + 1) & mask; x->items[at].key != 0; at = (at + 1) & mask) {
		uint64_t home = sim_place(x->items[at].key, x->room);

		/* Move it up if its probing passes the hole. */
		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		x->items[hole] = x->items[at];
		hole = at;
	}
	x->items[hole] = (struct sim_index_item){0};
	return place;
}
