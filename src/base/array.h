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

/* Make room for one more in s->items (evaluates s more than once). Returns true on success. */
#define ARRAY_GROW(s) \
	array_reserve_in((void **)&(s)->items, &(s)->room, (s)->count + 1, sizeof(*(s)->items))

/* Make room for `count` items, which may move. Returns 1, or 0, with no change, without memory. */
int array_reserve_in(void **items, size_t *room, size_t count, size_t item_bytes);

#endif
