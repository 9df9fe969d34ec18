/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash table of pointers that others own. The caller decides which items are equal. */
#ifndef DWELL_SIM_BASE_TABLE_H
#define DWELL_SIM_BASE_TABLE_H

#include <stdint.h>

#include "sim/base/bits.h"
#include "sim/base/memory.h"

struct sim_table_place {
	uint64_t hash; /* 0: free */
	void *item;    /* NULL: removed */
};

struct sim_table {
	const struct sim_memory *memory;
	struct sim_table_place *place; /* linear probing, at most half full */
	uint64_t places;	       /* a power of two, or 0 */
	uint64_t used;
};

/* A hash of two words; never 0. */
static inline uint64_t sim_table_hash(uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ a >> 29) * 0xbf58476d1ce4e5b9u + (b ^ b >> 32) * 0x94d049bb133111ebu;

	h ^= h >> 31;
	return h == 0 ? 1 : h;
}

void sim_table_init(struct sim_table *t, const struct sim_memory *memory);
void sim_table_release(struct sim_table *t);

/*
 * Iterate over the items with this hash; NULL after the last:
 * for (uint64_t at = sim_table_start(t, hash); (item = sim_table_next(t, hash, &at));)
 */
static inline uint64_t sim_table_start(const struct sim_table *t, uint64_t hash)
{
	return t->places == 0 ? 0 : sim_place(hash, t->places);
}

static inline void *sim_table_next(const struct sim_table *t, uint64_t hash, uint64_t *at)
{
	if (t->places == 0)
		return 0;
	for (;;) {
		const struct sim_table_place *p = &t->place[*at];

		*at = (*at + 1) & (t->places - 1);
		if (p->hash == 0)
			return 0;
		if (p->hash == hash && p->item != 0)
			return p->item;
	}
}

/* Returns 0, or -1 when memory ran out. */
int sim_table_add(struct sim_table *t, uint64_t hash, void *item);

#endif
