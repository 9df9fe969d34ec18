/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames kept from walk to walk; see frames.h. */
#include "engine/unwind/frames.h"

#include "engine/core/state.h"
#include "engine/core/util.h"

#define MOST_FOUND 128u /* by one walk */
/*
 * Only this many innermost frames are compared with memory. A change farther out goes unnoticed:
 * the thread has then returned through all compared frames, and called the same functions again.
 */
#define MOST_COMPARED 64u

uint32_t frames_not_below(const struct frames *f, uint32_t depth, uint64_t slot)
{
	while (depth && f->frame[depth - 1].slot < slot)
		depth--;
	return depth;
}

static bool are_same(const struct call_frame *end, uint32_t n)
{
	if (n > MOST_COMPARED)
		n = MOST_COMPARED;
	return n == 0 || engine_same((const uint64_t(*)[2])(const void *)(end - n), n) == 0;
}

/*
 * Is the frame that the walk has found the innermost of the first `depth`, and are its callers, up
 * to MOST_COMPARED, unchanged? Then assume that the rest of the walk would find the same frames.
 */
static bool joins(const struct frames *f, uint32_t depth, const struct unwind_walk *w)
{
	const uint32_t last = depth ? depth - 1 : 0;

	return depth > 1 && f->frame[last].slot == w->rsp - 8 && f->frame[last].back == w->pc &&
	       (f->rbp[last] == w->rbp || !f->needs_rbp[last]) &&
	       are_same(f->frame + depth, depth) &&
	       are_same(f->saved + f->saved_count[last], f->saved_count[last]);
}

/* Drop the outer half of the frames, and the rbp values that they saved. */
static void drop_outer(struct frames *f)
{
	const uint32_t n = f->depth / 2, saved = f->saved_count[n - 1];

	f->depth -= n;
	memmove(f->frame, f->frame + n, f->depth * sizeof f->frame[0]);
	memmove(f->rbp, f->rbp + n, f->depth * sizeof f->rbp[0]);
	memmove(f->needs_rbp, f->needs_rbp + n, f->depth * sizeof f->needs_rbp[0]);
	for (uint32_t i = 0; i < f->depth; i++)
		f->saved_count[i] = (uint16_t)(f->saved_count[i + n] - saved);
	memmove(f->saved, f->saved + saved, f->saved_count[f->depth - 1] * sizeof f->saved[0]);
}

void frames_push(struct frames *f, uint64_t slot, uint64_t back)
{
	uint32_t i;

	if (f->depth == FRAMES_MOST)
		drop_outer(f);
	i = f->depth++;
	f->frame[i] = (struct call_frame){slot, back};
	f->rbp[i] = 0;
	f->needs_rbp[i] = false;
	f->saved_count[i] = i ? f->saved_count[i - 1] : 0;
}

/* Add the frame found, called from the innermost one; `next`: the walk's next, outer frame. */
static void push_found(struct frames *f, const struct unwind_walk *w,
		       const struct unwind_walk *next)
{
	const bool is_outer_in_need = f->depth && f->needs_rbp[f->depth - 1];
	const bool loads = next && next->rbp_at != w->rbp_at;
	uint32_t i;

	frames_push(f, w->rsp - 8, w->pc);
	i = f->depth - 1;
	f->rbp[i] = w->rbp;
	f->needs_rbp[i] = unwind_needs_rbp(w->pc) || (is_outer_in_need && !loads);
	if (is_outer_in_need && loads)
		f->saved[f->saved_count[i]++] = (struct call_frame){next->rbp_at, next->rbp};
}

/*
 * Append the `n` found to the first `depth` frames; `joint`: the innermost of these, as this walk
 * found it. Returns the number of frames that keep their place.
 */
static uint32_t append(struct frames *f, uint32_t depth, const struct unwind_walk *found,
		       uint32_t n, const struct unwind_walk *joint)
{
	const struct unwind_walk *next = joint;
	const bool all_stay = depth + n <= FRAMES_MOST;

	f->depth = depth;
	while (n-- > 0) {
		push_found(f, &found[n], next);
		next = &found[n];
	}
	return all_stay ? depth : 0;
}

uint32_t frames_walk(struct frames *f, struct unwind_walk w, bool is_frame)
{
	struct unwind_walk found[MOST_FOUND];
	uint32_t depth = f->depth, n = 0;

	for (bool more = true; more; is_frame = true) {
		if (is_frame) {
			depth = frames_not_below(f, depth, w.rsp - 8);
			if (joins(f, depth, &w))
				return append(f, depth, found, n, &w);
			found[n++] = w;
		}
		more = n < MOST_FOUND && unwind_step(&w);
	}
	return append(f, 0, found, n, 0);
}
