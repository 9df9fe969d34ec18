/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The caches and TLBs of one simulated core, as plain numbers. Their textual form:
 * collector/simulation/geometry_text.h.
 */
#ifndef DWELL_SIM_BASE_GEOMETRY_H
#define DWELL_SIM_BASE_GEOMETRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_MAX_LEVELS 5
#define SIM_MIN_LINE   16u /* bytes; see cache/entry.h */
#define SIM_MAX_LINE   4096u

/* Which line of a set is evicted. With all policies, free places of the set are filled first. */
enum sim_replacement {
	SIM_REPLACE_LRU,    /* the least recently used */
	SIM_REPLACE_FIFO,   /* the first one filled */
	SIM_REPLACE_RANDOM, /* each with the same probability; a seed makes runs repeatable */
	SIM_REPLACE_PLRU,   /* LRU by a tree of bits; the ways are a power of two */
	SIM_REPLACE_SRRIP,  /* re-reference intervals of 2 bits (Jaleel and others, 2010) */
	SIM_REPLACEMENTS,
};

/* The relation of a level to those above it, nearer to the core. */
enum sim_inclusion {
	SIM_NEITHER,
	SIM_INCLUSIVE, /* an eviction here evicts the line from the levels above, too */
	SIM_EXCLUSIVE, /* filled by evictions of the level above; a hit moves the line up */
};

enum sim_prefetcher {
	SIM_PREFETCH_NONE,
	SIM_PREFETCH_NEXT_LINE,
	SIM_PREFETCH_STRIDE,
	SIM_PREFETCHERS,
};

struct sim_cache_geometry {
	uint64_t size_bytes; /* 0: no cache */
	uint32_t ways;	     /* 0: fully associative */
	uint32_t line_bytes;
	enum sim_replacement replacement;
	enum sim_inclusion inclusion; /* of an L1: SIM_NEITHER */
	enum sim_prefetcher prefetcher;
	bool is_write_through;
	bool no_write_allocate; /* a store that misses does not fill it */
	bool is_packed;		/* use the sets of cache_packed.h if possible, whatever the size */
	uint64_t seed;		/* of random replacement */
};

struct sim_tlb_geometry {
	uint32_t entries; /* 0: no TLB */
	uint32_t ways;	  /* 0: fully associative */
	uint64_t page_bytes;
};

/*
 * Only some sets are simulated: one of `parts` equal parts of those of the
 * smallest number in any cache, numbered from 0, and the sets of the others with lines of these.
 * parts 0: all.
 */
struct sim_set_choice {
	uint32_t parts, part;
};

/* Of line_share: usual, and the most, so that what one line stands for has 32 bits. */
#define SIM_LINE_SHARE	    32
#define SIM_LINE_SHARE_TEXT "32"
#define SIM_MOST_LINE_SHARE 4096

/* All zero: a geometry without caches and TLBs, to be filled in. */
struct sim_geometry {
	struct sim_cache_geometry
		code; /* L1 instruction cache; size 0: fetches are not simulated */
	/*
	 * The L1 data or unified cache, then the levels below. With several levels, the last one is
	 * LL.
	 */
	struct sim_cache_geometry levels[SIM_MAX_LEVELS];
	unsigned level_count;
	bool is_unified; /* levels[0] serves fetches, too; code.size_bytes is 0 */
	struct sim_tlb_geometry code_tlb, data_tlb;
	struct sim_tlb_geometry second_tlb; /* for the misses of both TLBs */
	bool is_tlb_unified;		    /* data_tlb serves fetches, too */
	bool line_use;			    /* count AcCost and SpLoss */
	uint32_t line_share;		    /* of one in so many lines, a power of two; 0: of all */
	bool write_backs;		    /* count dirty lines that leave a level */
	struct sim_set_choice sets;
	bool is_sampled; /* caches are emptied now and then: count unknown references */
};

/* Returns 0, or -1 with the reason why it cannot exist, one sentence in reason[0..room-1]. */
int sim_geometry_check(const struct sim_geometry *g, char *reason, size_t room);

/*
 * The sets of the cache that has the fewest; 0: the others' are no multiples, or lines differ, so
 * that g.sets cannot choose.
 */
uint64_t sim_geometry_least_sets(const struct sim_geometry *g);

/* Tell whether instruction fetches are simulated, in caches or at least in a TLB. */
bool sim_geometry_has_fetches(const struct sim_geometry *g);

/* Tell whether a cache, or none, has nothing but a size, a shape and a replacement policy. */
bool sim_cache_is_plain(const struct sim_cache_geometry *c);
/* The same for all caches, without TLBs, line use and write-backs. */
bool sim_geometry_is_plain(const struct sim_geometry *g);

/*
 * How many levels each core has for itself, besides an L1 of instructions: all but the last of
 * several.
 */
unsigned sim_geometry_private_levels(const struct sim_geometry *g);

#endif
