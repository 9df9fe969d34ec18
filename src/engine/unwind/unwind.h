/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call paths of the target, by the call frame information of its modules. The
 * rule for a place in the code is found once and kept. Code without frame
 * information, like made code, is tried with the frame pointer.
 */
#ifndef DWELL_ENGINE_UNWIND_UNWIND_H
#define DWELL_ENGINE_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

/* The position of a walk: the frame at pc, which has made a call, with its rsp and rbp. */
struct unwind_walk {
	uint64_t pc, rsp, rbp;
	uint64_t rbp_at; /* where rbp was loaded from; 0: it is unchanged since the walk began */
};

/*
 * Step to the caller's frame; its return address is at w->rsp - 8. False: the walk ends. Needs no
 * lock.
 */
bool unwind_step(struct unwind_walk *w);
/* Does the rule for the frame at pc use rbp? */
bool unwind_needs_rbp(uint64_t pc);

/*
 * Write the return addresses on the stack to path, innermost first, at most `room`. rsp and rbp are
 * those of the frame at pc, which has just made a call or system call: the rule is that of the byte
 * before pc. Returns their number: the walk ends where the stack does, or where it is damaged.
 * Needs no lock.
 */
uint32_t unwind_path(uint64_t pc, uint64_t rsp, uint64_t rbp, uint64_t *path, uint32_t room);

/* Code was unmapped: forget the rules kept, since they may be wrong now. */
void unwind_forget(void);
/* The number of calls of unwind_forget so far. */
uint32_t unwind_generation(void);

#endif
