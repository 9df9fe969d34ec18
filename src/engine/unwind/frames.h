/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames of a call stack, kept from one walk to the next. Successive walks mostly begin a few
 * calls apart: a walk ends where it meets a frame of the last one, if all callers of that frame are
 * still on the stack.
 */
#ifndef DWELL_ENGINE_UNWIND_FRAMES_H
#define DWELL_ENGINE_UNWIND_FRAMES_H

#include <stdint.h>

#include "engine/unwind/unwind.h"

#define FRAMES_MOST 256u /* kept; of deeper stacks only the innermost */

/* Laid out for engine_same. */
struct call_frame {
	uint64_t slot; /* where the return address lies */
	uint64_t back; /* the return address */
};

struct frames {
	uint32_t depth;
	struct call_frame frame[FRAMES_MOST]; /* the innermost last; slots fall */
	/* Of the function that each returns to: rbp, and whether the outer walk depends on it. */
	uint64_t rbp[FRAMES_MOST];
	bool needs_rbp[FRAMES_MOST];
	/* The saved values of needed rbp in this and outer frames, by place; outermost first. */
	uint16_t saved_count[FRAMES_MOST];
	struct call_frame saved[FRAMES_MOST];
};

/* The number of the first `depth` frames that are not below slot: the others are gone. */
uint32_t frames_not_below(const struct frames *f, uint32_t depth, uint64_t slot);

/* Add a frame, called from the innermost one. */
void frames_push(struct frames *f, uint64_t slot, uint64_t back);

/*
 * Walk from `w`, in the function at w.pc, and set the frames to those of its stack. If is_frame,
 * w.pc is a return address just below w.rsp, and that is the first frame. Returns how many of the
 * outermost frames have not changed.
 */
uint32_t frames_walk(struct frames *f, struct unwind_walk w, bool is_frame);

#endif
