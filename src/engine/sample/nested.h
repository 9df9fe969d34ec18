/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watching all line sizes from one access (StatCache, section 5.2 and figure 12 need several
 * from one run). The lines of 4 to 4096 bytes that hold one byte lie one within the other. As long
 * as a line larger than the thread's own is open the filter lets through what touches the largest
 * open one, and each such touch ends something. Small lines in a busy larger one would be
 * looked at in vain again and again: after some looks a coin decides whether they are given
 * up, or speak for twice as many (Russian roulette), which leaves all estimates unbiased.
 *
 * All functions want the lock of collect.h.
 */
#ifndef DWELL_ENGINE_SAMPLE_NESTED_H
#define DWELL_ENGINE_SAMPLE_NESTED_H

#include "engine/sample/scan.h"

#define MAX_NESTED	   192u
#define MAX_NESTED_FOLLOWS 64u
#define NESTED_CHAINS	   256u

struct nested {
	struct record_access begin;
	uint64_t point;
	uint64_t begin_at;	    /* thread accesses; less those outside windows when followed */
	uint64_t process_at;	    /* process accesses */
	uint64_t watched;	    /* when followed: thread accesses inside windows so far */
	uint32_t window;	    /* of the sample */
	uint32_t open;		    /* mask of sizes */
	uint32_t weight;	    /* of the open ones */
	uint32_t looks, most_looks; /* in vain; at the latter the coin decides */
	uint16_t next;		    /* in its chain, or the unused, + 1 */
	uint16_t count;		    /* of events */
	bool followed;
	bool kept; /* also if its line, of the size recorded, is touched near */
	struct nested_event events[NESTED_SIZES];
};

/* Of one thread. */
struct nested_set {
	uint32_t follows;
	uint32_t one_in; /* left unresolved, one of which is chosen to be followed */
	uint16_t free, used;
	uint16_t chain[NESTED_CHAINS]; /* by page of the point, + 1 */
	struct nested nested[MAX_NESTED];
};

static inline void nested_clear(struct nested_set *ns)
{
	for (uint32_t c = 0; c < NESTED_CHAINS; c++)
		ns->chain[c] = 0;
	ns->follows = 0;
	ns->one_in = 1;
	ns->free = 0;
	ns->used = 0;
}
/*
 * Watch all lines that hold one of the bytes, `by_chance`, of t's access number `at`. It is told of
 * if `kept`, or if its line of the size recorded is not touched near.
 */
void nested_add(struct thread *t, const struct scan_window *w, const struct record_access *a,
		uint64_t at, uint64_t process_at, uint32_t by_chance, bool kept);
/* An access that may touch watched lines. */
void nested_touch(struct thread *t, const struct scan_window *w, const struct record_access *a,
		  uint64_t at);
/* A window begins for t; first_at is its next access. */
void nested_join(struct thread *t, uint64_t first_at);
/* The window ends for t at its access `at`; as scan_end_watches. */
void nested_end_window(struct thread *t, const struct scan_window *w, uint32_t status, uint64_t at);
/* Nothing is followed any longer. */
void nested_end_follows(struct thread *t, const struct scan_window *w);

#endif
