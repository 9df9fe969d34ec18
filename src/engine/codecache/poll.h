/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tallies that segments add to the counters, and how they stop threads.
 *
 * Every segment reads its tally through %gs, from a table that is mapped once per thread right
 * behind its struct thread. All mappings show the same pages. To call a thread into the dispatcher,
 * its mapping is made unreadable: the thread faults at the beginning of its next segment, where its
 * state is exactly the machine's. The first threads have mappings; later ones have copies of the
 * table, which are brought up to date when the thread enters the cache and when tallies are added.
 * So a running thread pays nothing for being stoppable, and every loop can be stopped, because each
 * has a segment.
 */
#ifndef DWELL_ENGINE_CODECACHE_POLL_H
#define DWELL_ENGINE_CODECACHE_POLL_H

#include "engine/codecache/cache.h"
#include "engine/codecache/emit.h"
#include "engine/core/state.h"

/*
 * A compiler has about 3000 different tallies, one with LLVM would have hundreds of thousands. A
 * full table costs a flush of the cache.
 */
#define TALLY_TABLE_BYTES (512u << 10)

/* At start-up: the table, for at most `most` tallies. Returns 0 or -1. */
int poll_init(uint64_t most);
/* Map the table T_TALLIES bytes behind a new thread's state. Returns 0 or -1. */
int poll_map(struct thread *t);
/* Give a forked child a copy of the table it shares with its parent. Returns 0 or -1. */
int poll_forked(struct thread *t);

/* Offset from %gs of a tally, what each lane gets; made if it is new. 0 when the table is full. */
uint32_t poll_tally(const uint64_t lane[4]);
/* Its address in memory that is never made unreadable, so that no thread stops there. */
uint32_t poll_address(uint32_t tally);
/*
 * Emit at most 11 bytes of code that add the counts deferred `here` but not `there`. No thread
 * stops there. False when the table is full.
 */
bool poll_emit_difference(struct out *o, struct deferred here, struct deferred there);
/*
 * Is half of the table taken? Then segments must defer nothing, which keeps the number of different
 * tallies low.
 */
bool poll_is_crowded(void);
/* Is there room for the tallies of one more block? */
bool poll_has_room(void);
/* Forget all tallies: no code is left. */
void poll_reset(void);

/* Call a thread to the dispatcher, from anywhere, a signal handler included. */
void poll_call(struct thread *t);
/* By the called thread, before it looks for the reason: later calls are new ones. */
void poll_answer(struct thread *t);
/* Does a fault at this address mean that t was called? */
bool poll_covers(const struct thread *t, uint64_t address);

#endif
