/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of calls; see call_stack.h. */
#include "engine/call_stack.h"

#include "engine/translate.h"
#include "engine/unwind.h"
#include "engine/util.h"
#include "engine/watches.h"

#define WALK_FRAMES 64u
/* Farther apart than frames are: it is another stack. */
#define FRAME_MOST (256ull << 10)

struct call_stack *call_stack_of(const struct thread *t)
{
	/* Of a thread whose buffer is parked others may take the watches. */
	return t->buf_memory && t->watches && t->gear == GEAR_STREAM ? t->watches->calls : 0;
}

void call_stack_break(struct thread *t)
{
	struct call_stack *s = call_stack_of(t);

	if (s)
		s->due = true;
}

/* ---- Walking ---- */

/* Frames of before, from number `depth` on, that are there no longer. */
static uint32_t drop_below(const struct call_stack *s, uint32_t depth, uint64_t slot)
{
	while (depth && s->frame[depth - 1].slot < slot)
		depth--;
	return depth;
}

/*
 * Is the frame known from before, and all it was called by still there? Then the rest of the walk
 * would find the same. `depth`: frames of before that are not below it.
 */
static bool joins(const struct call_stack *s, uint32_t depth, const struct call_frame *f)
{
	const struct call_frame *last = &s->frame[depth ? depth - 1 : 0];

	return depth > 1 && last->slot == f->slot && last->back == f->back &&
	       engine_same((const uint64_t(*)[2])(const void *)s->frame, depth) == 0;
}

/* Walk from a frame whose caller's registers these are; the frames found so far are in `found`. */
static void walk(struct call_stack *s, struct unwind_walk *w, struct call_frame *found, uint32_t n)
{
	uint32_t depth = s->depth;

	for (;;) {
		if (n) {
			depth = drop_below(s, depth, found[n - 1].slot);
			if (joins(s, depth, &found[n - 1]))
				break;
		}
		if (n == WALK_FRAMES || !unwind_step(w)) {
			depth = 1;
			break;
		}
		found[n++] = (struct call_frame){ w->rsp - 8, w->pc };
	}
	depth--; /* the frame that joins is in both */
	if (depth + n > CALL_STACK_FRAMES) {
		uint32_t outer = depth + n - CALL_STACK_FRAMES;

		depth -= outer;
		memmove(s->frame, s->frame + outer, depth * sizeof s->frame[0]);
	}
	while (n)
		s->frame[depth++] = found[--n];
	s->depth = depth;
	s->due = false;
}

void call_stack_at(struct thread *t, uint64_t pc, uint64_t rsp, uint64_t rbp)
{
	struct call_stack *s = call_stack_of(t);
	struct call_frame found[WALK_FRAMES];
	/* The walk takes the rule of the byte before: here no call has been made. */
	struct unwind_walk w = { pc + 1, rsp, rbp };

	if (!s)
		return;
	walk(s, &w, found, 0);
	s->known = t->buf_start;
}

void call_stack_at_entry(struct thread *t, uint64_t rsp, uint64_t rbp)
{
	struct call_stack *s = call_stack_of(t);
	struct call_frame found[WALK_FRAMES];
	struct unwind_walk w = { 0, rsp + 8, rbp };

	if (!s)
		return;
	if (engine_peek(&w.pc, (const void *)(uintptr_t)rsp) != 0) {
		s->depth = 0;
		s->due = false;
	} else {
		found[0] = (struct call_frame){ rsp, w.pc };
		walk(s, &w, found, 1);
	}
	s->known = t->buf_start;
}

void call_stack_enter(struct thread *t)
{
	const struct call_stack *s = call_stack_of(t);

	if (s && s->due)
		call_stack_at(t, t->rip, t->regs[RSP], t->regs[RBP]);
}

/* ---- Going through the buffer ---- */

/* The stack is used at `slot`: frames below are gone, and all when it is another stack. */
static void use(struct call_stack *s, uint64_t slot)
{
	s->depth = drop_below(s, s->depth, slot);
	if (s->depth && s->frame[s->depth - 1].slot - slot > FRAME_MOST)
		s->depth = 0;
	if (s->depth && s->frame[s->depth - 1].slot == slot)
		s->depth--;
}

static void called(struct call_stack *s, uint64_t slot, uint64_t back)
{
	use(s, slot);
	if (s->depth == CALL_STACK_FRAMES) {
		s->depth = CALL_STACK_FRAMES / 2;
		memmove(s->frame, s->frame + s->depth, s->depth * sizeof s->frame[0]);
	}
	s->frame[s->depth++] = (struct call_frame){ slot, back };
}

/* Most of the price of paths is this loop: 2 to 4 % of what recording takes. */
static const uint64_t *next_call(const uint64_t *p, const uint64_t *end)
{
	for (; p + 4 <= end; p += 4) {
		if (p[0] >= STREAM_LEAST_CALL)
			return p;
		if (p[1] >= STREAM_LEAST_CALL)
			return p + 1;
		if (p[2] >= STREAM_LEAST_CALL)
			return p + 2;
		if (p[3] >= STREAM_LEAST_CALL)
			return p + 3;
	}
	while (p < end && *p < STREAM_LEAST_CALL)
		p++;
	return p;
}

static void go_on_to(struct call_stack *s, const uint64_t *entry)
{
	const uint64_t *p = s->known;

	for (; (p = next_call(p, entry)) < entry; p++) {
		uint64_t back = translate_desc((uint32_t)*p & STREAM_NUMBER_MASK)->back;

		if (back)
			called(s, p[-1], back);
		else
			use(s, p[-1]);
	}
	s->known = p;
}

uint32_t call_stack_path(struct thread *t, uint64_t pc, uint64_t *path, uint32_t room)
{
	struct call_stack *s = call_stack_of(t);
	uint32_t n;

	if (!s || (s->due && s->entry))
		return 0;
	if (s->due)
		call_stack_at(t, pc, t->regs[RSP], t->regs[RBP]);
	if (s->entry)
		go_on_to(s, s->entry);
	for (n = 0; n < room && n < s->depth; n++)
		path[n] = s->frame[s->depth - 1 - n].back;
	return n;
}
