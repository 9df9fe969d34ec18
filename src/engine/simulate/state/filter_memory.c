/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Address space of the filter variant; see filter_memory.h. */
#define _GNU_SOURCE
#include "engine/simulate/state/filter_memory.h"

#include <sys/mman.h>

#include "channel/sys.h"
#include "engine/codecache/cache.h"
#include "engine/core/addresses.h"
#include "engine/core/util.h"
#include "engine/simulate/state/filter.h"
#include "engine/simulate/state/filter_move.h"
#include "engine/simulate/state/filter_pieces.h"

#define CELLS_BYTES (4ull << FILTER_LINE_BITS)
#define MOST_TRIES  8u

/* Tables beside those in the low part; those of cells are 0 if they lie in pieces. */
enum table { LOW, CELLS, CODE_INDEX, LAST_CELLS, OTHERS, PAGES, TABLES };

static struct {
	uint64_t at, bytes; /* 0: not reserved */
} tables[TABLES];

bool filter_memory_divides;

static long map(uint64_t at, uint64_t bytes, int prot, int flags)
{
	return pages_map(at, bytes, prot, MAP_ANONYMOUS | MAP_NORESERVE | flags, -1);
}

static bool map_at(uint64_t at, uint64_t bytes)
{
	long p = map(at, bytes, PROT_READ | PROT_WRITE, MAP_FIXED_NOREPLACE);

	if (!sys_failed(p) && (uint64_t)p != at) /* a kernel without MAP_FIXED_NOREPLACE */
		sys2(SYS_munmap, p, bytes);
	return (uint64_t)p == at;
}

uint64_t filter_memory_find(uint64_t bytes, uint64_t align, int prot)
{
	const uint64_t hint = addresses_of_reserve(bytes);
	uint64_t at;
	long p = map(hint, bytes, prot, 0);

	if (sys_failed(p))
		return 0;
	if ((uint64_t)p % align == 0)
		return (uint64_t)p;
	sys2(SYS_munmap, p, bytes);
	p = map(hint, bytes + align, prot, 0);
	if (sys_failed(p))
		return 0;
	at = round_up((uint64_t)p, align);
	if (at > (uint64_t)p)
		sys2(SYS_munmap, p, at - (uint64_t)p);
	if (at < (uint64_t)p + align)
		sys2(SYS_munmap, at + bytes, (uint64_t)p + align - at);
	return at;
}

uint64_t filter_memory_move(uint64_t from, uint64_t bytes, uint64_t align, uint64_t start,
			    uint64_t end)
{
	uint64_t refused[MOST_TRIES], to = 0;
	uint32_t n = 0;

	while (n < MOST_TRIES && (to = filter_memory_find(bytes, align, PROT_NONE)) && to < end &&
	       to + bytes > start) {
		refused[n++] = to;
		to = 0;
	}
	while (n-- > 0)
		sys2(SYS_munmap, refused[n], bytes);
	if (!to)
		return 0;
	if (sys5(SYS_mremap, from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) == (long)to)
		return to;
	sys2(SYS_munmap, to, bytes);
	return 0;
}

/* Reserves a table at `at`, or elsewhere if `moves`. */
static bool reserve(enum table i, uint64_t at, uint64_t bytes, bool moves)
{
	if (!bytes)
		return true;
	if (!map_at(at, bytes))
		at = moves ? filter_memory_find(bytes, PAGE, PROT_READ | PROT_WRITE) : 0;
	if (!at)
		return false;
	tables[i].at = at;
	tables[i].bytes = bytes;
	return sys3(SYS_madvise, at, bytes, MADV_DONTDUMP) == 0;
}

static void release(enum table i)
{
	if (tables[i].bytes)
		sys2(SYS_munmap, tables[i].at, tables[i].bytes);
	tables[i].bytes = 0;
}

static void tell_offsets(void)
{
	filter_pieces.to_code_index = tables[CODE_INDEX].at - FILTER_CELLS;
	filter_pieces.to_last = tables[LAST_CELLS].at - FILTER_CELLS;
}

static void release_whole(void)
{
	release(CELLS);
	release(CODE_INDEX);
	release(LAST_CELLS);
	release(PAGES);
}

static bool reserve_whole(uint64_t page_bytes)
{
	if (reserve(CELLS, FILTER_CELLS, CELLS_BYTES, false) &&
	    reserve(CODE_INDEX, FILTER_CELLS + CELLS_BYTES, CELLS_BYTES, true) &&
	    reserve(LAST_CELLS, FILTER_CELLS + 2 * CELLS_BYTES, CELLS_BYTES, true) &&
	    reserve(PAGES, FILTER_CELLS + 4 * CELLS_BYTES, page_bytes, true)) {
		tell_offsets();
		return true;
	}
	release_whole();
	return false;
}

