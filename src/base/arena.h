/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that is allocated piece by piece and released at once; mainly for strings. */
#ifndef DWELL_BASE_ARENA_H
#define DWELL_BASE_ARENA_H

#include <stddef.h>

struct arena_block;

/* All zero is an empty arena. */
struct arena {
	struct arena_block *blocks;
};

void arena_release(struct arena *a);

/*
 * Returns zeroed memory, aligned for any type, or NULL when memory ran out. Valid until
 * arena_release.
 */
void *arena_alloc(struct arena *a, size_t bytes);

/*
 * A copy of the string, or of its first n bytes, NUL-ended. NULL when memory ran out or s is NULL.
 */
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);

#endif
