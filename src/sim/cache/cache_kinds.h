/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The four kinds of sets, only for cache.c; see cache.h. */
#ifndef DWELL_SIM_CACHE_CACHE_KINDS_H
#define DWELL_SIM_CACHE_CACHE_KINDS_H

#include "sim/cache/cache.h"

/* Like the functions of cache.h, but without the filter's tables. */
struct sim_cache_kind {
	int (*init)(struct sim_cache *c);
	void (*release)(struct sim_cache *c);
	/* The entry of a line, or NULL. */
	uint64_t *(*find)(struct sim_cache *c, uint64_t set, uint64_t line);
	/* Registers a hit on an entry from find; the entry may move. */
	void (*use)(struct sim_cache *c, uint64_t set, uint64_t *entry);
	uint64_t (*insert)(struct sim_cache *c, uint64_t set, uint64_t entry);
	void (*remove)(struct sim_cache *c, uint64_t set, uint64_t *entry);
};

extern const struct sim_cache_kind sim_cache_packed, sim_cache_by_age, sim_cache_by_list,
	sim_cache_by_place;

/* Allocate entries, all free; not for packed sets. Returns 0, or -1 without memory. */
int sim_cache_take_entries(struct sim_cache *c);
void sim_cache_give_entries(struct sim_cache *c);

#endif
