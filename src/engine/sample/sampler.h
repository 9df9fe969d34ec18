/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random sampling of reuse distances (StatCache, sections 3.4 to 3.7).
 *
 * Windows are placed at random in the access count of the process. Between
 * them all threads run in the count gear; inside one all run in the stream
 * gear, whose buffers are scanned here: accesses are chosen at random gaps,
 * their lines watched, and the next touch by the same thread ends the sample.
 */
#ifndef DWELL_ENGINE_SAMPLE_SAMPLER_H
#define DWELL_ENGINE_SAMPLE_SAMPLER_H

#include "engine/sample/control.h"
#include "engine/core/state.h"

/* Process start, and again in a forked child. */
void sampler_start(struct thread *t);
/* A new thread's sampling state. Buffers are made when first needed. */
void sampler_thread_start(struct thread *t);
/* Scan what is left, publish counts, give buffers back. Also before a long sleep: keep = true. */
void sampler_thread_end(struct thread *t);
/* The lock that guards whatever is known of accesses. */
void sampler_lock(void);
void sampler_unlock(void);
/* Before a system call: nothing is left in the buffer, counts are published. */
void sampler_settle(struct thread *t);
/*
 * In the stream gear: nothing is left in the buffer. Unlike sampler_settle this publishes no counts
 * unless it has to, and takes half the time: for what happens often inside windows.
 */
void sampler_look(struct thread *t);
/*
 * All threads stopped or gone: close the window; what is watched gets `status`. is_over: nothing
 * will be simulated after this.
 */
void sampler_end(struct thread *t, uint32_t status, bool is_over);
/* Pages that the process holds as it ends, and how much of them is in use: see record_end. */
uint64_t sampler_footprint(struct thread *t, uint16_t line_use[CHANNEL_LINE_USES]);
/* t has met a mark or a marked function: sampling may begin or end. */
void sampler_event(struct thread *t, enum control_event what);

/*
 * The timer called while the thread runs translated code and has counted about `accesses`: is
 * it too early for anything but to set the timer again, which this then has done? For the
 * signal's handler. Whatever the number is, no harm comes of it but a late window.
 */
bool sampler_is_early(struct thread *t, uint64_t accesses);
/* Time has passed: `after` counts code that has been counted but not run. */
void sampler_tick(struct thread *t, const struct counts *after);
/* Scan and empty the stream buffer. */
void sampler_flush(struct thread *t, const struct counts *after);
/*
 * Elements of one string or vector instruction, as STREAM_ENTRY, in order.
 * Call sampler_settle first, and count them after. Stream gear only.
 */
void sampler_elements(struct thread *t, uint64_t pc, const uint64_t *entries, uint32_t n);

/*
 * In the count gear: t has just made n accesses that are not counted yet. Does
 * a window begin among them? Then it is open, and t is in the stream gear.
 */
bool sampler_enters(struct thread *t, uint64_t n);

/* A string instruction's accesses: iteration i touches address[k] + i * step, k < accesses. */
struct repeat {
	uint64_t pc;
	uint64_t address[2];
	int64_t step;
	uint64_t iterations;
	uint32_t size;
	uint8_t accesses;
	uint8_t kind[2];
};
/* The same as sampler_elements for all its elements, line by line where nothing else matters. */
void sampler_repeat(struct thread *t, const struct repeat *r);

/* Has the collector asked the process to end its profiling in order? Then process_ending does. */
bool sampler_is_finishing(const struct thread *t);

/* The gear threads should be in; make t's gear that one; arm its limits. */
enum gear sampler_gear(const struct thread *t);
void sampler_set_gear(struct thread *t);
/* False: something came up since, look again. */
bool sampler_is_armed(const struct thread *t);

#endif
