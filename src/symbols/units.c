/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds units by the addresses of their code, according to the units themselves. libdw uses
 * .debug_aranges, which most compilers except GCC do not write.
 */
#include <dwarf.h>
#include <stdlib.h>

#include <elfutils/libdw.h>

#include "symbols/private.h"
#include "symbols/ranges.h"

#define LOOK_BACK 8 /* ranges that may start between a covering range and the address */

#define THROWN_AWAY 0 /* address of code that the linker discarded */

static struct symbols_ranges *read_units(Dwarf *dwarf)
{
	struct symbols_ranges *u = calloc(1, sizeof(*u));
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	while (u != NULL && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0)
		if (dwarf_tag(&die) != DW_TAG_partial_unit &&
		    !symbols_ranges_add_die(u, &die, THROWN_AWAY + 1))
			break; /* there are just fewer names */
	if (u != NULL)
		symbols_ranges_sort(u);
	return u;
}

Dwarf_Die *symbols_unit_around(struct symbols_file *f, Dwarf *dwarf, uint64_t address,
			       Dwarf_Die *die)
{
	const struct symbols_ranges *u;
	size_t count;

	if (f->units == NULL)
		f->units = read_units(dwarf);
	u = f->units;
	count = u != NULL ? symbols_ranges_upto(u, address) : 0;
	for (size_t i = count; i-- > 0 && count - i <= LOOK_BACK;)
		if (address < u->items[i].high)
			return dwarf_offdie(dwarf, u->items[i].of, die);
	return NULL;
}

void symbols_units_release(struct symbols_file *f)
{
	if (f->units != NULL)
		free(f->units->items);
	free(f->units);
	f->units = NULL;
}
