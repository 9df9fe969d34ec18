/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects the offsets at which an instruction misses in a data structure: see struct bin_range. */
#ifndef DWELL_ENGINE_SIMULATE_WHOSE_RANGE_H
#define DWELL_ENGINE_SIMULATE_WHOSE_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "channel/bin.h"

#define RANGE_NOWHERE ((struct bin_range){.low = UINT64_MAX})

static inline uint64_t range_gcd(uint64_t a, uint64_t b)
{
	while (b) {
		const uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* A division takes long, and steps of most data structures are powers of two. */
static inline uint64_t range_rest(uint64_t difference, uint64_t step)
{
	if (!(step & (step - 1)))
		return difference & (step - 1);
	return (difference | step) >> 32 ? difference % step
					 : (uint32_t)difference % (uint32_t)step;
}

/* All offsets so far differ from low by multiples of step. Returns whether it has changed. */
static inline bool range_add(struct bin_range *r, uint64_t offset)
{
	const struct bin_range old = *r;
	uint64_t difference;

	if (offset == r->low)
		return false;
	if (r->low > r->high) {
		r->low = r->high = offset;
		return true;
	}
	difference = offset > r->low ? offset - r->low : r->low - offset;
	if (offset < r->low)
		r->low = offset;
	if (offset > r->high)
		r->high = offset;
	if (r->step != 1 && (!r->step || range_rest(difference, r->step)))
		r->step = range_gcd(difference, r->step);
	return r->low != old.low || r->high != old.high || r->step != old.step;
}

#endif