uint64_t filter_memory_others(void)
{
	return tables[OTHERS].at;
}

uint64_t filter_memory_pages(void)
{
	return tables[PAGES].bytes ? tables[PAGES].at : 0;
}

bool filter_memory_reserve(uint64_t other_bytes, uint64_t page_bytes)
{
	if (reserve(LOW, FILTER_LOW, LOW_TABLES - FILTER_LOW, false) &&
	    reserve(OTHERS, FILTER_CELLS + 3 * CELLS_BYTES, other_bytes, true) &&
	    ((!filter_memory_divides && reserve_whole(page_bytes)) || filter_pieces_begin()))
		return true;
	filter_memory_release();
	return false;
}

void filter_memory_release(void)
{
	for (enum table i = LOW; i < TABLES; i++)
		release(i);
	filter_pieces_release();
}

/* ---- Places that the program wants ---- */

static bool overlaps(enum table i, uint64_t start, uint64_t end)
{
	return tables[i].bytes && start < tables[i].at + tables[i].bytes && end > tables[i].at;
}

bool filter_memory_overlaps(uint64_t start, uint64_t end)
{
	bool any = filter_pieces_overlap(start, end);

	for (enum table i = LOW; i < TABLES; i++)
		any |= overlaps(i, start, end);
	return any;
}

/* Moves the table away from there. Returns how far, or 0 if it is not there or cannot. */
static uint64_t move(enum table i, uint64_t start, uint64_t end)
{
	const uint64_t from = tables[i].at;
	const uint64_t to = overlaps(i, start, end)
				    ? filter_memory_move(from, tables[i].bytes, PAGE, start, end)
				    : 0;

	if (!to)
		return 0;
	tables[i].at = to;
	return to - from;
}

/* From now on the table of cells lies in pieces. */
static bool divide(void)
{
	const struct filter_pieces whole = filter_pieces;

	if (!filter_pieces_begin())
		return false;
	filter_move_to_pieces(&whole);
	release_whole();
	return true;
}

static bool whole_overlaps(uint64_t start, uint64_t end)
{
	return overlaps(CELLS, start, end) || overlaps(CODE_INDEX, start, end) ||
	       overlaps(LAST_CELLS, start, end) || overlaps(PAGES, start, end);
}

/* Moves what belongs to the whole table of cells, and need not lie at its place. */
static void move_tables(uint64_t start, uint64_t end)
{
	filter_move_last(move(LAST_CELLS, start, end));
	filter_move_pages(move(PAGES, start, end));
	if (move(CODE_INDEX, start, end))
		tell_offsets();
}

static void move_others(uint64_t start, uint64_t end)
{
	filter_move_others(move(OTHERS, start, end));
}

bool filter_memory_make_room(uint64_t start, uint64_t end)
{
	if (overlaps(LOW, start, end))
		return false;
	if (!overlaps(CELLS, start, end))
		move_tables(start, end);
	if (whole_overlaps(start, end) && !divide())
		return false;
	move_others(start, end);
	if (filter_pieces.are_on && !filter_pieces_move(start, end, filter_move_cells))
		return false;
	return !filter_memory_overlaps(start, end);
}

bool filter_memory_divide(void)
{
	return !filter_pieces.are_on && divide();
}

/* ---- Constants ---- */

static void *low(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

static void write_order(uint64_t at, uint32_t places)
{
	uint64_t *number = low(at);

	for (uint32_t but = 0; but <= places; but++)
		for (uint32_t i = 0; i < places; i++)
			*number++ = i == but ? UINT64_MAX : i;
}

static uint64_t line_mask(void)
{
	const uint64_t address_mask = (1ull << FILTER_ADDRESS_BITS) - 1;

	return address_mask & ~((1ull << FILTER_LINE_SHIFT) - 1);
}

void filter_memory_write_constants(void)
{
	*(uint64_t *)low(FILTER_NOBODY) = FILTER_NOBODY + sizeof(uint64_t);
	write_order(FILTER_ORDER_8, 8);
	write_order(FILTER_ORDER_16, 16);
}

void filter_write_constants(struct arena_data *d)
{
	d->line_mask = line_mask();
	d->region_mask = (FILTER_REGIONS - 1ull) << FILTER_REGION_SHIFT;
	for (uint32_t n = 0; n <= FILTER_LINE_SHIFT; n++)
		d->aligned[n] = (1ull << n) - 1;
	d->tick[0] = d->tick[1] = 2;
}
