/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several hierarchies of LRU caches in one pass. Each counts what it would count alone.
 *
 * An LRU cache holds what one with as many sets, or with parts of its sets joined, and not more
 * ways holds (stack inclusion and set refinement: Mattson and others 1970; Hill and Smith 1989,
 * section 3). So one small cache, the *front*, with the fewest sets and the fewest ways that any
 * first level has, answers for all: what hits there hits in each of them, and there is nothing to
 * do but to keep the order of its set. An access that misses in the front has its line X put there,
 * and a line V gives way. The lines of a set of a first level are, by the time of their last use,
 * first those that the front has, then those that it has had, in the order in which they gave way:
 * these are a row (stack_rows.h) for each set, which all first levels with so many sets share. How
 * many lines come before X says in which of them it hits.
 *
 * Below, caches that see the same misses are looked up once, and share a row if they have equally
 * many sets. Caches below two different first levels share nothing, as those miss at different
 * times.
 *
 * 	access -> front of data -> rows of data --+-> caches below (L1i A, L1d A): LL, LL, ...
 * 	fetch  -> front of code -> rows of code --+-> caches below (L1i A, L1d B): L2 -> LL
 *
 * What happens in an access is bits: of first levels (SIM_MULTI of each kind), and of events, of
 * all hierarchies together. The rules are those of hierarchy.h.
 */
#ifndef DWELL_SIM_SYSTEM_MULTI_H
#define DWELL_SIM_SYSTEM_MULTI_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/cache/cache.h"
#include "sim/cache/cache_packed.h"
#include "sim/cache/stack_rows.h"
#include "sim/system/hierarchy.h"

#define SIM_MULTI	 8u  /* hierarchies at most */
#define SIM_MULTI_EVENTS 64u /* of all of them, at most */
/* of the addresses: all that a program has on x86-64 if it does not ask for more */
#define SIM_ADDRESS_BITS 47
#define SIM_MULTI_PLACES (2 * SIM_ROW + 1)

enum { SIM_OF_DATA, SIM_OF_CODE, SIM_KINDS };

/* First levels with equally many sets. */
struct sim_tails {
	uint64_t *rows;	   /* [set * room] */
	uint8_t *in_front; /* by set: how many of its lines the front has */
	uint64_t set_mask;
	uint32_t room;
	/* by the number of lines that come before: in which first levels */
	uint8_t missed[SIM_MULTI_PLACES];
};

/* The first levels of a kind, of all hierarchies. */
struct sim_firsts {
	struct sim_cache front; /* packed and watched; no memory: no hierarchy has any */
	struct sim_noop noop;	/* of it */
	uint32_t tail_count;
	struct sim_tails tails[SIM_MULTI];
	uint8_t all;	/* first levels, as bits */
	uint8_t always; /* those that are as the front, and miss when it does */
	uint32_t count;
	struct {
		uint64_t sets;
		uint32_t ways;
	} shape[SIM_MULTI];
	/* by bits of first levels: of the pairs that see these misses */
	uint8_t streams[1u << SIM_MULTI];
	uint64_t events[3][1u << SIM_MULTI]; /* and what is counted, by column */
};

/* A cache below, or several that differ in their ways. */
struct sim_member {
	uint64_t events[3]; /* of a miss, by column: of fetches, loads, stores */
	uint32_t ways;
	uint32_t child; /* index of the first cache below it; 0: none */
};

struct sim_below {
	uint32_t *short_rows;	 /* one of three: [set * SIM_ROW], of line >> set_bits */
	uint64_t *rows;		 /* the same, of lines */
	struct sim_cache *cache; /* or any other cache */
	uint64_t set_mask;
	unsigned set_bits;
	unsigned shift; /* from lines of the first levels to its own */
	uint32_t next;	/* the next one that sees the same misses; 0: none */
	uint32_t member_count;
	struct sim_member members[SIM_MULTI];
	const struct sim_cache_geometry *geometry; /* of the first member */
};

/*
 * A cache below with nothing below it, one member, short rows and lines of the first levels' size.
 */
