/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers for keys of two words, from 1 in the order in which the keys first came. Keys stay. The
 * caller holds a lock. Looking up a key reads one cache line, mostly: the table holds keys, too.
 */
#ifndef DWELL_ENGINE_SIMULATE_WHOSE_NUMBERING_H
#define DWELL_ENGINE_SIMULATE_WHOSE_NUMBERING_H

#include <stdint.h>

#include "engine/core/state.h"
#include "engine/core/util.h"

#define NUMBERING_BITS	 26u			/* of a number */
#define NUMBERING_B_BITS (64u - NUMBERING_BITS) /* of b */

struct numbering_key {
	uint64_t a, b;
};

/* Of the table: b and the number; 0: free. */
struct numbering_slot {
	uint64_t a, b_number;
};

struct numbering {
	struct grow keys;	      /* struct numbering_key; number 0 is unused */
	struct numbering_slot *slots; /* by hash */
	uint32_t room;		      /* slots, a power of two */
	uint32_t count;		      /* keys */
};

/* Reserve address space for `most` keys, below 2^NUMBERING_BITS. Returns 0 or -1. */
int numbering_init(struct numbering *n, uint32_t most);

/*
 * The key's number, made if it is new; 0: memory or numbers have run out, or b has too many bits.
 */
uint32_t numbering_get(struct numbering *n, uint64_t a, uint64_t b);

static inline const struct numbering_key *numbering_key(const struct numbering *n, uint32_t number)
{
	return (const struct numbering_key *)(const void *)n->keys.base + number;
}

#endif
