/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The caches and TLBs of one simulated core, level by level, exactly.
 *
 * Rules, chosen so that LRU caches of two levels count what Cachegrind counts:
 *
 * - An access is a fetch of one instruction, a load, a store, or a modify: a load whose bytes are
 *   then stored. A modify counts as a load and dirties its line. Only the first bytes of an access
 *   are simulated, up to the size of the hierarchy's shortest line: so it touches at most two
 *   lines.
 * - An access that straddles two lines touches both, the lower one first, and is at most one miss
 *   in each level: if it missed in one or both. Then the level below is accessed with all its
 *   bytes, too.
 * - Prefetch instructions are not accesses; nor are reads and writes of the kernel.
 * - Of an address, only the bits that fit into an entry of the shortest lines count
 *   (cache/entry.h): 60.
 * - Caches begin empty. Free places of a set are filled before a line is evicted.
 * - A hit changes nothing below. A miss fills the level, unless it is a store and the level does
 *   not allocate. A store reaches the level below if a level is write-through, or did not allocate:
 *   there it is a store of its own, which can miss.
 * - An evicted dirty line marks its line in the level below as dirty, without using it; if the line
 *   is not there, in the next level, and so on to memory. So counting write-backs changes no other
 *   count. Lines still dirty at the end are not written back.
 * - A line evicted by an inclusive level is removed from all levels above. The level above searches
 *   an exclusive level line by line. The exclusive level loses a line that it hands up, and
 *   receives every line that the level above evicts.
 * - A prefetcher works after the access that triggered it, within the access's page of 4096 bytes.
 *   A line that it wants, and the level does not have, is filled as by a load of the levels below,
 *   but does not count as a miss. Next-line: the line after one that missed, or was prefetched and
 *   is now used for the first time. Stride: see prefetch.h; it identifies instructions by h->tag.
 * - TLBs are caches of pages with LRU replacement, accessed before the caches.
 *
 * The filter: a no-op access, such as one to the most recently used line of an LRU set, needs no
 * call:
 *
 *   if (!sim_hierarchy_data_is_noop(h, address, bytes, SIM_LOAD)) {
 *     h->tag = slot;
 *     sim_hierarchy_data(h, address, bytes, SIM_LOAD, events);
 *   }
 *
 * The counts are the same as when each access is passed to sim_hierarchy_data. If something must
 * see every access (line use, a stride prefetcher in the L1), there are no no-op accesses.
 */
#ifndef DWELL_SIM_SYSTEM_HIERARCHY_H
#define DWELL_SIM_SYSTEM_HIERARCHY_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/events.h"
#include "sim/base/geometry.h"
#include "sim/base/memory.h"
#include "sim/cache/cache.h"
#include "sim/cache/line_use.h"
#include "sim/system/prefetch.h"

#define SIM_CODE_SLOT SIM_MAX_LEVELS
#define SIM_SLOTS     (SIM_MAX_LEVELS + 1)

enum sim_access {
	SIM_LOAD,
	SIM_STORE,
	SIM_MODIFY,
	SIM_FETCH, /* not for sim_hierarchy_data */
};

/* The filter's tables, which the hierarchy keeps up to date. */
struct sim_noop {
	const uint64_t
		*lines[4]; /* by enum sim_access: [line & set_mask] is the no-op line of a set */
	uint64_t set_mask;
	unsigned shift; /* line = address >> shift */
};

struct sim_hierarchy {
	/*
	 * For the inline functions. Constant while the hierarchy lives; the contents of the tables
	 * change.
	 */
	struct sim_noop data, fetch;
	struct sim_noop data_pages, fetch_pages; /* of the TLBs */
	bool has_tlb;

	/*
	 * Set by the caller: the instruction of the next accesses, for line use and stride
	 * prefetchers.
	 */
	uint32_t tag;
	/*
	 * For line use, set by the caller: charges `amount` of the event to `tag`, which loaded the
	 * line.
	 */
	void (*charge)(void *context, uint32_t tag, unsigned event, uint64_t amount);
	void *charge_context;

