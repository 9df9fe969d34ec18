/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A simulation of a part of the accesses (trace sampling: MemSpy, sections 2 and 4). The run is
 * divided into periods. In each one stretch of accesses, at a random place, is simulated: threads
 * run in the filter variant. In the rest of the period they run in the count variant.
 *
 *   - A stretch has config.sample_length accesses: exactly, if config.sample_fixed; else at random
 *     from a half to one and a half of that. Its period is so long that the share is sample_ppm.
 *   - A timer calls before the planned beginning (pacing.h), and the stretch begins then: at most
 *     some ten thousand accesses early. It ends behind the block in which the last access lies.
 *   - All caches are empty at its beginning. A miss that finds its place free is an unknown
 *     reference: it may have been a hit. Once a set is full, it is known (with LRU replacement).
 *
 * The lock of collect.h guards the state, unless a comment says otherwise.
 */
#ifndef DWELL_ENGINE_SIMULATE_SAMPLED_STRETCHES_H
#define DWELL_ENGINE_SIMULATE_SAMPLED_STRETCHES_H

#include <stdbool.h>

#include "engine/core/state.h"

/* Is only a part of the accesses simulated? Set once, before code is made. */
extern bool stretches_on;
static inline bool stretches_are_on(void)
{
	return stretches_on;
}

/* A process begins, or a forked child: plan the first stretch, if the run is sampled. */
void stretches_begin(struct thread *t);
/* The timer has expired; sets it for the next call. */
void stretches_tick(struct thread *t, uint64_t total);
/* Profiling is turned on or off. */
void stretches_turn(struct thread *t, uint64_t total, bool on);
/* The process ends, or profiling does: the stretch, too. No thread runs simulated code. */
void stretches_end(struct thread *t);

/* t changes to the filter variant, or leaves it. No lock. */
void stretches_enter(struct thread *t);
void stretches_leave(struct thread *t);

/* t's turn begins: set the number of its blocks, as the stretch may end before. No lock. */
void stretches_turn_begins(struct thread *t);
/*
 * Called by translated code: t has run the blocks of its turn. True: the stretch is over, and t
 * must go to the dispatcher, which calls stretches_look. No lock.
 */
bool stretches_turn_ends(struct thread *t);
/* Called by translated code: the part of the stretch that is over, of DEAD_WHOLE. No lock. */
uint32_t stretches_part(const struct thread *t);
/* In the dispatcher, behind that. t holds the turn. No lock. */
void stretches_look(struct thread *t);

/* ---- What happens in the caches of the stretch: counted by the thread whose turn it is. ---- */

extern struct stretch_cache stretch_caches[BIN_CACHES];

#endif
