/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact stack distances: the number of lines between the two touches of a sample. LRU caches depend
 * on them, and reuse distances alone give only their mean (StatStack, Eklov and Hagersten 2010).
 * One sample of a thread at a time is counted, for all line sizes at once. Each page has a mask of
 * what was touched. Counting ends when the sample's own lines were touched again, or the window is
 * over.
 *
 * With very many pages only a part is kept, chosen by a hash, and stands for all.
 *
 * All functions need the lock of collect.h.
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
	uint64_t count; /* the count that it belongs to; 0: none */
};

/* Of one thread. */
struct stack_distance {
	struct record_stack_distance record; /* results so far */
	uint64_t point;
	uint64_t begin_at;	     /* the sample's access, as the thread's number */
	uint64_t lines[STACK_SIZES]; /* touched so far in kept pages */
	uint64_t counts;	     /* begun so far: the number of the last one */
	/* the entry behind the sample's in the buffer; NULL: the sample is in an earlier buffer */
	const uint64_t *from;
	/* accesses of windows so far, and those with counting */
	uint64_t seen, looked_at;
	uint32_t open; /* sizes whose line was not touched yet; 0: nothing is counted */
	uint32_t pages, one_in_log2; /* pages kept; one of 1 << one_in_log2 */
	uint32_t current;	     /* of the tables */
	/* recently touched units, by low bits, as most accesses return to one */
	uint64_t recent[STACK_RECENT];
	struct stack_page tables[2][STACK_SLOTS]; /* thin_out copies from one to the other */
};

static inline bool stack_distance_counts(const struct watch_set *ws)
{
	return ws->stack && ws->stack->open;
}

/*
 * a, access `at` of t and `process_at` of the process, was chosen: count its lines, if no count is
 * open and the allowance permits.
 */
void stack_distance_begin(struct thread *t, const struct scan_window *w,
			  const struct record_access *a, uint64_t at, uint64_t process_at);
/* One access of t. */
void stack_distance_touch(struct thread *t, uint64_t address, uint32_t size, uint64_t at);
/* The accesses of t's buffer up to its access `end`; fs: the base of that segment. */
void stack_distance_buffer(struct thread *t, uint64_t end, uint64_t fs);
/* Iterations [i, end) of a string instruction; the first access has the number `at`. */
void stack_distance_repeat(struct thread *t, const struct repeat *r, uint64_t i, uint64_t end,
			   uint64_t at);
/* The window ends for t at its access `at`. */
void stack_distance_end_window(struct thread *t, uint64_t at);

#endif