struct sim_last {
	uint32_t *rows; /* NULL behind the last one of a stream */
	uint64_t set_mask;
	uint32_t set_bits, ways;
	uint64_t events[3];
	uint64_t unused[2]; /* a cache line */
};

#define SIM_MULTI_BELOW (SIM_MULTI * (SIM_MAX_LEVELS - 1) + 1)

struct sim_multi {
	/*
	 * Set by the caller at any time: this processor has AVX-512, and its registers are free
	 * (stack_rows.h).
	 */
	bool is_wide;
	unsigned shift; /* line = address >> shift */
	uint32_t most_bytes;
	uint32_t stride; /* of bits of events */
	const struct sim_memory *memory;
	struct sim_firsts firsts[SIM_KINDS];
	uint32_t stream_count;
	struct {
		int of[SIM_KINDS];	     /* its first levels; -1: fetches are not simulated */
		uint32_t below;		     /* index of the first cache below; 0: none */
		const struct sim_last *last; /* those that are struct sim_last, as such */
	} streams[SIM_MULTI];
	bool is_flat; /* all caches below are of struct sim_last */
	struct sim_last last[SIM_MULTI_BELOW + SIM_MULTI];
	uint32_t below_count; /* number 0 is none */
	struct sim_below below[SIM_MULTI_BELOW];
	struct sim_cache others[SIM_MULTI_BELOW]; /* those that have no rows */
};

/*
 * Can these be simulated together? All caches of the first level, apart for data and code, are LRU
 * with up to 16 ways, a power of two of sets and lines of one size, and what is below has no
 * shorter lines; no cache is inclusive or exclusive, write-through or without allocation of stores,
 * or has a prefetcher; there are no TLBs, and neither write-backs nor the use of lines are counted.
 */
bool sim_multi_fits(const struct sim_geometry *const g[], uint32_t count);

/*
 * Empty caches. Bit first_event[k] + i * stride is for the event number 3 + i of hierarchy k (see
 * events.h: its misses begin there); all are below SIM_MULTI_EVENTS, and no two the same. The
 * geometries stay where they are. Returns 0, or -1: no memory; s wants release in both cases.
 */
int sim_multi_init(struct sim_multi *s, const struct sim_geometry *const g[], uint32_t count,
		   const uint32_t first_event[], uint32_t stride, const struct sim_memory *memory);
void sim_multi_release(struct sim_multi *s);

/* An access of any length, as for sim_hierarchy_data and _fetch. Returns events. */
uint64_t sim_multi_data(struct sim_multi *s, uint64_t address, uint32_t bytes,
			enum sim_access kind);
uint64_t sim_multi_fetch(struct sim_multi *s, uint64_t pc, uint32_t bytes);

/*
 * The same in parts, for callers that keep the front themselves. In the front, `line` has replaced
 * `victim` (SIM_NO_LINE: a free place). Returns the first levels of the kind, SIM_OF_DATA or
 * SIM_OF_CODE, that miss.
 */
uint32_t sim_multi_missed(struct sim_multi *s, unsigned kind, uint64_t line, uint64_t victim);

/*
 * Prefetch what sim_multi_below will read for a line that has missed in the first levels `missed`.
 */
void sim_multi_prefetch(const struct sim_multi *s, unsigned kind, uint32_t missed, uint64_t line);

/*
 * Simulate the levels below for lines `first` to `last`, at most two, which have missed in the
 * first levels `missed`. Returns events.
 */
uint64_t sim_multi_below(struct sim_multi *s, enum sim_access kind, uint32_t missed, uint64_t first,
			 uint64_t last);

/* Whether an access changes nothing, as sim_hierarchy_data_is_noop. */
static inline bool sim_multi_is_noop(const struct sim_multi *s, unsigned kind, uint64_t address,
				     uint32_t bytes)
{
	uint64_t line = address >> s->shift;

	return sim_is_noop(&s->firsts[kind].noop, line, SIM_LOAD) &&
	       (address + bytes - 1) >> s->shift == line;
}

#endif
