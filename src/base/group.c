/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Grouping by a hash table of item numbers, at most half full; see group.h. */
#include "base/group.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FREE UINT32_MAX

/* Mix words of the key as base/map.c does. */
static size_t hash_of(const char *key, size_t bytes)
{
	uint64_t h = 0, word;

	for (; bytes >= sizeof(word); key += sizeof(word), bytes -= sizeof(word)) {
		memcpy(&word, key, sizeof(word));
		h = (h ^ word) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 29;
	}
	for (; bytes > 0; key++, bytes--)
		h = (h ^ (unsigned char)*key) * 0x9e3779b97f4a7c15ull;
	return (size_t)(h ^ h >> 32);
}

int group_sum(const struct group_type *type, void *items, size_t *count)
{
	char *all = items;
	size_t room = 64, used = 0;
	uint32_t *table;

	while (room < *count * 2)
		room *= 2;
	if (*count >= FREE || (table = malloc(room * sizeof(*table))) == NULL)
		return -1;
	memset(table, 0xff, room * sizeof(*table)); /* FREE */
	for (size_t i = 0; i < *count; i++) {
		const char *item = all + i * type->bytes;
		size_t at = hash_of(item, type->key_bytes) & (room - 1);

		while (table[at] != FREE &&
		       memcmp(all + table[at] * type->bytes, item, type->key_bytes) != 0)
			at = (at + 1) & (room - 1);
		if (table[at] != FREE) {
			type->add(all + table[at] * type->bytes, item);
			continue;
		}
		if (used != i)
			memcpy(all + used * type->bytes, item, type->bytes);
		table[at] = (uint32_t)used++;
	}
	free(table);
	*count = used;
	return 0;
}
