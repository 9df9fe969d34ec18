/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One hash table holds every line ever touched with a bit per cache size that
 * says whether the line is in that cache, so that a hit in all of them costs
 * one look-up. A cache itself is an array of its lines; a miss in a full one
 * replaces a random member. Touching the same line twice in a row changes
 * nothing under random replacement, and is not even looked up.
 */
#include "random_cache.h"

#include <stdlib.h>
#include <string.h>

struct line {
	uint64_t number;
	uint32_t present; /* bit i: in cache i */
	uint32_t pad;
};

struct cache {
	uint32_t *members; /* indices into lines */
	uint64_t room;
	uint64_t used;
};

struct random_caches {
	struct cache caches[RANDOM_CACHE_MAX_SIZES];
	size_t count;
	uint32_t all; /* the bits of all caches */
	unsigned line_shift;
	uint64_t random;
	struct line *lines;
	size_t line_room;
	uint32_t *table; /* index + 1 into lines, by hash; a power of two of places */
	size_t places;
	uint64_t last_line; /* it is in all caches */
	struct random_cache_counts counts;
};

struct random_caches *random_caches_new(const uint64_t *size_bytes, size_t count,
					uint32_t line_bytes, uint64_t seed)
{
	struct random_caches *c = calloc(1, sizeof(*c));
	size_t i;

	if (c == NULL)
		return NULL;
	c->count = count;
	c->all = (uint32_t)(((uint64_t)1 << count) - 1);
	c->line_shift = (unsigned)__builtin_ctz(line_bytes);
	c->random = seed * 2 + 1;
	c->last_line = UINT64_MAX;
	c->places = (size_t)1 << 16;
	c->table = calloc(c->places, sizeof(*c->table));
	c->line_room = c->places / 2;
	c->lines = malloc(c->line_room * sizeof(*c->lines));
	for (i = 0; i < count; i++) {
		c->caches[i].room = size_bytes[i] >> c->line_shift;
		c->caches[i].members = malloc(c->caches[i].room * sizeof(uint32_t));
		if (c->caches[i].members == NULL)
			break;
	}
	if (i == count && c->table != NULL && c->lines != NULL)
		return c;
	random_caches_free(c);
	return NULL;
}

void random_caches_free(struct random_caches *c)
{
	size_t i;

	if (c == NULL)
		return;
	for (i = 0; i < c->count; i++)
		free(c->caches[i].members);
	free(c->lines);
	free(c->table);
	free(c);
}

/* xorshift64* (Marsaglia, Vigna), scaled to 0..limit-1 by its high bits. */
static uint64_t random_below(struct random_caches *c, uint64_t limit)
{
	c->random ^= c->random >> 12;
	c->random ^= c->random << 25;
	c->random ^= c->random >> 27;
	return (uint64_t)((unsigned __int128)(c->random * 0x2545f4914f6cdd1dull) * limit >> 64);
}

static size_t place_of(const struct random_caches *c, uint64_t number)
{
	return (size_t)((number * 0x9e3779b97f4a7c15ull) >> 20) & (c->places - 1);
}

static int grow(struct random_caches *c)
{
	size_t places = c->places * 2, i, at;
	uint32_t *table = calloc(places, sizeof(*table));
	struct line *lines = realloc(c->lines, places / 2 * sizeof(*lines));

	if (lines != NULL)
		c->lines = lines;
	if (table == NULL || lines == NULL || places > UINT32_MAX) {
		free(table);
		return -1;
	}
	free(c->table);
	c->table = table;
	c->places = places;
	c->line_room = places / 2;
	for (i = 0; i < c->counts.distinct_lines; i++) {
		at = place_of(c, c->lines[i].number);
		while (c->table[at] != 0)
			at = (at + 1) & (places - 1);
		c->table[at] = (uint32_t)i + 1;
	}
	return 0;
}

/* The line's index; it is made when it is new. UINT32_MAX when memory ran out. */
static uint32_t find_line(struct random_caches *c, uint64_t number)
{
	size_t at = place_of(c, number);
	uint32_t index;

	while (c->table[at] != 0) {
		index = c->table[at] - 1;
		if (c->lines[index].number == number)
			return index;
		at = (at + 1) & (c->places - 1);
	}
	if (c->counts.distinct_lines == c->line_room) {
		if (grow(c) != 0)
			return UINT32_MAX;
		return find_line(c, number);
	}
	index = (uint32_t)c->counts.distinct_lines++;
	c->lines[index] = (struct line){.number = number};
	c->table[at] = index + 1;
	return index;
}

static void fill(struct random_caches *c, size_t which, uint32_t index)
{
	struct cache *k = &c->caches[which];
	uint64_t slot = k->used;

	if (k->used < k->room) {
		k->used++;
	} else {
		slot = random_below(c, k->room);
		c->lines[k->members[slot]].present &= ~((uint32_t)1 << which);
	}
	k->members[slot] = index;
	c->lines[index].present |= (uint32_t)1 << which;
}

/* Touch one line. *missed gets the bits of the caches that did not hold it. */
static int touch(struct random_caches *c, uint64_t number, uint32_t *missed)
{
	uint32_t index, missing;

	c->counts.references++;
	if (number == c->last_line)
		return 0;
	index = find_line(c, number);
	if (index == UINT32_MAX)
		return -1;
	c->last_line = number;
	missing = c->all & ~c->lines[index].present;
	*missed |= missing;
	while (missing != 0) {
		size_t which = (size_t)__builtin_ctz(missing);

		missing &= missing - 1;
		c->counts.line_misses[which]++;
		fill(c, which, index);
	}
	return 0;
}

int random_caches_access(struct random_caches *c, uint64_t address, uint32_t bytes)
{
	uint64_t first = address >> c->line_shift;
	uint64_t last = (address + (bytes > 0 ? bytes - 1 : 0)) >> c->line_shift;
	uint32_t missed = 0;

	c->counts.accesses++;
	for (; first <= last; first++) {
		if (touch(c, first, &missed) != 0)
			return -1;
	}
	for (; missed != 0; missed &= missed - 1)
		c->counts.misses[__builtin_ctz(missed)]++;
	return 0;
}

const struct random_cache_counts *random_caches_counts(const struct random_caches *c)
{
	return &c->counts;
}
