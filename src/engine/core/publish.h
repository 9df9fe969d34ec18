/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what each thread has counted to the totals of its process. */
#ifndef DWELL_ENGINE_CORE_PUBLISH_H
#define DWELL_ENGINE_CORE_PUBLISH_H

#include "engine/core/state.h"

/*
 * Add what t has counted since last time, but `after` of it, to the process's totals. Threads of a
 * process may do so at once.
 */
void publish_counts(struct thread *t, const struct counts *after);
/*
 * The process's accesses so far, but those of string instructions that the engine is called for:
 * see pacing_look.
 */
uint64_t publish_paced(const struct process *p);
/* All totals, for whoever looks in while the thread is in a system call. */
void publish_report(struct thread *t);

#endif
