/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code cache: where translated blocks live, how they are found and linked,
 * and how they go away. All functions want the translate lock unless they say
 * otherwise.
 *
 *   arena:  | thunks | data | words 8 B each | count -> | others ->   <- cold stubs |
 *
 * Code of the count variant lies by itself, as nearly all time is spent there.
 * An arena lies within 2 GB of the code it holds, so that rip-relative
 * operands need only another displacement; several arenas may exist.
 */
#ifndef DWELL_ENGINE_CODECACHE_CACHE_H
#define DWELL_ENGINE_CODECACHE_CACHE_H

#include "engine/codecache/insn_map.h"
#include "engine/core/state.h"
#include "engine/decode/decode.h"

struct block;

/* Counts of a stretch of code. */
struct tally {
	uint16_t accesses, loads, stores, instructions;
};

/* Indirect branches find their blocks in a table for jumps and calls, and one for returns. */
enum entry { ENTRY_JUMP, ENTRY_RETURN, ENTRIES, ENTRY_NONE = ENTRIES };

#define KEPT_BYTES 7u

struct block {
	uint64_t pc;
	uint8_t variant;
	uint8_t arena;
	bool dead;
	bool checked; /* verifies its source at entry */
	/*
	 * register + 1 that the first KEPT_BYTES of `body` put away: who has done so enters behind;
	 * or 0
	 */
	uint8_t kept;
	struct deferred deferred; /* where direct branches enter; elsewhere nothing is */
	/* how often it was given its place in a table, up to some number */
	uint8_t published[ENTRIES];
	bool is_inner;		 /* an entry of another block */
	uint32_t incoming;	 /* exits linked to it */
	uint8_t *start;		 /* first byte of its code */
	uint8_t *body;		 /* where direct branches enter */
	uint8_t *entry[ENTRIES]; /* where indirect branches enter, or NULL */
	/* the same from the second tables, from the arena's base on; or 0 */
	uint32_t second[ENTRIES];
	struct block *hash_next;
	struct block *inner; /* the next entry of the same block */
	/* Inner ones, which are two of three, end here. */
	uint32_t bytes; /* of source code */
	uint32_t code_bytes;
	uint32_t insns;
	const uint8_t *map;	    /* see insn_map.h */
	struct block *page_next[2]; /* lists of the code pages it begins and ends on */
};

#define INNER_BLOCK_BYTES offsetof(struct block, bytes)

/* Of an arena's room: that of the count variant, and that of all others. */
enum { CACHE_PARTS = 2 };

static inline uint32_t cache_part(enum code_variant_id variant)
{
	return variant != VARIANT_COUNT;
}

/*
 * What code of the filter variant reads and writes, near enough for rip-relative operands: a byte
 * or two less each than absolute addresses or those of the thread. One thread at a time is in that
 * code, and one whose turn is over comes back by a pc, not to the middle of a segment. No code lies
 * on the same page.
 */
struct arena_data {
	uint64_t spill2;    /* as that of struct thread, which is for the other variants */
	uint64_t line_mask; /* address bits that number a line, for pext */
	uint64_t unused[2];
	uint64_t tick[4]; /* for the counter register: two ticks of the clock */
	/* of 2^n bytes: the bits of an address that are 0 where it is aligned */
	uint64_t aligned[8];
};

#define ARENA_STUBS 5

struct arena {
	uint8_t *base, *end;
	struct arena_data *data;
	uint8_t *hot[CACHE_PARTS], *cold; /* next free bytes; cold ones go down */
	uint8_t *middle;		  /* where the count variant's part ends */
	uint64_t *words, *words_end;	  /* return addresses that calls push */
	uint8_t *thunk_exit, *thunk_hook, *thunk_miss[ENTRIES], *thunk_mismatch[ENTRIES];
	uint8_t *stub[ARENA_STUBS][16]; /* of a code variant, by register; see filter_sites.h */
	uint8_t *gap, *gap_end;		/* of the cold part: taken, but free again */
	uint8_t *thunk_second[ENTRIES], *thunk_second_mismatch[ENTRIES];
};

/*
 * Bits of a pc that index the indirect branch table. pext takes bits 3 to 20:
 * targets are rarely closer than eight bytes, and programs of tens of megabytes
 * would often meet in fewer. (Of 19,000 return addresses that cc1 uses 6 % share a place
 * and they lie on 11,300 lines; from bit 2 on 7 %, 13,000 lines; from bit 4 on 12 %, 8,900.)
 * Without pext, bits 0 to 15.
 */
