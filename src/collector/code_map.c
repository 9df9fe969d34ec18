/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modules and locations of a process. Modules are few. Locations are tens of thousands in a compiler,
 * each sample looks for two, and the target's data has been in the caches meanwhile: what
 * a look-up takes is the one cache line that it reads.
 */
#include "collector/code_map.h"

#include <stdlib.h>

#include "base/array.h"

void code_map_forget_locations(struct code_map *c)
{
	free(c->locations);
	c->locations = NULL;
	c->location_count = c->location_room = 0;
}

void code_map_release(struct code_map *c)
{
	free(c->modules.items);
	free(c->locations);
	*c = (struct code_map){0};
}

size_t code_map_add_module(struct code_map *c, const struct code_module *m)
{
	if (c->modules.count >= CODE_NO_MODULE || !ARRAY_GROW(&c->modules))
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

static uint64_t pc_of(const struct code_location *l)
{
	return (uint64_t)l->pc;
}

static size_t place_of(const struct code_map *c, uint64_t pc)
{
	return (size_t)((pc ^ pc >> 32) * 0x9e3779b97f4a7c15u >> 20) & (c->location_room - 1);
}

/* The location, or the free place where it belongs. There is always a free one. */
static struct code_location *find_place(const struct code_map *c, uint64_t pc, size_t module)
{
	size_t i = place_of(c, pc);

	while (c->locations[i].is_used &&
	       (pc_of(&c->locations[i]) != pc || c->locations[i].module != module))
		i = (i + 1) & (c->location_room - 1);
	return &c->locations[i];
}

/* Have room for one more. Returns 0, or -1 when memory ran out. */
static int grow(struct code_map *c)
{
	struct code_map bigger = {.location_room =
					  c->location_room == 0 ? 1024 : c->location_room * 2};
	size_t i;

	if (c->location_count < c->location_room / 4 * 3)
		return 0;
	bigger.locations = calloc(bigger.location_room, sizeof(*bigger.locations));
	if (bigger.locations == NULL)
		return -1;
	for (i = 0; i < c->location_room; i++) {
		const struct code_location *l = &c->locations[i];

		if (l->is_used)
			*find_place(&bigger, pc_of(l), l->module) = *l;
	}
	free(c->locations);
	c->locations = bigger.locations;
	c->location_room = bigger.location_room;
	return 0;
}

void code_map_prefetch(const struct code_map *c, uint64_t pc)
{
	if (c->location_room > 0)
		__builtin_prefetch(&c->locations[place_of(c, pc)]);
}

/* What a location keeps of how many modules there are: of very many, nothing. */
static unsigned sole_of(size_t modules)
{
	return modules < 1u << CODE_SOLE_BITS ? (unsigned)modules : 0;
}

/* The pc's location if all its samples have the same one, whenever they were. */
static struct code_location *find_sole(const struct code_map *c, uint64_t pc)
{
	const unsigned sole = sole_of(c->modules.count);
	size_t i;

	if (c->location_room == 0 || sole == 0)
		return NULL;
	for (i = place_of(c, pc); c->locations[i].is_used; i = (i + 1) & (c->location_room - 1)) {
		if (pc_of(&c->locations[i]) == pc && c->locations[i].sole == sole)
			return &c->locations[i];
	}
	return NULL;
}

struct code_location *code_map_locate(struct code_map *c, uint64_t pc, uint64_t position,
				      int *is_new)
{
	struct code_location *l = find_sole(c, pc);
	size_t module, covering;

	*is_new = 0;
	if (l != NULL) /* nearly always: no module lies, or lay, where others did */
		return l;
	if (grow(c) != 0)
		return NULL;
	module = find_module(c, pc, position, &covering);
	l = find_place(c, pc, module);
	if (!l->is_used) {
		*l = (struct code_location){.pc = (int64_t)pc, .is_used = 1, .module = module};
		c->location_count++;
		*is_new = 1;
	}
	if (covering <= 1)
		l->sole = sole_of(c->modules.count);
	return l;
}
