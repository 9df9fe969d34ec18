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
 * what little else there is lie below 2 GB, where code needs no register to reach them; constants lie beside the code (cache.h).
 *
 *   FILTER_LOW:  | number of lines | stamps of data | stamps of code | cells of code -> | counters -> |
 *   FILTER_CELLS: | cells of data | those of code, by line | those of LL | owners | oldest of sets | lines of code |
 *
 * With FIFO replacement the stamp says when the line came, so that hits leave nothing; with random replacement there is
 * none, and lines are where the replay has them.
 *
 * Of several hierarchies it holds what all first levels have: filter_several.h.
 *
 * One thread at a time runs: threads take turns (filter_turns.h).
 */
#ifndef DWELL_ENGINE_FILTER_H
#define DWELL_ENGINE_FILTER_H

#define FILTER_LOW	   0x60000000
#define FILTER_CELLS	   0x70060000 /* see filter_trust.h */
#define FILTER_LINES	   (FILTER_LOW + 128) /* how many lines there are */
#define FILTER_LINE_SHIFT  6
#define FILTER_ADDRESS_BITS 47
#define FILTER_LINE_BITS   (FILTER_ADDRESS_BITS - FILTER_LINE_SHIFT)
#define FILTER_STAMPS	   (FILTER_LOW + 4096)
#define FILTER_OWNERS	   (FILTER_CELLS + 0x180000000000)
#define FILTER_CODE_CELLS  (FILTER_STAMPS + 0x3000000)
#define FILTER_TO_OWNERS   (FILTER_OWNERS - FILTER_STAMPS) /* from a stamp to its owner */
/* struct filter_site */
#define SITE_BACK    0
#define SITE_LINE    8
#define SITE_EVENTS  20
#define SITE_REG     26
#define SITE_FLAGS   27
#define SITE_SPAN    28
#define SITE_COLUMN  29
#define SITE_SHIFT   5
/* its flags */
#define FILTER_SITE_CODE   1 /* of a fetch, not of an access to data */
#define FILTER_SITE_SECOND 2 /* the stamp is that of lane 1 */
#define FILTER_SITE_SLOW   4 /* for C only */
#define FILTER_SITE_OTHER  16 /* its register is none that filter_miss.S puts away */
#define FILTER_OTHERS	   0xf020 /* these registers, a bit each: rbp, r12 to r15 */
#define FILTER_SITE_PAIR   8 /* a fetch from two lines: the first was fetched from just before */
/* struct filter_level */
#define L_STAMPS 0
#define L_OWNERS 8
#define L_MASK	 16
#define L_SHIFT	 24
#define L_BY_USE 32
#define L_OLDEST 40
#define L_OTHERS 48
/* struct filter_oldest */
#define OLDEST_STAMP 0
#define OLDEST_PLACE 8
#define OLDEST_CELL  16
#define OLDEST_SHIFT 5
/* struct filter_state */
#define F_DATA	     0
#define F_CODE	     176
#define F_LAST	     352
#define F_SITES	     528
#define F_LAST_CELLS 536
#define F_LAST_CLOCK 544
#define F_CELLS	     552
#define F_COLUMNS    560

#ifndef __ASSEMBLER__

#include "engine/state.h"

struct sim_hierarchy;
struct sim_several;
struct arena_data;
struct segment;
struct repeat;

/* The constants of code of the filter gear. */
void filter_write_constants(struct arena_data *d);

/* Can this hierarchy be simulated so? Then it is on from now on, with empty caches. Once. */
bool filter_start(struct sim_hierarchy *h);
/* The same of several hierarchies. */
bool filter_start_several(struct sim_several *s);
bool filter_is_on(void);
/* Are fetches simulated? */
bool filter_has_code(void);
/* The gear of simulated code. */
enum gear filter_gear(void);
/*
 * The program is about to map memory there, whatever is there: the filter is over if it is its own, and what is in its caches goes to those
 * of the hierarchy. The caller changes gears, of its thread, too; no other is in the cache.
 */
void filter_make_room(uint64_t start, uint64_t end);

/* Where an inline test may fail: half a line of the machine's, as each miss looks at another one. Under the translate lock. */
struct filter_site {
	uint64_t back;	  /* the address of the store of the stamp */
	uint64_t line;	  /* for FILTER_SITE_CODE: the last line of the instruction, see filter_site_line */
	uint32_t segment; /* its number in trailers */
	uint32_t events;  /* the number, of all that cells hold (cells.h), of its misses in the first level; 0: not known, or for C */
	uint16_t index;	  /* of its access; of its instruction, for FILTER_SITE_CODE */
	uint8_t reg;	  /* that then holds the stamp's address */
	uint8_t flags;	  /* FILTER_SITE_CODE and others */
	uint8_t span;	  /* of an access: its bytes less 1 */
	uint8_t column;	  /* of the events: 0 fetch, 1 read, 2 write */
};
/* Returns its number; 0: there is no memory. */
uint32_t filter_new_site(const struct filter_site *site);
struct filter_site *filter_site_at(uint32_t number);
/* No code is left. */
void filter_forget_sites(void);

/* Address of the cell of a line of code. 0: no room. Under the translate lock. */
uint32_t filter_code_cell(uint64_t line);
/*
 * A line of code as its sites have it, with the number of its cell, so that a miss need not look for that: the number begins at
 * FILTER_LINE_BITS, and cells are four bytes each from FILTER_CODE_CELLS on.
 */
