/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The filter variant of simulations. Translated code looks by itself whether the line of an access
 * is in the simulated first level; only a miss there calls the engine. The engine updates the first
 * level at once. With two levels it notes the miss, and looks up some hundred together in LL
 * (filter_below.S).
 *
 * Each line of memory has a cell of four bytes, in a table reserved for all of the address space:
 * the address of the line's stamp, or 0 if the line is not in the cache. Each place of the cache
 * has a stamp of eight bytes: the time of the last touch of its line. The time is that of lanes 0
 * and 1 of the counter register (lanes.h). The least stamp of a set is evicted; free places have 0.
 *
 * Code has the same: each line of it that was translated has a cell. Cells of code, stamps,
 * execution counters and constants of misses lie below 2 GB, so that code reaches them without a
 * register. Those of code lie beside it (cache.h).
 *
 *   FILTER_LOW:   | constants of misses | stamps of data, of code, of LL | owners of these |
 *                 | cells of code -> | misses of sites -> | labels of data | counters -> |
 *                 | offsets |
 *   LOW_TABLES:  others', see addresses.h
 *   FILTER_CELLS: | cells of data |
 *   here, or elsewhere if it must: | those of code, by line |, | those of LL |,
 *                 | oldest of sets | lines of code |, with TLBs: | places by page |
 *
 * Where there is no room for these, all cells lie in pieces: filter_pieces.h.
 *
 * With FIFO replacement the stamp is the time when the line came, so hits write nothing. Random
 * replacement has no stamps; a line has the same place as in the replay.
 *
 * Hierarchies that are more than plain caches of two levels: miss/filter_walk.h.
 *
 * With several hierarchies the filter holds what all first levels have: filter_multi.h.
 *
 * One thread at a time runs: threads take turns (filter_scheduler.h).
 */
#ifndef DWELL_ENGINE_SIMULATE_FILTER_FILTER_H
#define DWELL_ENGINE_SIMULATE_FILTER_FILTER_H

#define FILTER_LOW	    0x60000000
#define FILTER_CELLS	    0x70060000 /* see filter_trust.h */
#define FILTER_LINE_SHIFT   6
#define FILTER_ADDRESS_BITS 47
#define FILTER_LINE_BITS    (FILTER_ADDRESS_BITS - FILTER_LINE_SHIFT)
#define FILTER_STAMPS	    (FILTER_LOW + 4096)
#define FILTER_FIRST_BYTES  0x400000  /* stamps of each first level */
#define FILTER_LAST_BYTES   0x2800000 /* of LL: 320 MB of caches */
#define FILTER_TO_OWNERS    0x3000840 /* from a stamp to its owner */
#define FILTER_OWNERS	    (FILTER_STAMPS + FILTER_TO_OWNERS)
#define FILTER_CODE_CELLS   (FILTER_STAMPS + 0x6001000)
#define FILTER_MISSES	    (FILTER_CODE_CELLS + 0x2000000) /* see filter_sites.h */
#define FILTER_CODE_LINES   0x800000ull
#define FILTER_MOST_SITES   0x400000
#define FILTER_LABELS	    (FILTER_MISSES + 0x2000000)
/* Before the labels: struct filter_page, by place of the TLB. */
#define FILTER_DATA_PAGE_USES FILTER_LABELS
#define FILTER_CODE_PAGE_USES (FILTER_LABELS + 0x80000)
#define FILTER_TO_LABELS      0xa102420 /* from a stamp of data to its label */
#define FILTER_COUNTERS	      (FILTER_LABELS + 0x1001000)
#define FILTER_OFFSETS	      0x6dc00000 /* by region: see filter_pieces.h */
#define FILTER_REGION_SHIFT   22	 /* from a line to its region */
#define FILTER_REGIONS	      (1u << (FILTER_LINE_BITS - FILTER_REGION_SHIFT))
/* Constants of misses. */
/*
 * Which lines count, if not all (--sets): those with ((line - first) & mask) < count.
 */
