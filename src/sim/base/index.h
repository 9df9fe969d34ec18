/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash table from lines to places, with a size fixed at the start. */
#ifndef DWELL_SIM_BASE_INDEX_H
#define DWELL_SIM_BASE_INDEX_H

#include <stdint.h>

#include "sim/base/bits.h"
#include "sim/base/memory.h"

#define SIM_NO_PLACE UINT32_MAX

struct sim_index_item {
	uint64_t key; /* line + 1; 0: free */
	uint32_t place;
};

struct sim_index {
	const struct sim_memory *memory; /* NULL: not in use */
	struct sim_index_item *items;	 /* by hash, linear probing, at most half full */
	uint64_t room;
};

/* Make room for `most` lines. Returns 0, or -1 without memory; release x in both cases. */
int sim_index_init(struct sim_index *x, uint64_t most, const struct sim_memory *memory);
void sim_index_release(struct sim_index *x);

/* Prefetch what looking for the line reads first. */
static inline void sim_index_prefetch(const struct sim_index *x, uint64_t line)
{
	__builtin_prefetch(&x->items[sim_place(line + 1, x->room)], 1);
}

/* Returns SIM_NO_PLACE if the line is missing. */
uint32_t sim_index_find(const struct sim_index *x, uint64_t line);

/* Add a line that is missing; the table must not be full. */
void sim_index_add(struct sim_index *x, uint64_t line, uint32_t place);

/* Returns the line's place, or SIM_NO_PLACE. */
uint32_t sim_index_remove(struct sim_index *x, uint64_t line);

#endif
