/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the engine's own memory lies. The program's address space has no room set aside for it, so
 * it lies where programs that choose addresses by themselves want nothing. Natively these are
 * taken:
 *
 *   0x000000010000 - 0x68000000 Wine; programs linked to fixed addresses, their heap; Valgrind at
 *   0x58000000;
 *                                  SBCL at 0x50000000; MAP_32BIT, from 0x40000000 up
 *   0x00007b000000 - 0x7ffffffff Wine's libraries, its loader, its shared page; ASan's shadow from
 *   0x7fff7000 up
 *   0x000080000000 - 0x600000000000 shadows of ASan, TSan, MSan and DFSan; Java's heap, with ZGC
 *   three times from
 *                                  0x040000000000 up; Go from 0xc000000000; Valgrind's memory from
 *                                  0x1000000000; PIE
 *   0x600000000000 - 0x7d0000000000  heaps of sanitizers
 *   the stack's 32 MB              Wine
 *
 * What stays is a gap below 0x7b000000, and what lies below the stack, where all tools bear
 * libraries:
 *
 *   0x00006e000000  tables that code reads by 32-bit addresses (addresses_map_low)
 *   0x00006fe00000  the arena of programs linked to low addresses (cache.c)
 *   where the kernel puts mappings: the engine, its arena beside the program's modules, memory of
 *   threads, the channel
 *   64 GB below these: what is reserved and hardly used (grow_init)
 *
 * A simulation has the tables of the filter variant, too: 24 TB from 0x60000000 up (filter.h), and
 * its low arena lies below. A program that wants these addresses gets them, and the simulation goes
 * on without the filter.
 */
#ifndef DWELL_ENGINE_CORE_ADDRESSES_H
#define DWELL_ENGINE_CORE_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

#define LOW_TABLES     0x6e000000ul
#define LOW_TABLES_END 0x6fe00000ul
#define LOW_ARENA      LOW_TABLES_END
/* Of simulations. */
#define LOW_ARENA_BELOW_FILTER 0x48000000ul

/*
 * Zeroed memory below 2 GB, aligned, mapped with these flags besides (MAP_PRIVATE, MAP_SHARED,
 * MAP_POPULATE, MAP_NORESERVE); NULL: there is none. Under the translate lock, or at the start. It
 * stays.
 */
void *addresses_map_low(uint64_t bytes, uint64_t align, int flags);

/*
 * Where a reserve goes, that nobody is to be near; a wish, not a promise. At the start, or under a
 * lock of the caller's.
 */
uint64_t addresses_of_reserve(uint64_t bytes);

/* Are any of the low tables there? */
bool addresses_have_tables(uint64_t start, uint64_t end);

#endif
