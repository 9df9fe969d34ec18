/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Items of one size that never move and are freed all at once. */
#ifndef DWELL_SIM_BASE_POOL_H
#define DWELL_SIM_BASE_POOL_H

#include <stdint.h>

#include "sim/base/memory.h"

struct sim_pool_chunk {
	struct sim_pool_chunk *older;
	uint64_t unused;
	uint8_t bytes[];
};

struct sim_pool {
	const struct sim_memory *memory;
	uint32_t item_bytes; /* a multiple of 8 */
	uint32_t per_chunk;
	uint32_t used; /* items in the newest chunk; older chunks are full */
	uint64_t count;
	struct sim_pool_chunk *newest;
};

void sim_pool_init(struct sim_pool *p, uint32_t item_bytes, const struct sim_memory *memory);
void sim_pool_release(struct sim_pool *p);

/* Returns a new item of zeros; NULL when memory ran out. */
void *sim_pool_take(struct sim_pool *p);

void sim_pool_each(const struct sim_pool *p, void (*visit)(void *context, void *item),
		   void *context);

#endif
