/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ordered list of disjoint address ranges, which are found, added and removed in logarithmic
 * time. The elements lie in chunks of up to INTERVALS_CHUNK; a directory lists the chunks in order
 * of address. The caller holds a lock.
 */
#ifndef DWELL_ENGINE_CORE_INTERVALS_H
#define DWELL_ENGINE_CORE_INTERVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/core/util.h"

#define INTERVALS_CHUNK 64u

/* The first member of each element. */
struct interval {
	uint64_t start, end;
};

struct intervals {
	uint32_t element_bytes;
	uint32_t chunk_count; /* in the directory */
	uint32_t unused;      /* chunks, a list; number + 1, 0: none */
	struct grow chunks;
	struct grow directory;
};

/* An empty list for about `most` elements of `element_bytes` each. Returns 0 or -1. */
int intervals_init(struct intervals *l, uint32_t element_bytes, uint32_t most);
/* The first element that ends above address, or NULL. Valid until the next change. */
void *intervals_after(const struct intervals *l, uint64_t address);
/* Add a copy of an element, which must overlap no other. False when out of memory. */
bool intervals_insert(struct intervals *l, const void *element);
/* Remove an element; `element` points into the list. */
void intervals_remove(struct intervals *l, void *element);
/* Move the end of an element, which must still overlap no other. */
void intervals_set_end(struct intervals *l, void *element, uint64_t end);

#endif
