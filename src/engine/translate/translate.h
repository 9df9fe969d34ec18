/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From target code to blocks in the code cache. */
#ifndef DWELL_ENGINE_TRANSLATE_TRANSLATE_H
#define DWELL_ENGINE_TRANSLATE_TRANSLATE_H

#include "engine/codecache/cache.h"

enum translate_result {
	TRANSLATE_OK,
	TRANSLATE_FULL,	  /* flush the cache, then again */
	TRANSLATE_UNMAPPED, /* pc is not readable, executable memory */
	TRANSLATE_NO_EXEC,  /* readable, but not executable */
	TRANSLATE_INVALID,  /* no instruction at pc */
	TRANSLATE_TOO_LONG, /* one of more than 15 bytes */
};

struct translate_options {
	/* How the indirect branch tables are indexed: 8 low bits (tests), 16, or 0: by pext. */
	uint8_t ib_bits;
	/* Entries of indirect branches check by `loop`, see cache_emit_ib_entry. */
	bool loop_checks;
	/* Branches must not touch the end of 32 bytes of code. */
	bool keeps_branches;
	/* Heads of loops begin at multiples of so many bytes; 0: anywhere. */
	uint32_t loop_align;
	/* Second tables of indirect branches, see cache.h; they want crc32. */
	bool second_tables;
	/* Segments may leave what they count to others, see owed.h; wants the vector counter. */
	bool owes;
	/* Short string instructions count themselves; wants BMI2. */
	bool quick_reps;
};
extern struct translate_options translate_options;

/*
 * Translate the code at pc for a gear; *result is the block. `entry`: the
 * kind of indirect branch that led here, or ENTRY_NONE. `owed`: by the direct branch that did. Wants the
 * translate lock; saves and restores the target's vector state by itself.
 */
enum translate_result translate(struct block **result, uint64_t pc, enum gear gear,
				enum entry entry, struct owed owed);

/* One access of a stream segment, as the scanner needs it. */
struct stream_access {
	uint16_t pc_offset; /* from the descriptor's pc */
	uint16_t size;
	uint8_t kind;
	uint8_t fs;	    /* the entry is relative to %fs */
};

/* What the entries of a segment in the stream buffer stand for. */
struct stream_desc {
	uint64_t pc;
	uint64_t back; /* of a segment that ends in a call: its return address; else 0 */
	struct stream_access access[];
};

/*
 * A trailer, see scan.h: the sign, STREAM_CALL_BIT if the last access is that of the call or
 * return which ends the segment, STREAM_PLAIN_BIT unless an access needs a look of its own
 * (relative to %fs, or of more than WATCH_REACH bytes), and the descriptor's number. So those with
 * STREAM_CALL_BIT are the entries from STREAM_LEAST_CALL on.
 */
#define STREAM_TRAILER_BIT 0x80000000u
#define STREAM_CALL_BIT 0x40000000u
#define STREAM_LEAST_CALL 0xffffffffc0000000u
#define STREAM_NUMBER_MASK 0x1fffffffu
#define STREAM_MAX_ACCESSES 120
const struct stream_desc *translate_desc(uint32_t number);
struct stream_desc *translate_new_desc(uint32_t accesses, uint32_t *number);

/* The instruction at pc, `room` bytes of which are at `code`. Under the translate lock. */
struct insn;
bool translate_decode(struct insn *in, uint64_t pc, const uint8_t *code, uint32_t room);

#endif
