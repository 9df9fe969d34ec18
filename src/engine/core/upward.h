/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of the rooms above that this room calls; set at the start (run/start.c). Any other room
 * with calls upward has a table of its own, in the header that it belongs to.
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
	/* A thread has left the code cache or enters it; both set t->next to where it continues. */
	void (*dispatch)(struct thread *t);
	void (*wait_and_dispatch)(struct thread *t);
	/* Translated code calls the engine at a hook. */
	void (*hook_called)(struct thread *t, const struct hook_frame *f, uint64_t rbp);
	/* Run a new thread, on its own engine stack. */
	void (*thread_start)(struct thread *t);
	/* Blocks translated so far, and the bytes in use in the code cache. */
	void (*code_use)(uint64_t *blocks, uint64_t *bytes);
	/*
	 * Consume the accesses in the buffer of a thread in the stream variant; this may call the
	 * thread to change variants.
	 */
	void (*look_at_accesses)(struct thread *t);
	/*
	 * Find the data structures of the filter variant's noted misses in [start, end), which is
	 * about to get another owner. before_call: not of those since allocation_begins.
	 */
	void (*look_at_misses)(uint64_t start, uint64_t end, bool before_call);
	/*
	 * A call that allocates a block begins in the filter variant; has returned, with a block of
	 * so many bytes at start, which is known by now. bytes: 0 if it has failed.
	 */
	void (*allocation_begins)(void);
	void (*allocation_returns)(uint64_t start, uint64_t bytes);
	/* Memory in [start, end) has just got another owner. */
	void (*forget_owners)(uint64_t start, uint64_t end);
};

extern struct upward upward;

_Static_assert(offsetof(struct upward, dispatch) == UPWARD_DISPATCH, "layout");
_Static_assert(offsetof(struct upward, wait_and_dispatch) == UPWARD_WAIT_AND_DISPATCH, "layout");
_Static_assert(offsetof(struct upward, hook_called) == UPWARD_HOOK, "layout");
_Static_assert(offsetof(struct upward, thread_start) == UPWARD_THREAD_START, "layout");

#endif
#endif
