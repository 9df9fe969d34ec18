/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The places in code of the filter variant where an inline test may fail. What a miss has to know
 * stands right behind the jump to the engine, in a line that has just been fetched as code, and is
 * never written while code runs. Misses are counted in a dense array, whose neighbours are
 * neighbours in code: their instructions are told of them when somebody wants counts.
 *
 *   FILTER_MISSES:  | misses of site 0, in the first level, in LL, too | of site 1 | ...
 *
 * All functions want the translate lock, and those that look at counts the lock of collect.h.
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_SITES_H
#define DWELL_ENGINE_SIMULATE_FILTER_SITES_H

/* What stands behind the jump, at an address that is a multiple of 8. */
#define SITE_NUMBER 0 /* u32 */
#define SITE_REG    4 /* u8: that then holds the stamp's address */
#define SITE_FLAGS  5 /* u8: FILTER_SITE_SECOND and others */
#define SITE_SPAN   6 /* u8: of an access: its bytes less 1 */
/* u8: the number of its misses in cells (cells.h); of several hierarchies: its column */
#define SITE_EVENT	7
#define SITE_BACK	8  /* s32: from here to where code goes on, the store of the stamp */
#define SITE_CELL	12 /* of fetches: u32: the cell of the instruction's last line */
#define SITE_LINE	16 /* the number of that line */
#define SITE_FIRST	24 /* for FILTER_SITE_BOTH: u32: the cell of its first line */
#define SITE_BYTES	12
#define SITE_CODE_BYTES 24
#define SITE_BOTH_BYTES 28
/* its flags */
#define FILTER_SITE_CODE   1	  /* of a fetch, not of an access to data */
#define FILTER_SITE_SECOND 2	  /* the stamp is that of lane 1 */
#define FILTER_SITE_BOTH   4	  /* a fetch from two lines */
#define FILTER_SITE_PAIR   8	  /* the same: the first was fetched from just before */
#define FILTER_SITE_OTHER  16	  /* its register is none that filter_miss.S puts away */
#define FILTER_OTHERS	   0xfe20 /* these registers, a bit each: rbp, r9 to r15 */

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stdint.h>

#include "engine/codecache/cache.h"
#include "engine/codecache/emit.h"
#include "engine/simulate/filter/filter.h"

struct arena;
struct segment;
struct segment_insn;

struct filter_site {
	const uint8_t *back;
	uint64_t line; /* for FILTER_SITE_CODE: the last line of the instruction, and its cell */
	uint32_t cell;
	uint32_t first;	  /* for FILTER_SITE_BOTH: the cell of its first one */
	uint32_t segment; /* its number in trailers */
	uint16_t index;	  /* of its access; of its instruction, for FILTER_SITE_CODE */
	uint8_t reg, flags, span;
	uint8_t column; /* of the events: 0 fetch, 1 read, 2 write */
};

/*
 * How the engine is entered: for a miss of data or code, where flags are live or not; or for C to
 * see.
 */
enum filter_stub {
	FILTER_DATA,
	FILTER_DATA_LIVE,
	FILTER_CODE,
	FILTER_CODE_LIVE,
	FILTER_SLOW,
	FILTER_STUBS
};

_Static_assert(FILTER_STUBS <= ARENA_STUBS, "each has its place in an arena");

/* Once. False: there is no address space. */
bool filter_sites_start(void);

/*
 * The stubs' thunks of an arena: rbx is put away and leads to what stands behind the jump. At o->p,
 * in no more than 2 KB.
 */
void filter_emit_thunks(struct arena *a, struct out *o);
/*
 * Room in the arena's cold part for so many bytes of code and the site behind them: where the code
 * begins.
 */
uint8_t *filter_take_cold(struct arena *a, uint32_t code_bytes, uint32_t site_bytes);
/* The memory between is free again: it is taken first. */
void filter_give_cold(struct arena *a, uint8_t *low, uint8_t *high);
/* lea reg, [the site behind the jump]; jmp to the stub: the last FILTER_CALL_BYTES of that code. */
#define FILTER_CALL_BYTES 12u
void filter_emit_call(const struct arena *a, struct out *o, enum reg r, enum filter_stub stub);
/* And the site behind it. False: no room. */
bool filter_put_site(struct out *o, const struct filter_site *site);

/* What C knows of a site. */
struct filter_owner {
	uint32_t segment;
	uint16_t index;
	uint8_t flags;
	uint8_t column;
};
uint32_t filter_site_number(const uint8_t *site);
const uint8_t *filter_site_back(const uint8_t *site);
const struct filter_owner *filter_site_owner(uint32_t number);
struct segment_insn *filter_site_insn(const struct filter_owner *o);

/*
 * Of several hierarchies: where the numbers of its instruction's cell begin, of those of all cells;
 * 0: not known yet.
 */
static inline uint64_t *filter_site_cell(uint32_t number)
{
	return (uint64_t *)(uintptr_t)FILTER_MISSES + number;
}

/* The next segment's first site has this number. */
uint32_t filter_next_site(void);
/*
 * Has the segment misses in the array? They go to the cells of its instructions, which are made
 * where they have none.
 */
bool filter_has_misses(const struct segment *s);
void filter_take_misses(struct segment *s);
/* All misses go to cells; and no code is left. */
void filter_take_all_misses(void);
void filter_forget_sites(void);

#endif
#endif
