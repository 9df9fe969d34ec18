/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the events of instructions are summed up: a cell holds one number for each event of the
 * simulation, first instructions, reads and writes (which only count what the executions of the
 * segment do not tell), then what happened in the caches. An instruction gets its cell when
 * something first happens to it. Under the lock of collect.h.
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
	/* events that the collector knows of; the others, if there are more, never happen */
	uint32_t told;
	/* Where the number of each of these is in a cell, if they are not in their order. */
	bool is_ordered;
	uint8_t order[CELLS_MOST_ORDERED];
};
extern struct cells cells;

/* Once. As many are told as there are. False: there is no address space. */
bool cells_init(uint32_t events);
/*
 * Another order than that in which they are told: at most CELLS_MOST_ORDERED, those before
 * CELL_FIRST_MISS where they are.
 */
void cells_set_order(const uint8_t order[], uint32_t told);
/*
 * A cell's numbers, or those of anything that counts the same events, in the order in which they
 * are told.
 */
void cells_copy(uint64_t *told, const uint64_t *numbers);

/* Cells are numbered from 1. */
static inline uint64_t *cells_at(uint32_t cell)
{
	return cells.base + (uint64_t)cell * cells.events;
}

/* A cell for nobody, all 0 but between its use and cells_new_from_spare. */
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

/* A new cell with the spare one's numbers; 0, and they are lost, when memory has run out. */
uint32_t cells_new_from_spare(void);

/* The number that the next new cell has; that one and all behind it are given back. */
uint32_t cells_next(void);
void cells_give_back(uint32_t from);

/* The spare cell's numbers go to *cell, which is made if it is 0. */
void cells_take_spare(uint32_t *cell);

/* Add to *cell, which is made if it is 0. */
void cells_add(uint32_t *cell, uint64_t instructions, uint64_t reads, uint64_t writes);

#endif
