/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The caches and TLBs of one simulated core, level under level, exactly.
 *
 * Rules, chosen so that LRU caches of two levels count what Cachegrind counts:
 *
 * - An access is a fetch of one instruction, a load, a store, or a modify, which is a load whose
 *   bytes are then stored: it is counted as a load and dirties its line. Only its first bytes, as
 *   many as the shortest line of the hierarchy has, are simulated: so it lies in at most two lines.
 * - An access that straddles two lines touches both, the lower first, and is at most one miss in
 *   each level: if it missed in one or both. Then the level below is asked for all its bytes, too.
 * - Instructions that only prefetch are no accesses, nor is what the kernel reads or writes.
 * - Of an address those bits count that the entry of a shortest line has room for (cache/entry.h):
 *   60.
 * - Caches begin empty. Free places of a set are filled before a line gives way.
 * - A hit changes nothing below. A miss fills the level, unless it is a store and the level does
 *   not allocate. A store reaches the level below where a level is write-through, or did not
 *   allocate: there it is a store of its own, that can miss.
 * - A dirty line that is evicted marks its line in the level below as dirty, without using it;
 *   where the line is not there, the level below that, and so on to memory. So whether write-backs
 *   are counted changes no other count. What is still dirty at the end is not written back.
 * - A line evicted by an inclusive level is removed from all levels above. The level above searches
 *   an exclusive level line by line. The exclusive level loses a line that it hands up, and
 *   receives every line that the level above evicts.
 * - A prefetcher works after the access that set it off, within the access's page of 4096 bytes:
 *   what it wants and the level lacks is brought in as by a load of the levels below, but counts as
 *   no miss. Next-line: the line after one that missed, or was prefetched and is now used for the
 *   first time. Stride: see prefetch.h; it knows instructions by h->tag.
 * - TLBs are caches of pages with LRU replacement, asked before the caches.
 *
 * The filter: a no-op access, such as one to the most recently used line of an LRU set, needs no
 * call:
 *
 * 	if (!sim_hierarchy_data_is_noop(h, address, bytes, SIM_LOAD)) {
 * 		h->tag = slot;
 * 		sim_hierarchy_data(h, address, bytes, SIM_LOAD, events);
 * 	}
 *
 * The counts are the same with each access given to sim_hierarchy_data. What needs to see
 * every access (line use, a stride prefetcher in the L1) has no no-op accesses.
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
	 * For the inline functions. Constant while the hierarchy lives; the tables they point at
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
	 * For line use, set by the caller: the line that `tag` loaded costs `amount` of the event.
	 */
	void (*charge)(void *context, uint32_t tag, unsigned event, uint64_t amount);
	void *charge_context;

	/* Read by the caller. */
	struct sim_events list;
	struct sim_geometry geometry;

	/* The hierarchy's own. By slot: a level, or SIM_CODE_SLOT for the L1 of instructions. */
	const struct sim_memory *memory;
	bool is_basic;	/* caches of any replacement policy, and nothing else: see hierarchy.c */
	bool is_simple; /* and these are LRU in short sets everywhere */
	bool has_fetches;
	bool has_quick[SIM_SLOTS]; /* a packed LRU cache with a filter */
	uint32_t most_bytes;	   /* of an access */
	struct sim_cache caches[SIM_SLOTS];
	struct sim_strides strides[SIM_SLOTS];
	struct sim_line_use uses[SIM_SLOTS]; /* of first levels, and of the last */
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
 * One access of `bytes`, at least 1, that ends below 2^64 - 4096. Adds to events[], by the indices
 * of h->list, what happened besides Ir, Dr and Dw. Returns whether there was any such event: a hit
 * without consequences has none.
 */
bool sim_hierarchy_fetch(struct sim_hierarchy *h, uint64_t pc, uint32_t bytes, uint64_t events[]);
bool sim_hierarchy_data(struct sim_hierarchy *h, uint64_t address, uint32_t bytes,
			enum sim_access kind, uint64_t events[]);

/*
 * An access to bytes first to last, as many as h->most_bytes at most, has missed in its first
 * level, which the caller keeps by itself: what happens in the levels below. For hierarchies with
 * is_noop.
 */
bool sim_hierarchy_below(struct sim_hierarchy *h, enum sim_access kind, uint64_t first,
			 uint64_t last, uint64_t events[]);

/* End the simulation: charge the use of lines still in the caches. No access may follow. */
void sim_hierarchy_finish(struct sim_hierarchy *h);

static inline bool sim_is_noop(const struct sim_noop *p, uint64_t line, enum sim_access kind)
{
	return p->lines[kind][line & p->set_mask] == line;
}

/* Whether a fetch of any instructions in pc .. pc + bytes - 1 changes nothing. */
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

/* Whether an access to data changes nothing. */
static inline bool sim_hierarchy_data_is_noop(const struct sim_hierarchy *h, uint64_t address,
					      uint32_t bytes, enum sim_access kind)
{
	uint64_t line = address >> h->data.shift;

	if (!sim_is_noop(&h->data, line, kind) || (address + bytes - 1) >> h->data.shift != line)
		return false;
	/* A line lies in one page. */
	return !h->has_tlb || sim_is_noop(&h->data_pages, address >> h->data_pages.shift, SIM_LOAD);
}

#endif
