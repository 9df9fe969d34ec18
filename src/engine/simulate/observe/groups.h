/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups: a function with a data structure. Evictions are counted by pairs of them (bins.h).
 * Numbers begin at 1, and stay. Locks are as in bins.h.
 */
#ifndef DWELL_ENGINE_SIMULATE_WHOSE_GROUPS_H
#define DWELL_ENGINE_SIMULATE_WHOSE_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/core/util.h"

#define GROUP_BITS 22u
#define GROUP_MOST (1u << GROUP_BITS)

/* Reserve address space; false: there is none. */
bool groups_start(void);

/*
 * The group of an access to the structure by the instruction of that key (eras.h); 0: memory has
 * run out.
 */
uint32_t groups_get(uint64_t key, uint32_t structure);

/* Where the group's function begins, as a key. */
uint64_t groups_function(uint32_t group);

extern struct grow groups_structures; /* uint32_t, by group */
static inline uint32_t groups_structure(uint32_t group)
{
	return ((const uint32_t *)(const void *)groups_structures.base)[group];
}

#endif
