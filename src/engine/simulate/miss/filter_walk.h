/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hierarchies that are more than plain caches, in the filter variant: with write-backs, inclusive
 * or exclusive levels, prefetchers, TLBs (filter_pages.h). What leaves the code takes the walk of
 * src/sim (sim/system/walk.c), as replay does, so the rules are stated once. The caches that code
 * looks into, those of the first level and the second one, are the filter's rows: sim_cache
 * operations on stamps and cells.
 *
 *   code:               line in the first level: stamp; a store also sets SIM_DIRTY in the owner
 *   filter_walked.h:    missed, but the second level has it: both are updated, an evicted dirty
 *                       line is marked in the second level
 *   C, sim_walk:        all else; stores, if the first level writes through or does not allocate
 *
 * The owner of a place is an entry: the address of its line's cell, shifted as a line's number in
 * sim/cache/entry.h, and the same flags. So code sets a flag in the byte at FILTER_TO_OWNERS from
 * the stamp. A line that was prefetched and not used yet has cell 0, as its use is an event.
 *
 * An inclusive level may take the line out of the first level of code that runs. Replay sees that
 * at the next instruction. Code looks at lines where segments begin, where the line changes, and
 * behind instructions with several accesses. Behind others C fetches the next instruction of the
 * segment at once, if its line is gone.
 */
#ifndef DWELL_ENGINE_SIMULATE_WALK_FILTER_WALK_H
#define DWELL_ENGINE_SIMULATE_WALK_FILTER_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/system/core.h"

struct filter_level;
struct segment;
struct segment_insn;
struct sim_cache;
struct sim_hierarchy;

/*
 * Once, when the levels are made: from now on h walks through the filter's rows. False: there is no
 * memory.
 */
bool filter_walk_start(struct sim_hierarchy *h);

/* Do misses that hit the second level stay out of C? */
bool filter_walk_is_quick(bool is_code);
/* Can lines leave the first levels for others than those that come? Then code looks more often. */
bool filter_walk_removes(void);
/* Do stores set SIM_DIRTY? */
bool filter_walk_marks(void);
/* Do stores go on below, or not come to the first level? Then C handles each. */
bool filter_walk_sends_stores(void);
/* Has the first level of data a prefetcher? */
bool filter_walk_prefetches(void);
/* Lines of data that are nearer to each other, in bytes, may be touched at one time. */
uint64_t filter_walk_apart(void);

/* Simulate bytes first .. last of the instruction at pc. Returns the last line's place. */
uint32_t filter_walk(struct segment_insn *in, uint64_t pc, uint64_t first, uint64_t last,
		     enum sim_access kind, uint64_t time);
/*
 * Access n of the segment was simulated: fetch the next instruction if the line that both lie on
 * has gone. Returns `place`, or another one if that fetch has taken the access's line out.
 */
uint32_t filter_walked(struct segment *s, uint32_t n, uint64_t time, uint32_t place);

/* The place of a line in a level, or 0; the line of a place that has one. */
uint32_t filter_walk_place(const struct filter_level *l, uint64_t line);
uint64_t filter_walk_line(const struct filter_level *l, uint64_t place);

/* Let code hit the line of a place, if nothing else speaks against it. */
void filter_walk_show(const struct filter_level *l, uint64_t place);

/* For filter_pages.c: the time of the access. */
uint64_t filter_walk_now(void);

/* Move all lines to the hierarchy's own caches. */
void filter_walk_hand_over(void);

#endif
