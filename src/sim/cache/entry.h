/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entry of a cache: the number of a line, and flags. No other file knows where the bits are.
 *
 *	bit 63                            8 7      4 3    2 1            0
 *	| low 56 bits of the line's number | unused | rrpv | prefetched | dirty |
 *
 * A free place is an entry of ones. Lines are at least 16 bytes long, so an entry tells apart all
 * addresses below 2^60. Assembly code uses the constants, too.
 */
#ifndef DWELL_SIM_CACHE_ENTRY_H
#define DWELL_SIM_CACHE_ENTRY_H

#define SIM_ENTRY_FLAG_BITS 8 /* at least 4; more bits leave fewer for the line's number */
#define SIM_DIRTY	    1
#define SIM_PREFETCHED	    2 /* brought by a prefetcher, and not used since */

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/geometry.h"

#define SIM_NO_LINE UINT64_MAX /* no line, or no entry */

/* For SRRIP: the expected time until the next use. */
#define SIM_RRPV_SHIFT 2
#define SIM_RRPV_MAX   3u

#define SIM_ENTRY_FLAGS	       ((1u << SIM_ENTRY_FLAG_BITS) - 1)
#define SIM_ENTRY_LINES	       (UINT64_MAX >> SIM_ENTRY_FLAG_BITS) /* of a number, what is kept */
#define SIM_ENTRY_ADDRESS_BITS (64 - SIM_ENTRY_FLAG_BITS + 4)

_Static_assert(SIM_MIN_LINE == 1u << 4, "the shortest line says how many bits an address has");
_Static_assert(SIM_RRPV_MAX << SIM_RRPV_SHIFT <= SIM_ENTRY_FLAGS, "there is room for all flags");

static inline uint64_t sim_entry_of(uint64_t line, unsigned flags)
{
	return line << SIM_ENTRY_FLAG_BITS | flags;
}

static inline uint64_t sim_entry_line(uint64_t entry)
{
	return entry >> SIM_ENTRY_FLAG_BITS;
}

/* Not valid for a free place and the highest line number. */
static inline bool sim_entry_is(uint64_t entry, uint64_t line)
{
	return (entry ^ sim_entry_of(line, 0)) <= SIM_ENTRY_FLAGS;
}

/* Tell whether it has any of the flags. */
static inline bool sim_entry_has(uint64_t entry, unsigned flags)
{
	return (entry & flags) != 0;
}

static inline unsigned sim_entry_rrpv(uint64_t entry)
{
	return entry >> SIM_RRPV_SHIFT & SIM_RRPV_MAX;
}

/* The entry, expected back `steps` later; the sum must not exceed SIM_RRPV_MAX. */
static inline uint64_t sim_entry_later(uint64_t entry, unsigned steps)
{
	return entry + ((uint64_t)steps << SIM_RRPV_SHIFT);
}

/* The entry after a use with these flags: no longer prefetched, and expected back soon. */
static inline uint64_t sim_entry_used(uint64_t entry, unsigned flags)
{
	return (entry & ~(uint64_t)(SIM_PREFETCHED | SIM_RRPV_MAX << SIM_RRPV_SHIFT)) | flags;
}

#endif
#endif
