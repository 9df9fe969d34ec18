/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What refers to the filter's tables, when they move; see filter_move.h. */
#include "engine/simulate/state/filter_move.h"

#include "engine/simulate/plan/plan.h"
#include "sim/cache/cache.h"

#define w filter_state

/* The owner of a place: a cell, or, where the hierarchy walks, an entry with its address. */
static uint64_t cell_at(const struct filter_level *l, uint64_t place)
{
	const uint64_t owner = (uintptr_t)l->owners[place];

	return plan.walks ? sim_entry_line(owner) : owner;
}

static void set_cell(const struct filter_level *l, uint64_t place, uint64_t cell)
{
	const unsigned flags = (unsigned)((uintptr_t)l->owners[place] & SIM_ENTRY_FLAGS);

	l->owners[place] = (uint32_t *)(uintptr_t)(plan.walks ? sim_entry_of(cell, flags) : cell);
}

static uint64_t places_of(const struct filter_level *l)
{
	return l->stamps ? filter_cache_of(l)->sets * l->places : 0;
}

static void forget_oldest_of_data(void)
{
	const uint64_t sets = places_of(&w.data) / (w.data.places ? w.data.places : 1);

	for (uint64_t set = 0; set < sets; set++)
		filter_forget_oldest(&w.data, set);
}

/* ---- From a whole table to pieces ---- */

static bool is_in(uint64_t cell, uint64_t table)
{
	return cell >= table && cell < table + (sizeof(uint32_t) << FILTER_LINE_BITS);
}

/* The cells of the level were in the table at `table`, and are `offset` behind those of data. */
static void move_level(const struct filter_level *l, uint64_t table, uint64_t offset)
{
	for (uint64_t i = 0; i < places_of(l); i++) {
		const uint64_t old = cell_at(l, i);
		uint64_t new;

		if (!is_in(old, table)) /* nobody's */
			continue;
		new = (uintptr_t)filter_data_cell((old - table) / sizeof(uint32_t)) + offset;
		*(uint32_t *)(uintptr_t) new = *(uint32_t *)(uintptr_t)old;
		set_cell(l, i, new);
	}
}

void filter_move_to_pieces(const struct filter_pieces *whole)
{
	if (filter_is_on()) {
		move_level(&w.data, FILTER_CELLS, 0);
		move_level(&w.last, FILTER_CELLS + whole->to_last, filter_pieces.to_last);
		filter_index_code();
		forget_oldest_of_data();
		if (w.divide_pages)
			w.divide_pages();
	}
	filter_code_is_old = true;
}

/* ---- Others ---- */

static void shift_level(const struct filter_level *l, uint64_t low, uint64_t high, uint64_t by)
{
	for (uint64_t i = 0; i < places_of(l); i++) {
		const uint64_t cell = cell_at(l, i);

		if (cell >= low && cell < high)
			set_cell(l, i, cell + by);
	}
}

void filter_move_cells(uint64_t low, uint64_t high, uint64_t by)
{
	if (!filter_is_on())
		return;
	shift_level(&w.data, low, high, by);
	shift_level(&w.last, low, high, by);
	forget_oldest_of_data();
}

static void *shifted(void *p, uint64_t by)
{
	return p ? (uint8_t *)p + by : 0;
}

void filter_move_last(uint64_t by)
{
	const uint64_t table = FILTER_CELLS + filter_pieces.to_last;

	if (!by)
		return;
	if (filter_is_on())
		shift_level(&w.last, table, table + (sizeof(uint32_t) << FILTER_LINE_BITS), by);
	filter_pieces.to_last += by;
	w.last_cells = shifted(w.last_cells, by);
}

void filter_move_pages(uint64_t by)
{
	if (by && w.move_pages)
		w.move_pages(by);
}

void filter_move_others(uint64_t by)
{
	w.data.oldest = shifted(w.data.oldest, by);
	w.code.oldest = shifted(w.code.oldest, by);
	w.code_lines = shifted(w.code_lines, by);
	w.page_misses = shifted(w.page_misses, by);
}
