/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The use of lines of code, by executions of segments: a fetch of an instruction is a use of each
 * line that the instruction has a byte on. Each segment has a part on each of its lines, and each
 * line a list of its parts. How often the segment was executed since a part was looked at last says
 * how often the line was used. So code that hits does nothing more.
 *
 * A segment counts its execution at its beginning. So where C looks, the rest of the segment whose
 * code has come to C is to come still. It is owed: it counts when the code comes to C again, or was
 * cut.
 *
 * Under the lock of collect.h, and the translate lock where it is said.
 */
#ifndef DWELL_ENGINE_SIMULATE_USES_USES_CODE_H
#define DWELL_ENGINE_SIMULATE_USES_USES_CODE_H

#include <stdbool.h>
#include <stdint.h>

struct segment;

struct uses_of_code {
	uint64_t uses, touched;
};

/* Called once. False: no address space. */
bool uses_code_start(void);
/* A new segment that has a counter. Under the translate lock. False: no memory. */
bool uses_code_meet(struct segment *s);
/* All code is gone. Under the translate lock. */
void uses_code_forget(void);

/* Code of the segment has come to C, with so many instructions fetched; 0: no such segment. */
void uses_code_reach(const struct segment *s, uint32_t insns);
/*
 * A fault has ended its last execution behind so many instructions. Returns how many of it have
 * been counted: one more, perhaps.
 */
uint32_t uses_code_cut(const struct segment *s, uint32_t insns);
/* Its counter is about to become 0. */
void uses_code_counted(const struct segment *s);
/* An instruction that no counter counts was fetched. */
void uses_code_fetch(uint64_t pc, uint64_t last);

/* Count a use of the line less; false: all were taken. */
bool uses_code_uncount(uint64_t line);
/* The uses of the line since they were taken last. */
struct uses_of_code uses_code_take(uint64_t line);

/* The bit of a byte of a line. */
static inline uint32_t uses_bit_of(uint64_t byte)
{
	return (uint32_t)(8 * (byte % 8) + byte / 8 % 8);
}

#endif
