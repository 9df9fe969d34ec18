/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits of address space and data (RLIMIT_AS, RLIMIT_DATA) that the program sets for itself. They
 * are for the program's memory alone: the kernel's soft limit is the program's plus what the engine
 * holds. The kernel's hard limit stays as it is, as what was lowered cannot be raised again.
 */
#ifndef DWELL_ENGINE_CORE_PROGRAM_LIMITS_H
#define DWELL_ENGINE_CORE_PROGRAM_LIMITS_H

#include <sys/resource.h>

#include "engine/core/state.h"

#define LIMIT_INFINITE UINT64_MAX

/*
 * The engine was refused as many bytes: true if the program's limit was the reason, and is out of
 * the way.
 */
bool program_limits_make_room(uint64_t bytes);
/* Is each limit there is one of the program's own, which the engine takes nothing of? */
bool program_limits_explain_refusal(void);

/*
 * Before an exec: no limit for the next engine, which gets the program's by its launch variables.
 */
void program_limits_lift(const struct process *p);
/* Before the exec of what runs without the engine. `hard`: the hard limits, too, for good. */
void program_limits_give(const struct process *p, bool hard);

/* For run/limit_calls.c: which limits these are, whether one was ever set, and the kernel's. */
extern const int program_limits_resources[LAUNCH_LIMITS];
extern bool program_limits_any;
bool program_limits_get(int i, struct rlimit *l);
long program_limits_set(int i, const struct rlimit *l);
uint64_t program_limits_sum(uint64_t limit, uint64_t bytes);

#endif
