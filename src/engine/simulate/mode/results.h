/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts of a simulation as records. The functions need the lock unless they say otherwise. */
#ifndef DWELL_ENGINE_SIMULATE_MODE_RESULTS_H
#define DWELL_ENGINE_SIMULATE_MODE_RESULTS_H

#include "engine/core/state.h"

/* Send what was counted since the last call. */
void results_flush(struct process *p);
/* The same of code in [start, end), which will be unmapped, with all that is known of calls. */
void results_flush_code(struct process *p, uint64_t start, uint64_t end);
/* The same, if the last call is some seconds ago, or the collector has asked. */
void results_flush_when_due(struct process *p);
/* A thread is about to wait in the kernel, perhaps for long. No lock. */
void results_flush_before_wait(struct process *p);

#endif
