/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source of a simulation's memory. This folder is freestanding, as it also runs inside a
 * target: the caller provides the allocator.
 */
#ifndef DWELL_SIM_BASE_MEMORY_H
#define DWELL_SIM_BASE_MEMORY_H

#include <stdint.h>

struct sim_memory {
	void *context;
	/* Returns zeroed bytes, aligned for any scalar type; NULL without memory. */
	void *(*take)(void *context, uint64_t bytes);
	/* Frees what take returned for this number of bytes. memory may be NULL. */
	void (*give)(void *context, void *memory, uint64_t bytes);
};

static inline void *sim_take(const struct sim_memory *m, uint64_t bytes)
{
	return m->take(m->context, bytes);
}

static inline void sim_give(const struct sim_memory *m, void *memory, uint64_t bytes)
{
	m->give(m->context, memory, bytes);
}

#endif
