/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hash map. It is at most half full, so that a probe touches one or two cache lines. */
#include "base/map.h"

#include <assert.h>
#include <stdlib.h>

void map_release(struct map *m)
{
	free(m->entries);
	*m = (struct map){0};
}

/*
 * Each bit of the key changes the place. One multiplication is not enough: keys are often two
 * numbers, and those of neighbours, such as a caller and its callee, would lie side by side.
 */
static size_t place_of(const struct map *m, uint64_t key)
{
	uint64_t h = key * 0x9e3779b97f4a7c15ull;

	h = (h ^ h >> 32) * 0xd6e8feb86659fd93ull;
	return (size_t)(h >> 32) & (m->room - 1);
}

/* Returns the key's entry, or the free one for it. The table is never full. */
static struct map_entry *find(const struct map *m, uint64_t key)
{
	size_t i = place_of(m, key);

	while (m->entries[i].value != 0 && m->entries[i].key != key)
		i = (i + 1) & (m->room - 1);
	return &m->entries[i];
}

int map_get(const struct map *m, uint64_t key, uint64_t *value)
{
	const struct map_entry *e;

	if (m->room == 0)
		return 0;
	e = find(m, key);
	if (e->value == 0)
		return 0;
	*value = e->value - 1;
	return 1;
}

static int grow(struct map *m)
{
	struct map bigger = {.room = m->room == 0 ? 64 : m->room * 2, .count = m->count};
	size_t i;

	bigger.entries = calloc(bigger.room, sizeof(*bigger.entries));
	if (bigger.entries == NULL)
		return -1;
	for (i = 0; i < m->room; i++) {
		if (m->entries[i].value != 0)
			*find(&bigger, m->entries[i].key) = m->entries[i];
	}
	free(m->entries);
	*m = bigger;
	return 0;
}

int map_set(struct map *m, uint64_t key, uint64_t value)
{
	struct map_entry *e;

	assert(value != UINT64_MAX);
	if (m->count * 2 >= m->room && grow(m) != 0)
		return -1;
	e = find(m, key);
	if (e->value == 0)
		m->count++;
	e->key = key;
	e->value = value + 1;
	return 0;
}
