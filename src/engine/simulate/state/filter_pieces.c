/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of cells in pieces; see filter_pieces.h. */
#define _GNU_SOURCE
#include "engine/simulate/state/filter_pieces.h"

#include <sys/mman.h>

#include "channel/sys.h"
#include "engine/core/addresses.h"
#include "engine/core/util.h"
#include "engine/simulate/state/filter_memory.h"

#define LINES	    (1ull << FILTER_REGION_SHIFT) /* of a region */
#define UNIT	    (LINES * sizeof(uint32_t))	  /* pieces lie at multiples of it */
#define PAGES_BYTES (LINES / 64 * sizeof(uint32_t))
#define PIECE_UNITS 4u
#define PIECE_BYTES (PIECE_UNITS * UNIT)
#define UNITS	    ((1ull << FILTER_ADDRESS_BITS) / UNIT)

_Static_assert(3 * UNIT + 2 * PAGES_BYTES <= PIECE_BYTES, "layout");

static struct {
	uint32_t *region_at; /* by unit of the address space: its piece's region, and 1 */
	uint64_t empty, spare;
	bool failed;
} p;

struct filter_pieces filter_pieces;

static uint64_t *offset_of(uint64_t region)
{
	return (uint64_t *)(uintptr_t)FILTER_OFFSETS + region;
}

/* Where the whole table would have the region's cells. */
static uint64_t in_whole(uint64_t region)
{
	return FILTER_CELLS + region * UNIT;
}

static uint64_t piece_of(uint64_t region)
{
	return in_whole(region) + *offset_of(region);
}

/* 0: no address space. */
static uint64_t take(int prot)
{
	const uint64_t at = filter_memory_find(PIECE_BYTES, UNIT, prot);

	if (at)
		sys3(SYS_madvise, at, PIECE_BYTES, MADV_DONTDUMP);
	return at;
}

/* The piece at `at` is the region's, or nobody's any more. */
static void tell(uint64_t at, uint32_t region_and_1)
{
	for (uint32_t i = 0; i < PIECE_UNITS; i++)
		p.region_at[at / UNIT + i] = region_and_1;
}

bool filter_pieces_begin(void)
{
	p.region_at = (uint32_t *)(uintptr_t)filter_memory_find(UNITS * sizeof(uint32_t), PAGE,
								PROT_READ | PROT_WRITE);
	p.empty = take(PROT_READ);
	p.spare = take(PROT_READ | PROT_WRITE);
	if (!p.region_at || !p.empty || !p.spare)
		return false;
	for (uint64_t region = 0; region < FILTER_REGIONS; region++)
		*offset_of(region) = p.empty - in_whole(region);
	filter_pieces.are_on = true;
	filter_pieces.to_code_index = UNIT;
	filter_pieces.to_last = 2 * UNIT;
	filter_pieces.to_pages = 3 * UNIT;
	return true;
}

bool filter_pieces_failed(void)
{
	return p.failed;
}

/* A new piece for the region. */
static void add(uint64_t region)
{
	uint64_t at = take(PROT_READ | PROT_WRITE);

	if (!at) {
		p.failed = true;
		filter_code_is_old = true; /* a chance to end the filter */
		at = p.spare;
	}
	tell(at, (uint32_t)region + 1);
	*offset_of(region) = at - in_whole(region);
}

uint32_t *filter_piece_cell(uint64_t line)
{
	const uint64_t region = line >> FILTER_REGION_SHIFT;

	if (piece_of(region) == p.empty)
		add(region);
	return (uint32_t *)(uintptr_t)piece_of(region) + line % LINES;
}

uint64_t filter_piece_line(const uint32_t *cell)
{
	const uint64_t at = (uint64_t)(uintptr_t)cell;
	const uint64_t region = p.region_at[at / UNIT] - 1ull;

	return (at - piece_of(region)) / sizeof *cell + region * LINES;
}

/* ---- Moving ---- */

static bool overlaps(uint64_t at, uint64_t start, uint64_t end)
{
	return start < at + PIECE_BYTES && end > at;
}

/* The first unit of a piece in [unit, end), or `end`. */
static uint64_t next_piece(uint64_t unit, uint64_t end)
{
	while (unit < end && !p.region_at[unit])
		unit++;
	return unit;
}

static uint64_t last_unit(uint64_t end)
{
	const uint64_t units = (end + UNIT - 1) / UNIT;

	return units < UNITS ? units : UNITS;
}

bool filter_pieces_overlap(uint64_t start, uint64_t end)
{
	return filter_pieces.are_on &&
	       (overlaps(p.empty, start, end) || overlaps(p.spare, start, end) ||
		next_piece(start / UNIT, last_unit(end)) < last_unit(end));
}

static void set_empty(uint64_t at)
{
	for (uint64_t region = 0; region < FILTER_REGIONS; region++)
		if (piece_of(region) == p.empty)
			*offset_of(region) = at - in_whole(region);
	p.empty = at;
}

bool filter_pieces_move(uint64_t start, uint64_t end,
			void (*moved)(uint64_t low, uint64_t high, uint64_t by))
{
	const uint64_t last = last_unit(end);

	if (overlaps(p.empty, start, end)) {
		const uint64_t at = filter_memory_move(p.empty, PIECE_BYTES, UNIT, start, end);

		if (!at)
			return false;
		set_empty(at);
	}
	if (overlaps(p.spare, start, end) && !p.failed) {
		p.spare = filter_memory_move(p.spare, PIECE_BYTES, UNIT, start, end);
		if (!p.spare)
			return false;
	}
	for (uint64_t unit = start / UNIT; (unit = next_piece(unit, last)) < last;) {
		const uint32_t region_and_1 = p.region_at[unit];
		const uint64_t from = piece_of(region_and_1 - 1ull);
		const uint64_t to = filter_memory_move(from, PIECE_BYTES, UNIT, start, end);

		if (!to)
			return false;
		moved(from, from + PIECE_BYTES, to - from);
		tell(from, 0);
		tell(to, region_and_1);
		*offset_of(region_and_1 - 1ull) = to - in_whole(region_and_1 - 1ull);
	}
	return true;
}

void filter_pieces_release(void)
{
	if (!filter_pieces.are_on)
		return;
	for (uint64_t unit = 0; (unit = next_piece(unit, UNITS)) < UNITS; unit += PIECE_UNITS)
		sys2(SYS_munmap, unit * UNIT, PIECE_BYTES);
	sys2(SYS_munmap, p.empty, PIECE_BYTES);
	sys2(SYS_munmap, p.spare, PIECE_BYTES);
	sys2(SYS_munmap, p.region_at, UNITS * sizeof(uint32_t));
	filter_pieces.are_on = false;
}
