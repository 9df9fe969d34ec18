/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pieces of the address space in order, which do not overlap: found, added and taken out in
 * logarithmic time, in whatever order they come. They lie in chunks of up to INTERVALS_CHUNK, and a
 * directory of the chunks is in order of address. The caller has a lock.
 */
#ifndef DWELL_ENGINE_CORE_INTERVALS_H
#define DWELL_ENGINE_CORE_INTERVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/core/util.h"

#define INTERVALS_CHUNK 64u

/* What each element begins with. */
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

/* An empty list for some `most` elements of so many bytes. 0 or -1. */
int intervals_init(struct intervals *l, uint32_t element_bytes, uint32_t most);
/* The first element that ends above address, or NULL. Valid until the next change. */
void *intervals_after(const struct intervals *l, uint64_t address);
/* Add a copy of an element, which overlaps none. False when out of memory. */
bool intervals_insert(struct intervals *l, const void *element);
/* Take out an element, by a pointer into the list. */
void intervals_remove(struct intervals *l, void *element);
/* An element ends elsewhere now, and still overlaps none. */
void intervals_set_end(struct intervals *l, void *element, uint64_t end);

#endif
