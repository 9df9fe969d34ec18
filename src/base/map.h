/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash map from uint64_t to uint64_t: open addressing, linear probing, no removal. */
#ifndef DWELL_BASE_MAP_H
#define DWELL_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct map_entry {
	uint64_t key;
	uint64_t value; /* stored value + 1; 0: free entry */
};

/* All zero is an empty map. */
struct map {
	struct map_entry *entries;
	size_t room; /* a power of two, or 0 */
	size_t count;
};

void map_release(struct map *m);

/* Returns 1 and the value, or 0 if the key is missing. */
int map_get(const struct map *m, uint64_t key, uint64_t *value);

/* Set or replace; value < UINT64_MAX. Returns 0, or -1 when memory ran out. */
int map_set(struct map *m, uint64_t key, uint64_t value);

#endif