#define IB_ENTRIES   (1u << 18)
#define IB_PEXT_MASK 0x1ffff8u

/* Start-up. arena_bytes 0: the default. Returns 0 or -1. */
int cache_init(uint64_t arena_bytes, uint32_t ib_mask);

/* The arena for code at pc, made when there is none near; NULL when out of address space. */
struct arena *cache_arena_for(uint64_t pc);
uint8_t cache_arena_index(const struct arena *a);
struct arena *cache_arena(uint8_t index);
/* Is there room for one more block? If not the caller flushes. */
bool cache_has_room(const struct arena *a);

struct block *cache_find(uint64_t pc, enum code_variant_id variant);
/*
 * The live blocks of the variant whose source, from its first to its last byte, holds pc: the one
 * after b, the first after NULL; or NULL.
 */
struct block *cache_next_around(const struct block *b, uint64_t pc, enum code_variant_id variant);
/* A new block, not yet found by cache_find; NULL when out of memory. */
struct block *cache_new_block(uint64_t pc, enum code_variant_id variant);
void cache_add(struct block *b);
/*
 * Segment of b at `code` begins with pc: direct branches may enter there, too.
 * The entry lives and dies with b. NULL when out of memory.
 */
struct block *cache_add_inner(struct block *b, uint64_t pc, uint8_t *code,
			      struct deferred deferred);
/* Where b's instructions lie; false when there is no memory for it. */
bool cache_set_map(struct block *b, const struct insn_at *at, uint32_t insns);
/* Blocks are numbered, and stay where they are; where code of b's arena begins. */
uint32_t cache_block_number(const struct block *b);
struct block *cache_block(uint32_t number);
uint8_t *cache_base_of(const struct block *b);
/* Where code of b puts away scratch A, see layout.h. No lock wanted. */
uint64_t *cache_spill2(struct thread *t, const struct block *b);

/* The live or dead block whose code holds `address`, or NULL. No lock wanted. */
struct block *cache_block_at(const uint8_t *address);
bool cache_contains(uint64_t address);
/* Is any of this an arena? */
bool cache_overlaps(uint64_t start, uint64_t end);

/*
 * Source in [start, end) changed or went away: no thread will enter its blocks
 * again. Threads inside one run to its next exit. Lock wanted.
 */
void cache_invalidate(uint64_t start, uint64_t end);
/* Any translated code in [start, end)? */
bool cache_has_code(uint64_t start, uint64_t end);
/* Throw everything away. All other threads are outside the cache. */
void cache_flush(void);

void cache_use(uint64_t *blocks_made, uint64_t *bytes);

/*
 * ---- Indirect branches: cache_indirect.c ----
 *
 * Where blocks of the count variant contend for a place of a table, the later one gets it; one that
 * has come back for it some times gets another one in a second table, which is asked when the first
 * has led to the wrong block. Of cc1 82,000 returns met in the dispatcher in a compilation of 0.8 s
 * before.
 */

/*
 * Start-up: the tables of the variants count and stream, indexed by what mask takes of a pc. 0 or
 * -1.
 */
int cache_init_indirect(uint32_t mask);
/* Before a variant but count and stream is used. 0 or -1. */
int cache_need_variant(enum code_variant_id variant);
/* Address of an indirect branch table of a variant, below 2 GB. */
uint32_t cache_ib_table(enum code_variant_id variant, enum entry which);
/* Where the mask stands of numbers that are no longer few, see emit_rep. */
uint32_t cache_many_mask(enum code_variant_id variant);
/* Where the mask stands that indexes them. */
uint32_t cache_ib_mask(enum code_variant_id variant);
/* Make indirect branches to b's pc find b. Emits its entry when it has none. */
void cache_publish_indirect(struct block *b, enum entry which);
/*
 * The flag-free verification in front of a block: emitted at a->hot[], or, where
 * `apart`, at the cold end. The one for returns also puts back the return
 * address that they overwrite; a jump must leave what is below rsp alone.
 */
void cache_emit_ib_entry(struct arena *a, struct block *b, enum entry which, bool apart);
/* Code in the arena that asks the second table. */
struct out;
void cache_emit_second_thunk(struct arena *a, struct out *o, enum entry which);
/* The variant's tables are needed from now on. */
void cache_fill_indirect(enum code_variant_id variant);
/* Nobody is to find b by a table any more; and, when all code goes, any block. */
void cache_forget_indirect(const struct block *b);
void cache_clear_indirect(void);

#endif
