/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions by their start addresses. */
#include "sim/calls/functions.h"

#include <stdbool.h>
#include <stddef.h>

#define FIRST_ROOM 256u

int sim_functions_init(struct sim_functions *f, sim_function_finder *find, void *context,
		       const struct sim_memory *memory)
{
	*f = (struct sim_functions){
		.memory = memory, .find = find, .context = context, .count = 1, .room = FIRST_ROOM};
	sim_table_init(&f->by_start, memory);
	f->items = sim_take(memory, f->room * sizeof(*f->items));
	return f->items == NULL ? -1 : 0;
}

void sim_functions_release(struct sim_functions *f)
{
	if (f->memory == NULL)
		return;
	sim_give(f->memory, f->items, f->room * sizeof(*f->items));
	sim_table_release(&f->by_start);
	*f = (struct sim_functions){0};
}

static int grow(struct sim_functions *f)
{
	uint32_t room = f->room * 2;
	struct sim_function *items = sim_take(f->memory, room * sizeof(*items));

	if (items == NULL)
		return -1;
	for (uint32_t i = 0; i < f->count; i++)
		items[i] = f->items[i];
	sim_give(f->memory, f->items, f->room * sizeof(*items));
	f->items = items;
	f->room = room;
	return 0;
}

static void *item_of(uint32_t number)
{
	return (void *)(uintptr_t)number;
}

static bool is_same(const struct sim_function *a, const struct sim_function *b)
{
	return a->start == b->start && a->end == b->end && a->kind == b->kind;
}

uint32_t sim_functions_number(struct sim_functions *f, uint64_t pc)
{
	struct sim_function found = {.start = pc, .end = pc + 1, .kind = SIM_FUNCTION_UNKNOWN};
	uint64_t hash, at;
	void *item;

	f->find(f->context, pc, &found);
	hash = sim_table_hash(found.start, found.end);
	for (at = sim_table_start(&f->by_start, hash);
	     (item = sim_table_next(&f->by_start, hash, &at)) != NULL;)
		if (is_same(&f->items[(uintptr_t)item], &found))
			return (uint32_t)(uintptr_t)item;
	if (f->count == f->room && grow(f) != 0)
		return 0;
	if (sim_table_add(&f->by_start, hash, item_of(f->count)) != 0)
		return 0;
	found.seen = pc;
	f->items[f->count] = found;
	return f->count++;
}

void sim_functions_forget(struct sim_functions *f, uint64_t start, uint64_t end)
{
	for (uint64_t at = 0; at < f->by_start.places; at++) {
		void **item = &f->by_start.place[at].item;
		const struct sim_function *known = &f->items[(uintptr_t)*item];

		if (*item != NULL && known->start < end && known->end > start &&
		    known->kind != SIM_FUNCTION_MADE)
			*item = NULL;
	}
}
