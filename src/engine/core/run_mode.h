/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run does with the accesses of its target: nothing, samples, all of them, a simulation. One
 * row of functions for each kind of run (enum channel_mode), chosen at the start (run/rooms.c); any
 * function may be missing. What all of them have in common is in sample/collect.c, which calls
 * these; nobody else asks what kind of run it is.
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
	bool has_windows;   /* threads need watches beside their buffers */
	bool is_controlled; /* marks, functions and the clock turn it on and off */
	bool leaves_out;    /* of a crowd, threads that there is no memory for */

	/*
	 * A process starts, or a forked child. False: it cannot be profiled, and a message says
	 * why.
	 */
	bool (*start)(struct thread *t);
	/*
	 * The variant that threads are in from there on, and whenever it is turned on; else count.
	 */
	enum code_variant_id (*variant)(void);
	/* It is turned on or off. The lock is held, t's buffer empty. */
	void (*turn)(struct thread *t, uint64_t total, bool on);

	/* Profiling ends while the target runs on. The lock is held. */
	void (*give_up)(void);

	/* Time has passed; sets the time of the next call. The lock is held. */
	void (*tick)(struct thread *t, uint64_t total);
	/*
	 * The timer called while t runs translated code and has counted about `accesses`: is it too
	 * early for anything but to set the timer again, which this then has done? In the signal's
	 * handler. Whatever the number is, no harm comes of it but a late call.
	 */
	bool (*is_early)(struct thread *t, uint64_t accesses);

	/* n accesses are in t's buffer, which has made `here` with the last. The lock is held. */
	void (*consume)(struct thread *t, uint64_t here, uint64_t n, uint64_t total);
	/* The same in half the time, where no counts have to be published; false: it cannot be. */
	bool (*consume_quickly)(struct thread *t, uint64_t here, uint64_t n, uint64_t total);
	/* How many more of the process's accesses matter before it has to look; 0: any number. */
	uint64_t (*left)(uint64_t total);

	/*
	 * A string instruction with REP has run, and made n accesses that are not counted yet:
	 * does this want to know? `segment`: in a simulation its trailer. Then these, with no lock.
	 */
	bool (*wants_repeat)(struct thread *t, uint32_t segment, uint64_t n);
	void (*repeat)(struct thread *t, uint32_t segment, const struct repeat *r);
	/* A gather or scatter at pc is about to make these, as STREAM_ENTRY. No lock. */
	void (*elements)(struct thread *t, uint64_t pc, uint32_t segment, const uint64_t *entries,
			 uint32_t n);
	/* Of t->vector only the lanes in `done` have been touched after all. No lock. */
	void (*undo_elements)(struct thread *t, uint32_t done);

	/* t goes from its variant to another one, or ends (then to count). No lock. */
	void (*leave_variant)(struct thread *t, enum code_variant_id wanted);
	/* t ends. The lock is held. */
	void (*thread_end)(struct thread *t);
	/*
	 * All threads stopped or gone; what is watched gets `status`. is_over: nothing follows. The
	 * lock is held.
	 */
	void (*end)(struct thread *t, uint32_t status, bool is_over, uint64_t total);
};

extern const struct run_mode *run_mode;

#endif
