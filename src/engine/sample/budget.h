/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of sampling, as CPU time of the process, and of the collector for its records. The cost
 * of counting alone is estimated between windows, and subtracted. Translation is a cost of
 * sampling. How much slower counting is than the machine cannot be seen from inside. Used when a
 * budget is given.
 *
 * All functions need the lock of collect.h.
 */
#ifndef DWELL_ENGINE_SAMPLE_BUDGET_H
#define DWELL_ENGINE_SAMPLE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct process;

/* Is there a budget? */
bool budget_is_set(void);
/* Start at zero: the process begins, or is a forked child. */
void budget_start(void);
/* The stretch up to now, `total` being the process's accesses, was inside a window or not. */
void budget_stretch(struct process *p, uint64_t total, bool in_window);
/*
 * A block was translated, in `cycles` of the time stamp counter. Needs the translate lock, not that
 * of collect.h.
 */
void budget_translated(uint64_t cycles);
/*
 * The access count before which a window of `length` that begins now must not end, so that the
 * budget holds. 0: nothing is known yet.
 */
uint64_t budget_until(uint64_t length);

#endif
