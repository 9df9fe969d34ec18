/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/ranges.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"

bool symbols_ranges_add(struct symbols_ranges *r, uint64_t low, uint64_t high, uint64_t of)
{
	if (low >= high)
		return true;
	if (!ARRAY_GROW(r))
		return false;
	r->items[r->count++] = (struct symbols_range){low, high, of};
	return true;
}

bool symbols_ranges_add_die(struct symbols_ranges *r, Dwarf_Die *die, uint64_t lowest)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0)
		if (low >= lowest && !symbols_ranges_add(r, low, high, dwarf_dieoffset(die)))
			return false;
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct symbols_range *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

void symbols_ranges_sort(struct symbols_ranges *r)
{
	if (r->count > 0)
		qsort(r->items, r->count, sizeof(*r->items), compare);
}

size_t symbols_ranges_upto(const struct symbols_ranges *r, uint64_t address)
{
	return SEARCH_FIRST(i, r->count, r->items[i].low > address);
}
