/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modules and locations of a process. Modules are few. But a simulated compiler has half a million
 * locations, and each sample looks up two, after the target has evicted them from the caches. A
 * look-up touches two cache lines, which neighbouring code shares.
 */
#include "collector/naming/code_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "channel/channel.h"
#include "collector/record_check.h"
#include "symbols/symbols.h"

#define LINE_BYTES  64u
#define LINE_MASK   (LINE_BYTES - 1u)
#define NUMBER_MASK (UINT64_MAX / LINE_BYTES)

int code_module_read(struct code_module *m, struct symbols *s, const struct record_module *rec)
{
	const char *path = record_module_path(rec);

	*m = (struct code_module){
		.start = rec->start,
		.end = rec->end,
		.file_offset = rec->file_offset,
		.mapped_at = rec->position,
		.unmapped_at = UINT64_MAX,
	};
	m->file = symbols_mapped_file(
		s, &(struct symbols_mapping){
			   .path = path,
			   .pid = rec->pid,
			   .start = rec->start,
			   .end = rec->end,
			   .device = rec->device,
			   .inode = rec->inode,
			   /* a dump of names still grows */
			   .modified_ns = symbols_is_dump(path) ? 0 : rec->modified_ns,
		   });
	return m->file < 0 ? -1 : 0;
}

void code_map_forget_locations(struct code_map *c)
{
	free(c->lines);
	free(c->ids.items);
	*c = (struct code_map){.modules = {c->modules.items, c->modules.count, c->modules.room},
			       .times = {c->times.items, c->times.count, c->times.room},
			       .by_what = c->by_what};
}

void code_map_release(struct code_map *c)
{
	free(c->modules.items);
	free(c->times.items);
	map_release(&c->by_what);
	free(c->lines);
	free(c->ids.items);
	*c = (struct code_map){0};
}

/* Find the module of the same file at the same address; *key is its key, or the free one for it. */
static bool find_same(const struct code_map *c, const struct code_module *m, uint64_t *key,
		      size_t *index)
{
	uint64_t i;

	*key = (m->start ^ m->end << 20 ^ (uint64_t)m->file << 44) * UINT64_C(0x9e3779b97f4a7c15) +
	       m->file_offset;
	for (*key ^= *key >> 32; map_get(&c->by_what, *key, &i); ++*key) {
		const struct code_module *other = &c->modules.items[i];

		if (other->start == m->start && other->end == m->end && other->file == m->file &&
		    other->file_offset == m->file_offset) {
			*index = i;
			return true;
		}
	}
	return false;
}

/* Beyond this many, the last time of a module that is mapped again lasts on. */
#define MOST_TIMES ((size_t)1 << 17)

static struct code_time *last_time(struct code_map *c, size_t index)
{
	for (size_t i = c->times.count; i-- > 0;)
		if (c->times.items[i].module == index)
			return &c->times.items[i];
	return NULL;
}

/* Returns -1 when memory ran out. */
static int add_time(struct code_map *c, size_t index, uint64_t from, uint64_t to)
{
	if (!ARRAY_GROW(&c->times))
		return -1;
	c->times.items[c->times.count++] = (struct code_time){from, to, (uint32_t)index};
	return 0;
}

size_t code_map_add_module(struct code_map *c, const struct code_module *m)
{
	size_t index;
	uint64_t key;

	if (c->modules.count >= CODE_NO_MODULE || !ARRAY_GROW(&c->modules) ||
	    (!find_same(c, m, &key, &index) && map_set(&c->by_what, key, c->modules.count) != 0) ||
	    add_time(c, c->modules.count, m->mapped_at, m->unmapped_at) != 0)
		return CODE_NO_MODULE;
	c->modules.items[c->modules.count] = *m;
	return c->modules.count++;
}

/* A known module is mapped again. */
static enum code_mapped map_again(struct code_map *c, size_t index, uint64_t position)
{
	struct code_time *last = last_time(c, index);