	/* Read by the caller. */
	struct sim_events list;
	struct sim_geometry geometry;

	/* The hierarchy's own. By slot: a level, or SIM_CODE_SLOT for the L1 of instructions. */
	const struct sim_memory *memory;
	bool is_basic;	/* caches of any replacement policy, and nothing else: see hierarchy.c */
	bool is_simple; /* and all are LRU with short sets */
	bool has_fetches;
	bool has_quick[SIM_SLOTS]; /* by slot: a packed LRU cache with a filter */
	uint32_t most_bytes;	   /* largest simulated access */
	struct sim_cache caches[SIM_SLOTS];
	struct sim_strides strides[SIM_SLOTS];
	struct sim_line_use uses[SIM_SLOTS]; /* for first levels, and the last */
	struct sim_cache code_tlb, data_tlb, second_tlb;
};

/*
 * Set up the hierarchy that g describes, which has passed sim_geometry_check; g is copied. With
 * filter == false there are no no-op accesses, for tests. Returns 0, or -1 without memory; call
 * sim_hierarchy_release in both cases.
 */
int sim_hierarchy_init(struct sim_hierarchy *h, const struct sim_geometry *g, bool filter,
		       const struct sim_memory *memory);
void sim_hierarchy_release(struct sim_hierarchy *h);

/*
 * Simulate one access of `bytes`, at least 1, that ends below 2^64 - 4096. Adds its events except
 * Ir, Dr and Dw to events[], by the indices of h->list. Returns whether there was any: a hit
 * without consequences has none.
 */
bool sim_hierarchy_fetch(struct sim_hierarchy *h, uint64_t pc, uint32_t bytes, uint64_t events[]);
bool sim_hierarchy_data(struct sim_hierarchy *h, uint64_t address, uint32_t bytes,
			enum sim_access kind, uint64_t events[]);

/*
 * An access to bytes first to last, at most h->most_bytes, missed in its first level, which the
 * caller simulates: simulate the levels below. For hierarchies with is_noop.
 */
bool sim_hierarchy_below(struct sim_hierarchy *h, enum sim_access kind, uint64_t first,
			 uint64_t last, uint64_t events[]);

/* End the simulation: charge the use of lines still in the caches. No access may follow. */
void sim_hierarchy_finish(struct sim_hierarchy *h);

static inline bool sim_is_noop(const struct sim_noop *p, uint64_t line, enum sim_access kind)
{
	return p->lines[kind][line & p->set_mask] == line;
}

/* Tell whether fetching any instructions in pc .. pc + bytes - 1 changes nothing. */
static inline bool sim_hierarchy_fetch_is_noop(const struct sim_hierarchy *h, uint64_t pc,
					       uint32_t bytes)
{
	uint64_t end = pc + bytes - 1, line = pc >> h->fetch.shift;

	for (; line <= end >> h->fetch.shift; line++)
		if (!sim_is_noop(&h->fetch, line, SIM_LOAD))
			return false;
	if (!h->has_tlb)
		return true;
	for (line = pc >> h->fetch_pages.shift; line <= end >> h->fetch_pages.shift; line++)
		if (!sim_is_noop(&h->fetch_pages, line, SIM_LOAD))
			return false;
	return true;
}

/* Tell whether an access to data changes nothing. */
static inline bool sim_hierarchy_data_is_noop(const struct sim_hierarchy *h, uint64_t address,
					      uint32_t bytes, enum sim_access kind)
{
	uint64_t line = address >> h->data.shift;

	if (!sim_is_noop(&h->data, line, kind) || (address + bytes - 1) >> h->data.shift != line)
		return false;
	/* A line is within one page. */
	return !h->has_tlb || sim_is_noop(&h->data_pages, address >> h->data_pages.shift, SIM_LOAD);
}

#endif
