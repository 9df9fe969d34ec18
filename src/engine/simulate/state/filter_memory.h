/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The address space of the filter variant's tables; see filter.h. */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_MEMORY_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reserve FILTER_LOW up to the engine's low tables; a table of cells, whole or in pieces; tables of
 * places in TLBs by page, if it is whole, of page_bytes; others. Returns false if there is no room.
 */
bool filter_memory_reserve(uint64_t other_bytes, uint64_t page_bytes);
/* Where the others lie; and those by page, 0 if there are none. */
uint64_t filter_memory_others(void);
uint64_t filter_memory_pages(void);
void filter_memory_release(void);
/* For tests: the table of cells lies in pieces, though there is room. */
extern bool filter_memory_divides;
/* Is any of this reserved? */
bool filter_memory_overlaps(uint64_t start, uint64_t end);
/*
 * Move what lies in [start, end). No misses are noted, and code of the filter variant is made anew
 * before it runs again. False: the low part lies there, or there is no other room.
 */
bool filter_memory_make_room(uint64_t start, uint64_t end);
/* Give back the address space of the whole table of cells. False: it has none, or no pieces. */
bool filter_memory_divide(void);

/* Map memory far from the program's, at a multiple of `align`. Returns 0 without address space. */
uint64_t filter_memory_find(uint64_t bytes, uint64_t align, int prot);
/* Move such memory to an address outside of [start, end). Returns it, or 0. */
uint64_t filter_memory_move(uint64_t from, uint64_t bytes, uint64_t align, uint64_t start,
			    uint64_t end);

/* Write the constants of misses (filter.h). */
void filter_memory_write_constants(void);

#endif
