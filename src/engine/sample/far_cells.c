/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines counted by the time of their last touch; see far_cells.h. */
#include "engine/sample/far_cells.h"

#include "engine/core/util.h"

#define RATIO_LOG2 3u

static uint64_t cell_of(uint64_t at, uint32_t level)
{
	return at >> (FAR_CELL_LOG2 + RATIO_LOG2 * level);
}

void far_cells_clear(struct far_cells *c)
{
	memset(c, 0, sizeof *c);
}

void far_cells_advance(struct far_cells *c, uint64_t now)
{
	for (uint32_t level = 0; level < FAR_LEVELS; level++) {
		uint64_t cell = cell_of(now, level);

		if (cell == c->latest[level])
			break; /* nor are there new ones above */
		if (cell - c->latest[level] > FAR_CELLS)
			c->latest[level] = cell - FAR_CELLS;
		while (c->latest[level] < cell)
			memset(c->sum[level][++c->latest[level] % FAR_CELLS], 0,
			       sizeof c->sum[level][0]);
	}
}

void far_cells_move(struct far_cells *c, uint32_t i, uint64_t weight, uint64_t old, uint64_t now)
{
	for (uint32_t level = 0; level < FAR_LEVELS; level++) {
		uint64_t from = cell_of(old, level), to = cell_of(now, level);

		if (old && from == to)
			break;
		if (old && from + FAR_CELLS > c->latest[level])
			c->sum[level][from % FAR_CELLS][i] -= weight;
		if (to + FAR_CELLS > c->latest[level])
			c->sum[level][to % FAR_CELLS][i] += weight;
	}
}

/* Its own cell: the lines in it were touched at any time in it alike. */
static uint64_t later_in(const struct far_cells *c, uint32_t i, uint64_t weight, uint64_t at,
			 uint32_t level)
{
	uint32_t shift = FAR_CELL_LOG2 + RATIO_LOG2 * level;
	uint64_t left = (1ull << shift) - (at & ((1ull << shift) - 1));
	uint64_t lines = c->sum[level][cell_of(at, level) % FAR_CELLS][i];

	return (uint64_t)((unsigned __int128)(lines > weight ? lines - weight : 0) * left >> shift);
}

uint64_t far_cells_later(const struct far_cells *c, uint32_t i, uint64_t weight, uint64_t at)
{
	uint32_t level = 0;
	uint64_t sum, cell;

	while (level + 1 < FAR_LEVELS && cell_of(at, level) + FAR_CELLS <= c->latest[level])
		level++;
	sum = later_in(c, i, weight, at, level);
	/* up to where a cell of the next level begins, and there on */
	for (cell = cell_of(at, level) + 1; level < FAR_LEVELS; level++) {
		while (cell <= c->latest[level] &&
		       (cell % (1u << RATIO_LOG2) || level + 1 == FAR_LEVELS))
			sum += c->sum[level][cell++ % FAR_CELLS][i];
		if (cell > c->latest[level])
			break;
		cell >>= RATIO_LOG2;
	}
	return sum;
}