	if (c->modules.items[index].unmapped_at == UINT64_MAX)
		return CODE_IS_MAPPED;
	c->modules.items[index].unmapped_at = UINT64_MAX;
	if (c->times.count >= MOST_TIMES && last != NULL)
		last->to = UINT64_MAX;
	else if (add_time(c, index, position, UINT64_MAX) != 0)
		return CODE_NO_MEMORY;
	return CODE_AGAIN;
}

enum code_mapped code_map_map(struct code_map *c, const struct code_module *m, size_t *index)
{
	uint64_t key;

	if (find_same(c, m, &key, index))
		return map_again(c, *index, m->mapped_at);
	if (c->modules.count >= CODE_MAX_MODULES)
		return CODE_TOO_MANY;
	*index = code_map_add_module(c, m);
	return *index != CODE_NO_MODULE ? CODE_NEW : CODE_NO_MEMORY;
}

void code_map_unmap(struct code_map *c, size_t index, uint64_t position)
{
	struct code_module *m = &c->modules.items[index];
	struct code_time *last = last_time(c, index);

	m->unmapped_at = position > m->mapped_at ? position : m->mapped_at;
	if (last != NULL)
		last->to = position > last->from ? position : last->from;
}

/*
 * Tell whether, over the whole run, at most one module overlaps the 64 bytes around pc, and if so
 * covers all of them.
 */
static bool has_sole_module(const struct code_map *c, uint64_t pc)
{
	const uint64_t first = pc & ~(uint64_t)LINE_MASK, last = pc | LINE_MASK;
	size_t overlapping = 0;

	for (size_t i = 0; i < c->modules.count; i++) {
		const struct code_module *m = &c->modules.items[i];

		if (m->start > last || m->end <= first)
			continue;
		if (overlapping++ > 0 || m->start > first || m->end <= last)
			return false;
	}
	return true;
}

size_t code_map_find_module(const struct code_map *c, uint64_t pc, uint64_t position)
{
	size_t i, best = CODE_NO_MODULE;
	uint64_t best_away = UINT64_MAX;

	/* From the end: a later mapping covers an earlier one. */
	for (i = c->times.count; i-- > 0 && best_away > 0;) {
		const struct code_time *t = &c->times.items[i];
		const struct code_module *m = &c->modules.items[t->module];
		uint64_t away;

		if (pc < m->start || pc >= m->end)
			continue;
		away = code_time_away(t->from, t->to, position);
		if (away < best_away) {
			best = t->module;
			best_away = away;
		}
	}
	return best;
}

/* ---- Lines ---- */

static size_t place_of(const struct code_map *c, uint64_t number)
{
	return (size_t)((number ^ number >> 26) * 0x9e3779b97f4a7c15u >> 20) & (c->line_room - 1);
}

/* Returns the line, or the free entry where it belongs. The table is never full. */
static struct code_line *find_place(const struct code_map *c, uint64_t number, size_t module)
{
	size_t i = place_of(c, number);

	while (c->lines[i].is_used &&
	       (c->lines[i].number != number || c->lines[i].module != module))
		i = (i + 1) & (c->line_room - 1);
	return &c->lines[i];
}

/* Make room for one more line. Returns 0, or -1 when memory ran out. */
static int grow(struct code_map *c)
{
	struct code_map bigger = {.line_room = c->line_room == 0 ? 256 : c->line_room * 2};
	size_t i;

	if (c->line_count < c->line_room / 4 * 3)
		return 0;
	bigger.lines = calloc(bigger.line_room, sizeof(*bigger.lines));
	if (bigger.lines == NULL)
		return -1;
	for (i = 0; i < c->line_room; i++) {
		const struct code_line *l = &c->lines[i];

		if (l->is_used)
			*find_place(&bigger, l->number, l->module) = *l;
	}
	free(c->lines);
	c->lines = bigger.lines;
	c->line_room = bigger.line_room;
	return 0;
}

void code_map_prefetch(const struct code_map *c, uint64_t pc)
{
	if (c->line_room > 0)
		__builtin_prefetch(&c->lines[place_of(c, pc / LINE_BYTES)]);
}

/* The number of modules as a line stores it; 0 if it does not fit. */
static unsigned sole_of(size_t modules)
{
	return modules < 1u << CODE_SOLE_BITS ? (unsigned)modules : 0;
}

