/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The set of instructions with unaligned accesses; see filter_trust.h. */
#include "engine/simulate/state/filter_trust.h"

#include "engine/core/util.h"
#include "engine/simulate/state/filter.h"

#define PLACES 16384u
#define MOST   (PLACES / 2)
#define BITS   32768u

_Static_assert((FILTER_CELLS >> 16 & 0xff) == FILTER_TRAP, "where branches of looks lead to");

static struct {
	uint64_t pc[PLACES]; /* 0: free */
	uint32_t used;
	/* by hash: rejects most lookups, as few instructions are in the set */
	uint64_t known[BITS / 64];
} set;

static uint32_t hash_of(uint64_t pc)
{
	return (uint32_t)(pc * 0x9e3779b97f4a7c15ull >> 32);
}

static uint64_t *place_of(uint64_t pc)
{
	uint32_t i = hash_of(pc) % PLACES;

	while (set.pc[i] && set.pc[i] != pc)
		i = (i + 1) % PLACES;
	return &set.pc[i];
}

bool filter_trusts(uint64_t pc)
{
	const uint32_t bit = hash_of(pc) % BITS;

	if (!(set.known[bit / 64] >> (bit & 63) & 1))
		return true;
	return set.used < MOST && !*place_of(pc);
}

/* When the set is full no instruction is trusted any more. */
void filter_distrust(uint64_t pc)
{
	const uint32_t bit = hash_of(pc) % BITS;
	uint64_t *place = place_of(pc);

	set.known[bit / 64] |= 1ull << (bit & 63);
	if (set.used == MOST || *place)
		return;
	*place = pc;
	set.used++;
	if (set.used == MOST)
		memset(set.known, 0xff, sizeof set.known);
}
