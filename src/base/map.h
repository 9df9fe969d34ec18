/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash map from uint64_t to uint64_t: open addressing, linear probing, no removal. */
#ifndef DWELL_BASE_MAP_H
#define DWELL_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct map_entry {
	uint64_t key;
	uint64_t value; /* 0 marks a free entry; what the user stores is value - 1 */
};

/* All zero is an empty map that owns nothing. */
struct map {
	struct map_entry *entries;
	size_t room; /* a power of two, or 0 */
	size_t count;
};

void map_release(struct map *m);

/* Returns 1 and the value, or 0 when the key is not there. */
int map_get(const struct map *m, uint64_t key, uint64_t *value);

/* Set or replace; value < UINT64_MAX. Returns 0, or -1 when memory ran out. */
int map_set(struct map *m, uint64_t key, uint64_t value);

#endif
