/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Growing arrays; only this file multiplies counts by sizes. */
#include "base/array.h"

#include <stdlib.h>

/* Returns the items with room for `count`, possibly moved, or NULL when memory ran out. */
static void *reserve(void *items, size_t *room, size_t count, size_t item_bytes)
{
	size_t want = *room < 16 ? 16 : *room;
	void *moved;

	if (count <= *room)
		return items;
	while (want < count) {
		if (__builtin_mul_overflow(want, (size_t)2, &want))
			return NULL;
	}
	moved = reallocarray(items, want, item_bytes);
	if (moved != NULL)
		*room = want;
	return moved;
}

int array_reserve_in(void **items, size_t *room, size_t count, size_t item_bytes)
{
	void *moved = reserve(*items, room, count, item_bytes);

	if (moved == NULL)
		return 0;
	*items = moved;
	return 1;
}