#define FILTER_SETS_FIRST (FILTER_LOW + 16)
#define FILTER_SETS_MASK  (FILTER_LOW + 24)
#define FILTER_SETS_COUNT (FILTER_LOW + 32)
/* A register's value, while an offset is in the register. */
#define FILTER_SECOND (FILTER_LOW + 40)
/* Misses that are called: the program's stack pointer; the end of their stack (filter_quick.h). */
#define FILTER_QUICK_SP	   (FILTER_LOW + 576)
#define FILTER_QUICK_STACK (FILTER_LOW + 1024)
/* the code behind the call: it restores that, and jumps */
#define FILTER_QUICK_BACK_BYTES 13
/* The stamp of all other lines. */
#define FILTER_ELSEWHERE (FILTER_LOW + 192)
/* the address of an unused cell, which bring_in clears where a place is free */
#define FILTER_NOBODY (FILTER_LOW + 128)
/*
 * For each place of a row: the numbers of all places, its own replaced by the greatest number;
 * last, all numbers unchanged.
 */
#define FILTER_ORDER_8	(FILTER_LOW + 1024)
#define FILTER_ORDER_16 (FILTER_LOW + 1792)
/* struct filter_level */
#define L_STAMPS 0
#define L_OWNERS 8
#define L_MASK	 16
#define L_PLACES 24
#define L_BY_USE 32
#define L_OLDEST 40
/* struct filter_oldest */
#define OLDEST_STAMP   0
#define OLDEST_PLACE   8
#define OLDEST_CELL    16
#define OLDEST_WATCHED 24
#define OLDEST_SHIFT   5
/* struct filter_state */
#define F_DATA		   0
#define F_CODE		   56
#define F_LAST		   112
#define F_LAST_CELLS	   168
#define F_LAST_CLOCK	   176
#define F_LAST_SETS	   184
#define F_LAST_MAGIC	   192
#define F_DATA_PAGES	   200
#define F_CODE_PAGES	   208
#define F_CODE_LINES	   216
#define F_TO_LAST	   224
#define F_WRITE_BACK	   228
#define F_BELOW_PREFETCHES 232
/* struct filter_page */
#define PAGE_TIME      0
#define PAGE_SHOWN     8
#define PAGE_USE_SHIFT 4

#ifndef __ASSEMBLER__

#include "engine/core/state.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/filter_handover.h"

/* By page of data, and of code, see filter_pages.h: the bytes of each. */
#define FILTER_PAGES_BYTES (sizeof(uint32_t) << (FILTER_ADDRESS_BITS - 12))

/* How the tables of cells lie. */
struct filter_pieces {
	bool are_on; /* in pieces, see filter_pieces.h; else whole */
	/* in bytes, from the cell of a line of data: to the address of its cell as code; to LL's */
	uint64_t to_code_index, to_last;
	uint64_t to_pages; /* pieces only: from their beginning */
};
extern struct filter_pieces filter_pieces;
/* The same for a line of a piece; makes the piece if needed. */
uint32_t *filter_piece_cell(uint64_t line);
uint64_t filter_piece_line(const uint32_t *cell);

struct sim_hierarchy;
struct sim_multi;
struct arena_data;
struct segment;
struct segment_insn;
struct repeat;

/* Write the constants that code of the filter variant reads. */
void filter_write_constants(struct arena_data *d);

bool filter_is_on(void);
/*
 * The thread that has the turn, or NULL; under the lock of collect.h. A thread may compare it with
 * itself without the lock.
 */
extern struct thread *filter_owner;
static inline bool filter_turn_is_own(void)
{
	return __atomic_load_n(&filter_owner, __ATOMIC_RELAXED) == thread_self();
}

/* The filter variant as a code variant (code_variant.h). */
extern const struct code_variant filter_variant;
/* turn_emit.c: see stretches.h */
extern const struct code_variant approach_variant;
/* The variant of simulated code. */
enum code_variant_id filter_choose_variant(void);
/* Code of the filter variant is made anew before it runs again. */
extern bool filter_code_is_old;
/* Write the index of lines of code again, after it has moved. */
void filter_index_code(void);

/* The address of the cell of a line of code; 0: no room. Under the translate lock. */
uint32_t filter_code_cell(uint64_t line);
/* The cell of a line of data; in pieces this may make one. */
static inline uint32_t *filter_data_cell(uint64_t line)
{
	line &= (1ull << FILTER_LINE_BITS) - 1;
	return filter_pieces.are_on ? filter_piece_cell(line)
				    : (uint32_t *)(uintptr_t)FILTER_CELLS + line;
}
static inline uint32_t *filter_behind_cell(uint32_t *cell, uint64_t bytes)
{
	return (uint32_t *)((uintptr_t)cell + bytes);
}
/* The same of LL. */
static inline uint32_t *filter_last_cell(uint64_t line)
{
	return filter_behind_cell(filter_data_cell(line), filter_pieces.to_last);
}
/* Where the address of a line's cell as code stands; those of neighbours are neighbours. 0: NULL */
static inline uint32_t *filter_code_index(uint64_t line)
{
	return filter_behind_cell(filter_data_cell(line), filter_pieces.to_code_index);
}
/*
 * A bit for some pages, one of which has lines with cells: for most pages of data it says that they
 * have none, without a look at their part of the table.
 */
