/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of instructions; see cells.h. */
#include "engine/simulate/counts/cells.h"

#include "engine/core/util.h"

#define RESERVE (8ull << 30)

struct cells cells;
static struct grow memory;

bool cells_init(uint32_t events)
{
	if (cells.base)
		return true;
	if (grow_init(&memory, RESERVE) != 0)
		return false;
	cells.events = cells.told = events;
	cells.base = grow_take(&memory, events * sizeof *cells.base);
	return true;
}

void cells_set_order(const uint8_t order[], uint32_t told)
{
	memcpy(cells.order, order, told * sizeof *order);
	cells.told = told;
	cells.is_ordered = true;
}

void cells_in_large_pages(void)
{
	grow_in_large_pages(&memory);
}

void cells_copy(uint64_t *told, const uint64_t *numbers)
{
	if (!cells.is_ordered) {
		memcpy(told, numbers, cells.told * sizeof *told);
		return;
	}
	for (uint32_t i = 0; i < cells.told; i++)
		told[i] = numbers[cells.order[i]];
}

uint32_t cells_new_from_spare(void)
{
	uint64_t bytes = cells.events * sizeof *cells.base;
	uint64_t *cell = grow_take(&memory, bytes);

	if (cell)
		memcpy(cell, cells_spare(), bytes);
	memset(cells_spare(), 0, bytes);
	return cell ? (uint32_t)((uint64_t)(cell - cells.base) / cells.events) : 0;
}

uint32_t cells_next(void)
{
	return (uint32_t)(memory.used / (cells.events * sizeof *cells.base));
}

void cells_give_back(uint32_t from)
{
	grow_give_back(&memory, memory.used - from * (uint64_t)cells.events * sizeof *cells.base);
}

void cells_take_spare(uint32_t *cell)
{
	uint64_t *spare = cells_spare(), *to;

	if (!*cell) {
		*cell = cells_new_from_spare();
		return;
	}
	to = cells_at(*cell);
	for (uint32_t i = 0; i < cells.events; i++) {
		to[i] += spare[i];
		spare[i] = 0;
	}
}

void cells_add(uint32_t *cell, uint64_t instructions, uint64_t reads, uint64_t writes)
{
	uint64_t *e = cells_at(*cell);

	e[CELL_INSTRUCTIONS] += instructions;
	e[CELL_READS] += reads;
	e[CELL_WRITES] += writes;
	if (!*cell && cells_spare_is_used())
		*cell = cells_new_from_spare();
}
