/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Modules and locations of a process; both are few, and only the pc look-up is hot. */
#include "collector/code_map.h"

#include <stdlib.h>

#include "base/array.h"

void code_map_release(struct code_map *c)
{
	free(c->modules.items);
	free(c->locations.items);
	map_release(&c->by_pc);
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

size_t code_map_find_module(const struct code_map *c, uint64_t pc, uint64_t position)
{
	size_t i, best = CODE_NO_MODULE;
	uint64_t best_away = UINT64_MAX;

	/* Backwards: what was mapped last lies on top. */
	for (i = c->modules.count; i-- > 0;) {
		const struct code_module *m = &c->modules.items[i];
		uint64_t away;

		if (pc < m->start || pc >= m->end)
			continue;
		away = time_away(m, position);
		if (away < best_away) {
			best = i;
			best_away = away;
		}
	}
	return best;
}

struct code_location *code_map_locate(struct code_map *c, uint64_t pc, uint64_t position,
				      int *is_new)
{
	size_t module = code_map_find_module(c, pc, position);
	size_t first = SIZE_MAX, i;
	uint64_t known;

	if (map_get(&c->by_pc, pc, &known))
		first = (size_t)known;
	*is_new = 0;
	for (i = first; i != SIZE_MAX; i = c->locations.items[i].next) {
		if (c->locations.items[i].module == module)
			return &c->locations.items[i];
	}
	if (!ARRAY_GROW(&c->locations) || map_set(&c->by_pc, pc, c->locations.count) != 0)
		return NULL;
	*is_new = 1;
	c->locations.items[c->locations.count] =
		(struct code_location){.pc = pc, .module = module, .next = first};
	return &c->locations.items[c->locations.count++];
}
