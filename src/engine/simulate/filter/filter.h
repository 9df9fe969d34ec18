/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The filter variant of simulations: translated code asks by itself whether the line of an access
 * is in the simulated first level, and only an access that misses there calls the engine. That
 * changes the first level at once; where there are two levels it writes the miss down, and asks LL
 * for some hundred at a time (filter_below.S).
 *
 * Each line of memory has a cell of four bytes in a table that is reserved for all of the address
 * space: the address of the line's stamp, or 0 while it is not in the cache. There is a stamp for
 * each place of the cache, eight bytes: when the line that it holds was touched last. The time is
 * that of lanes 0 and 1 of the counter register (lanes.h). The line that gives way in a set is the
 * one with the least stamp, 0 where a place is free.
 *
 * So it is with code: each line of it that was translated has a cell. Cells of code, stamps,
 * counters of executions and constants of misses lie below 2 GB, where code needs no register to
 * reach them; those of code beside it (cache.h).
 *
 *   FILTER_LOW:   | constants of misses | stamps of data, of code, of LL | owners of these |
 *                 | cells of code -> | misses of sites -> | counters -> |
 *   LOW_TABLES:  others', see addresses.h
 *   FILTER_CELLS: | cells of data | those of code, by line | those of LL | oldest of sets |
 *                 | lines of code |
 *
 * With FIFO replacement the stamp says when the line came, so that hits leave nothing; with random
 * replacement there is none, and lines are where the replay has them.
 *
 * Of several hierarchies it holds what all first levels have: filter_multi.h.
 *
 * One thread at a time runs: threads take turns (filter_scheduler.h).
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_H
#define DWELL_ENGINE_SIMULATE_FILTER_H

#define FILTER_LOW	    0x60000000
#define FILTER_CELLS	    0x70060000 /* see filter_trust.h */
#define FILTER_LINE_SHIFT   6
#define FILTER_ADDRESS_BITS 47
#define FILTER_LINE_BITS    (FILTER_ADDRESS_BITS - FILTER_LINE_SHIFT)
#define FILTER_STAMPS	    (FILTER_LOW + 4096)
#define FILTER_TO_OWNERS    0x3000840 /* from a stamp to its owner */
#define FILTER_OWNERS	    (FILTER_STAMPS + FILTER_TO_OWNERS)
#define FILTER_CODE_CELLS   (FILTER_STAMPS + 0x6001000)
#define FILTER_MISSES	    (FILTER_CODE_CELLS + 0x2000000) /* see filter_sites.h */
#define FILTER_MOST_SITES   0x400000
/* Constants of misses. */
#define FILTER_LINE_MASK (FILTER_LOW + 0) /* address bits that number a line, for pext */
/* the address of a cell for nobody, which gives way where a place is free */
#define FILTER_NOBODY (FILTER_LOW + 128)
/*
 * For each place of a row the numbers of all, but for its own, which is the greatest; and at last
 * of all.
 */
#define FILTER_ORDER_8	(FILTER_LOW + 1024)
#define FILTER_ORDER_16 (FILTER_LOW + 1792)
/* struct filter_level */
#define L_STAMPS 0
#define L_OWNERS 8
#define L_MASK	 16
#define L_SHIFT	 24
#define L_BY_USE 32
#define L_OLDEST 40
/* struct filter_oldest */
#define OLDEST_STAMP 0
#define OLDEST_PLACE 8
#define OLDEST_CELL  16
#define OLDEST_SHIFT 5
/* struct filter_state */
#define F_DATA	     0
#define F_CODE	     48
#define F_LAST	     96
#define F_LAST_CELLS 144
#define F_LAST_CLOCK 152
#define F_TO_LAST    160

#ifndef __ASSEMBLER__

#include "engine/core/state.h"

struct sim_hierarchy;
struct sim_multi;
struct arena_data;
struct segment;
struct repeat;

/* The constants of code of the filter variant. */
void filter_write_constants(struct arena_data *d);

/* Can this hierarchy be simulated so? Then it is on from now on, with empty caches. Once. */
bool filter_start(struct sim_hierarchy *h);
/* The same of several hierarchies. */
bool filter_start_multi(struct sim_multi *s);
bool filter_is_on(void);
/* Are fetches simulated? */
bool filter_has_code(void);
/* The variant of simulated code. */
enum code_variant_id filter_choose_variant(void);
/*
 * The program is about to map memory there, whatever is there: the filter is over if it is its own,
 * and what is in its caches goes to those of the hierarchy. The caller changes variants, of its
 * thread, too; no other is in the cache.
 */
void filter_make_room(uint64_t start, uint64_t end);

