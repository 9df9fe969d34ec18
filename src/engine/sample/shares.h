/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a window behind a gap is divided among several threads.
 *
 * A window slows threads down, some more than others, and those that sleep not at all. So what they
 * do in it says nothing of what they do outside. But their accesses are counted exactly. Each
 * thread owes the accesses that it has made and that no window speaks for yet. When a window opens,
 * a thread gets a share of it: the part that the window is of its period, of what it owes. It has
 * its place in the window until it has made as many accesses, and then only counts. So each access
 * of each thread has the same chance, and stands for period / window accesses.
 *
 * What a thread owes that ends without a share goes to the next that begins, as programs that make
 * threads often make many of a kind; or to all, if none begins.
 *
 * All functions need the lock of collect.h.
 */
#ifndef DWELL_ENGINE_SAMPLE_SHARES_H
#define DWELL_ENGINE_SAMPLE_SHARES_H

#include "engine/core/state.h"
#include "engine/sample/pacing.h"

/* State of a process. */
struct shares {
	uint64_t window, period; /* accesses; of the open window, or of the last */
	uint64_t wanted;	 /* of the open window: shares of all; 0: it is not divided */
	uint64_t taken;		 /* accesses of these that were made */
	int64_t left_over; /* owed by threads that have ended, less what others owe in advance */
	bool has_new;	   /* a thread began since the last window closed */
	uint64_t rng;
};

void shares_thread_start(struct shares *s, struct thread *t);
void shares_thread_end(struct shares *s, struct thread *t);
/*
 * The planned window opens for p's threads. Those without a share get `unsampled`. False: nobody
 * owes enough, so it stays closed.
 */
bool shares_divide(struct shares *s, const struct process *p, const struct pacing *plan);
/* t has made n accesses of its share. */
void shares_take(struct shares *s, struct thread *t, uint64_t n);
/* Is the open window divided? */
static inline bool shares_are_given(const struct shares *s)
{
	return s->wanted != 0;
}
/* Are all shares taken? */
bool shares_are_taken(const struct shares *s);
/* The divided window is over. */
void shares_close(struct shares *s, const struct process *p);
/*
 * A window that was not divided is over: it speaks for all that p's threads have published. The
 * next one is planned.
 */
void shares_settle(struct shares *s, const struct process *p, const struct pacing *plan);
/* The accesses that the open window stands for, if it is divided. */
uint64_t shares_stand_for(const struct shares *s);

#endif
