/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random numbers for in-target code, without vector registers: integers only. */
#ifndef DWELL_ENGINE_CORE_RANDOM_H
#define DWELL_ENGINE_CORE_RANDOM_H

#include <stdint.h>

/* splitmix64: any seed is good. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/*
 * log2 of v > 0 in units of 2^-24, to within 2^-15. With 1 + f the leading bits:
 * f + f (1 - f) (a + b f + c f^2 + d f^3), which is exact at powers of two.
 */
static inline uint64_t log2_fixed(uint64_t v)
{
	const int64_t a = 948835310, b = -572382304, c = 315720406, d = -95012711, one = 1ll << 31;
	unsigned high = 63u - (unsigned)__builtin_clzll(v);
	/* the other numbers are in units of 2^-31, too */
	int64_t f = (int64_t)(v << (63 - high) >> 32) - one;
	int64_t bend = a + (f * (b + (f * (c + (f * d >> 31)) >> 31)) >> 31);

	return ((uint64_t)high << 24) + (uint64_t)((f + ((f * (one - f) >> 31) * bend >> 31)) >> 7);
}

/* Exponential with the given mean, rounded up to at least 1. */
static inline uint64_t random_exponential(uint64_t *state, uint64_t mean)
{
	uint64_t u = random_next(state) | 1;
	uint64_t minus_log2 = (64ull << 24) - log2_fixed(u); /* of u / 2^64 */
	/* ln 2 = 11629080 / 2^24 */
	unsigned __int128 gap = (unsigned __int128)minus_log2 * 11629080u * mean >> 48;

	return gap < 1 ? 1 : (uint64_t)gap;
}

#endif
