/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the engine's own memory lies. The engine shares the program's address space, so it avoids
 * the addresses that programs choose for themselves. Known users:
 *
 *   0x000000010000 - 0x68000000      Wine; programs linked to fixed addresses, and their heap;
 *                                    Valgrind at 0x58000000; SBCL at 0x50000000; MAP_32BIT, from
 *                                    0x40000000 up
 *   0x00007b000000 - 0x7ffffffff     Wine's libraries, its loader, its shared page; ASan's shadow
 *                                    from 0x7fff7000 up
 *   0x000080000000 - 0x600000000000  shadows of ASan, TSan, MSan and DFSan; Java's heap, three
 *                                    times with ZGC, from 0x040000000000 up; Go from 0xc000000000;
 *                                    Valgrind's memory from 0x1000000000; PIE
 *   0x600000000000 - 0x7d0000000000  heaps of sanitizers
 *   the stack's 32 MB                Wine
 *
 * Two places remain: a gap below 0x7b000000, and the addresses below the stack, where all tools
 * tolerate libraries. The engine uses:
 *
 *   0x00006e000000  tables that code reads by 32-bit addresses (addresses_map_low)
 *   0x00006fe00000  the arena of programs linked to low addresses (cache.c)
 *   where the kernel puts mappings: the engine, its arena beside the program's modules, memory of
 *                   threads, the channel
 *   64 GB below:    memory that is reserved and hardly used (grow_init)
 *
 * A simulation also has the tables of the filter variant: 24 TB from 0x60000000 up (filter.h). Its
 * low arena lies below them. A program that asks for these addresses gets them: the tables move,
 * but for those below LOW_TABLES, without which the simulation continues without the filter.
 */
#ifndef DWELL_ENGINE_CORE_ADDRESSES_H
#define DWELL_ENGINE_CORE_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

#define LOW_TABLES     0x6e000000ul
#define LOW_TABLES_END 0x6fe00000ul
#define LOW_ARENA      LOW_TABLES_END
/* The low arena of a simulation. */
#define LOW_ARENA_BELOW_FILTER 0x48000000ul

/*
 * Map zeroed memory below 2 GB at a multiple of `align`. `flags`: MAP_PRIVATE, MAP_SHARED,
 * MAP_POPULATE, MAP_NORESERVE. Returns NULL if there is none. Called under the translate lock or
 * at the start; the memory is never unmapped.
 */
void *addresses_map_low(uint64_t bytes, uint64_t align, int flags);

/*
 * An address hint for a large reserve, away from all other mappings; the kernel may choose another
 * address. Called at the start, or under a lock of the caller's.
 */
uint64_t addresses_of_reserve(uint64_t bytes);

/* Does [start, end) overlap one of the low tables? */
bool addresses_have_tables(uint64_t start, uint64_t end);

#endif
