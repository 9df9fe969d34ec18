/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One simulated core: first levels, private levels below them, TLBs, prefetchers, and the filter.
 * What is below, cores share (shared.h). An access goes through the core's own levels and then
 * through the shared ones, by the rules of hierarchy.h.
 *
 * The filter: a no-op access, such as one to the most recently used line of an LRU set, needs no
 * call:
 *
 *   if (!sim_core_data_is_noop(c, address, bytes, SIM_LOAD)) {
 *     c->tag = c->stride_tag = slot;
 *     sim_core_data(c, address, bytes, SIM_LOAD, events);
 *   }
 *
 * The counts are the same as when each access is passed to sim_core_data. If something must see
 * every access (line use, a stride prefetcher in the L1), there are no no-op accesses. With line
 * use sim_core_data and sim_core_fetch only note a use where there would be one.
 */
#ifndef DWELL_SIM_SYSTEM_CORE_H
#define DWELL_SIM_SYSTEM_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/cache/cache.h"
#include "sim/system/level.h"
#include "sim/system/recent.h"
#include "sim/system/shared.h"

struct sim_watch;

enum sim_access {
	SIM_LOAD,
	SIM_STORE,
	SIM_MODIFY,
	SIM_FETCH, /* not for sim_core_data */
};

/* The filter's tables, which the core keeps up to date. */
struct sim_noop {
	const uint64_t
		*lines[4]; /* by enum sim_access: [line & set_mask] is the no-op line of a set */
	uint64_t set_mask;
	unsigned shift; /* line = address >> shift */
};

struct sim_core {
	/*
	 * For the inline functions. Constant while the core lives; the contents of the tables
	 * change.
	 */
	struct sim_noop data, fetch;
	struct sim_noop data_pages, fetch_pages; /* of the TLBs */
	bool has_tlb;

	/* Set by the caller: the instruction of the next accesses, for line use; for strides. */
	uint32_t tag, stride_tag;
	/* The same: who wants to know what sim_walk brings and evicts (below.h), or NULL. */
	const struct sim_watch *watch;

	/* For the files of this folder. By slot: see shared.h. */
	unsigned fetch_slot; /* the first level of fetches */
	struct sim_shared *shared;
	struct sim_level *levels[SIM_SLOTS]; /* from the top: the core's own, then shared ones */
	struct sim_level own[SIM_SLOTS];
	struct sim_cache code_tlb, data_tlb, second_tlb;
	struct sim_recent *recent[SIM_SLOTS]; /* by set of a first level; NULL: see recent.h */
	struct sim_core *next;		      /* over the same shared part */
};

/*
 * Set up a core over the shared part, whose geometry it has; neither may move. With
 * filter == false there are no no-op accesses, for tests. Returns 0, or -1 without memory; call
 * sim_core_release in both cases.
 */
int sim_core_init(struct sim_core *c, struct sim_shared *shared, bool filter);
void sim_core_release(struct sim_core *c);

/*
 * Simulate one access of `bytes`, at least 1, that ends below 2^64 - 4096. Adds its events except
 * Ir, Dr and Dw to events[], by the indices of c->shared->list. Returns whether there was any: a
 * hit without consequences has none.
 */
bool sim_core_fetch(struct sim_core *c, uint64_t pc, uint32_t bytes, uint64_t events[]);
bool sim_core_data(struct sim_core *c, uint64_t address, uint32_t bytes, enum sim_access kind,
		   uint64_t events[]);

/*
 * An access to bytes first to last, at most c->shared->most_bytes, missed in its first level, which
 * the caller simulates: simulate the levels below. Only if the shared part has is_basic.
 */
bool sim_core_below(struct sim_core *c, enum sim_access kind, uint64_t first, uint64_t last,
		    uint64_t events[]);

/* End the simulation: charge the use of lines still in the core's own levels. */
void sim_core_finish(struct sim_core *c);

static inline bool sim_is_noop(const struct sim_noop *p, uint64_t line, enum sim_access kind)
{
	return p->lines[kind][line & p->set_mask] == line;
}

/* Tell whether fetching any instructions in pc .. pc + bytes - 1 changes nothing. */
static inline bool sim_core_fetch_is_noop(const struct sim_core *c, uint64_t pc, uint32_t bytes)
{
	uint64_t end = pc + bytes - 1, line = pc >> c->fetch.shift;

	for (; line <= end >> c->fetch.shift; line++)
		if (!sim_is_noop(&c->fetch, line, SIM_LOAD))
			return false;
	if (!c->has_tlb)
		return true;
	for (line = pc >> c->fetch_pages.shift; line <= end >> c->fetch_pages.shift; line++)
		if (!sim_is_noop(&c->fetch_pages, line, SIM_LOAD))
			return false;
	return true;
}

/* Tell whether an access to data changes nothing. */
static inline bool sim_core_data_is_noop(const struct sim_core *c, uint64_t address, uint32_t bytes,
					 enum sim_access kind)
{
	uint64_t line = address >> c->data.shift;

	if (!sim_is_noop(&c->data, line, kind) || (address + bytes - 1) >> c->data.shift != line)
		return false;
	/* A line is within one page. */
	return !c->has_tlb || sim_is_noop(&c->data_pages, address >> c->data_pages.shift, SIM_LOAD);
}

/*
 * Tell whether the page of an access, which is within one page, is the last used one of its TLB
 * set.
 */
static inline bool sim_is_in_plain_page(const struct sim_core *c, uint64_t address,
					enum sim_access kind)
{
	const struct sim_noop *pages = kind == SIM_FETCH ? &c->fetch_pages : &c->data_pages;

	return !c->has_tlb || sim_is_noop(pages, address >> pages->shift, SIM_LOAD);
}

/*
 * With line use: tell whether an access in a first level's slot would be no-op but for the use of
 * its only line. Bytes: of one access, or of several fetches.
 */
static inline bool sim_core_is_use(const struct sim_core *c, unsigned slot, uint64_t address,
				   uint32_t bytes, enum sim_access kind)
{
	const struct sim_cache *cache = &c->own[slot].cache;
	const bool is_store = kind == SIM_STORE || kind == SIM_MODIFY;
	const uint64_t line = address >> cache->shift;

	return c->recent[slot] && (address + bytes - 1) >> cache->shift == line &&
	       (is_store ? cache->noop_stores : cache->noop_loads)[line & cache->set_mask] ==
		       line &&
	       sim_is_in_plain_page(c, address, kind);
}

/* Note n such accesses, to bytes first .. last. */
static inline void sim_core_use(struct sim_core *c, unsigned slot, uint64_t first, uint64_t last,
				uint64_t n)
{
	const struct sim_line_use *u = &c->own[slot].use;
	const uint64_t in_line = ((uint64_t)1 << u->shift) - 1;
	/* entries have fewer bits of a line's number than an address */
	const uint64_t line =
		first << (64 - SIM_ENTRY_ADDRESS_BITS) >> (64 - SIM_ENTRY_ADDRESS_BITS + u->shift);
	struct sim_recent *sum = &c->recent[slot][line & c->own[slot].cache.set_mask];
	const uint64_t low = (first & in_line) >> u->part_shift;

	if (sum->line != line)
		sim_recent_change(c, slot, line);
	sum->touched |= ~(uint64_t)0 >> (63 - (((last & in_line) >> u->part_shift) - low)) << low;
	sum->uses += n;
}

#endif
