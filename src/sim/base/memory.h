/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a simulation's memory comes from. This folder is freestanding, because it is meant to run
 * inside a target as well: the caller says how memory is taken and given back.
 */
#ifndef DWELL_SIM_BASE_MEMORY_H
#define DWELL_SIM_BASE_MEMORY_H

#include <stdint.h>

struct sim_memory {
	void *context;
	/* Zeroed bytes, aligned for any number; NULL when there are none. */
	void *(*take)(void *context, uint64_t bytes);
	/* Give back what take returned for as many bytes. memory may be NULL. */
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
