/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ranges of addresses, each with its DIE or unit, searched by address. */
#ifndef DWELL_SYMBOLS_RANGES_H
#define DWELL_SYMBOLS_RANGES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols_range {
	uint64_t low, high; /* end excluded */
	uint64_t of;	    /* offset in .debug_info of its DIE or unit */
};

/* All zero: empty. The owner frees the items. */
struct symbols_ranges {
	struct symbols_range *items;
	size_t count, room;
};

/* Returns false when memory ran out; empty ranges are left out. */
bool symbols_ranges_add(struct symbols_ranges *r, uint64_t low, uint64_t high, uint64_t of);

/* Add the DIE's own ranges that start at `lowest` or above, with its offset. Returns as above. */
bool symbols_ranges_add_die(struct symbols_ranges *r, Dwarf_Die *die, uint64_t lowest);

/* Sort by low; required before a search. */
void symbols_ranges_sort(struct symbols_ranges *r);

/* The number of sorted ranges that start at or below the address. */
size_t symbols_ranges_upto(const struct symbols_ranges *r, uint64_t address);

#endif
