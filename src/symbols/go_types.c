/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types of Go. Code hands the allocator a descriptor of the type, whose address DWARF has beside
 * the type: so a call says what it allocates.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>

#include "symbols/moves.h"
#include "symbols/origins.h"
#include "symbols/results.h"
#include "symbols/variable_index.h"

#define GO_RUNTIME_TYPE 0x2904 /* DW_AT_go_runtime_type */
#define MOST_TYPES	((size_t)1 << 20)

bool results_is_go(const struct frame *s)
{
	Dwarf_Die function = s->scopes[0], unit;

	return dwarf_diecu(&function, &unit, NULL, NULL) != NULL &&
	       dwarf_srclang(&unit) == DW_LANG_Go;
}

static void find_base(struct symbols_variables *v)
{
	const int n = dwfl_module_getsymtab(v->file->module);

	for (int i = 1; i < n && v->go_base == 0; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		const char *name = dwfl_module_getsym_info(v->file->module, i, &symbol, &address,
							   NULL, NULL, NULL);

		if (name != NULL && strcmp(name, "runtime.types") == 0)
			v->go_base = address - v->file->bias;
	}
}

/* Types stand directly in units. */
static void read_types(struct symbols_variables *v)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, die;
	size_t count = 0;

	v->has_go_types = true;
	find_base(v);
	while (v->dwarf != NULL &&
	       dwarf_get_units(v->dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0) {
		if (dwarf_srclang(&unit) != DW_LANG_Go || dwarf_child(&unit, &die) != 0)
			continue;
		do {
			Dwarf_Attribute attribute;
			Dwarf_Word address;

			if (dwarf_attr(&die, GO_RUNTIME_TYPE, &attribute) == NULL ||
			    (dwarf_formaddr(&attribute, &address) != 0 &&
			     dwarf_formudata(&attribute, &address) != 0) ||
			    address == 0 || count++ >= MOST_TYPES)
				continue;
			if (map_set(&v->go_types, address, dwarf_dieoffset(&die)) != 0)
				return;
		} while (dwarf_siblingof(&die, &die) == 0);
	}
}

/* A map holds buckets; the type of its header says of which type. */
static void enter_map(Dwarf_Die *type)
{
	const char *name = dwarf_diename(type);
	Dwarf_Die header, child, pointer, bucket;

	if (name == NULL || strncmp(name, "map[", 4) != 0 || !frame_pointee(type, &header) ||
	    dwarf_child(&header, &child) != 0)
		return;
	do {
		const char *member = dwarf_diename(&child);

		if (member != NULL && strcmp(member, "buckets") == 0 &&
		    symbols_type_of(&child, &pointer) != NULL && frame_pointee(&pointer, &bucket)) {
			*type = bucket;
			return;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
}

/* DWARF has the descriptor's address, or where it is in the linker's table of descriptors. */
static bool find_type(const struct frame *s, uint64_t address, struct symbols_variables *v,
		      Dwarf_Die *type)
{
	uint64_t die;

	return (map_get(&v->go_types, address + s->shift, &die) ||
		(v->go_base != 0 && map_get(&v->go_types, address - v->go_base, &die))) &&
	       dwarf_offdie(v->dwarf, die, type) != NULL;
}

bool results_look_at_go(const struct frame *s, uint64_t call, struct symbols_variables *v,
			Dwarf_Die *type)
{
	/* The first argument; of growslice since Go 1.20 it is the last one. */
	static const unsigned char registers[] = {MOVES_RAX, MOVES_RDI};
	uint64_t address;

	if (!v->has_go_types)
		read_types(v);
	for (size_t i = 0; i < sizeof(registers); i++)
		if (origins_constant(s, call, registers[i], &address) &&
		    find_type(s, address, v, type)) {
			enter_map(type);
			return true;
		}
	return false;
}
