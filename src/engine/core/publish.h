/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds the counts of threads to the totals of their process. */
#ifndef DWELL_ENGINE_CORE_PUBLISH_H
#define DWELL_ENGINE_CORE_PUBLISH_H

#include "engine/core/state.h"

/*
 * Add t's counts since the last call, less *after, to the process's totals. Threads of a process
 * may call it concurrently.
 */
void publish_counts(struct thread *t, const struct counts *after);
/*
 * The process's accesses so far, without those of string instructions that call the engine: see
 * pacing_look.
 */
uint64_t publish_paced(const struct process *p);
/*
 * Publish t's counts, and write the process's totals to its slot, if t has made accesses since the
 * last call. For use before t may wait in a system call, while the collector may read them.
 */
void publish_report(struct thread *t);

#endif
