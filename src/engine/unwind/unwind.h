/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call paths of the target, by the call frame information of its modules. The
 * rule for a place in the code is found once and kept; code without any, such
 * as generated code, is tried with the frame pointer.
 */
#ifndef DWELL_ENGINE_UNWIND_UNWIND_H
#define DWELL_ENGINE_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

/* Where a walk stands: in the frame at pc, which has called something, with its rsp and rbp. */
struct unwind_walk {
	uint64_t pc, rsp, rbp;
	uint64_t rbp_at; /* where rbp was read; 0: nowhere, it is as the walk began with it */
};

/*
 * To the caller's frame; its return address stood at rsp - 8. False: the walk ends. No lock wanted.
 */
bool unwind_step(struct unwind_walk *w);
/* Is the frame at pc found by rbp? */
bool unwind_needs_rbp(uint64_t pc);

/*
 * The return addresses on the stack, the frame at pc's own first, at most `room` of them.
 * rsp and rbp are those of the frame at pc, which has called something (or has just made a
 * system call): its rule is that of the byte before. Returns how many there are: the walk
 * ends where the stack does, or where it makes no sense. No lock wanted.
 */
uint32_t unwind_path(uint64_t pc, uint64_t rsp, uint64_t rbp, uint64_t *path, uint32_t room);

/* Code went away: the rules kept may be wrong, and walks may lead elsewhere. */
void unwind_forget(void);
/* How often that has happened. */
uint32_t unwind_generation(void);

#endif
