/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers strings and tuples: a map from a hash to the first item with it, which links to the
 * others.
 */
#include "import/tuples.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define FNV_START 0xcbf29ce484222325u
#define FNV_PRIME 0x100000001b3u

void tuples_release(struct tuples *t)
{
	free(t->items);
	map_release(&t->by_hash);
	*t = (struct tuples){0};
}

size_t tuples_find(struct tuples *t, const uint64_t keys[TUPLE_KEYS])
{
	uint64_t hash = FNV_START, known;
	size_t first = SIZE_MAX, i;

	for (i = 0; i < TUPLE_KEYS; i++)
		hash = (hash ^ keys[i] ^ keys[i] >> 29) * 0x9e3779b97f4a7c15u;
	if (map_get(&t->by_hash, hash, &known))
		first = (size_t)known;
	for (i = first; i != SIZE_MAX; i = t->items[i].next) {
		if (memcmp(t->items[i].keys, keys, sizeof(t->items[i].keys)) == 0)
			return i;
	}
	if (!ARRAY_GROW(t) || map_set(&t->by_hash, hash, t->count) != 0)
		return TUPLES_FULL;
	memcpy(t->items[t->count].keys, keys, sizeof(t->items[0].keys));
	t->items[t->count].next = first;
	return t->count++;
}

void strings_release(struct strings *s)
{
	free(s->items);
	map_release(&s->by_hash);
	arena_release(&s->arena);
	*s = (struct strings){0};
}

size_t strings_find(struct strings *s, const char *text, size_t bytes)
{
	uint64_t hash = FNV_START, known;
	size_t first = SIZE_MAX, i;
	const char *copy;

	for (i = 0; i < bytes; i++)
		hash = (hash ^ (unsigned char)text[i]) * FNV_PRIME;
	if (map_get(&s->by_hash, hash, &known))
		first = (size_t)known;
	for (i = first; i != SIZE_MAX; i = s->items[i].next) {
		if (strncmp(s->items[i].text, text, bytes) == 0 && s->items[i].text[bytes] == '\0')
			return i;
	}
	copy = arena_strndup(&s->arena, text, bytes);
	if (copy == NULL || !ARRAY_GROW(s) || map_set(&s->by_hash, hash, s->count) != 0)
		return TUPLES_FULL;
	s->items[s->count] = (struct string){copy, first};
	return s->count++;
}
