/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine's memory lies in the program's address space, where natively is nothing. Calls of the
 * program that name a range are to find nothing there, too: else a range that goes past the
 * program's own mappings takes the engine away.
 *
 * Nobody keeps a list of the engine's mappings. What is mapped and not the program's is the
 * engine's; the kernel is asked only for ranges that the program has not mapped all of.
 */
#ifndef DWELL_ENGINE_RUN_OWN_MEMORY_H
#define DWELL_ENGINE_RUN_OWN_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct own_memory {
	uint64_t start, end;
};

/*
 * The first part of [start, end) that is the engine's. False: there is none, or it is not known, as
 * without /proc. The translate lock is held.
 */
bool own_memory_in(uint64_t start, uint64_t end, struct own_memory *part);

#endif
