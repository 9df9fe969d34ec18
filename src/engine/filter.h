/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The filter gear of simulations: translated code asks by itself whether the line of an access is in
 * the simulated first level, and only an access that misses there calls the engine, which goes
 * on in the levels below at once. No address is written down.
 *
 * Each line of memory has a cell of four bytes in a table that is reserved for all of the address space: the address
 * of the line's stamp, or 0 while it is not in the cache. There is a stamp for each place of
 * the cache, eight bytes: when the line that it holds was touched last. The time is that of lanes 0
 * and 1 of the counter register (lanes.h). The line that gives way in a set is the one with the least stamp, 0 where
 * a place is free.
 *
 * So it is with code: each line of it that was translated has a cell. Cells of code, stamps, counters of executions and
 * constants lie below 2 GB, where code needs no register to reach them.
 *
 *   FILTER_LOW:  | constants | stamps of data | stamps of code | cells of code -> | counters -> |
 *   FILTER_CELLS: cells of data
 *
 * One hierarchy of LRU caches, one thread: see filter_start and filter_stop. The process's one thread
 * owns all of it while it is on.
 */
#ifndef DWELL_ENGINE_FILTER_H
#define DWELL_ENGINE_FILTER_H

#include "engine/state.h"

struct sim_hierarchy;
struct segment;
struct repeat;

#define FILTER_LOW	   0x60000000u
#define FILTER_CELLS	   0x70000000u
#define FILTER_LINE_SHIFT  6
#define FILTER_ADDRESS_BITS 47
/* Constants. */
#define FILTER_LINE_MASK   (FILTER_LOW + 0)  /* address bits that number a line, for pext */
#define FILTER_ALIGN_MASKS (FILTER_LOW + 8)  /* of 2^n bytes at n * 8: those that are 0 where it is aligned */
#define FILTER_TICK	   (FILTER_LOW + 64) /* for the counter register: two ticks of the clock */

/* Can this hierarchy be simulated so? Then it is on from now on, with empty caches. Once. */
bool filter_start(struct sim_hierarchy *h);
bool filter_is_on(void);
/* Are fetches simulated? */
bool filter_has_code(void);
/* The gear of simulated code. */
enum gear filter_gear(void);
/*
 * Not any more: what is in its caches goes to those of the hierarchy, and the thread
 * goes on in the stream gear, from the next time it looks. All others are out of the cache.
 */
void filter_stop(void);

/* Where an inline test may fail. Under the translate lock. */
struct filter_site {
	uint64_t back;	  /* the address of the store of the stamp */
	uint32_t segment; /* its number in trailers */
	uint16_t index;	  /* of its access; of its instruction, if FILTER_SITE_CODE */
	uint8_t reg;	  /* that then holds the stamp's address */
	uint8_t flags;
};
enum {
	FILTER_SITE_CODE = 1,
	FILTER_SITE_SECOND = 2, /* the stamp is that of lane 1 */
};
/* Returns its number; 0: there is no memory. */
uint32_t filter_new_site(const struct filter_site *site);
/* No code is left. */
void filter_forget_sites(void);

/* Address of the cell of a line of code. 0: no room. Under the translate lock. */
uint32_t filter_code_cell(uint64_t line);
/* Address of a new counter of executions. 0: no room. Under the translate lock. */
uint32_t filter_new_counter(void);
/* The segment's executions are where everybody looks. */
void filter_count_executions(struct segment *s);

/* Has a stack pointer been seen that is no multiple of 8? Then code does not rely on it. */
extern bool filter_is_careful;

/* A fault has ended segment t->cut_segment after t->cut_insns - 1 instructions. */
void filter_cut(struct thread *t);
/* As replay_put_repeat and replay_put_elements, and at once; the fault of a vector instruction. */
void filter_repeat(struct thread *t, uint32_t trailer, const struct repeat *rep);
void filter_elements(struct thread *t, uint32_t trailer, const uint64_t *entries, uint32_t n);
void filter_undo_elements(uint32_t trailer, uint32_t n);

/* glue: filter_miss.S */
extern char engine_filter_miss[];
/* Called by it: the regs of the target, by enum reg; the clock. Returns where to go on. */
uint64_t filter_missed(uint64_t regs[16], uint64_t clock);

#endif
