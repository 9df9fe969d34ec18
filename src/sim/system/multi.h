/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several hierarchies of LRU caches in one pass. Each counts what it would count alone.
 *
 * An LRU cache contains all lines of another one with the same sets, or with parts of its sets
 * joined, and no more ways (stack inclusion and set refinement: Mattson and others 1970; Hill and
 * Smith 1989, section 3). So one small cache, the *front*, with the fewest sets and the fewest ways
 * of all first levels, answers for all. A line that hits in the front hits in each of them, and
 * only the order of its set changes. On a miss in the front, line X enters it, and line V is
 * evicted. Sorted by last use, a set of a first level begins with its lines in the front. Then come
 * the lines that the front has evicted, in the order of eviction. These are kept in a row
 * (stack_rows.h) for each set, shared by all first levels with the same number of sets. The number
 * of lines before X tells which of these first levels it hits.
 *
 * Below, caches that see the same misses are looked up once, and share a row if they have the same
 * number of sets. Caches below two different first levels share nothing, as those miss at different
 * times.
 *
 *   access -> front of data -> rows of data --+-> caches below (L1i A, L1d A): LL, LL, ...
 *   fetch  -> front of code -> rows of code --+-> caches below (L1i A, L1d B): L2 -> LL
 *
 * The outcome of an access is two sets of bits: first levels (SIM_MULTI of each kind), and events
 * of all hierarchies together. The rules are those of hierarchy.h.
 */
#ifndef DWELL_SIM_SYSTEM_MULTI_H
#define DWELL_SIM_SYSTEM_MULTI_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/cache/cache.h"
#include "sim/cache/cache_packed.h"
#include "sim/cache/stack_rows.h"
#include "sim/system/core.h"

#define SIM_MULTI	 8u  /* hierarchies at most */
#define SIM_MULTI_EVENTS 64u /* of all hierarchies, at most */
/* bits of an address on x86-64, unless a program asks for more */
#define SIM_ADDRESS_BITS 47
#define SIM_MULTI_PLACES (2 * SIM_ROW + 1)

enum { SIM_OF_DATA, SIM_OF_CODE, SIM_KINDS };

/* First levels with the same number of sets. */
struct sim_tails {
	uint64_t *rows;	   /* [set * room] */
	uint8_t *in_front; /* by set: number of its lines in the front */
	uint64_t set_mask;
	uint32_t room;
	/* by number of lines before: the first levels that miss */
	uint8_t missed[SIM_MULTI_PLACES];
};

/* The first levels of a kind, of all hierarchies. */
struct sim_firsts {
	struct sim_cache front; /* packed and watched; without memory: none of this kind */
	struct sim_noop noop;	/* the front's filter */
	uint32_t tail_count;
	struct sim_tails tails[SIM_MULTI];
	uint8_t all;	/* all first levels, as bits */
	uint8_t always; /* first levels equal to the front, which miss when it does */
	uint32_t count;
	struct {
		uint64_t sets;
		uint32_t ways;
	} shape[SIM_MULTI];
	/* by first levels that missed, as bits: the pairs that see these misses */
	uint8_t streams[1u << SIM_MULTI];
	uint64_t events[3][1u << SIM_MULTI]; /* the same: events to count, by column */
};

/* A cache below, or one of several that differ only in their ways. */
struct sim_member {
	uint64_t events[3]; /* events of a miss, by column: fetches, loads, stores */
	uint32_t ways;
	uint32_t child; /* index of the first cache below it; 0: none */
};

struct sim_below {
	uint32_t *short_rows;	 /* one of these three: [set * SIM_ROW], of line >> set_bits */
	uint64_t *rows;		 /* the same, of lines */
	struct sim_cache *cache; /* a cache without rows */
	uint64_t set_mask;
	unsigned set_bits;
	unsigned shift; /* from lines of the first levels to its own */
	uint32_t next;	/* next cache that sees the same misses; 0: none */
	uint32_t member_count;
	struct sim_member members[SIM_MULTI];
	const struct sim_cache_geometry *geometry; /* of the first member */
};

