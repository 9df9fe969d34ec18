/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this room calls of the rooms above it. They are at hand from the start on (run/start.c).
 * Whoever else needs something from above gets a table of its own, beside what it is for.
 */
#ifndef DWELL_ENGINE_CORE_UPWARD_H
#define DWELL_ENGINE_CORE_UPWARD_H

/* Offsets into struct upward, for glue.S. */
#define UPWARD_DISPATCH		 0
#define UPWARD_WAIT_AND_DISPATCH 8
#define UPWARD_HOOK		 16
#define UPWARD_THREAD_START	 24

#ifndef __ASSEMBLER__

#include "engine/core/state.h"

struct hook_frame;

struct upward {
	/* A thread has left the code cache, or wants in; both leave the way on in t->next. */
	void (*dispatch)(struct thread *t);
	void (*wait_and_dispatch)(struct thread *t);
	/* Code calls the engine, at a hooked place or for what it has been told to. */
	void (*hook_called)(struct thread *t, const struct hook_frame *f, uint64_t rbp);
	/* A new thread, on its own engine stack. */
	void (*thread_start)(struct thread *t);
	/* Blocks translated so far, and the bytes that the code cache has in use. */
	void (*code_use)(uint64_t *blocks, uint64_t *bytes);
	/*
	 * Look at the accesses that wait in the thread's buffer, which is in the stream variant; it
	 * may be called to change variants.
	 */
	void (*look_at_accesses)(struct thread *t);
};

extern struct upward upward;

_Static_assert(offsetof(struct upward, dispatch) == UPWARD_DISPATCH, "layout");
_Static_assert(offsetof(struct upward, wait_and_dispatch) == UPWARD_WAIT_AND_DISPATCH, "layout");
_Static_assert(offsetof(struct upward, hook_called) == UPWARD_HOOK, "layout");
_Static_assert(offsetof(struct upward, thread_start) == UPWARD_THREAD_START, "layout");

#endif
#endif
