/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The choice of sets; see filter_sets.h. */
#include "engine/simulate/state/filter_sets.h"

#include "engine/core/util.h"
#include "engine/simulate/plan/plan.h"
#include "engine/simulate/state/filter.h"

static uint64_t *constant(uint64_t address)
{
	return (uint64_t *)(uintptr_t)address;
}

/* The sets whose lines are in the caches: those that are chosen, and their neighbours. */
static uint64_t near_first, near_count;

#define PAGE_CELLS 1024u
#define MOST_PAGES (16u << 20) /* of lines in 1 TB */

static struct grow pages; /* addresses of pages of cells, uint64_t */

bool filter_choose_sets(const struct sim_geometry *g)
{
	const uint64_t sets = sim_geometry_least_sets(g), margin = g->level_count;
	const uint64_t count = g->sets.parts ? sets / g->sets.parts : 0;

	if (!plan.sets)
		return true;
	*constant(FILTER_SETS_FIRST) = g->sets.part * count;
	*constant(FILTER_SETS_MASK) = sets - 1;
	*constant(FILTER_SETS_COUNT) = count;
	near_first = g->sets.part * count - margin;
	near_count = count + 2 * margin;
	return grow_init(&pages, MOST_PAGES * sizeof(uint64_t)) == 0;
}

static bool is_among(uint64_t line, uint64_t first, uint64_t count)
{
	return ((line - first) & *constant(FILTER_SETS_MASK)) < count;
}

bool filter_has_set(uint64_t line)
{
	return !plan.sets || is_among(line, near_first, near_count);
}

bool filter_counts_set(uint64_t line)
{
	return !plan.sets ||
	       is_among(line, *constant(FILTER_SETS_FIRST), *constant(FILTER_SETS_COUNT));
}

/* ---- Lines of other sets ---- */

static uint64_t *page_at(uint64_t i)
{
	return (uint64_t *)(void *)pages.base + i;
}

uint64_t filter_pages_elsewhere(void)
{
	return pages.used / sizeof(uint64_t);
}

/* Cells of lines that are touched later may have it, too. */
static void show_page(uint64_t page)
{
	uint32_t *cells = (uint32_t *)(uintptr_t)page;
	const uint64_t first = filter_line_of_data(cells);

	for (uint32_t i = 0; i < PAGE_CELLS; i++)
		if (!cells[i] && !is_among(first + i, near_first, near_count))
			cells[i] = FILTER_ELSEWHERE;
}

uint32_t filter_touch_elsewhere(const struct filter_level *l, uint32_t *cell)
{
	const uint64_t bytes = PAGE_CELLS * sizeof *cell, page = (uintptr_t)cell & -bytes;
	uint64_t *next;

	if (l != &filter_state.data)
		return *cell = FILTER_ELSEWHERE;
	if (filter_window_is_open)
		return FILTER_ELSEWHERE;
	next = grow_take(&pages, sizeof *next);
	if (!next)
		return *cell = FILTER_ELSEWHERE; /* windows do not see the line */
	*next = page;
	show_page(page);
	return FILTER_ELSEWHERE;
}

void filter_forget_elsewhere(void)
{
	filter_hide_elsewhere();
	pages.used = 0;
}

void filter_hide_elsewhere(void)
{
	for (uint64_t i = 0; i < filter_pages_elsewhere(); i++) {
		uint32_t *cells = (uint32_t *)(uintptr_t)*page_at(i);

		for (uint32_t k = 0; k < PAGE_CELLS; k++)
			cells[k] = cells[k] == FILTER_ELSEWHERE ? 0 : cells[k];
	}
}

void filter_show_elsewhere(void)
{
	for (uint64_t i = 0; i < filter_pages_elsewhere(); i++)
		show_page(*page_at(i));
}

/* ---- */

void filter_keep_near(uint64_t *first, uint64_t *last)
{
	const uint64_t end = *last;

	if (!plan.sets)
		return;
	if (!filter_has_set(end >> FILTER_LINE_SHIFT))
		*last = *first;
	if (!filter_has_set(*first >> FILTER_LINE_SHIFT))
		*first = end;
}
