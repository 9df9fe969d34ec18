/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call paths of the target, by the call frame information of its modules. The
 * rule for a place in the code is found once and kept; code without any, such
 * as generated code, is tried with the frame pointer.
 */
#ifndef DWELL_ENGINE_UNWIND_H
#define DWELL_ENGINE_UNWIND_H

#include <stdint.h>

/*
 * The return addresses on the stack, the frame at pc's own first, at most `room` of them.
 * rsp and rbp are those of the frame at pc, which has called something (or has just made a
 * system call): its rule is that of the byte before. Returns how many there are: the walk
 * ends where the stack does, or where it makes no sense. No lock wanted.
 */
uint32_t unwind_path(uint64_t pc, uint64_t rsp, uint64_t rbp, uint64_t *path, uint32_t room);

/* Code went away: the rules kept may be wrong. */
void unwind_forget(void);

#endif
