/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who called whom, for accesses that are looked at when they are long over. A thread's stack is
 * walked when it begins to fill its stream buffer; from there on the buffer itself tells of
 * each call and each return, by the trailers of the segments that end in one (scan.h). So the
 * stack at any of its entries is known by going forward through the buffer, which is done only
 * as far as somebody asks.
 *
 * A frame is known by the place of its return address on the stack: whatever a call or return
 * finds at lower addresses is gone, however it was left (longjmp, exceptions). What cannot be
 * known, such as what lies beyond a change of stacks, is left out: a path is too short then.
 */
#ifndef DWELL_ENGINE_UNWIND_CALL_STACK_H
#define DWELL_ENGINE_UNWIND_CALL_STACK_H

#include "engine/core/state.h"
#include "engine/unwind/frames.h"

struct call_stack {
	bool due;	       /* the thread's stack may be another one: it is to be walked */
	const uint64_t *entry; /* of the buffer, being looked at; NULL: no entry, here and now */
	const uint64_t *known; /* calls and returns before this entry are in the frames */
	struct frames frames;
};

/* The thread's stack, if paths are wanted of it, else NULL. */
struct call_stack *call_stack_of(const struct thread *t);

/* The buffer is empty, or what comes next is not called by what came before. */
void call_stack_break(struct thread *t);
/* The thread goes on into the cache: t->rip and its registers are those of the program. */
void call_stack_enter(struct thread *t);
/* The same inside a hook: at pc with these registers, nothing of its instruction executed. */
void call_stack_at(struct thread *t, uint64_t pc, uint64_t rsp, uint64_t rbp);
/* The same at a function's first instruction: its return address stands at rsp. */
void call_stack_at_entry(struct thread *t, uint64_t rsp, uint64_t rbp);

/*
 * The return addresses at the entry being looked at, or here and now at pc, the innermost first:
 * at most `room`. Returns how many.
 */
uint32_t call_stack_path(struct thread *t, uint64_t pc, uint64_t *path, uint32_t room);

#endif
