/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers for repeated items of a file: strings, and tuples of numbers. */
#ifndef DWELL_IMPORT_TUPLES_H
#define DWELL_IMPORT_TUPLES_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"

#define TUPLE_KEYS  4
#define TUPLES_FULL SIZE_MAX /* memory ran out */

/* Empty when all zero. Items are numbered from 0 in the order of their first occurrence. */
struct tuples {
	struct tuple {
		uint64_t keys[TUPLE_KEYS];
		size_t next; /* next one with this hash, or SIZE_MAX */
	} * items;
	size_t count, room;
	struct map by_hash;
};

void tuples_release(struct tuples *t);

/* The tuple's number; or TUPLES_FULL. It is new if t->count has increased. */
size_t tuples_find(struct tuples *t, const uint64_t keys[TUPLE_KEYS]);

/* The same for strings, which are copied. */
struct strings {
	struct string {
		const char *text;
		size_t next;
	} * items;
	size_t count, room;
	struct map by_hash;
	struct arena arena;
};

void strings_release(struct strings *s);
size_t strings_find(struct strings *s, const char *text, size_t bytes);

#endif
