/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sites: the places in code of the filter variant where an inline test may fail. The data for a
 * miss stands right behind the jump to the engine, in a line just fetched as code, and is never
 * written while code runs. Misses are counted in a dense array, in the order of code. They are
 * charged to instructions when counts are sent.
 *
 *   FILTER_MISSES:  | misses of site 0, in the first level, in LL, too | of site 1 | ...
 *
 * All functions need the translate lock, and those that read counts also the lock of collect.h.
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_SITES_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_SITES_H

/* The data behind the jump, at an address that is a multiple of 8. */
#define SITE_NUMBER 0 /* u32 */
#define SITE_REG    4 /* u8: gets the stamp's address */
#define SITE_FLAGS  5 /* u8: FILTER_SITE_SECOND and others */
#define SITE_SPAN   6 /* u8: bytes of the access, minus 1 */
/* u8: position of its misses in cells (cells.h); with several hierarchies: its column */
#define SITE_EVENT	7
#define SITE_BACK	8  /* s32: from here to the code behind the test, the store of the stamp */
#define SITE_CELL	12 /* of fetches: u32: the cell of the instruction's last line */
#define SITE_LINE	16 /* the number of that line */
#define SITE_FIRST	24 /* for FILTER_SITE_BOTH: u32: the cell of its first line */
#define SITE_BYTES	12
#define SITE_CODE_BYTES 24
#define SITE_BOTH_BYTES 28
/* flags of a site */
#define FILTER_SITE_CODE      1	     /* of a fetch, not of an access to data */
#define FILTER_SITE_SECOND    2	     /* the stamp is that of lane 1 */
#define FILTER_SITE_BOTH      4	     /* a fetch from two lines */
#define FILTER_SITE_PAIR      8	     /* the same, where the first was fetched just before */
#define FILTER_SITE_OTHER     16     /* filter_miss.S does not save its register */
#define FILTER_SITE_TRIGGER   32     /* of no access: a window may begin, see filter_windows.h */
#define FILTER_SITE_REFERENCE 64     /* behind the check of an access: see filter_references.h */
#define FILTER_SITE_EXPLICIT  128    /* the same: all of its executions go to C */
#define FILTER_OTHERS	      0xfe20 /* these registers, a bit each: rbp, r9 to r15 */

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stdint.h>

#include "engine/simulate/state/filter.h"

struct segment;
struct segment_insn;

/* Called once. False: there is no address space. */
bool filter_sites_start(void);

/* The part of a site that C reads. */
struct filter_owner {
	uint32_t segment;
	uint16_t index;
	uint8_t flags;
	union {
		uint8_t column;
		uint8_t members; /* for FILTER_SITE_REFERENCE: accesses, more than one of a run */
	};
};
uint32_t filter_site_number(const uint8_t *site);
const uint8_t *filter_site_back(const uint8_t *site);
const struct filter_owner *filter_site_owner(uint32_t number);
struct segment_insn *filter_site_insn(const struct filter_owner *o);

/*
 * With several hierarchies: the index of its instruction's cell in the numbers of all cells; 0: not
 * known yet.
 */
static inline uint64_t *filter_site_cell(uint32_t number)
{
	return (uint64_t *)(uintptr_t)FILTER_MISSES + number;
}

/* A new one, with the number filter_next_site; NULL: no room. Under the translate lock. */
struct filter_owner *filter_new_site(void);
/* Have sites begun? And forget all: no code is left. */
bool filter_has_sites(void);
void filter_clear_sites(void);
/* The number of the next site. */
uint32_t filter_next_site(void);
/* Is it a site of the segment? Those follow each other, from s->first_site on. */
bool filter_site_is_of(uint32_t number, const struct segment *s);
#endif
#endif
