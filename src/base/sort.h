/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sorting tens of thousands of items by a number, such as an address: many times faster than qsort.
 */
#ifndef DWELL_BASE_SORT_H
#define DWELL_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

struct sort_item {
	uint64_t key;
	uint64_t index; /* of the item in its own array */
};

/*
 * Sort by the upper half of each number; numbers with equal halves stay in order. Returns as below.
 */
int sort_by_upper_half(uint64_t *numbers, size_t count);

/* Sort by key; items with equal keys stay in order. Returns 0, or -1 when memory ran out. */
int sort_by_key(struct sort_item *items, size_t count);

#endif