#define FILTER_CODE_PAGE_BITS 65536u
extern uint64_t filter_code_page_bits[FILTER_CODE_PAGE_BITS / 64];
static inline uint32_t filter_code_page_bit(uint64_t line)
{
	const uint64_t page = (line & ((1ull << FILTER_LINE_BITS) - 1)) >> (12 - FILTER_LINE_SHIFT);

	return (page ^ page >> 16) % FILTER_CODE_PAGE_BITS;
}
static inline bool filter_may_be_code(uint64_t line)
{
	const uint32_t bit = filter_code_page_bit(line);

	return filter_code_page_bits[bit / 64] >> bit % 64 & 1;
}
/* NULL if none was asked for. No lock. */
static inline uint32_t *filter_known_code_cell(uint64_t line)
{
	return filter_may_be_code(line) ? (uint32_t *)(uintptr_t)*filter_code_index(line) : 0;
}
/* The line of a cell; not for the cell at FILTER_NOBODY. */
uint64_t filter_line_of_code(const uint32_t *cell);
/* The same for data. */
static inline uint64_t filter_line_of_data(const uint32_t *cell)
{
	return filter_pieces.are_on ? filter_piece_line(cell)
				    : (uint64_t)(cell - (const uint32_t *)(uintptr_t)FILTER_CELLS);
}
static inline uint64_t filter_line_of_last(const uint32_t *cell)
{
	return filter_line_of_data((const uint32_t *)((uintptr_t)cell - filter_pieces.to_last));
}
/* Clear the label of a place of data. */
static inline void filter_reference_clear(uint32_t place)
{
	if (plan.references)
		*(uint32_t *)(uintptr_t)(place + FILTER_TO_LABELS) = 0;
}

extern bool filter_window_is_open;
/* Has the stack pointer ever been no multiple of 8? Then code does not rely on it. */
extern bool filter_is_careful;
/*
 * May the program continue after a fault? Then code maps non-canonical addresses into the table of
 * cells.
 */
extern bool filter_expects_faults;

/* Is the memory of counts still the filter's? */
bool filter_may_count(void);

/* glue: filter_miss.S */
extern char engine_filter_miss[], engine_filter_miss_end[];
/*
 * Called by it, with the clock. The target's registers are in t->regs. Returns the code address to
 * continue at.
 */
uint64_t filter_missed(uint64_t clock);

/*
 * The oldest line of a set at its last miss. It is still the oldest if its stamp has not changed,
 * as each use makes a stamp the greatest.
 */
struct filter_oldest {
	uint64_t stamp;	 /* UINT64_MAX: unknown */
	uint64_t *place; /* of that stamp; if unknown, a place that never has UINT64_MAX */
	uint32_t *cell;	 /* of the line; the one at FILTER_NOBODY if the place is free */
	/* which lines of the set uses_watch.h watches: bit n % 32 for the level's n-th place */
	uint64_t watched;
};

/*
 * A cache. The row of a set has 8 or 16 places; places beyond the ways have the greatest stamp. In
 * an LL of more than 16 ways it has as many places as ways.
 */
struct filter_level {
	uint64_t *stamps;
	uint32_t **owners; /* by stamp: the cell of the line there, or NULL */
	uint64_t set_mask; /* unless the cache has a set_magic, see sim_cache_set */
	uint64_t places;   /* of a row */
	uint64_t
		by_use; /* LRU, PLRU: stamps say when lines were used, else (FIFO) when they came */
	struct filter_oldest *oldest; /* by set of a first level; for filter_miss.S only */
	/* FIFO with stamps by use (filter_conflicts.h): when lines came, by place; else NULL */
	uint64_t *came;
};
static inline uint64_t filter_places(const struct filter_level *l)
{
	return (l->set_mask + 1) * l->places;
}
/* Reserve the tables. False: there is no address space. */
bool filter_reserve(void);
/* Make the levels for the caches of filter_state; and say where misses count. */
void filter_make_levels(void);
void filter_prepare_misses(bool marks_stores);
/* The place, of a row from `first` on, whose line is evicted. */
uint64_t filter_victim(const struct filter_level *l, uint64_t first, uint64_t places);
/* The cache that the level stands for. */
struct sim_cache *filter_cache_of(const struct filter_level *l);
/* Forget the set's oldest line, after its stamps or lines were changed. */
void filter_forget_oldest(struct filter_level *l, uint64_t set);

