/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The access that C handles for the filter, when somebody wants to know what comes and goes. Lines
 * that it brings to caches count for its bin (bins.h). In a stretch (stretches.h) they may be
 * unknown references. An access that misses on two lines counts for the first of them.
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_ACCESS_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/simulate/observe/bins.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/filter.h"
#include "sim/system/below.h"

struct filter_level;
struct repeat;
struct segment;
struct segment_insn;
struct sim_cache;

struct filter_access {
	/* set by the caller; its pc, of accesses to data only */
	uint32_t site; /* 0: none */
	struct segment *segment;
	uint64_t pc;
	uint64_t address;
	uint32_t bin;	   /* 0: not looked up yet */
	uint8_t caches;	   /* in which it has missed, a bit for each */
	uint8_t unknown;   /* of these: where the place was free */
	uint8_t elsewhere; /* of these: for a line that counts in another part (filter_sets.h) */
	bool is_fetch;
	bool has_missed; /* the bin has its offset */
};
extern struct filter_access filter_access;

/* Does somebody want to know what comes and goes? */
static inline bool filter_watches(void)
{
	return plan.data || plan.stretches || plan.sets;
}

/*
 * Simulate an access of the instruction at a time; a fetch of it. They return the place of the last
 * line. kind: enum access_kind of the decoder.
 */
uint32_t filter_touch(struct segment_insn *in, uint64_t address, uint32_t bytes, uint32_t kind,
		      uint64_t time);
uint32_t filter_fetch(struct segment *s, struct segment_insn *in, uint64_t time);
uint64_t filter_pc_of(const struct segment *s, const struct segment_insn *in);

/* An access to data at `address` begins; or a fetch. */
void filter_access_begin(uint64_t address);
void filter_access_fetch(uint64_t pc);

/* Count the references of a string instruction, or of a vector instruction with n elements. */
void filter_access_repeat(const struct repeat *rep);
void filter_access_elements(const uint64_t *entries, uint32_t n);
/* Take back one reference, which is to be counted again if it happens. */
void filter_access_take_back(uint64_t pc, uint64_t address);

/* It has replaced a line of the level by `line`; the cell of that is NULL if there was none. */
void filter_access_replaced(const struct filter_level *l, uint64_t line, const uint32_t *victim,
			    uint64_t stamp);

/* The same in the levels below the filter. */
extern const struct sim_watch filter_access_watch;

/* May a miss in the level count, if there was one? column: as in filter_count_unknown. */
bool filter_access_counts(unsigned column, uint32_t level);

/*
 * It has ended. Take misses that do not count from `events`, those of its instruction, where they
 * were added, in a hierarchy that is not fast; add unknown references.
 */
void filter_access_end(unsigned column, uint64_t events[]);

/*
 * Count what an access, or fetch, has missed in a stretch, by level: `missed`, those of them where
 * the place was free, and those that do not count. The bits are those of enum bin_cache. column: 0
 * fetch, 1 load, 2 store.
 */
void filter_count_unknown(uint32_t missed, uint32_t unknown, uint32_t elsewhere, unsigned column,
			  uint64_t events[]);

#endif
