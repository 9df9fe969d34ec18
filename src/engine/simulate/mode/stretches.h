/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A simulation of a part of the accesses (trace sampling: MemSpy, sections 2 and 4). The run is
 * divided into periods. In each one stretch of accesses, at a random place, is simulated: threads
 * run in the filter variant. In the rest of the period they run in the count variant.
 *
 *   - A stretch has config.sample_length accesses: exactly, if config.sample_fixed; else at random
 *     from a half to one and a half of that. Its period is so long that the share is sample_ppm.
 *     So each simulated access stands for as many of the run, whatever its stretch.
 *   - A timer calls before the planned beginning (pacing.h). From there the only thread runs in the
 *     approach variant, whose blocks are counted, and the stretch begins in front of the planned
 *     block. With the timer alone, stretches began in slow code too often: there the timer comes
 *     more often for each access. Where there are several threads it is still so.
 *   - It ends behind the block in which the last access lies.
 *   - Both may be inside a string instruction, which is not a block but thousands of accesses.
 *   - All caches are empty at its beginning. A miss that finds its place free is an unknown
 *     reference: it may have been a hit. Once a set is full, it is known (with LRU replacement).
 *
 * The lock of collect.h guards the state, unless a comment says otherwise.
 */
#ifndef DWELL_ENGINE_SIMULATE_SAMPLED_STRETCHES_H
#define DWELL_ENGINE_SIMULATE_SAMPLED_STRETCHES_H

#include <stdbool.h>

#include "engine/core/state.h"

/* Called once, before code is made. False: there is no memory. */
bool stretches_start(uint32_t levels);
/* A process begins, or a forked child: plan the first stretch, if the run is sampled. */
void stretches_begin(struct thread *t);
/* The timer has expired; sets it for the next call. */
void stretches_tick(struct thread *t, uint64_t total);
/* Profiling is turned on or off. */
void stretches_turn(struct thread *t, uint64_t total, bool on);
/* The process ends, or profiling does: the stretch, too. No thread runs simulated code. */
void stretches_end(struct thread *t);

/* t changes to the filter variant, or leaves it. No lock. */
void stretches_enter(struct thread *t, enum code_variant_id wanted);
void stretches_leave(struct thread *t);

/* t's turn is over, and it has counted all that it did. The lock is held. */
void stretches_turn_leaves(struct thread *t);
/* t's turn begins: set the number of its blocks, as the stretch may end before. No lock. */
void stretches_turn_begins(struct thread *t);
/*
 * Called by translated code: t has run the blocks of its turn. True: the stretch is over, and t
 * must go to the dispatcher, which calls stretches_look. No lock.
 */
bool stretches_turn_ends(struct thread *t);
/* In the dispatcher, behind that. t holds the turn. No lock. */
void stretches_look(struct thread *t);

struct repeat;
/*
 * t, in the count variant, has made n accesses by a string instruction: does a stretch begin there?
 * No lock.
 */
bool stretches_reach(struct thread *t, uint64_t n);
/* Simulate the parts of r that lie in stretches, which begin and end among them. No lock. */
void stretches_repeat(struct thread *t, uint32_t segment, const struct repeat *r);

/* ---- What happens in the caches of the stretch: counted by the thread whose turn it is. ---- */

#endif
