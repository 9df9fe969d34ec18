/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The accesses of the target's threads on their way to the run mode (run_mode.h): the variant of
 * each thread, when buffers are scanned, when sampling is on, and when the clock is read.
 */
#ifndef DWELL_ENGINE_DRIVE_COLLECT_H
#define DWELL_ENGINE_DRIVE_COLLECT_H

#include "engine/core/run_mode.h"
#include "engine/drive/control.h"

#define COLLECT_REPORT_NS 50000000u /* threads publish their counts at least this often */

/* Process start, and again in a forked child. */
void collect_start(struct thread *t);
/* A new thread. Buffers are made at their first use. */
void collect_thread_start(struct thread *t);
/* Scan the rest of the buffer, publish counts, return buffers. */
void collect_thread_end(struct thread *t);
/* All threads stopped or gone; see run_mode.h. */
void collect_end(struct thread *t, bool is_over);

/* The lock that guards all data about accesses. */
void collect_lock(void);
void collect_unlock(void);

/*
 * The engine itself executes an instruction with n accesses. Tell whether somebody wants them: t is
 * in the stream variant, its buffer is empty now, and the lock is taken until collect_unlock.
 */
bool collect_takes(struct thread *t, uint64_t n);

/* Before a system call: empty the buffer, publish counts. */
void collect_settle(struct thread *t);
/*
 * Empty the buffer in the stream variant. Unlike collect_settle this publishes counts only if it
 * must, and takes half the time; for frequent events inside windows. If t's variant must change
 * afterwards, t is made to enter the dispatcher.
 */
void collect_look(struct thread *t);
/* Empty the stream buffer: `after` counts code that has been counted but not run. */
void collect_flush(struct thread *t, const struct counts *after);
/* Time has passed; `after` as above. */
void collect_tick(struct thread *t, const struct counts *after);
/* t has reached a mark or a marked function: sampling may begin or end. */
void collect_event(struct thread *t, enum control_event what);

/* Is sampling on? The lock is held. */
bool collect_is_on(void);
/* Turn sampling on or off, if control.h says so. The lock is held, the thread's buffer empty. */
void collect_follow_control(struct thread *t, uint64_t total);
/* Profiling ends; the target continues. The lock is held. */
void collect_give_up(struct thread *t);
/* Call t again in `ns` nanoseconds. */
void collect_tick_in(struct thread *t, uint64_t ns);
/* Were counts sent to the collector at most COLLECT_REPORT_NS before `now`? */
bool collect_has_shown(uint64_t now);

/* Has the collector asked the process to end its profiling? Then process_ending does. */
bool collect_is_finishing(const struct thread *t);
/* The variant that t should be in; and change t to it, and arm its limits. */
enum code_variant_id collect_variant(const struct thread *t);
void collect_set_variant(struct thread *t);
/* May t enter the code cache? False: something has changed since, look again. */
bool collect_is_armed(const struct thread *t);

#endif