/* Find the line if one module covers it during the whole run, so that time does not matter. */
static struct code_line *find_sole(const struct code_map *c, uint64_t number)
{
	const unsigned sole = sole_of(c->modules.count);
	size_t i;

	if (c->line_room == 0 || sole == 0)
		return NULL;
	for (i = place_of(c, number); c->lines[i].is_used; i = (i + 1) & (c->line_room - 1)) {
		if (c->lines[i].number == number && c->lines[i].sole == sole)
			return &c->lines[i];
	}
	return NULL;
}

/* The line of pc at `position`, added if new. Returns NULL when memory ran out. */
static struct code_line *find_line(struct code_map *c, uint64_t pc, uint64_t position)
{
	const uint64_t number = pc / LINE_BYTES;
	struct code_line *l = find_sole(c, number);
	size_t module;

	if (l != NULL) /* nearly always: mappings rarely overlap, even over time */
		return l;
	if (grow(c) != 0)
		return NULL;
	module = code_map_find_module(c, pc, position);
	l = find_place(c, number, module);
	if (!l->is_used) {
		*l = (struct code_line){.number = number & NUMBER_MASK,
					.is_used = 1,
					.module = module & CODE_NO_MODULE};
		c->line_count++;
	}
	if (has_sole_module(c, pc))
		l->sole = sole_of(c->modules.count);
	return l;
}

/* ---- Ids ---- */

/* The size class for `count` ids. */
static unsigned room_for(unsigned count)
{
	unsigned room = 0;

	while (CODE_LEAST_IDS << room < count)
		room++;
	return room;
}

/* Allocate an array of ids. Returns UINT32_MAX when memory ran out. */
static uint32_t take_ids(struct code_map *c, unsigned room)
{
	const size_t count = c->ids.count + (CODE_LEAST_IDS << room);
	uint32_t at = c->free_ids[room];

	if (at != 0) {
		c->free_ids[room] = c->ids.items[at - 1];
		return at - 1;
	}
	if (count >= UINT32_MAX ||
	    !array_reserve_in((void **)&c->ids.items, &c->ids.room, count, sizeof(*c->ids.items)))
		return UINT32_MAX;
	at = (uint32_t)c->ids.count;
	c->ids.count = count;
	return at;
}

static void give_ids(struct code_map *c, uint32_t at, unsigned room)
{
	c->ids.items[at] = c->free_ids[room];
	c->free_ids[room] = at + 1;
}

/* Make room for one more id of the line. Returns 0, or -1 when memory ran out. */
static int make_room(struct code_map *c, struct code_line *l, unsigned count)
{
	const unsigned old_room = room_for(count), room = room_for(count + 1);
	uint32_t at;

	if (count > 0 && room == old_room)
		return 0;
	at = take_ids(c, room);
	if (at == UINT32_MAX)
		return -1;
	if (count > 0) {
		memcpy(&c->ids.items[at], &c->ids.items[l->ids], count * sizeof(*c->ids.items));
		give_ids(c, l->ids, old_room);
	}
	l->ids = at;
	return 0;
}

static unsigned ones(uint64_t bits)
{
	return (unsigned)__builtin_popcountll(bits);
}

uint32_t *code_map_locate(struct code_map *c, uint64_t pc, uint64_t position, size_t *module,
			  int *is_new)
{
	struct code_line *l = find_line(c, pc, position);
	const uint64_t bit = (uint64_t)1 << pc % LINE_BYTES;
	unsigned before, count;
	uint32_t *id;

	*is_new = 0;
	if (l == NULL)
		return NULL;
	*module = l->module;
	before = ones(l->starts & (bit - 1));
	if (l->starts & bit)
		return &c->ids.items[l->ids + before];
	count = ones(l->starts);
	if (make_room(c, l, count) != 0)
		return NULL;
	id = &c->ids.items[l->ids + before];
	memmove(id + 1, id, (count - before) * sizeof(*id));
	*id = 0;
	l->starts |= bit;
	c->location_count++;
	*is_new = 1;
	return id;
}
