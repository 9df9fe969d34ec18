/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What may end a simulation in the filter variant, or make it one of several threads. */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_VARIANT_H
#define DWELL_ENGINE_SIMULATE_FILTER_VARIANT_H

#include "engine/core/frame.h"
#include "engine/core/state.h"

/*
 * Both of these take the lock of collect.h. t is about to make another thread: they take turns from
 * now on.
 */
void filter_before_thread(struct thread *t);
/* t is about to map start to end, whatever is there: if that is the filter's, it is over. */
void filter_before_mapping(struct thread *t, uint64_t start, uint64_t end);
/*
 * t would like a mapping to be there, and gets it elsewhere if that is not free: the filter is over
 * once it does not put up with that. Behind it, as behind each call of mmap, where the mapping is;
 * and what is unmapped. These two under the translate lock.
 */
void filter_before_wish(struct thread *t, uint64_t start, uint64_t end);
void filter_after_wish(uint64_t start, uint64_t end, uint64_t got);
void filter_after_unmapping(uint64_t start);

/* From now on the program could go on after a fault. */
void filter_expect_faults(void);
/*
 * Has the code of the filter variant, which t is about to enter, to be made anew? It is about to
 * be.
 */
bool filter_must_renew(const struct thread *t);
void filter_renews(const struct thread *t);
/*
 * A fault in the cache: is it the look at the cell of an address that is none, beyond the table?
 * Then the register that holds the number of its line has one within from now on, and the look can
 * go on. The access itself faults next.
 */
bool filter_looks_nowhere(struct frame_context *c);

#endif
