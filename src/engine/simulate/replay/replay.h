/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The simulation inside the target. Threads in the stream variant write accesses to buffers.
 * Replaying sends a buffer through the simulated caches (src/sim) while the processor still caches
 * it, and charges the events to instructions.
 *
 * Most accesses and fetches touch the line that was used last in its set. They change nothing, so
 * only the execution of their segment is counted. The others go through the simulated hierarchy one
 * by one, in program order.
 *
 * The lock of collect.h guards all of it, except where another one is named.
 */
#ifndef DWELL_ENGINE_SIMULATE_REPLAY_H
#define DWELL_ENGINE_SIMULATE_REPLAY_H

#include "engine/core/run_mode.h"

/*
 * Begin to simulate the process, with empty caches. False: no memory, or geometries that cannot be
 * simulated.
 */
bool replay_start(void);
/* The first hierarchy, as replay_start has made it. */
struct sim_hierarchy *replay_hierarchy(void);

/* Replay t's buffer. The simulation needs its contents no longer. */
void replay_buffer(struct thread *t);

/* Replaying is over: charge the use of lines that are still in the caches. */
void replay_end(void);

/* In a forked child: keep the copy of the parent's caches; counts restart at 0. */
void replay_forked(void);

/*
 * For the stream variant: t has executed a string instruction, or is about to execute a gather or
 * scatter. No lock. May replay the buffer to make room.
 */
void replay_put_repeat(struct thread *t, uint32_t trailer, const struct repeat *r);
void replay_put_elements(struct thread *t, uint32_t trailer, const uint64_t *entries, uint32_t n);

#endif
