/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Notes of misses in the first level, which filter_miss.S writes and filter_below.S looks up in LL,
 * some hundred together. With data structures (bins.h) they say more, and are counted by bin then.
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_NOTES_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_NOTES_H

#include "engine/simulate/state/filter_sites.h"

#define NOTE_LINE   0
#define NOTE_SITE   8 /* its number, and the bytes from SITE_REG on */
#define NOTE_FLAGS  (NOTE_SITE + SITE_FLAGS - SITE_NUMBER)
#define NOTE_EVENT  (NOTE_SITE + SITE_EVENT - SITE_NUMBER)
#define NOTE_RECORD 16 /* with arcs (arcs.h): what the notes before it have counted */
/* If all levels are looked up at once (calls/events.h): what was counted; the line is not used. */
#define NOTE_COUNTED	      20	 /* u32: the event's position in a cell, and how often */
#define NOTE_ONCE	      0x100	 /* from this bit on */
#define NOTE_AND_WRITTEN_BACK 0x80000000 /* and one write-back of the first level */
#define NOTE_BYTES	      24
#define NOTES		      256 /* 6 KB */
/*
 * What follows with data (bins.h); then 96 notes have room. An access on two lines may evict two in
 * each level: FILTER_SITE_PAIR says so, and NOTE_LINE is the second one.
 */
#define NOTE_ADDRESS	   24 /* of the access, if it is one to data; see filter_notes.c */
#define NOTE_VICTIM	   32 /* the cell of the line that the first level evicted; 0: none */
#define NOTE_LAST	   40 /* the same of LL; 0: the line was in LL */
#define NOTE_VICTIM_BEFORE 48 /* the same for the first of two lines */
#define NOTE_LAST_BEFORE   56
#define NOTE_DATA_BYTES	   64

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
