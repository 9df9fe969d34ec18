/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call paths of samples: each distinct path has a number in its process, and is sent to the
 * collector once. The caller holds the lock of collect.h.
 */
#ifndef DWELL_ENGINE_UNWIND_PATHS_H
#define DWELL_ENGINE_UNWIND_PATHS_H

#include "engine/core/state.h"

/* Set up, if the run records paths. Out of memory: config.paths becomes 0. */
void paths_init(void);

/*
 * Choose whether t's samples of this window get paths: one window in config.paths does, and each of
 * the first ones, which are all that a short run has.
 */
void paths_choose(struct thread *t, uint32_t window);

/*
 * The number of the path to the access at pc that t's call stack is at (call_stack.h), sent to the
 * collector if new. 0: unknown. When there are too many paths, only its innermost calls count.
 */
uint32_t paths_number(struct thread *t, uint64_t pc);

/* In a forked child: no path has been sent. */
void paths_forked(void);

#endif
