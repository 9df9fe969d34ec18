/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call paths of samples: each different one has a number in its process, and is told to the
 * collector once. The caller holds the lock of collect.h.
 */
#ifndef DWELL_ENGINE_UNWIND_PATHS_H
#define DWELL_ENGINE_UNWIND_PATHS_H

#include "engine/core/state.h"

/* Paths are wanted. Without memory for them they are not any more. */
void paths_init(void);

/*
 * The number of the path to the access at pc that t's call stack is at (call_stack.h), told to the
 * collector. 0: it is not known. When there are too many, that of its innermost calls.
 */
uint32_t paths_number(struct thread *t, uint64_t pc);

/* A forked child has told nothing. */
void paths_forked(void);

#endif
