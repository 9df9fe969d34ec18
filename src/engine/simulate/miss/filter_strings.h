/* SPDX-License-Identifier: GPL-2.0-or-later */
/* String and vector instructions in the filter variant. */
#ifndef DWELL_ENGINE_SIMULATE_MISS_FILTER_STRINGS_H
#define DWELL_ENGINE_SIMULATE_MISS_FILTER_STRINGS_H

#include "engine/core/run_mode.h"

/*
 * Simulate a string or vector instruction at once, unlike replay_put_repeat and
 * replay_put_elements; and uncount some elements of the last vector instruction, which faulted, or
 * was put off (t->vector_kept).
 */
void filter_repeat(struct thread *t, uint32_t trailer, const struct repeat *rep);
void filter_elements(struct thread *t, uint32_t trailer, const uint64_t *entries, uint32_t n);
void filter_undo_elements(const struct thread *t, uint32_t done);

#endif
