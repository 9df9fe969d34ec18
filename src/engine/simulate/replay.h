/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The simulation inside the target: what threads in the stream variant have written to their
 * buffers goes through the simulated caches (src/sim) while it is still in the caches of the
 * machine, and what happens there is charged to instructions.
 *
 * Most accesses, and most fetches of code, touch the line that was used last in its set:
 * nothing changes, and nothing is counted but that the segment was executed. The rest goes through
 * the simulated hierarchy one by one, in the order of the program.
 *
 * The lock of collect.h guards all of it, but where another is named.
 */
#ifndef DWELL_ENGINE_SIMULATE_REPLAY_H
#define DWELL_ENGINE_SIMULATE_REPLAY_H

#include "engine/core/run_mode.h"

/*
 * The process begins to be simulated: empty caches. False: they cannot be had, with a reason said.
 */
bool replay_start(void);
/* log2 of the instruction cache's line; known from replay_start on. */
uint32_t replay_code_line_shift(void);

/* What is in t's buffer, which is empty then as far as the simulation cares. */
void replay_buffer(struct thread *t);

/* Nothing will be replayed any more: what is left in the caches is charged. */
void replay_end(void);

/* In a forked child: a copy of its parent's caches, and counts that begin at 0. */
void replay_forked(void);

/* Send what has been counted since the last time. */
void replay_flush(struct process *p);
/* The same, if some seconds have passed, or if somebody asked. */
void replay_flush_when_due(struct process *p);
/* A thread is about to wait in the kernel, perhaps for long. No lock. */
void replay_flush_before_wait(struct process *p);

/*
 * For the stream: t has executed a string instruction, or is about to execute a gather or scatter.
 * No lock. The buffer may be emptied on the way.
 */
void replay_put_repeat(struct thread *t, uint32_t trailer, const struct repeat *r);
void replay_put_elements(struct thread *t, uint32_t trailer, const uint64_t *entries, uint32_t n);

#endif