/*
 * A cache below with no cache below it, one member, short rows, and lines as long as the first
 * levels'.
 */
struct sim_last {
	uint32_t *rows; /* NULL after the last one of a stream */
	uint64_t set_mask;
	uint32_t set_bits, ways;
	uint64_t events[3];
	uint64_t unused[2]; /* padding to a cache line */
};

#define SIM_MULTI_BELOW (SIM_MULTI * (SIM_MAX_LEVELS - 1) + 1)

struct sim_multi {
	/*
	 * Set by the caller at any time: the processor has AVX-512, and its registers are free
	 * (stack_rows.h).
	 */
	bool is_wide;
	unsigned shift; /* line = address >> shift */
	uint32_t most_bytes;
	uint32_t stride; /* between the bits of a hierarchy's events */
	const struct sim_memory *memory;
	struct sim_firsts firsts[SIM_KINDS];
	uint32_t stream_count;
	struct {
		int of[SIM_KINDS];	     /* first levels; -1: fetches are not simulated */
		uint32_t below;		     /* index of the first cache below; 0: none */
		const struct sim_last *last; /* the same caches, if all are struct sim_last */
	} streams[SIM_MULTI];
	bool is_flat; /* all caches below are struct sim_last */
	struct sim_last last[SIM_MULTI_BELOW + SIM_MULTI];
	uint32_t below_count; /* including number 0, which is unused */
	struct sim_below below[SIM_MULTI_BELOW];
	struct sim_cache others[SIM_MULTI_BELOW]; /* caches without rows */
};

/*
 * Tell whether these can be simulated together. All first levels, separate for data and code, must
 * be LRU with up to 16 ways, a power of two of sets, and one line size. Caches below must not have
 * shorter lines. No cache may be inclusive or exclusive, write-through or without allocation of
 * stores, or have a prefetcher. There must be no TLBs, and no counts of write-backs and line use.
 */
bool sim_multi_fits(const struct sim_geometry *const g[], uint32_t count);

/*
 * Start with empty caches. Bit first_event[k] + i * stride stands for event 3 + i of hierarchy k
 * (see events.h: its misses begin there). All bits are different, and below SIM_MULTI_EVENTS. The
 * geometries must outlive s. Returns 0, or -1 without memory; release s in both cases.
 */
int sim_multi_init(struct sim_multi *s, const struct sim_geometry *const g[], uint32_t count,
		   const uint32_t first_event[], uint32_t stride, const struct sim_memory *memory);
void sim_multi_release(struct sim_multi *s);

/* An access of any length, as for sim_core_data and _fetch. Returns events. */
uint64_t sim_multi_data(struct sim_multi *s, uint64_t address, uint32_t bytes,
			enum sim_access kind);
uint64_t sim_multi_fetch(struct sim_multi *s, uint64_t pc, uint32_t bytes);

/*
 * The same in parts, for callers that maintain the front themselves. In the front, `line` has
 * replaced `victim` (SIM_NO_LINE: a free place). Returns the first levels of the kind, SIM_OF_DATA
 * or SIM_OF_CODE, that miss.
 */
uint32_t sim_multi_missed(struct sim_multi *s, unsigned kind, uint64_t line, uint64_t victim);

/*
 * Prefetch data that sim_multi_below will read for a line that missed in the first levels `missed`.
 */
void sim_multi_prefetch(const struct sim_multi *s, unsigned kind, uint32_t missed, uint64_t line);

/*
 * Simulate the levels below for lines `first` to `last`, at most two, which have missed in the
 * first levels `missed`. Returns events.
 */
uint64_t sim_multi_below(struct sim_multi *s, enum sim_access kind, uint32_t missed, uint64_t first,
			 uint64_t last);

/* Tell whether an access changes nothing, like sim_core_data_is_noop. */
static inline bool sim_multi_is_noop(const struct sim_multi *s, unsigned kind, uint64_t address,
				     uint32_t bytes)
{
	uint64_t line = address >> s->shift;

	return sim_is_noop(&s->firsts[kind].noop, line, SIM_LOAD) &&
	       (address + bytes - 1) >> s->shift == line;
}

#endif
