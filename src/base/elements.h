/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a block of memory can be an array of elements of a size. */
#ifndef DWELL_BASE_ELEMENTS_H
#define DWELL_BASE_ELEMENTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Tables of Rust's hashbrown have 2^k elements, up to the next multiple of 16 bytes, and behind
 * them a byte for each and 16 more.
 */
static inline bool elements_are_table(uint64_t block, uint64_t element)
{
	for (uint64_t n = 4; n <= block / (element + 1); n *= 2)
		if (((n * element + 15) & ~(uint64_t)15) + n + 16 == block)
			return true;
	return false;
}

/* All blocks have sizes from `smallest` to `largest`, which are two of them. */
static inline bool elements_fit(uint64_t smallest, uint64_t largest, uint64_t element)
{
	return element > 0 &&
	       ((smallest % element == 0 && largest % element == 0) ||
		(elements_are_table(smallest, element) && elements_are_table(largest, element)));
}

#endif
