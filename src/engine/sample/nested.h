/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Multi-size samples: one access is watched at all line sizes (StatCache, section 5.2; figure 12
 * needs several sizes from one run). The lines of 4 to 4096 bytes that hold one byte are nested.
 * While a line larger than that of the filter is open, the filter passes touches of the largest
 * open one, and each of them closes a size. Small lines in a busy larger one would be checked in
 * vain many times. After some checks a coin decides: drop the sample, or double its weight (Russian
 * roulette). All estimates stay unbiased.
 *
 * All functions need the lock of collect.h.
 */
#ifndef DWELL_ENGINE_SAMPLE_NESTED_H
#define DWELL_ENGINE_SAMPLE_NESTED_H

#include "engine/sample/scan.h"

#define MAX_NESTED    192u
#define NESTED_CHAINS 256u

struct nested {
	struct record_access begin;
	uint64_t point;
	uint64_t begin_at;	    /* thread accesses */
	uint64_t process_at;	    /* process accesses */
	uint32_t open;		    /* mask of sizes; 0: not in use */
	uint32_t weight;	    /* of the open sizes */
	uint32_t looks, most_looks; /* checks in vain; at most_looks the coin decides */
	uint16_t next;		    /* in its chain, or in the free list, + 1 */
	uint16_t count;		    /* of events */
	uint16_t touches[CHANNEL_TOUCH_CLASSES]; /* as in a watch */
	bool kept; /* sent even if its line, of the recorded size, is touched soon */
	struct nested_event events[NESTED_SIZES];
};

/* Of one thread. */
struct nested_set {
	uint16_t free, used;
	uint16_t chain[NESTED_CHAINS]; /* by page of the point, + 1 */
	struct nested nested[MAX_NESTED];
};

static inline void nested_clear(struct nested_set *ns)
{
	for (uint32_t c = 0; c < NESTED_CHAINS; c++)
		ns->chain[c] = 0;
	ns->free = 0;
	ns->used = 0;
}
/*
 * Watch all lines that hold one byte, chosen by `by_chance`, of t's access number `at`. The sample
 * is sent if `kept`, or if its line of the recorded size is not touched soon.
 */
void nested_add(struct thread *t, const struct scan_window *w, const struct record_access *a,
		uint64_t at, uint64_t process_at, uint32_t by_chance, bool kept);
/* An access that may touch watched lines. */
void nested_touch(struct thread *t, const struct scan_window *w, const struct record_access *a,
		  uint64_t at);
/* Ends the samples that are CHANNEL_FAR accesses old when access `at` is the next. */
void nested_end_old(struct thread *t, uint64_t at);
/* The window ends for t at its access `at`. */
void nested_end_window(struct thread *t, uint64_t at);

#endif
