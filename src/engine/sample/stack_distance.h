/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stack distances, counted: the lines that lie between the touches of a sample. What a cache with
 * LRU does depends on these, and from reuse distances alone only their mean is known (StatStack,
 * Eklov and Hagersten 2010). So one sample at a time of a thread has the lines counted that are
 * touched after it, of all sizes at once, by what is touched of each page: until its own lines were
 * touched again, or the window is over.
 *
 * Where pages are very many those of a part of all are kept, chosen by a hash, and stand for the
 * others.
 *
 * All functions want the lock of collect.h.
 */
#ifndef DWELL_ENGINE_SAMPLE_STACK_DISTANCE_H
#define DWELL_ENGINE_SAMPLE_STACK_DISTANCE_H

#include "channel/stack_distance.h"
#include "engine/sample/scan.h"

#define STACK_SLOTS  4096u /* a power of two */
#define STACK_RECENT 512u  /* the same */

/* A page of 4096 bytes, and which of its 128 units of 32 bytes were touched. */
struct stack_page {
	uint64_t page;
	uint64_t units[2];
	uint64_t count; /* the number of the count it is of; 0: of none */
};

/* Of one thread. */
struct stack_distance {
	struct record_stack_distance record; /* what is known of the sample */
	uint64_t point;
	uint64_t begin_at;	     /* the sample's access, the thread's number of it */
	uint64_t lines[STACK_SIZES]; /* touched so far, of the pages kept */
	uint64_t counts;	     /* that have begun: the number of the last */
	/* the entry behind the sample's in the buffer; NULL: the sample lies before it */
	const uint64_t *from;
	/* accesses of windows so far, and those among which lines were counted */
	uint64_t seen, looked_at;
	uint32_t open; /* sizes whose line was not touched yet; 0: nothing is counted */
	uint32_t pages, one_in_log2; /* kept, one of so many */
	uint32_t current;	     /* of the tables */
	/* units touched, each at the place of its last bits: most accesses come back to one */
	uint64_t recent[STACK_RECENT];
	struct stack_page tables[2][STACK_SLOTS]; /* the second is for what is kept of the first */
};

static inline bool stack_distance_counts(const struct watch_set *ws)
{
	return ws->stack && ws->stack->open;
}

/*
 * a, access `at` of t and `process_at` of the process, was chosen: its lines are counted if nothing
 * is, and it is time.
 */
void stack_distance_begin(struct thread *t, const struct scan_window *w,
			  const struct record_access *a, uint64_t at, uint64_t process_at);
/* One access of t. */
void stack_distance_touch(struct thread *t, uint64_t address, uint32_t size, uint64_t at);
/* Those of t's buffer up to its access `end`; fs: the base of that segment. */
void stack_distance_buffer(struct thread *t, uint64_t end, uint64_t fs);
/* Iterations [i, end) of a string instruction; the first access has the number `at`. */
void stack_distance_repeat(struct thread *t, const struct repeat *r, uint64_t i, uint64_t end,
			   uint64_t at);
/* The window is over for t, at its access `at`. */
void stack_distance_end_window(struct thread *t, uint64_t at);

#endif