static inline uint64_t filter_site_line(uint64_t line, uint32_t cell)
{
	return line | (uint64_t)(cell - FILTER_CODE_CELLS) / 4 << FILTER_LINE_BITS;
}
/* And back: the line of a cell. */
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
/* Could the program go on after a fault? Then code makes addresses that no memory has to such as are in the table of cells. */
extern bool filter_expects_faults;

/* A fault has ended segment t->cut_segment after t->cut_insns - 1 instructions. */
void filter_cut(struct thread *t);
/* As replay_put_repeat and replay_put_elements, and at once; the fault of a vector instruction. */
void filter_repeat(struct thread *t, uint32_t trailer, const struct repeat *rep);
void filter_elements(struct thread *t, uint32_t trailer, const uint64_t *entries, uint32_t n);
void filter_undo_elements(uint32_t trailer, uint32_t n);

/* glue: filter_miss.S */
extern char engine_filter_miss[], engine_filter_miss_of_several[], engine_filter_miss_end[];
/* Called by it, with the clock. The registers of the target are in t->regs. Returns where to go on. */
uint64_t filter_missed(uint64_t clock);

/*
 * The oldest line of a set, as its last miss left it: still so if its stamp is the one that it had then, since each use makes a stamp the
 * greatest of all.
 */
struct filter_oldest {
	uint64_t stamp;	 /* UINT64_MAX: not known */
	uint64_t *place; /* that stamp; if not known, one that is never UINT64_MAX */
	uint32_t *cell;	 /* of the line */
	uint64_t unused;
};

/* A cache. The row of a set has 8 or 16 places; those that the set has not have stamps that are never the least. */
struct filter_level {
	uint64_t *stamps;
	uint32_t **owners; /* of stamps: the cell of the line that is there, or NULL */
	uint64_t set_mask;
	uint64_t row_shift; /* log2 of the bytes of a row of stamps */
	uint64_t by_use;    /* LRU: stamps say when lines were used, else (FIFO) when they came */
	struct filter_oldest *oldest; /* of each set of a first level; filter_miss.S only */
	/* In a row of 8: 0 for those of a set, but for place [i], else UINT16_MAX. */
	uint16_t others[8][8] __attribute__((aligned(16)));
};
/* Stamps of this set have become less, or others' than before. */
void filter_forget_oldest(struct filter_level *l, uint64_t set);

/* What filter_miss.S looks at, too. */
struct filter_state {
	struct filter_level data, code;
	struct filter_level last; /* LL, kept in the same way if there are two levels */
	uint8_t *sites;
	uint32_t *last_cells; /* by line, as those of data */
	uint64_t last_clock;  /* LL has a time of its own: data and code meet there */
	uint64_t *cells;      /* of events */
	uint32_t columns[3][2]; /* numbers within such a cell: [column][missed in LL, too] */
	bool is_fast;		/* there are two levels, and both are kept so */
};
extern struct filter_state filter_state;

_Static_assert(sizeof(struct filter_site) == 1 << SITE_SHIFT, "layout");
_Static_assert(offsetof(struct filter_site, events) == SITE_EVENTS, "layout");
_Static_assert(offsetof(struct filter_site, line) == SITE_LINE, "layout");
_Static_assert(offsetof(struct filter_site, reg) == SITE_REG, "layout");
_Static_assert(offsetof(struct filter_site, flags) == SITE_FLAGS, "layout");
_Static_assert(offsetof(struct filter_site, span) == SITE_SPAN, "layout");
_Static_assert(offsetof(struct filter_site, column) == SITE_COLUMN, "layout");
_Static_assert(offsetof(struct filter_level, owners) == L_OWNERS, "layout");
_Static_assert(offsetof(struct filter_level, set_mask) == L_MASK, "layout");
_Static_assert(offsetof(struct filter_level, row_shift) == L_SHIFT, "layout");
_Static_assert(offsetof(struct filter_level, by_use) == L_BY_USE, "layout");
_Static_assert(offsetof(struct filter_level, oldest) == L_OLDEST, "layout");
_Static_assert(offsetof(struct filter_level, others) == L_OTHERS, "layout");
_Static_assert(sizeof(struct filter_oldest) == 1 << OLDEST_SHIFT, "layout");
_Static_assert(offsetof(struct filter_oldest, stamp) == OLDEST_STAMP, "layout");
_Static_assert(offsetof(struct filter_oldest, place) == OLDEST_PLACE, "layout");
_Static_assert(offsetof(struct filter_oldest, cell) == OLDEST_CELL, "layout");
_Static_assert(offsetof(struct filter_state, code) == F_CODE, "layout");
_Static_assert(offsetof(struct filter_state, last) == F_LAST, "layout");
_Static_assert(offsetof(struct filter_state, sites) == F_SITES, "layout");
_Static_assert(offsetof(struct filter_state, last_cells) == F_LAST_CELLS, "layout");
_Static_assert(offsetof(struct filter_state, last_clock) == F_LAST_CLOCK, "layout");
_Static_assert(offsetof(struct filter_state, cells) == F_CELLS, "layout");
_Static_assert(offsetof(struct filter_state, columns) == F_COLUMNS, "layout");

#endif
#endif
