/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run does with the accesses of its target: count, sample, stream or simulate. Each run mode
 * (enum channel_mode) has one row of functions, chosen at the start (run/rooms.c); any function may
 * be missing. drive/collect.c has the code common to all modes and calls these functions; no other
 * code depends on the run mode.
 *
 * "The lock" is that of collect.h. `total`: accesses of the process so far.
 */
#ifndef DWELL_ENGINE_CORE_RUN_MODE_H
#define DWELL_ENGINE_CORE_RUN_MODE_H

#include "engine/core/state.h"

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

struct run_mode {
	bool has_windows;   /* a buffer holds what is made in a window */
	bool is_controlled; /* marks, functions and the clock turn profiling on and off */
	/*
	 * of many threads, one without memory for a buffer is left out of the window; else
	 * profiling ends
	 */
	bool leaves_out;

	/*
	 * A process starts, or a forked child. False: it cannot be profiled, and the user has been
	 * told why.
	 */
	bool (*start)(struct thread *t);
	/* A new thread, whose buffer is empty if it has one. No lock. */
	void (*thread_start)(struct thread *t);
	/*
	 * t has a buffer, or has it again: make what it needs beside it. False: out of memory. The
	 * lock is held.
	 */
	bool (*need)(struct thread *t);
	/*
	 * The variant of threads after the start, and while profiling is on. Missing: count.
	 */
	enum code_variant_id (*variant)(void);
	/* Profiling is turned on or off. The lock is held, t's buffer empty. */
	void (*turn)(struct thread *t, uint64_t total, bool on);

	/* Profiling ends; the target continues. The lock is held. */
	void (*give_up)(void);

	/* The timer has expired; sets it for the next call. The lock is held. */
	void (*tick)(struct thread *t, uint64_t total);
	/*
	 * The timer expired while t ran translated code and had counted about `accesses`. Returns
	 * true if it is too early for anything else, after setting the timer again. Runs in the
	 * signal handler. A wrong number does no harm but a late call.
	 */
	bool (*is_early)(struct thread *t, uint64_t accesses);

	/* t's buffer holds n accesses; t has made `here` in all. The lock is held. */
	void (*consume)(struct thread *t, uint64_t here, uint64_t n, uint64_t total);
	/* The same in half the time, without publishing counts; false: impossible now. */
	bool (*consume_quickly)(struct thread *t, uint64_t here, uint64_t n, uint64_t total);
	/*
	 * Accesses left of the open window for t, when the process has made `total`; 0: no window
	 * is open. Bounds how much of a buffer is used.
	 */
	uint64_t (*left)(const struct thread *t, uint64_t total);

	/*
	 * A string instruction with REP has made n accesses that are not counted yet. Returns
	 * whether to call `repeat` with them. `segment`: its trailer, in a simulation. No lock.
	 */
	bool (*wants_repeat)(struct thread *t, uint32_t segment, uint64_t n);
	void (*repeat)(struct thread *t, uint32_t segment, const struct repeat *r);
	/* A gather or scatter at pc is about to make n accesses (STREAM_ENTRY). No lock. */
	void (*elements)(struct thread *t, uint64_t pc, uint32_t segment, const uint64_t *entries,
			 uint32_t n);
	/* t->vector was cut short, and touched only the lanes in `done`. No lock. */
	void (*undo_elements)(struct thread *t, uint32_t done);

	/*
	 * t is about to run code, after its turn was over: decide on its next variant. No lock.
	 */
	void (*turn_over)(struct thread *t);
	/*
	 * t is about to run code of its variant: wait for its turn, and renew old code. *is_changed
	 * becomes true if code may have changed meanwhile. False: begin again, as state has
	 * changed. No lock.
	 */
	bool (*before_code)(struct thread *t, bool *is_changed);

	/* t changes to the variant `wanted`, or ends (`wanted`: count). No lock. */
	void (*leave_variant)(struct thread *t, enum code_variant_id wanted);
	/* t ends. The lock is held. */
	void (*thread_end)(struct thread *t);
	/*
	 * All threads are stopped or gone. is_over: this is the last call. The lock is held.
	 */
	void (*end)(struct thread *t, bool is_over, uint64_t total);
};

extern const struct run_mode *run_mode;

/* One for each run mode; each in its own file. */
#define RUN_MODE_DECLARED(id, name, number) extern const struct run_mode name##_mode;
CHANNEL_MODES(RUN_MODE_DECLARED)
#undef RUN_MODE_DECLARED

#endif
