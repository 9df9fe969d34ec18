/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of calls; see call_stack.h. */
#include "engine/unwind/call_stack.h"

#include "engine/core/util.h"
#include "engine/translate/translate.h"

/* Bytes: frames farther apart than this lie on different stacks. */
#define FRAME_MOST (256ull << 10)

/* The thread's stack, or NULL if its paths are not recorded. */
static struct call_stack *stack_of(const struct thread *t)
{
	/* a thread that has returned its buffer may have lost its watches to another */
	return t->buf_memory && t->variant == VARIANT_STREAM ? t->call_stack : 0;
}

void call_stack_break(struct thread *t)
{
	struct call_stack *s = stack_of(t);

	if (s)
		s->due = true;
}

/* ---- Walking ---- */

static void walk(struct thread *t, struct call_stack *s, struct unwind_walk w, bool is_frame)
{
	frames_walk(&s->frames, w, is_frame);
	s->due = false;
	s->known = t->buf_start;
}

void call_stack_at(struct thread *t, uint64_t pc, uint64_t rsp, uint64_t rbp)
{
	struct call_stack *s = stack_of(t);

	/* The walk uses the rule of the byte before pc, but here no call has been made. */
	if (s)
		walk(t, s, (struct unwind_walk){pc + 1, rsp, rbp, 0}, false);
}

void call_stack_at_entry(struct thread *t, uint64_t rsp, uint64_t rbp)
{
	struct call_stack *s = stack_of(t);
	struct unwind_walk w = {0, rsp + 8, rbp, 0};

	if (!s)
		return;
	if (engine_peek(&w.pc, (const void *)(uintptr_t)rsp) == 0) {
		walk(t, s, w, true);
		return;
	}
	s->frames.depth = 0;
	s->due = false;
	s->known = t->buf_start;
}

void call_stack_enter(struct thread *t)
{
	const struct call_stack *s = stack_of(t);

	if (s && s->due)
		call_stack_at(t, t->rip, t->regs[RSP], t->regs[RBP]);
}

/* ---- Going through the buffer ---- */

/* The stack is used at `slot`: drop the frames below, or all if it is another stack. */
static void use(struct frames *f, uint64_t slot)
{
	f->depth = frames_not_below(f, f->depth, slot);
	if (f->depth && f->frame[f->depth - 1].slot - slot > FRAME_MOST)
		f->depth = 0;
	if (f->depth && f->frame[f->depth - 1].slot == slot)
		f->depth--;
}

static void called(struct frames *f, uint64_t slot, uint64_t back)
{
	use(f, slot);
	frames_push(f, slot, back);
}

/* Most of the cost of paths is in this loop: 2 to 4 % of the time of recording. */
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
			called(&s->frames, p[-1], back);
		else
			use(&s->frames, p[-1]);
	}
	s->known = p;
}

uint32_t call_stack_path(struct thread *t, uint64_t pc, uint64_t *path, uint32_t room)
{
	struct call_stack *s = stack_of(t);
	uint32_t n;

	if (!s || (s->due && s->entry))
		return 0;
	if (s->due)
		call_stack_at(t, pc, t->regs[RSP], t->regs[RBP]);
	if (s->entry)
		go_on_to(s, s->entry);
	for (n = 0; n < room && n < s->frames.depth; n++)
		path[n] = s->frames.frame[s->frames.depth - 1 - n].back;
	return n;
}
