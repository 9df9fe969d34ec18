/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Notes of misses in the first level, which filter_miss.S writes and filter_below.S looks up in LL,
 * some hundred together. With data structures (bins.h) they say more, and are counted by bin then.
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_NOTES_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_NOTES_H

#include "engine/simulate/state/notes.h"

#ifndef __ASSEMBLER__

struct filter_level;

/*
 * Look up all notes in LL, and count them. There is one hierarchy. If it is not one of two plain
 * levels then nothing has to be looked up.
 */
void filter_look_below(void);

/*
 * Memory in [start, end) is about to get another owner: find the data structures of the notes whose
 * accesses lie there. before_call: those of a call that allocates are not among them. Only the
 * thread that has the turn has such notes.
 */
void filter_look_at_misses(uint64_t start, uint64_t end, bool before_call);

/*
 * A call that allocates begins in the thread that has the turn; has returned, with a block of so
 * many bytes at start, which is known by now: misses that the call made there are the block's.
 */
void filter_allocation_begins(void);
void filter_allocation_returns(uint64_t start, uint64_t bytes);
/* The thread gets the turn; is about to lose it. */
void filter_allocation_goes_on(const struct thread *t);
void filter_allocation_waits(void);
/* Does such a call go on? */
bool filter_allocates(void);
/* Count what calls hold as what it was found to be. */
void filter_allocation_settle(void);

/*
 * Misses that code notes are counted together, too late to know some things. The one that finds no
 * room comes to C: it stands for so many, itself among them, since the last such one. All others
 * that come to C stand for themselves: 1. To be called before filter_look_below.
 */
uint64_t filter_notes_stand_for(void);

/* May code note misses? If not C handles each at once. */
void filter_notes_allow(bool may);

#endif
#endif
