/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small functions on words, shared by the simulations. */
#ifndef DWELL_SIM_BASE_BITS_H
#define DWELL_SIM_BASE_BITS_H

#include <stdint.h>

/*
 * Number of set bits, in plain arithmetic: not every processor has the instruction, and the
 * compiler would call a library function instead.
 */
static inline uint32_t sim_count_bits(uint64_t v)
{
	v -= v >> 1 & 0x5555555555555555u;
	v = (v & 0x3333333333333333u) + (v >> 2 & 0x3333333333333333u);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu;
	return (uint32_t)(v * 0x0101010101010101u >> 56);
}

/*
 * The place at which probing for a key starts, in a table of `places`, a power of two (Knuth's
 * golden ratio).
 */
static inline uint64_t sim_place(uint64_t key, uint64_t places)
{
	return (key * 0x9e3779b97f4a7c15u >> 20) & (places - 1);
}

/* xorshift64* (Marsaglia, Vigna), scaled to 0..limit-1 by its high bits. *state is never 0. */
static inline uint64_t sim_random_below(uint64_t *state, uint64_t limit)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (uint64_t)((unsigned __int128)(*state * 0x2545f4914f6cdd1du) * limit >> 64);
}

#endif
