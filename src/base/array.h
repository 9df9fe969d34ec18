/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Growing arrays: three plain members of any struct,
 *
 *   struct thing *items; size_t count; size_t room;
 *
 * released with free(items). Growth doubles, so that appending is cheap.
 */
#ifndef DWELL_BASE_ARRAY_H
#define DWELL_BASE_ARRAY_H

#include <stddef.h>

/* Make room for `count` items. Returns the items, possibly moved, or NULL when memory ran out. */
void *array_reserve(void *items, size_t *room, size_t count, size_t item_bytes);

/* Make room for one more in s->items (evaluates s more than once). Returns true on success. */
#define ARRAY_GROW(s) \
	array_reserve_in((void **)&(s)->items, &(s)->room, (s)->count + 1, sizeof(*(s)->items))

/* Like array_reserve, but *items is unchanged on failure. Returns 1, or 0 when memory ran out. */
int array_reserve_in(void **items, size_t *room, size_t count, size_t item_bytes);

#endif