/* Address of the cell of a line of code. 0: no room. Under the translate lock. */
uint32_t filter_code_cell(uint64_t line);
/* And back: the line of a cell. FILTER_NOBODY is nobody's. */
uint64_t filter_line_of_code(const uint32_t *cell);
/* The same of data. */
static inline uint64_t filter_line_of_data(const uint32_t *cell)
{
	return (uint64_t)(cell - (uint32_t *)(uintptr_t)FILTER_CELLS);
}
/* Address of a new counter of executions. 0: no room. Under the translate lock. */
uint32_t filter_new_counter(void);
/* The segment's executions are where everybody looks. */
void filter_count_executions(struct segment *s);

/* Has a stack pointer been seen that is no multiple of 8? Then code does not rely on it. */
extern bool filter_is_careful;
/*
 * Could the program go on after a fault? Then code makes addresses that no memory has to such as
 * are in the table of cells.
 */
extern bool filter_expects_faults;

/* A fault has ended segment t->cut_segment after t->cut_insns - 1 instructions. */
void filter_cut(struct thread *t);
/* As replay_put_repeat and replay_put_elements, and at once; the fault of a vector instruction. */
void filter_repeat(struct thread *t, uint32_t trailer, const struct repeat *rep);
void filter_elements(struct thread *t, uint32_t trailer, const uint64_t *entries, uint32_t n);
void filter_undo_elements(uint32_t trailer, uint32_t n);

/*
 * All that has been written down of misses (filter_miss.S, filter_multi.h) is looked at and
 * counted, as far as nobody waits for that.
 */
void filter_settle(void);
/* glue, filter_miss.S: the same, of one hierarchy of two levels. */
void filter_look_below(void);
/* Are counts where they have been, as far as nobody has wanted that memory? */
bool filter_may_count(void);

/* glue: filter_miss.S */
extern char engine_filter_miss[], engine_filter_miss_end[];
/*
 * Called by it, with the clock. The registers of the target are in t->regs. Returns where to go on.
 */
uint64_t filter_missed(uint64_t clock);

/*
 * The oldest line of a set, as its last miss left it: still so if its stamp is the one that it had
 * then, since each use makes a stamp the greatest of all.
 */
struct filter_oldest {
	uint64_t stamp;	 /* UINT64_MAX: not known */
	uint64_t *place; /* that stamp; if not known, one that is never UINT64_MAX */
	uint32_t *cell;	 /* of the line; that at FILTER_NOBODY where the place is free */
	uint64_t unused;
};

/*
 * A cache. The row of a set has 8 or 16 places; those that the set has not have stamps that are
 * never the least.
 */
struct filter_level {
	uint64_t *stamps;
	uint32_t **owners; /* of stamps: the cell of the line that is there, or NULL */
	uint64_t set_mask;
	uint64_t row_shift; /* log2 of the bytes of a row of stamps */
	uint64_t by_use;    /* LRU: stamps say when lines were used, else (FIFO) when they came */
	struct filter_oldest *oldest; /* of each set of a first level; filter_miss.S only */
};
/* Stamps of this set have become less, or others' than before. */
void filter_forget_oldest(struct filter_level *l, uint64_t set);

/* What filter_miss.S looks at, too. */
struct filter_state {
	struct filter_level data, code;
	struct filter_level last; /* LL, kept in the same way if there are two levels */
	uint32_t *last_cells;	  /* by line, as those of data */
	uint64_t last_clock;	  /* LL has a time of its own: data and code meet there */
	/* from the number of an event of first levels to that of the same of LL */
	uint32_t to_last;
	uint32_t columns[3][2]; /* numbers within a cell of events: [column][missed in LL, too] */
	bool is_fast;		/* there are two levels, and both are kept so */
};
extern struct filter_state filter_state;

_Static_assert(offsetof(struct filter_level, owners) == L_OWNERS, "layout");
_Static_assert(offsetof(struct filter_level, set_mask) == L_MASK, "layout");
_Static_assert(offsetof(struct filter_level, row_shift) == L_SHIFT, "layout");
_Static_assert(offsetof(struct filter_level, by_use) == L_BY_USE, "layout");
_Static_assert(offsetof(struct filter_level, oldest) == L_OLDEST, "layout");
_Static_assert(sizeof(struct filter_oldest) == 1 << OLDEST_SHIFT, "layout");
_Static_assert(offsetof(struct filter_oldest, stamp) == OLDEST_STAMP, "layout");
_Static_assert(offsetof(struct filter_oldest, place) == OLDEST_PLACE, "layout");
_Static_assert(offsetof(struct filter_oldest, cell) == OLDEST_CELL, "layout");
_Static_assert(offsetof(struct filter_state, code) == F_CODE, "layout");
_Static_assert(offsetof(struct filter_state, last) == F_LAST, "layout");
_Static_assert(offsetof(struct filter_state, last_cells) == F_LAST_CELLS, "layout");
_Static_assert(offsetof(struct filter_state, last_clock) == F_LAST_CLOCK, "layout");
_Static_assert(offsetof(struct filter_state, to_last) == F_TO_LAST, "layout");

#endif
#endif
