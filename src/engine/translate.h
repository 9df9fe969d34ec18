/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From target code to blocks in the code cache. */
#ifndef DWELL_ENGINE_TRANSLATE_H
#define DWELL_ENGINE_TRANSLATE_H

#include "engine/cache.h"

enum translate_result {
	TRANSLATE_OK,
	TRANSLATE_FULL,	  /* flush the cache, then again */
	TRANSLATE_UNMAPPED, /* pc is not readable, executable memory */
	TRANSLATE_NO_EXEC,  /* readable, but not executable */
	TRANSLATE_INVALID,  /* no instruction at pc */
};

struct translate_options {
	uint8_t ib_bits; /* how the indirect branch table is indexed: 8 low bits (tests), 16, or 0: by pext */
};
extern struct translate_options translate_options;

/*
 * Translate the code at pc for a gear; *result is the block. `indirect`: a
 * branch through a register or memory, or a return, led here. Wants the
 * translate lock; saves and restores the target's vector state by itself.
 */
enum translate_result translate(struct block **result, uint64_t pc, enum gear gear, bool indirect);

/* One access of a stream segment, as the scanner needs it. */
struct stream_access {
	uint16_t pc_offset; /* from the descriptor's pc */
	uint16_t size;
	uint8_t kind;
	uint8_t fs;	    /* address is relative to %fs */
};

/* A stream segment: the buffer holds its number, then `count` addresses. */
struct stream_desc {
	uint64_t pc;
	uint32_t count;
	uint32_t any_fs; /* an address is relative to %fs */
	struct stream_access access[];
};

/* Buffer headers: the descriptor's number; of an interrupted segment also what came of it. */
#define STREAM_PARTIAL (1ull << 63)
#define STREAM_MAX_ACCESSES 120
/* Numbers below this stand for records that C code wrote: see stream.h. */
#define STREAM_DESC_FIRST 16
const struct stream_desc *translate_desc(uint32_t number);
struct stream_desc *translate_new_desc(uint32_t accesses, uint32_t *number);

#endif
