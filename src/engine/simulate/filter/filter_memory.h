/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The address space of the filter variant's tables; see filter.h. */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_MEMORY_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reserve FILTER_LOW up to the engine's low tables, and high_bytes from FILTER_CELLS on. Returns
 * false if something is there.
 */
bool filter_memory_reserve(uint64_t high_bytes);
void filter_memory_release(void);
/* Is any of this reserved? */
bool filter_memory_overlaps(uint64_t start, uint64_t end);

/* Write the constants of misses (filter.h). */
void filter_memory_write_constants(void);

#endif
