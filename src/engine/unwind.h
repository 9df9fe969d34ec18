/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call paths of the target, by the call frame information of its modules. The
 * rule for a place in the code is found once and kept; code without any, such
 * as generated code, is tried with the frame pointer.
 */
#ifndef DWELL_ENGINE_UNWIND_H
#define DWELL_ENGINE_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

/* What a step has read of the stack: as long as it is there, the step leads to the same frame. */
#define UNWIND_MOST_READS 3u
struct unwind_reads {
	uint32_t count;
	uint64_t read[UNWIND_MOST_READS][2]; /* address, value */
	uint32_t rbp;  /* number of the read that gave the caller's rbp, + 1; 0: the frame's own */
	bool uses_rbp; /* what was read, and where the next frame is, depends on the frame's rbp */
	bool failed;   /* something could not be read: it may be there next time */
};

/* Where a walk stands: in the frame at pc, which has called something, with its rsp and rbp. */
struct unwind_walk {
	uint64_t pc, rsp, rbp;
};

/* To the caller's frame; its return address stood at rsp - 8. False: the walk ends. No lock wanted. */
bool unwind_step(struct unwind_walk *w);
/* At most so many steps; the pc that each led to goes to the path. Returns how many were made. */
uint32_t unwind_steps(struct unwind_walk *w, uint64_t *path, uint32_t most);
/* One step; *reads holds what it read. */
bool unwind_step_noting(struct unwind_walk *w, struct unwind_reads *reads);

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
