/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Growing arrays: three plain fields in whatever struct needs one,
 *
 *	struct thing *items;  size_t count;  size_t room;
 *
 * released with free(items). Growth doubles, so that appending is cheap.
 */
#ifndef DWELL_BASE_ARRAY_H
#define DWELL_BASE_ARRAY_H

#include <stddef.h>

/*
 * Make room for `count` items. Returns the items, which may have moved, or NULL when memory ran
 * out.
 */
void *array_reserve(void *items, size_t *room, size_t count, size_t item_bytes);

/* Room for one more in s->items (evaluates s more than once); true when it worked. */
#define ARRAY_GROW(s) \
	array_reserve_in((void **)&(s)->items, &(s)->room, (s)->count + 1, sizeof(*(s)->items))

/* As array_reserve, leaving *items as it was on failure. Returns 1, or 0 when memory ran out. */
int array_reserve_in(void **items, size_t *room, size_t count, size_t item_bytes);

#endif
