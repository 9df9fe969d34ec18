/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program's calls that set and get its memory limits, and the limits' effect. */
#ifndef DWELL_ENGINE_RUN_SYSCALLS_LIMIT_CALLS_H
#define DWELL_ENGINE_RUN_SYSCALLS_LIMIT_CALLS_H

#include "engine/core/program_limits.h"

/* The handler of setrlimit, getrlimit and prlimit64. */
long limit_calls_handle(struct thread *t, long nr, const long a[6]);

/*
 * The program was refused memory: adjust the kernel's limits to the engine's current memory. True:
 * one was raised, so the call may succeed now.
 */
bool limit_calls_settle(struct thread *t);
/* Is it a call that such a limit refuses? */
bool limit_calls_may_help(long nr);
/* A new program begins under the previous one's limits. */
void limit_calls_begin(struct thread *t, const struct launch_limit limits[LAUNCH_LIMITS]);

#endif
