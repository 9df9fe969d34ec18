/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits of address space and data (RLIMIT_AS, RLIMIT_DATA) that the program sets for itself. They
 * apply to the program's memory alone: the kernel's soft limit is the program's limit plus the
 * engine's memory. The kernel's hard limit is unchanged, because it can never be raised again.
 */
#ifndef DWELL_ENGINE_CORE_PROGRAM_LIMITS_H
#define DWELL_ENGINE_CORE_PROGRAM_LIMITS_H

#include <sys/resource.h>

#include "engine/core/state.h"

#define LIMIT_INFINITE UINT64_MAX

/*
 * The engine was refused `bytes`: if the program's limit is the reason, raise the kernel's. Returns
 * whether it was raised.
 */
bool program_limits_make_room(uint64_t bytes);
/* Did the program itself set every limit in force, none of which counts the engine's memory? */
bool program_limits_explain_refusal(void);

/*
 * Before an exec: raise the kernel's soft limits to the hard ones. The next engine gets the
 * program's limits by its launch variables.
 */
void program_limits_lift(const struct process *p);
/* Before an exec without the engine: set the program's limits. `hard`: the hard ones, too. */
void program_limits_give(const struct process *p, bool hard);

/* For run/limit_calls.c: the resources, whether a limit was ever set, and the kernel's limits. */
extern const int program_limits_resources[LAUNCH_LIMITS];
extern bool program_limits_any;
bool program_limits_get(int i, struct rlimit *l);
long program_limits_set(int i, const struct rlimit *l);
uint64_t program_limits_sum(uint64_t limit, uint64_t bytes);

#endif
