/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames of a stack of calls, kept from one walk to the next. Walks begin a few calls apart,
 * mostly: a walk ends where it meets a frame of the one before, when all that it was called by is
 * still there.
 */
#ifndef DWELL_ENGINE_UNWIND_FRAMES_H
#define DWELL_ENGINE_UNWIND_FRAMES_H

#include <stdint.h>

#include "engine/unwind/unwind.h"

#define FRAMES_MOST 256u /* kept; of deeper stacks, the innermost */

/* As engine_same wants them. */
struct call_frame {
	uint64_t slot; /* where the return address stands */
	uint64_t back; /* what it is */
};

struct frames {
	uint32_t depth;
	struct call_frame frame[FRAMES_MOST]; /* the innermost last; slots fall */
	/* Of whom each returns to: rbp, and whether the way farther out depends on it. */
	uint64_t rbp[FRAMES_MOST];
	bool needs_rbp[FRAMES_MOST];
	/*
	 * What this and outer frames have saved of such rbp, by its place and the outermost first.
	 */
	uint16_t saved_count[FRAMES_MOST];
	struct call_frame saved[FRAMES_MOST];
};

/* Frames of the first `depth` that are not below slot: the others are there no longer. */
uint32_t frames_not_below(const struct frames *f, uint32_t depth, uint64_t slot);

/* A frame that was called by the innermost one. */
void frames_push(struct frames *f, uint64_t slot, uint64_t back);

/*
 * Walk from `w`, in the function at w.pc, and make the frames those of its stack. The frame of the
 * function that w.pc returns to is the first one, if is_frame: its return address, w.pc, stands
 * below w.rsp. Returns how many of the outermost frames are those of before.
 */
uint32_t frames_walk(struct frames *f, struct unwind_walk w, bool is_frame);

#endif
