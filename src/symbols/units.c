/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Units by the addresses of their code, as the units themselves tell them. .debug_aranges, which
 * libdw goes by, is left out by most compilers that are not GCC: then no address would have a unit.
 */
#include <dwarf.h>
#include <stdlib.h>

#include <elfutils/libdw.h>

#include "base/array.h"
#include "symbols/private.h"

#define LOOK_BACK 8 /* ranges that may start between a covering one and the address */

struct code_range {
	uint64_t low, high; /* DWARF addresses, high excluded */
	Dwarf_Off die;	    /* of the unit */
};

struct symbols_units {
	struct code_range *items; /* sorted by low */
	size_t count, room;
};

static bool add_unit(struct symbols_units *u, Dwarf_Die *die)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		/* What the linker threw away is at 0. */
		if (low == 0 || low >= high)
			continue;
		if (!ARRAY_GROW(u))
			return false;
		u->items[u->count++] = (struct code_range){low, high, dwarf_dieoffset(die)};
	}
	return true;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct code_range *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static struct symbols_units *read_units(Dwarf *dwarf)
{
	struct symbols_units *u = calloc(1, sizeof(*u));
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	while (u != NULL && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0)
		if (dwarf_tag(&die) != DW_TAG_partial_unit && !add_unit(u, &die))
			break; /* fewer names, that is all */
	if (u != NULL && u->count > 0)
		qsort(u->items, u->count, sizeof(*u->items), compare_ranges);
	return u;
}

Dwarf_Die *symbols_unit_around(struct symbols_file *f, Dwarf *dwarf, uint64_t address,
			       Dwarf_Die *die)
{
	const struct symbols_units *u;
	size_t low = 0, high;

	if (f->units == NULL)
		f->units = read_units(dwarf);
	u = f->units;
	for (high = u != NULL ? u->count : 0; low < high;) { /* the first range above the address */
		size_t middle = low + (high - low) / 2;

		if (u->items[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low; i-- > 0 && low - i <= LOOK_BACK;)
		if (address < u->items[i].high)
			return dwarf_offdie(dwarf, u->items[i].die, die);
	return NULL;
}

void symbols_units_release(struct symbols_file *f)
{
	if (f->units != NULL)
		free(f->units->items);
	free(f->units);
	f->units = NULL;
}
