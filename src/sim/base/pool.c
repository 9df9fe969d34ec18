/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Items in chunks. */
#include "sim/base/pool.h"

#include <stddef.h>

#define CHUNK_BYTES (64u << 10)

void sim_pool_init(struct sim_pool *p, uint32_t item_bytes, const struct sim_memory *memory)
{
	item_bytes = (item_bytes + 7) & ~7u;
	*p = (struct sim_pool){
		.memory = memory,
		.item_bytes = item_bytes,
		.per_chunk = (uint32_t)(CHUNK_BYTES - sizeof(struct sim_pool_chunk)) / item_bytes,
	};
}

void sim_pool_release(struct sim_pool *p)
{
	while (p->newest != NULL) {
		struct sim_pool_chunk *older = p->newest->older;

		sim_give(p->memory, p->newest, CHUNK_BYTES);
		p->newest = older;
	}
	*p = (struct sim_pool){0};
}

void *sim_pool_take(struct sim_pool *p)
{
	if (p->newest == NULL || p->used == p->per_chunk) {
		struct sim_pool_chunk *chunk = sim_take(p->memory, CHUNK_BYTES);

		if (chunk == NULL)
			return NULL;
		chunk->older = p->newest;
		p->newest = chunk;
		p->used = 0;
	}
	p->count++;
	return p->newest->bytes + (uint64_t)p->item_bytes * p->used++;
}

void sim_pool_each(const struct sim_pool *p, void (*visit)(void *context, void *item),
		   void *context)
{
	uint32_t used = p->used;

	for (struct sim_pool_chunk *c = p->newest; c != NULL; c = c->older) {
		for (uint32_t i = 0; i < used; i++)
			visit(context, c->bytes + (uint64_t)p->item_bytes * i);
		used = p->per_chunk;
	}
}
