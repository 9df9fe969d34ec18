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
	 * register + 1 that the first KEPT_BYTES of `body` save, or 0; code that has saved it
	 * already enters behind them
	 */
	uint8_t kept;
	struct deferred deferred; /* at direct branches; other entries defer nothing */
	/* how often it was entered in a table, up to a bound */
	uint8_t published[ENTRIES];
	bool is_inner;		 /* an entry of another block */
	uint32_t incoming;	 /* exits linked to it */
	uint8_t *start;		 /* first byte of its code */
	uint8_t *body;		 /* where direct branches enter */
	uint8_t *entry[ENTRIES]; /* where indirect branches enter, or NULL */
	/* the same for second tables, as an offset in the arena; or 0 */
	uint32_t second[ENTRIES];
	struct block *hash_next;
	struct block *inner; /* the next entry of the same block */
	/* Inner blocks, two in three, lack the fields below. */
	uint32_t bytes; /* of source code */
	uint32_t code_bytes;
	uint32_t insns;
	const uint8_t *map;	    /* see insn_map.h */
	struct block *page_next[2]; /* lists of the code pages it begins and ends on */
};

#define INNER_BLOCK_BYTES offsetof(struct block, bytes)

/* Parts of an arena: for the count variant, and for all others. */
enum { CACHE_PARTS = 2 };

static inline uint32_t cache_part(enum code_variant_id variant)
{
	return variant != VARIANT_COUNT;
}

/*
 * Data of filter code, near enough for rip-relative operands: a byte or two shorter each than
 * absolute or %gs addresses. The threads share it, because one at a time runs that code, and none
 * resumes in the middle of a segment after its turn. No code lies on the same page.
 */
struct arena_data {
	uint64_t spill2;    /* replaces that of struct thread, which other variants use */
	uint64_t line_mask; /* address bits that number a line, for pext */
	uint64_t far;	    /* bits of a distance on the stack beyond a frame, see arcs.h */
	uint64_t spill_rcx;
	uint64_t tick[4]; /* for the counter register: two ticks of the clock */
	/* for 2^n bytes: the bits that are 0 in an aligned address */
	uint64_t aligned[8];
	uint64_t spill_r11;
	uint64_t region_mask; /* bits of a line that number its region, see filter_pieces.h */
};

#define ARENA_STUBS 10
#define ARENA_STEPS 10

struct arena {
	uint8_t *base, *end;
	struct arena_data *data;
	uint8_t *hot[CACHE_PARTS], *cold; /* next free bytes; cold ones go down */
	uint8_t *middle;		  /* where the count variant's part ends */
	uint64_t *words, *words_end;	  /* return addresses that calls push */
	uint8_t *thunk_exit, *thunk_hook, *thunk_miss[ENTRIES], *thunk_mismatch[ENTRIES];
	uint8_t *stub[ARENA_STUBS][16]; /* of a code variant, by register; see filter_sites.h */
	uint8_t *arcs[ARENA_STEPS];	/* the same, for steps of calls; see arcs.h */
	uint8_t *gap, *gap_end;		/* in the cold part: freed for reuse */
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

/* The arena for code at pc, made if none is near; NULL when out of address space. */
struct arena *cache_arena_for(uint64_t pc);
uint8_t cache_arena_index(const struct arena *a);
struct arena *cache_arena(uint8_t index);
/* Is there room for one more block? If not, the caller flushes the cache. */
bool cache_has_room(const struct arena *a);

struct block *cache_find(uint64_t pc, enum code_variant_id variant);
/*
 * The live blocks of the variant whose source, from its first to its last byte, holds pc: the one
 * after b, the first after NULL; or NULL.
 */
struct block *cache_next_around(struct block *b, uint64_t pc, enum code_variant_id variant);
/* A new block, not yet found by cache_find; NULL when out of memory. */
struct block *cache_new_block(uint64_t pc, enum code_variant_id variant);
void cache_add(struct block *b);
/*
 * Let direct branches enter b also at `code`, where the segment of pc begins.
 * The entry is dropped with b. NULL when out of memory.
 */
struct block *cache_add_inner(struct block *b, uint64_t pc, uint8_t *code,
			      struct deferred deferred);
/* Store where b's instructions lie; false when out of memory. */
bool cache_set_map(struct block *b, const struct insn_at *at, uint32_t insns);
/* Blocks have numbers and never move. cache_base_of: the base of b's arena. */
uint32_t cache_block_number(const struct block *b);
struct block *cache_block(uint32_t number);
uint8_t *cache_base_of(const struct block *b);
/* Where code of b saves scratch A, see layout.h. No lock wanted. */
uint64_t *cache_spill2(struct thread *t, const struct block *b);

/* The live or dead block whose code holds `address`, or NULL. No lock wanted. */
struct block *cache_block_at(const uint8_t *address);
bool cache_contains(uint64_t address);
/* Does [start, end) overlap an arena? */
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
 * If blocks of the count variant contend for an entry of a table, the latest gets it. A block that
 * has lost its entry several times gets one in a second table, which code tries after the first has
 * led to the wrong block. Without it, 82,000 returns of cc1 went to the dispatcher in a compilation
 * of 0.8 s.
 */

/*
 * At start-up: the tables of the variants count and stream. `mask`: the bits of a pc that index
 * them. Returns 0 or -1.
 */
int cache_init_indirect(uint32_t mask);
/* Before the first use of a variant other than count and stream. Returns 0 or -1. */
int cache_need_variant(enum code_variant_id variant);
/* Address of an indirect branch table of a variant, below 2 GB. */
uint32_t cache_ib_table(enum code_variant_id variant, enum entry which);
/* Address of the mask that tells high iteration counts, see emit_rep. */
uint32_t cache_many_mask(enum code_variant_id variant);
/* Address of the mask that indexes the tables. */
uint32_t cache_ib_mask(enum code_variant_id variant);
/* Do indirect branches to b's pc find b? */
bool cache_is_published(const struct block *b, enum entry which);
/* Make indirect branches to b's pc find b. Emits its entry when it has none. */
void cache_publish_indirect(struct block *b, enum entry which);
/*
 * The flag-free verification in front of a block: emitted at a->hot[], or, where
 * `apart`, at the cold end. The one for returns also puts back the return
 * address that they overwrite; a jump must leave what is below rsp alone.
 */
void cache_emit_ib_entry(struct arena *a, struct block *b, enum entry which, bool apart);
/* Emit the arena's code that tries the second table. */
struct out;
void cache_emit_second_thunk(struct arena *a, struct out *o, enum entry which);
/* The variant's tables are needed from now on. */
void cache_fill_indirect(enum code_variant_id variant);
/* Remove b from the tables; or all blocks, at a flush. */
void cache_forget_indirect(const struct block *b);
void cache_clear_indirect(void);

#endif
