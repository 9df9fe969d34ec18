/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events that may end the filter variant, or start the scheduler in it. */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_END_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_END_H

#include "engine/core/frame.h"
#include "engine/core/state.h"

/*
 * Takes the lock of collect.h. t is about to make another thread: threads take turns from now on.
 */
void filter_before_thread(struct thread *t);
/*
 * Takes the lock of collect.h. t is about to map over [start, end), whatever is there: if that is
 * the filter's memory, the filter ends.
 */
void filter_before_mapping(struct thread *t, uint64_t start, uint64_t end);
/*
 * For mmap with an address that is only a hint: if the kernel refused hints in the filter's memory
 * too often, end the filter. filter_after_wish follows each mmap, with the result in `got`;
 * filter_after_unmapping follows each munmap. The last two under the translate lock.
 */
void filter_before_wish(struct thread *t, uint64_t start, uint64_t end);
void filter_after_wish(uint64_t start, uint64_t end, uint64_t got);
void filter_after_unmapping(uint64_t start);

/*
 * Takes the lock of collect.h. The program was refused memory: give back address space. False: none
 * to give.
 */
bool filter_gives_space(const struct thread *t);

/* From now on the program may continue after a fault. */
void filter_expect_faults(void);
/*
 * Must the code of the filter variant, which t is about to enter, be translated anew? filter_renews
 * says that it will be.
 */
bool filter_must_renew(const struct thread *t);
void filter_renews(struct thread *t);
/*
 * A fault in the code cache: is it the load of a cell beyond the table, for an invalid address?
 * Then change the register to a line within, so that the load can run. The access itself faults
 * next.
 */
bool filter_looks_nowhere(struct frame_context *c);

#endif
