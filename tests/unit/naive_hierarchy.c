/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The naive hierarchy. */
#include "naive_hierarchy.h"

#include <assert.h>
#include <string.h>

static void init_cache(struct naive_cache *c, const struct sim_cache_geometry *g)
{
	uint64_t lines = g->size_bytes > 0 ? g->size_bytes / g->line_bytes : 0;

	assert(lines <= NAIVE_MOST_LINES);
	memset(c, 0, sizeof(*c));
	c->shape = g;
	c->ways = g->ways > 0 ? g->ways : lines;
	c->sets = lines > 0 ? lines / c->ways : 0;
}

void naive_hierarchy_init(struct naive_hierarchy *h, const struct sim_geometry *g)
{
	memset(h, 0, sizeof(*h));
	h->shape = *g;
	init_cache(&h->code, &h->shape.code);
	for (unsigned i = 0; i < g->level_count; i++)
		init_cache(&h->levels[i], &h->shape.levels[i]);
}

struct naive_line *naive_cache_find(struct naive_cache *c, uint64_t number)
{
	for (uint64_t i = 0; i < c->sets * c->ways; i++)
		if (c->lines[i].is_there && c->lines[i].number == number)
			return &c->lines[i];
	return NULL;
}

/* The place for a line: a free one of its set, or that of the line used longest ago. */
static struct naive_line *choose(struct naive_cache *c, uint64_t number)
{
	struct naive_line *set = &c->lines[number % c->sets * c->ways], *chosen = set;

	for (uint64_t way = 0; way < c->ways; way++) {
		if (!set[way].is_there)
			return &set[way];
		if (set[way].used < chosen->used)
			chosen = &set[way];
	}
	return chosen;
}

static bool is_exclusive(const struct naive_hierarchy *h, unsigned level)
{
	return level < h->shape.level_count && h->shape.levels[level].inclusion == SIM_EXCLUSIVE;
}

/* ---- Lines that go ---- */

/* Drop all lines in `bytes` bytes from `start`. Returns whether any was dirty; counts those. */
static bool drop(struct naive_cache *c, uint64_t start, uint64_t bytes, uint64_t *write_backs)
{
	bool any = false;

	for (uint64_t i = 0; i < c->sets * c->ways; i++) {
		struct naive_line *l = &c->lines[i];
		uint64_t address = l->number * c->shape->line_bytes;

		if (!l->is_there || address < start || address >= start + bytes)
			continue;
		l->is_there = false;
		*write_backs += l->is_dirty;
		any |= l->is_dirty;
	}
	return any;
}

static void put_in(struct naive_hierarchy *h, struct naive_cache *c, unsigned level,
		   uint64_t number, bool is_dirty);

/* Dirty bytes look for a level that has all of them. */
static void write_down(struct naive_hierarchy *h, unsigned level, uint64_t start, uint64_t bytes)
{
	for (; level < h->shape.level_count; level++) {
		struct naive_cache *c = &h->levels[level];
		uint64_t line = c->shape->line_bytes, end = start + bytes;
		bool has_all = true;

		for (uint64_t n = start / line; n * line < end; n++) {
			struct naive_line *l = naive_cache_find(c, n);

			if (l == NULL)
				has_all = false;
			else if (!c->shape->is_write_through)
				l->is_dirty = true;
		}
		if (has_all && !c->shape->is_write_through)
			return;
		h->write_backs[level]++;
	}
}

static void leave(struct naive_hierarchy *h, struct naive_cache *c, unsigned level,
		  struct naive_line gone)
{
	uint64_t bytes = c->shape->line_bytes, start = gone.number * bytes, of_code = 0;
	bool is_dirty = gone.is_dirty;

	if (c->shape->inclusion == SIM_INCLUSIVE) {
		is_dirty |= drop(&h->code, start, bytes, &of_code);
		for (unsigned above = 0; above < level; above++)
			is_dirty |= drop(&h->levels[above], start, bytes, &h->write_backs[above]);
	}
	if (c != &h->code) /* it is of instructions: what it has was dirtied elsewhere */
		h->write_backs[level] += is_dirty;
	if (is_exclusive(h, level + 1)) {
		struct naive_cache *next = &h->levels[level + 1];
		struct naive_line *there = naive_cache_find(next, gone.number);

		if (there == NULL) {
			put_in(h, next, level + 1, gone.number, is_dirty);
			return;
		}
		there->is_dirty |= is_dirty;
		there->used = ++h->now;
	} else if (is_dirty) {
		write_down(h, level + 1, start, bytes);
	}
}

static void put_in(struct naive_hierarchy *h, struct naive_cache *c, unsigned level,
		   uint64_t number, bool is_dirty)
{
	struct naive_line *place = choose(c, number), gone = *place;

	*place = (struct naive_line){true, is_dirty, number, ++h->now};
	if (gone.is_there)
		leave(h, c, level, gone);
}

/* ---- Accesses ---- */

/* Take the line out of the exclusive levels from `level` on. Returns the first level without. */
static unsigned take_up(struct naive_hierarchy *h, unsigned level, uint64_t number, bool *is_dirty)
{
	for (; is_exclusive(h, level); level++) {
		struct naive_line *l = naive_cache_find(&h->levels[level], number);

		if (l == NULL)
			continue;
		l->is_there = false;
		*is_dirty |= l->is_dirty;
		return level;
	}
	return level;
}

void naive_hierarchy_access(struct naive_hierarchy *h, uint64_t address, uint32_t bytes,
			    enum sim_access kind)
{
	bool stores = kind == SIM_STORE || kind == SIM_MODIFY, reads = kind != SIM_STORE;
	unsigned column = kind == SIM_FETCH ? 0 : kind == SIM_STORE ? 2 : 1, level = 0;
	uint32_t shortest = h->code.sets > 0 ? h->shape.code.line_bytes : 4096;

	for (unsigned i = 0; i < h->shape.level_count; i++)
		if (h->shape.levels[i].line_bytes < shortest)
			shortest = h->shape.levels[i].line_bytes;
	bytes = bytes < shortest ? bytes : shortest;
	while (level < h->shape.level_count) {
		bool is_code = level == 0 && kind == SIM_FETCH && !h->shape.is_unified;
		struct naive_cache *c = is_code ? &h->code : &h->levels[level];
		uint64_t line = c->shape->line_bytes;
		unsigned deepest = level, end = level + 1;
		bool fills = reads || !c->shape->no_write_allocate;
		bool dirties = stores && !c->shape->is_write_through;

		while (is_exclusive(h, end))
			end++;
		for (uint64_t n = address / line; n * line < address + bytes; n++) {
			struct naive_line *l = naive_cache_find(c, n);
			bool is_dirty = dirties;
			unsigned found;

			if (l != NULL) {
				l->used = ++h->now;
				l->is_dirty |= dirties;
				continue;
			}
			found = fills ? take_up(h, level + 1, n, &is_dirty) : end;
			deepest = found > deepest ? found : deepest;
			if (fills)
				put_in(h, c, level, n, is_dirty);
		}
		for (unsigned i = level; i < deepest; i++)
			h->misses[i][column]++;
		stores &= c->shape->is_write_through || (deepest > level && !fills);
		reads |= deepest > level && fills;
		if (deepest < end && !stores)
			return;
		level = end;
	}
}
