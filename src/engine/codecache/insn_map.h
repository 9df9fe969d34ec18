/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where each instruction of a block lies, for faults and for threads that come back in its middle.
 * Each translated instruction has an entry, and few are ever read: so entries are packed, to about
 * 8 bytes.
 */
#ifndef DWELL_ENGINE_CODECACHE_INSN_MAP_H
#define DWELL_ENGINE_CODECACHE_INSN_MAP_H

#include <stdint.h>

#include "engine/codecache/deferred.h"

#define MAX_INSNS 96 /* of a block */

/* Scratch registers hold engine values there. */
struct insn_at {
	uint16_t code;	  /* offset of its copy from the block's start */
	uint16_t source;  /* offset of its pc from the block's */
	uint8_t scratch2; /* register + 1 whose target value is in spill2, 0 none */
	uint8_t scratch3; /* the same for spill3 */
	uint8_t flags;	  /* INSN_AT_* */
	uint8_t length;	  /* of the instruction, for traps */
	uint8_t scratch4; /* the same for spill4 */
	uint8_t loads, stores, modifies;
	uint8_t stream_entries; /* of its segment, appended before it runs */
	/* Of a segment's first instruction: */
	uint8_t borrows2; /* register + 1 that the segment borrows with spill2, 0 none */
	uint8_t borrows3; /* the same with spill3 */
	uint8_t unused;
	uint16_t begin;		  /* offset of the segment's code */
	uint16_t unused_2;	  /* all bytes have names, so that they are all copied */
	uint32_t segment;	  /* in the filter variant: its number */
	struct deferred deferred; /* in the count variant: where the segment begins */
	struct deferred left;	  /* the same: behind it */
};

_Static_assert(sizeof(struct insn_at) == 32, "no byte without a name");

enum {
	INSN_AT_SEGMENT = 1,	/* first instruction of a counted segment */
	INSN_AT_RCX_SPILL0 = 2, /* rcx is in spill0 */
	INSN_AT_APP31 = 4,	/* zmm31 holds the target's value, the counters are in memory */
	INSN_AT_STREAM = 8,	/* the segment appends to the stream buffer */
	INSN_AT_HALF =
		32, /* ymm15 holds the target's value but for its upper half, which is in memory */
	INSN_AT_END = 16,    /* the last instruction of a segment that has appended */
	INSN_AT_REPEAT = 64, /* in simulations: one instruction that stores, see fault.c */
};

/* Of a block, unpacked. */
struct insn_map {
	uint32_t insns;
	struct insn_at at[MAX_INSNS];
};

/*
 * The largest size of a packed instruction: a bit for each word, one for each byte, and the bytes.
 */
#define INSN_AT_BITS   ((sizeof(struct insn_at) + 7) / 8)
#define INSN_MAP_BYTES (MAX_INSNS * (1 + INSN_AT_BITS + sizeof(struct insn_at)))

/* `to` has room for INSN_MAP_BYTES. Returns the number of bytes used. */
uint32_t insn_map_pack(uint8_t *to, const struct insn_at *at, uint32_t insns);

void insn_map_unpack(struct insn_map *map, const uint8_t *packed, uint32_t insns);

/*
 * The instruction whose copy holds offset `at` of the block, or NULL. Unpacks the block's map into
 * *map.
 */
const struct insn_at *insn_map_find(struct insn_map *map, const uint8_t *packed, uint32_t insns,
				    uint32_t at);

#endif
