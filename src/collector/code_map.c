/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modules and locations of a process. Modules are few. Locations are tens of thousands in a compiler,
 * and each sample looks for two: the table has 4 bytes for each place, to stay in the cache.
 */
#include "collector/code_map.h"

#include <stdlib.h>

#include "base/array.h"

void code_map_release(struct code_map *c)
{
	free(c->modules.items);
	free(c->locations.items);
	free(c->by_pc);
	*c = (struct code_map){0};
}

size_t code_map_add_module(struct code_map *c, const struct code_module *m)
{
	if (!ARRAY_GROW(&c->modules))
		return CODE_NO_MODULE;
	c->modules.items[c->modules.count] = *m;
	return c->modules.count++;
}

int code_map_has_module(const struct code_map *c, const struct code_module *m)
{
	size_t i;

	for (i = 0; i < c->modules.count; i++) {
		const struct code_module *other = &c->modules.items[i];

		if (other->unmapped_at == UINT64_MAX && other->start == m->start &&
		    other->end == m->end && other->file == m->file &&
		    other->file_offset == m->file_offset)
			return 1;
	}
	return 0;
}

static uint64_t absolute_difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* How far, in accesses, the module's time is from the position; 0: it was mapped then. */
static uint64_t time_away(const struct code_module *m, uint64_t position)
{
	if (position < m->mapped_at)
		return absolute_difference(m->mapped_at, position);
	return position < m->unmapped_at ? 0 : absolute_difference(position, m->unmapped_at) + 1;
}

/* As code_map_find_module; *covering is the number of modules that hold pc at whatever time. */
static size_t find_module(const struct code_map *c, uint64_t pc, uint64_t position,
			  size_t *covering)
{
	size_t i, best = CODE_NO_MODULE;
	uint64_t best_away = UINT64_MAX;

	*covering = 0;
	/* Backwards: what was mapped last lies on top. */
	for (i = c->modules.count; i-- > 0;) {
		const struct code_module *m = &c->modules.items[i];
		uint64_t away;

		if (pc < m->start || pc >= m->end)
			continue;
		++*covering;
		away = time_away(m, position);
		if (away < best_away) {
			best = i;
			best_away = away;
		}
	}
	return best;
}

size_t code_map_find_module(const struct code_map *c, uint64_t pc, uint64_t position)
{
	size_t covering;

	return find_module(c, pc, position, &covering);
}

/* The pc's place in the table, or the free one where it belongs. There is always a free one. */
static uint32_t *find_place(const struct code_map *c, uint64_t pc)
{
	size_t i = (size_t)((pc ^ pc >> 32) * 0x9e3779b97f4a7c15u >> 20);

	for (;; i++) {
		uint32_t *place = &c->by_pc[i & (c->by_pc_room - 1)];

		if (*place == 0 || c->locations.items[*place - 1].pc == pc)
			return place;
	}
}

/* Room for one more. Returns 0, or -1 when memory ran out. */
static int grow_table(struct code_map *c)
{
	size_t room = c->by_pc_room == 0 ? 1024 : c->by_pc_room * 4, i;
	uint32_t *table;

	if (c->locations.count < c->by_pc_room / 2)
		return 0;
	if (c->locations.count >= UINT32_MAX / 2)
		return -1;
	table = calloc(room, sizeof(*table));
	if (table == NULL)
		return -1;
	free(c->by_pc);
	c->by_pc = table;
	c->by_pc_room = room;
	/* Of one pc the last location is the first one of its chain. */
	for (i = 0; i < c->locations.count; i++)
		*find_place(c, c->locations.items[i].pc) = (uint32_t)i + 1;
	return 0;
}

static struct code_location *add_location(struct code_map *c, uint64_t pc, size_t module)
{
	uint32_t *place;

	if (!ARRAY_GROW(&c->locations) || grow_table(c) != 0)
		return NULL;
	place = find_place(c, pc);
	c->locations.items[c->locations.count] =
		(struct code_location){.pc = pc, .module = (uint32_t)module, .next = *place};
	*place = (uint32_t)++c->locations.count;
	return &c->locations.items[*place - 1];
}

struct code_location *code_map_locate(struct code_map *c, uint64_t pc, uint64_t position,
				      int *is_new)
{
	uint32_t first = c->by_pc_room > 0 ? *find_place(c, pc) : 0, i;
	struct code_location *l = NULL;
	size_t module, covering;

	*is_new = 0;
	/* Nearly always: no module lies, or lay, where others did. */
	if (first != 0 && c->locations.items[first - 1].sole == c->modules.count)
		return &c->locations.items[first - 1];
	module = find_module(c, pc, position, &covering);
	for (i = first; i != 0 && l == NULL; i = c->locations.items[i - 1].next) {
		if (c->locations.items[i - 1].module == module)
			l = &c->locations.items[i - 1];
	}
	if (l == NULL) {
		l = add_location(c, pc, module);
		if (l == NULL)
			return NULL;
		*is_new = 1;
	}
	if (covering <= 1)
		l->sole = (uint32_t)c->modules.count;
	return l;
}
