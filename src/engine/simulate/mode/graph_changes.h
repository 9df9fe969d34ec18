/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that end, signals, and code that is unmapped, as the call graph sees them. Frames of
 * calls that code follows by itself (calls/arcs.h) become frames of the graph first.
 */
#ifndef DWELL_ENGINE_SIMULATE_MODE_GRAPH_CHANGES_H
#define DWELL_ENGINE_SIMULATE_MODE_GRAPH_CHANGES_H

#include "engine/core/state.h"

/* End all calls of t: it ends, or is no longer followed. Takes the lock. */
void graph_break(struct thread *t);
/* After that: t has ended, and its memory is for others. Takes the lock. */
void graph_end(struct thread *t);
/*
 * t, whose buffer is empty, is about to run a signal handler; or it has returned from one. Both
 * take the lock.
 */
void graph_signal(struct thread *t);
void graph_signal_return(struct thread *t);

/* Code at [start, end) was unmapped: send what is known of it, and forget it. Takes the lock. */
void graph_forget(struct process *p, uint64_t start, uint64_t end);

/* In a forked child, where t is the only thread. */
void graph_forked(struct thread *t);

#endif
