/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The accesses of the target's threads on their way to whatever the run does with them
 * (run_mode.h): which variant threads are in, when their buffers are looked at, when sampling is
 * on, and when the clock is looked at.
 */
#ifndef DWELL_ENGINE_SAMPLE_COLLECT_H
#define DWELL_ENGINE_SAMPLE_COLLECT_H

#include "engine/core/run_mode.h"
#include "engine/sample/control.h"

/* Process start, and again in a forked child. */
void collect_start(struct thread *t);
/* A new thread. Buffers are made when first needed. */
void collect_thread_start(struct thread *t);
/* Look at what is left, publish counts, give buffers back. */
void collect_thread_end(struct thread *t);
/* All threads stopped or gone; see run_mode.h. */
void collect_end(struct thread *t, uint32_t status, bool is_over);

/* The lock that guards whatever is known of accesses. */
void collect_lock(void);
void collect_unlock(void);

/* Before a system call: nothing is left in the buffer, counts are published. */
void collect_settle(struct thread *t);
/*
 * In the stream variant: nothing is left in the buffer. Unlike collect_settle this publishes no
 * counts unless it has to, and takes half the time: for what happens often inside windows. If t is
 * then to be in another variant it is called.
 */
void collect_look(struct thread *t);
/* Empty the stream buffer: `after` counts code that has been counted but not run. */
void collect_flush(struct thread *t, const struct counts *after);
/* Time has passed; `after` as above. */
void collect_tick(struct thread *t, const struct counts *after);
/* t has met a mark or a marked function: sampling may begin or end. */
void collect_event(struct thread *t, enum control_event what);

/* Is it on? The lock is held. */
bool collect_is_on(void);
/* Begin or end, if it should. The lock is held, the thread's buffer empty. */
void collect_follow_control(struct thread *t, uint64_t total);
/* Profiling ends while the target runs on. The lock is held. */
void collect_give_up(struct thread *t);
/* Call t again in so many nanoseconds. */
void collect_tick_in(struct thread *t, uint64_t ns);
/* Counts were last shown less than PACING_REPORT_NS before `now`. */
bool collect_has_shown(uint64_t now);

/* Has the collector asked the process to end its profiling in order? Then process_ending does. */
bool collect_is_finishing(const struct thread *t);
/* The variant that t should be in; make t's variant that one, and arm its limits. */
enum code_variant_id collect_variant(const struct thread *t);
void collect_set_variant(struct thread *t);
/* False: something came up since, look again. */
bool collect_is_armed(const struct thread *t);

/* A run that only counts. */
extern const struct run_mode count_mode;

#endif
