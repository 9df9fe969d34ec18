/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose data misses, and why (MemSpy, sections 3 and 6.5; DTrack, 4.1 and 4.4). A bin is an
 * instruction with a data structure; a group is a function with a data structure. Each bin counts
 * its misses by cause:
 *
 *   - cold: the line was never in this level before;
 *   - replaced: it was, and an access of some group took its place.
 *
 * On request replaced misses are divided (Hill and Smith 1989, section 3):
 *
 *   - conflict: a fully associative LRU cache with as many lines, of the same size, would have hit;
 *     it sees the same accesses as this level: those that missed in the level above;
 *   - capacity: it would not.
 *
 * The rules:
 *
 *   - An access that misses on two lines counts once, for the first of them.
 *   - The access that brings a line in evicts the line whose place it takes, in each level. Its
 *     group is the evictor: the function of the instruction, and the data that it accesses.
 *   - A fetch is an access to the data structure "code" of its file. LL holds code and data, so
 *     they evict each other there.
 *   - A line that is evicted again has its last evictor.
 *   - Whatever the policy of the level, the fully associative cache is LRU.
 *   - Of a sampled simulation (MemSpy, 6.5): where a line was evicted while the simulation was off,
 *     or may have been, the first access in the stretch to its set is named. It would have evicted
 *     the line, too. Nothing counts as cold, because a line that no stretch has seen before may
 *     have been used between stretches. Instead bins count lines by the stretches that have seen
 *     them (struct bin_counts), for an estimate of all lines (model/trace_sample.h).
 *
 * So the causes of a bin add up to its misses, and those of all bins to the misses of the level. Of
 * a program with very many pairs of groups, some are counted by their data structures alone.
 *
 * Functions that count belong to the thread whose turn it is (filter_scheduler.h); the others need
 * the lock of collect.h.
 */
#ifndef DWELL_ENGINE_SIMULATE_WHOSE_BINS_H
#define DWELL_ENGINE_SIMULATE_WHOSE_BINS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/core/state.h"
#include "engine/simulate/observe/structures.h"

struct sim_geometry;

/*
 * Count by bins, in the levels of these caches, with room for sites of the filter variant.
 * is_sampled: there will be stretches. False: no address space.
 */
bool bins_start(const struct sim_geometry *g, uint32_t most_sites, bool is_sampled);
/* Of a site: the data that it accessed last, at [start, end), its structure and its bin. */
struct bins_memo {
	uint64_t start, end;
	uint32_t bin, version;
	uint32_t structure, era; /* era: the bin holds until sites are numbered anew */
};
extern struct bins_memo *bins_memos; /* by site */

/* Memos of another version do not hold any more. Those of fetches and of data have their own. */
struct bins_versions {
	uint32_t data, code;
};
struct bins_versions bins_versions(void);

/*
 * The bin of a site's access, if it is known without its pc; else 0. `address`: any for fetches.
 * `version`: that of code or data now.
 */
static inline uint32_t bins_known(uint32_t site, uint64_t address, uint32_t version)
{
	const struct bins_memo *m = &bins_memos[site];

	return address >= m->start && address < m->end && m->version == version ? m->bin : 0;
}

/* The site's pc, if something of it was looked up before; else 0. */
uint64_t bins_known_pc(uint32_t site);

/*
 * The bin of an access to data at `address`, by the instruction at pc. `site`: its number in the
 * filter variant; 0: none. Returns the bin's number; 0: memory has run out.
 */
uint32_t bins_of_data(uint32_t site, uint64_t pc, uint64_t address);
/* The same, by the memo of the site if that holds. */
static inline uint32_t bins_of_access(uint32_t site, uint64_t pc, uint64_t address)
{
	const uint32_t bin = bins_known(site, address, bins_versions().data);

	return bin ? bin : bins_of_data(site, pc, address);
}
/*
 * The same if the address lies in a small block of the structure that the site accessed last; and
 * the offset in the block. Else 0.
 */
uint32_t bins_in_block(uint32_t site, uint64_t address, uint64_t *offset);
struct structure;
/* The same where the data structure at the address was looked up. */
uint32_t bins_of_found(uint32_t site, uint64_t pc, const struct structure *s);
/* The bin of an instruction with the structure of that id. */
uint32_t bins_get(uint64_t pc, uint32_t structure);
/* The same of a fetch. */
uint32_t bins_of_code(uint32_t site, uint64_t pc);

/*
 * The access of a site whose bin was just looked up, to data at `address`, has missed: note its
 * offset in the data structure.
 */
void bins_missed_at(uint32_t bin, uint32_t site, uint64_t address);

enum bin_miss {
	BIN_MISS_COUNTED, /* no more: the access has missed on another line of it before */
	BIN_MISS_KNOWN,
	BIN_MISS_CONFLICT, /* unless it is cold */
	/* In a stretch (stretches.h), where these have no cause. */
	BIN_MISS_UNKNOWN,
	BIN_MISS_ABOVE,
};

/*
 * An access has brought a line (its number) to a cache that did not have it, in the place of
 * `victim` (SIM_NO_LINE: it was free). `how`: what the miss counts as. `address`: of an access to
 * data; 0: of none. In a call that allocates it waits (held.h).
 */
void bins_replaced(uint32_t bin, enum bin_cache cache, uint64_t line, uint64_t victim,
		   enum bin_miss how, uint64_t address);

/*
 * The stretch of a sampled simulation: its mark, from 1 to 255, and 0 if all accesses are
 * simulated; and the number that bins.c keeps for the set of a line, NULL without memory.
 */
struct bins_stretch {
	uint32_t mark;
	uint32_t *(*of_set)(enum bin_cache cache, uint64_t line);
};
extern struct bins_stretch bins_stretch;

/*
 * Look up a bin for callers with a memo of their own. It holds until bins_version changes; version
 * 0: only for now, from address on.
 */
void bins_look(struct bins_memo *m, uint64_t pc, uint64_t address);
/*
 * The bin of the same instruction with another structure, which holds `address`. `missed`: note
 * the offset of a miss there.
 */
uint32_t bins_elsewhere(uint32_t bin, const struct structure *s, uint64_t address, bool missed);
/* The id of its data structure. */
uint32_t bins_structure(uint32_t bin);
/* Describe a bin for the collector: its instruction, and when it was at pc. */
void bins_describe(struct process *p, uint32_t bin, uint64_t *pc, uint64_t *position,
		   struct bin_data *data);

/* Send what is new to the collector: always, or if it is due. */
void bins_flush(struct process *p, bool is_last);
/* Send all, and count no more. */
void bins_end(struct process *p);
/* In a forked child: what was counted is the parent's. */
void bins_forked(void);

/* Sites are numbered anew. */
void bins_forget_sites(void);

#endif
