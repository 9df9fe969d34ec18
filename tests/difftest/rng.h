/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small random generator (splitmix64): the same numbers for the same seed, everywhere. */
#ifndef DIFFTEST_RNG_H
#define DIFFTEST_RNG_H

#include <stdint.h>

struct rng {
	uint64_t state;
};

static inline uint64_t rng_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static inline uint64_t rng_next(struct rng *r)
{
	r->state += 0x9e3779b97f4a7c15ull;
	return rng_mix(r->state);
}

/* Uniform in [0, bound); bound > 0. The bias is far below anything that matters here. */
static inline uint32_t rng_below(struct rng *r, uint32_t bound)
{
	return (uint32_t)(((rng_next(r) >> 32) * bound) >> 32);
}

/* 1 in `n` calls, on average. */
static inline int rng_one_in(struct rng *r, uint32_t n)
{
	return rng_below(r, n) == 0;
}

static inline uint64_t rng_hash_text(const char *text)
{
	uint64_t h = 0xcbf29ce484222325ull;

	for (; *text; text++)
		h = (h ^ (uint8_t)*text) * 0x100000001b3ull;
	return rng_mix(h);
}

#endif
