/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event counters of instructions. A cell holds one number for each event of the simulation: first
 * instructions, reads and writes, then the events of the caches. The first three count only what
 * the executions of the segment do not imply. An instruction gets a cell with its first event. The
 * lock of collect.h guards all cells.
 */
#ifndef DWELL_ENGINE_SIMULATE_CELLS_H
#define DWELL_ENGINE_SIMULATE_CELLS_H

#include <stdbool.h>
#include <stdint.h>

enum { CELL_INSTRUCTIONS, CELL_READS, CELL_WRITES, CELL_FIRST_MISS };

#define CELLS_MOST_ORDERED 64u

struct cells {
	uint64_t *base;
	uint32_t events; /* numbers of a cell */
	/* events that the collector knows; any others are padding and stay 0 */
	uint32_t told;
	/* position in a cell of each event that the collector knows, if not in its order */
	bool is_ordered;
	uint8_t order[CELLS_MOST_ORDERED];
};
extern struct cells cells;

/*
 * The collector knows all events until cells_set_order. Later calls do nothing. False: no address
 * space.
 */
bool cells_init(uint32_t events);
/*
 * The position in a cell of each of the `told` events that the collector knows: at most
 * CELLS_MOST_ORDERED, those before CELL_FIRST_MISS in place.
 */
void cells_set_order(const uint8_t order[], uint32_t told);
/* Those of several hierarchies are large. */
void cells_in_large_pages(void);
/* Copy a cell, or other numbers of the same events, into the collector's order. */
void cells_copy(uint64_t *told, const uint64_t *numbers);

/* Cells are numbered from 1; 0 is the spare one. */
static inline uint64_t *cells_at(uint32_t cell)
{
	return cells.base + (uint64_t)cell * cells.events;
}

/* A scratch cell: all 0, except between its use and cells_new_from_spare. */
static inline uint64_t *cells_spare(void)
{
	return cells.base;
}

static inline bool cells_spare_is_used(void)
{
	uint64_t any = 0;

	for (uint32_t i = 0; i < cells.events; i++)
		any |= cells.base[i];
	return any != 0;
}

/*
 * Move the spare cell's numbers to a new cell, and return its number. 0: memory has run out, and
 * the numbers are lost.
 */
uint32_t cells_new_from_spare(void);

/* Behind counts in cells_at(*cell): if it was the spare one, they get a cell of their own. */
static inline void cells_keep(uint32_t *cell)
{
	if (!*cell)
		*cell = cells_new_from_spare();
}

/* The number of the next new cell; and give back all cells from a number on. */
uint32_t cells_next(void);
void cells_give_back(uint32_t from);

/* Move the spare cell's numbers to *cell; if it is 0, to a new cell. */
void cells_take_spare(uint32_t *cell);

/* Add to *cell; if it is 0 and the spare cell is not all 0 then, make it. */
void cells_add(uint32_t *cell, uint64_t instructions, uint64_t reads, uint64_t writes);

#endif
