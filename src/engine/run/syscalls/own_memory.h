/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine's memory lies in the program's address space. Natively nothing is there, and calls
 * that name a range must find nothing there. Else a range beyond the program's mappings would
 * remove the engine.
 *
 * A mapping that is not the program's is the engine's. The kernel is asked for its list when a
 * range has a hole, and the engine has mapped something since it was asked last.
 */
#ifndef DWELL_ENGINE_RUN_SYSCALLS_OWN_MEMORY_H
#define DWELL_ENGINE_RUN_SYSCALLS_OWN_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct own_memory {
	uint64_t start, end;
};

/*
 * The first part of [start, end) that is the engine's. False: none, or unknown, as without /proc.
 * The translate lock is held.
 */
bool own_memory_in(uint64_t start, uint64_t end, struct own_memory *part);

#endif
