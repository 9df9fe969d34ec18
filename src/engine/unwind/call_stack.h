/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call paths of buffered accesses, which the engine looks at later. A thread's stack is walked
 * when the thread begins to fill its stream buffer. After that the trailers of segments that end
 * in a call or return (scan.h) record each call and return. A scan forward through the buffer
 * gives the stack at any entry; it goes only as far as a caller asks.
 *
 * The place of its return address on the stack identifies a frame: at a call or return, all frames
 * at lower addresses are gone, however they ended (longjmp, exceptions). Unknown callers, as after
 * a change of stacks, are left out: then the path is too short.
 */
#ifndef DWELL_ENGINE_UNWIND_CALL_STACK_H
#define DWELL_ENGINE_UNWIND_CALL_STACK_H

#include "engine/core/state.h"
#include "engine/unwind/frames.h"

struct call_stack {
	bool due;	       /* the thread's stack may have changed: walk it again */
	bool is_left_out;      /* nobody asks for paths in this window */
	const uint64_t *entry; /* the entry of the buffer that is scanned; NULL: the present */
	const uint64_t *known; /* calls and returns before this entry are in the frames */
	struct frames frames;
};

/* The buffer is empty, or the code that runs next was not called from the code before. */
void call_stack_break(struct thread *t);
/* The thread is about to enter the cache: t->rip and t->regs hold the program's state. */
void call_stack_enter(struct thread *t);
/* The same inside a hook, just before the instruction at pc, with these registers. */
void call_stack_at(struct thread *t, uint64_t pc, uint64_t rsp, uint64_t rbp);
/* The same at a function's first instruction: the return address is at rsp. */
void call_stack_at_entry(struct thread *t, uint64_t rsp, uint64_t rbp);

/*
 * Write the return addresses at the scanned entry, or at pc in the present, to path: innermost
 * first, at most `room`. Returns their number.
 */
uint32_t call_stack_path(struct thread *t, uint64_t pc, uint64_t *path, uint32_t room);

#endif
