/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arena: a chain of blocks, of which the first one is filled. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)64 << 10)

struct arena_block {
	struct arena_block *next;
	size_t used;
	size_t room;
	alignas(max_align_t) unsigned char data[];
};

void arena_release(struct arena *a)
{
	while (a->blocks != NULL) {
		struct arena_block *next = a->blocks->next;

		free(a->blocks);
		a->blocks = next;
	}
}

void *arena_alloc(struct arena *a, size_t bytes)
{
	struct arena_block *b = a->blocks;
	size_t align = alignof(max_align_t);

	if (bytes > SIZE_MAX / 2)
		return NULL;
	bytes = (bytes + align - 1) / align * align;
	if (b == NULL || b->room - b->used < bytes) {
		size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;

		b = calloc(1, sizeof(*b) + room);
		if (b == NULL)
			return NULL;
		b->room = room;
		b->next = a->blocks;
		a->blocks = b;
	}
	b->used += bytes;
	return b->data + b->used - bytes;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *copy;

	if (s == NULL)
		return NULL;
	n = strnlen(s, n);
	copy = arena_alloc(a, n + 1);
	if (copy != NULL)
		memcpy(copy, s, n);
	return copy;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, SIZE_MAX);
}
