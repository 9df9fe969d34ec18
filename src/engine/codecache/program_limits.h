/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits of address space and data (RLIMIT_AS, RLIMIT_DATA) that the program sets for itself. They
 * are for the program's memory alone: the kernel's soft limit is the program's plus what the engine
 * holds. The kernel's hard limit stays as it is, as what was lowered cannot be raised again.
 */
#ifndef DWELL_ENGINE_CODECACHE_PROGRAM_LIMITS_H
#define DWELL_ENGINE_CODECACHE_PROGRAM_LIMITS_H

#include "engine/core/state.h"

/* The handler of setrlimit, getrlimit and prlimit64. */
long program_limits_call(struct thread *t, long nr, const long a[6]);

/* The program was refused memory: true if that was for what the engine has taken meanwhile. */
bool program_limits_settle(struct thread *t);
/*
 * The engine was refused as many bytes: true if the program's limit was the reason, and is out of
 * the way.
 */
bool program_limits_make_room(uint64_t bytes);
/* Is each limit there is one of the program's own, which the engine takes nothing of? */
bool program_limits_explain_refusal(void);

/* A new program begins under the limits of the one before. */
void program_limits_begin(struct thread *t, const struct launch_limit limits[LAUNCH_LIMITS]);
/*
 * Before an exec: no limit for the next engine, which gets the program's by its launch variables.
 */
void program_limits_lift(const struct process *p);
/* Before the exec of what runs without the engine. `hard`: the hard limits, too, for good. */
void program_limits_give(const struct process *p, bool hard);

#endif
