/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of code that have cells; see filter.h. */
#include "engine/simulate/state/filter.h"

#define w filter_state

uint64_t filter_code_page_bits[FILTER_CODE_PAGE_BITS / 64];
static uint64_t count; /* of lines */

uint32_t filter_code_cell(uint64_t line)
{
	uint32_t *cell = filter_code_index(line);
	const uint32_t bit = filter_code_page_bit(line);

	if (*cell)
		return *cell;
	if (count == FILTER_CODE_LINES)
		return 0;
	filter_code_page_bits[bit / 64] |= 1ull << bit % 64;
	*cell = (uint32_t)(FILTER_CODE_CELLS + sizeof *cell * count);
	w.code_lines[count++] = line;
	return *cell;
}

uint64_t filter_line_of_code(const uint32_t *cell)
{
	return w.code_lines[cell - (const uint32_t *)(uintptr_t)FILTER_CODE_CELLS];
}

void filter_index_code(void)
{
	for (uint64_t i = 0; i < count; i++)
		*filter_code_index(w.code_lines[i]) =
			(uint32_t)(FILTER_CODE_CELLS + sizeof(uint32_t) * i);
}

uint64_t filter_line_of(const struct filter_level *l, const uint32_t *cell)
{
	if (l == &filter_state.data)
		return filter_line_of_data(cell);
	return l == &filter_state.code ? filter_line_of_code(cell) : filter_line_of_last(cell);
}
