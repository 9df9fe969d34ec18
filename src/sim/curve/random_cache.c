/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One hash table holds every line ever touched, with a bit for each cache that has the line, so
 * that a hit in all of them needs one look-up. A cache itself is an array of its lines. Touching
 * the same line twice in a row changes nothing, and needs no look-up.
 */
#include "sim/curve/random_cache.h"

#include <stddef.h>

#include "sim/base/bits.h"

#define FIRST_PLACES  ((uint64_t)1 << 12)
#define FIRST_MEMBERS ((uint64_t)1 << 8)
#define NO_LINE	      UINT32_MAX

int sim_random_init(struct sim_random *r, const uint64_t *size_lines, unsigned count, uint64_t seed,
		    const struct sim_memory *memory)
{
	*r = (struct sim_random){.memory = memory,
				 .count = count,
				 .state = seed * 2 + 1,
				 .places = FIRST_PLACES,
				 .line_room = FIRST_PLACES / 2,
				 .newest = UINT64_MAX};
	for (unsigned i = 0; i < count; i++) {
		r->all |= (uint64_t)1 << i;
		r->caches[i].lines = size_lines[i];
	}
	r->table = sim_take(memory, r->places * sizeof(*r->table));
	r->lines = sim_take(memory, r->line_room * sizeof(*r->lines));
	r->failed = r->table == NULL || r->lines == NULL;
	return r->failed ? -1 : 0;
}

void sim_random_release(struct sim_random *r)
{
	if (r->memory == NULL)
		return;
	for (unsigned i = 0; i < r->count; i++)
		sim_give(r->memory, r->caches[i].items,
			 r->caches[i].room * sizeof(*r->caches[i].items));
	sim_give(r->memory, r->lines, r->line_room * sizeof(*r->lines));
	sim_give(r->memory, r->table, r->places * sizeof(*r->table));
	*r = (struct sim_random){0};
}

static int grow_lines(struct sim_random *r)
{
	uint64_t room = r->line_room * 2;
	struct sim_random_line *lines;

	if (room > NO_LINE)
		return -1;
	lines = sim_take(r->memory, room * sizeof(*lines));
	if (lines == NULL)
		return -1;
	for (uint64_t i = 0; i < r->line_count; i++)
		lines[i] = r->lines[i];
	sim_give(r->memory, r->lines, r->line_room * sizeof(*lines));
	r->lines = lines;
	r->line_room = room;
	return 0;
}

static int grow_table(struct sim_random *r)
{
	uint64_t places = r->places * 2;
	uint32_t *table = sim_take(r->memory, places * sizeof(*table));

	if (table == NULL)
		return -1;
	for (uint64_t i = 0; i < r->line_count; i++) {
		uint64_t at = sim_place(r->lines[i].number, places);

		while (table[at] != 0)
			at = (at + 1) & (places - 1);
		table[at] = (uint32_t)i + 1;
	}
	sim_give(r->memory, r->table, r->places * sizeof(*table));
	r->table = table;
	r->places = places;
	return 0;
}

/* The line's index; new lines are added. NO_LINE without memory. */
static uint32_t find_line(struct sim_random *r, uint64_t number)
{
	for (;;) {
		uint64_t at = sim_place(number, r->places);

		for (; r->table[at] != 0; at = (at + 1) & (r->places - 1))
			if (r->lines[r->table[at] - 1].number == number)
				return r->table[at] - 1;
		if (r->line_count < r->line_room) {
			r->lines[r->line_count].number = number;
			r->table[at] = (uint32_t)++r->line_count;
			return r->table[at] - 1;
		}
		if (grow_lines(r) != 0 || grow_table(r) != 0)
			return NO_LINE;
	}
}

static int grow_members(struct sim_random *r, struct sim_random_members *c)
{
	uint64_t room = c->room == 0 ? FIRST_MEMBERS : c->room * 2;
	uint32_t *items;

	room = room < c->lines ? room : c->lines;
	items = sim_take(r->memory, room * sizeof(*items));
	if (items == NULL)
		return -1;
	for (uint64_t i = 0; i < c->used; i++)
		items[i] = c->items[i];
	sim_give(r->memory, c->items, c->room * sizeof(*items));
	c->items = items;
	c->room = room;
	return 0;
}

static int fill(struct sim_random *r, unsigned which, uint32_t index)
{
	struct sim_random_members *c = &r->caches[which];
	uint64_t slot = c->used;

	if (c->used < c->lines) {
		if (c->used == c->room && grow_members(r, c) != 0)
			return -1;
		c->used++;
	} else {
		slot = sim_random_below(&r->state, c->lines);
		r->lines[c->items[slot]].present &= ~((uint64_t)1 << which);
	}
	c->items[slot] = index;
	r->lines[index].present |= (uint64_t)1 << which;
	return 0;
}

uint64_t sim_random_touch(struct sim_random *r, uint64_t line)
{
	uint64_t missing, left;
	uint32_t index;

	if (line == r->newest || r->failed)
		return 0;
	index = find_line(r, line);
	if (index == NO_LINE) {
		r->failed = true;
		return 0;
	}
	r->newest = line;
	missing = r->all & ~r->lines[index].present;
	for (left = missing; left != 0; left &= left - 1)
		if (fill(r, (unsigned)__builtin_ctzll(left), index) != 0)
			r->failed = true;
	return missing;
}

void sim_random_prefetch(const struct sim_random *r, uint64_t line)
{
	__builtin_prefetch(&r->table[sim_place(line, r->places)]);
}
