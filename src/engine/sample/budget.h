/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What sampling costs, in CPU time of the process and of the collector for its records, against
 * counting alone, which is estimated from the stretches between windows. Translating is a cost of
 * sampling. What counting costs against the machine cannot be seen from inside.
 * Used when a budget is given.
 *
 * All functions want the lock of collect.h.
 */
#ifndef DWELL_ENGINE_SAMPLE_BUDGET_H
#define DWELL_ENGINE_SAMPLE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct process;

/* Is there one? */
bool budget_is_set(void);
/* The process begins; a forked child starts at nothing, too. */
void budget_start(void);
/* The stretch up to now, `total` being the process's accesses, was inside a window or not. */
void budget_stretch(struct process *p, uint64_t total, bool in_window);
/*
 * A block was translated, in so many time stamp cycles. Wants the translate lock and not the
 * sampler's.
 */
void budget_translated(uint64_t cycles);
/*
 * The count of accesses up to which no window may end that begins now and takes `length`, so that
 * the budget holds; 0 while nothing is known yet.
 */
uint64_t budget_until(uint64_t length);

#endif
