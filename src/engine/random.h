/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random numbers for in-target code: integers only, no vector register. */
#ifndef DWELL_ENGINE_RANDOM_H
#define DWELL_ENGINE_RANDOM_H

#include <stdint.h>

/* splitmix64: any seed is good. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* log2 of v > 0 in units of 2^-24, by repeated squaring. */
static inline uint64_t log2_fixed(uint64_t v)
{
	unsigned high = 63u - (unsigned)__builtin_clzll(v);
	uint64_t mantissa = v << (63 - high) >> 32; /* 1.31 */
	uint64_t fraction = 0;

	for (int i = 0; i < 24; i++) {
		uint64_t bit;

		mantissa = mantissa * mantissa >> 31;
		bit = mantissa >> 32; /* no branch: it would be foreseen half of the time */
		fraction = fraction << 1 | bit;
		mantissa >>= bit;
	}
	return (uint64_t)high << 24 | fraction;
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
