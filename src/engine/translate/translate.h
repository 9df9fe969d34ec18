/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From target code to blocks in the code cache. */
#ifndef DWELL_ENGINE_TRANSLATE_TRANSLATE_H
#define DWELL_ENGINE_TRANSLATE_TRANSLATE_H

#include "engine/codecache/cache.h"

enum translate_result {
	TRANSLATE_OK,
	TRANSLATE_FULL,	    /* flush the cache, then again */
	TRANSLATE_UNMAPPED, /* pc is not readable, executable memory */
	TRANSLATE_NO_EXEC,  /* readable, but not executable */
	TRANSLATE_INVALID,  /* no instruction at pc */
	TRANSLATE_TOO_LONG, /* one of more than 15 bytes */
};

struct code_exit;
struct insn;
struct job;

/* How other rooms take part in translation. */
struct translate_observer {
	/* Is the engine called where the code at pc is entered? */
	bool (*is_marked)(uint64_t pc);
	/* Is there a mark of the program (include/dwell.h)? Then *in is it. */
	bool (*decode_mark)(struct insn *in, uint64_t pc, const uint8_t *code, uint32_t room);
	/* A block took this many cycles to translate. */
	void (*took)(uint64_t cycles);
	const struct translate_simulation *simulation; /* NULL: nothing is simulated */
};

/* A simulation describes the segments itself. */
struct translate_simulation {
	/* The segment that j is about to emit, with n accesses, and its number; NULL: no memory. */
	const void *(*describe)(struct job *j, uint32_t n, uint32_t *number);
	/*
	 * That of a string or vector instruction, which leaves by e, if the variant needs one;
	 * false: no memory.
	 */
	bool (*describe_elements)(struct job *j, struct code_exit *e);
	/* A block of n instructions has been read. */
	void (*look_at)(const struct insn *in, uint32_t n);
	/* The end of the function that contains pc, for the call graph; UINT64_MAX: unknown. */
	uint64_t (*function_end)(uint64_t pc);
};

/* Set once, at the start. */
extern const struct translate_observer *translate_observer;

/*
 * Translate the code at pc for a variant; *result is the block. `entry`: the kind of indirect
 * branch that led here, or ENTRY_NONE. `deferred`: by the direct branch that did. Wants the
 * translate lock; saves and restores the target's vector state by itself.
 */
enum translate_result translate(struct block **result, uint64_t pc, enum code_variant_id variant,
				enum entry entry, struct deferred deferred);

/* One access of a stream segment, as the scanner needs it. */
struct stream_access {
	uint16_t pc_offset; /* from the descriptor's pc */
	uint16_t size;
	uint8_t kind;
	uint8_t fs; /* the entry is relative to %fs */
};

/* Describes the entries of a segment in the stream buffer. */
struct stream_desc {
	uint64_t pc;
	uint64_t back; /* of a segment that ends in a call: its return address; else 0 */
	struct stream_access access[];
};

/*
 * A trailer, see scan.h: the sign bit, flags, and the descriptor's number. STREAM_CALL_BIT: the
 * last access is that of the call or return that ends the segment. STREAM_PLAIN_BIT: no access is
 * relative to %fs, or of more than WATCH_REACH bytes. Trailers with STREAM_CALL_BIT are the entries
 * from STREAM_LEAST_CALL on. STREAM_WIDEST: no access of the segment has more bytes (not in a
 * simulation, whose numbers have all bits of STREAM_NUMBER_MASK).
 */
#define WATCH_REACH	    64u
#define STREAM_TRAILER_BIT  0x80000000u
#define STREAM_CALL_BIT	    0x40000000u
#define STREAM_LEAST_CALL   0xffffffffc0000000u
#define STREAM_NUMBER_MASK  0x1fffffffu
#define STREAM_DESC_MASK    0x7ffffffu
#define STREAM_WIDEST_SHIFT 27u
#define STREAM_WIDEST(t)    (WATCH_REACH >> ((t) >> STREAM_WIDEST_SHIFT & 3u))
#define STREAM_MAX_ACCESSES 120
const struct stream_desc *translate_desc(uint32_t number);
struct stream_desc *translate_new_desc(uint32_t accesses, uint32_t *number);

/* The instruction at pc, `room` bytes of which are at `code`. Under the translate lock. */
bool translate_decode(struct insn *in, uint64_t pc, const uint8_t *code, uint32_t room);

#endif
