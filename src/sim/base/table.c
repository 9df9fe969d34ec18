/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash table of pointers. */
#include "sim/base/table.h"

#include <stddef.h>

#define FIRST_PLACES 256u

void sim_table_init(struct sim_table *t, const struct sim_memory *memory)
{
	*t = (struct sim_table){.memory = memory};
}

void sim_table_release(struct sim_table *t)
{
	if (t->memory != NULL)
		sim_give(t->memory, t->place, t->places * sizeof(*t->place));
	*t = (struct sim_table){0};
}

static void put(struct sim_table *t, uint64_t hash, void *item)
{
	uint64_t at = sim_place(hash, t->places);

	/* places of removed items are free, but do not end a search */
	while (t->place[at].hash != 0 && t->place[at].item != NULL)
		at = (at + 1) & (t->places - 1);
	t->used += t->place[at].hash == 0;
	t->place[at] = (struct sim_table_place){hash, item};
}

/* Copy all but removed items into a larger table. */
static int grow(struct sim_table *t)
{
	struct sim_table bigger = {
		.memory = t->memory,
		.places = t->places == 0 ? FIRST_PLACES : t->places * 2,
	};

	bigger.place = sim_take(t->memory, bigger.places * sizeof(*bigger.place));
	if (bigger.place == NULL)
		return -1;
	for (uint64_t i = 0; i < t->places; i++)
		if (t->place[i].item != NULL)
			put(&bigger, t->place[i].hash, t->place[i].item);
	sim_give(t->memory, t->place, t->places * sizeof(*t->place));
	*t = bigger;
	return 0;
}

int sim_table_add(struct sim_table *t, uint64_t hash, void *item)
{
	if (t->used >= t->places / 2 && grow(t) != 0)
		return -1;
	put(t, hash, item);
	return 0;
}