/* The levels; read by filter_miss.S, too. */
struct filter_state {
	struct filter_level data, code;
	struct filter_level last;	/* LL in the same form, if is_fast or walks */
	uint32_t *last_cells;		/* by line, like those of data; not in pieces */
	uint64_t last_clock;		/* LL has its own time, as data and code share it */
	uint64_t last_sets, last_magic; /* its sets and set_magic, see sim_cache_set */
	/* by page: its place in the TLB, or 0 (filter_pages.h); NULL: there is no TLB */
	uint32_t *data_pages, *code_pages;
	uint64_t *code_lines; /* see filter_line_of_code */
	/* added to the number of a first-level event: that of the same event in LL */
	uint32_t to_last;
	uint32_t write_back;	    /* position of those of the first level in a cell of events */
	uint32_t below_prefetches;  /* may the second level have lines that were prefetched? */
	uint32_t columns[3][2];	    /* positions in a cell of events: [column][missed in LL, too] */
	bool is_fast;		    /* there are two levels, and the filter has both */
	bool walks;		    /* see filter_walk.h; then `last` is the second level, if any */
	struct sim_hierarchy *h;    /* NULL: several hierarchies */
	bool chooses_sets;	    /* only some lines are simulated */
	void (*divide_pages)(void); /* of filter_pages.h, if there are TLBs: the tables move */
	void (*move_pages)(uint64_t by);
	void *page_misses; /* by site, see filter_pages.h */
	struct filter_caches caches;
	uint32_t most_bytes;  /* of an access */
	bool on, is_reserved; /* the tables' memory is the filter's */
};
extern struct filter_state filter_state;
/* The number of the line whose cell this is, in the level. */
uint64_t filter_line_of(const struct filter_level *l, const uint32_t *cell);

_Static_assert(offsetof(struct filter_level, owners) == L_OWNERS, "layout");
_Static_assert(offsetof(struct filter_level, set_mask) == L_MASK, "layout");
_Static_assert(offsetof(struct filter_level, places) == L_PLACES, "layout");
_Static_assert(offsetof(struct filter_level, by_use) == L_BY_USE, "layout");
_Static_assert(offsetof(struct filter_level, oldest) == L_OLDEST, "layout");
_Static_assert(sizeof(struct filter_oldest) == 1 << OLDEST_SHIFT, "layout");
_Static_assert(offsetof(struct filter_oldest, stamp) == OLDEST_STAMP, "layout");
_Static_assert(offsetof(struct filter_oldest, place) == OLDEST_PLACE, "layout");
_Static_assert(offsetof(struct filter_oldest, cell) == OLDEST_CELL, "layout");
_Static_assert(offsetof(struct filter_oldest, watched) == OLDEST_WATCHED, "layout");
_Static_assert(offsetof(struct filter_state, code) == F_CODE, "layout");
_Static_assert(offsetof(struct filter_state, last) == F_LAST, "layout");
_Static_assert(offsetof(struct filter_state, last_cells) == F_LAST_CELLS, "layout");
_Static_assert(offsetof(struct filter_state, last_clock) == F_LAST_CLOCK, "layout");
_Static_assert(offsetof(struct filter_state, last_sets) == F_LAST_SETS, "layout");
_Static_assert(offsetof(struct filter_state, last_magic) == F_LAST_MAGIC, "layout");
_Static_assert(offsetof(struct filter_state, data_pages) == F_DATA_PAGES, "layout");
_Static_assert(offsetof(struct filter_state, code_pages) == F_CODE_PAGES, "layout");
_Static_assert(offsetof(struct filter_state, code_lines) == F_CODE_LINES, "layout");
_Static_assert(offsetof(struct filter_state, to_last) == F_TO_LAST, "layout");
_Static_assert(offsetof(struct filter_state, write_back) == F_WRITE_BACK, "layout");
_Static_assert(offsetof(struct filter_state, below_prefetches) == F_BELOW_PREFETCHES, "layout");

#endif
#endif
