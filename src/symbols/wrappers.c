/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the value inside of wrappers; see wrappers.h. A wrapper has one member that is not empty,
 * at its beginning, whose name is reserved for libraries. In Rust all names of the standard library
 * are.
 */
#include "symbols/wrappers.h"

#include <dwarf.h>
#include <string.h>

#include <elfutils/libdw.h>

#include "symbols/variable_index.h"

#define MOST_DEPTH 16 /* of wrappers: damaged files have cycles */

static bool peel(Dwarf_Die *type, Dwarf_Die *bare)
{
	return type != NULL && dwarf_peel_type(type, bare) == 0;
}

bool wrappers_enter_buffer(Dwarf_Die *type)
{
	Dwarf_Die bare, child, value;
	const char *name;

	if (!peel(type, &bare))
		return false;
	name = dwarf_diename(&bare);
	if (name == NULL ||
	    (strncmp(name, "__aligned_membuf<", 17) != 0 &&
	     strncmp(name, "__aligned_buffer<", 17) != 0) ||
	    dwarf_child(&bare, &child) != 0)
		return false;
	do {
		if (dwarf_tag(&child) != DW_TAG_template_type_parameter)
			continue;
		if (symbols_type_of(&child, &value) == NULL)
			return false;
		*type = value;
		return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

static bool is_aggregate(Dwarf_Die *bare)
{
	const int tag = dwarf_tag(bare);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* Tell whether the child of a type has a place in its objects. */
static bool is_part(Dwarf_Die *child)
{
	const int tag = dwarf_tag(child);

	return (tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
	       !dwarf_hasattr(child, DW_AT_declaration) && !dwarf_hasattr(child, DW_AT_external);
}

/* A type without data, as most allocators are; its size may be 1. */
static bool is_empty(Dwarf_Die *type, int depth)
{
	Dwarf_Die bare, child, memory;
	Dwarf_Word bytes;

	if (!peel(type, &bare))
		return true;
	if (dwarf_aggregate_size(&bare, &bytes) == 0 && bytes == 0)
		return true;
	if (!is_aggregate(&bare) || depth > MOST_DEPTH || bytes > 8 ||
	    dwarf_hasattr(&bare, DW_AT_declaration))
		return false;
	if (dwarf_child(&bare, &child) != 0)
		return true;
	do {
		if (dwarf_tag(&child) == DW_TAG_variant_part ||
		    (is_part(&child) && symbols_type_of(&child, &memory) != NULL &&
		     !is_empty(&memory, depth + 1)))
			return false;
	} while (dwarf_siblingof(&child, &child) == 0);
	return true;
}

static bool begins_there(Dwarf_Die *part)
{
	Dwarf_Attribute attribute;
	Dwarf_Word offset;

	return dwarf_attr(part, DW_AT_data_member_location, &attribute) == NULL ||
	       (dwarf_formudata(&attribute, &offset) == 0 && offset == 0);
}

/* The only part of the type that is not empty. */
static bool only_part(Dwarf_Die *bare, Dwarf_Die *part)
{
	Dwarf_Die child, memory;
	size_t count = 0;

	if (dwarf_child(bare, &child) != 0)
		return false;
	do {
		if (dwarf_tag(&child) == DW_TAG_variant_part)
			return false;
		if (!is_part(&child) || symbols_type_of(&child, &memory) == NULL ||
		    is_empty(&memory, 0))
			continue;
		*part = child;
		count++;
	} while (dwarf_siblingof(&child, &child) == 0);
	return count == 1 && begins_there(part) && !dwarf_hasattr(part, DW_AT_bit_size) &&
	       !dwarf_hasattr(part, DW_AT_virtuality);
}

static bool is_reserved(const char *name)
{
	return name != NULL && name[0] == '_' &&
	       (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

/* Tell whether the type is one of Rust's standard library. */
static bool is_of_rust(struct symbols_variables *v, Dwarf_Die *bare)
{
	static const char *const crates[] = {"alloc", "core", "std", "hashbrown"};
	const struct symbols_scope *s;
	Dwarf_Die unit;

	if (dwarf_diecu(bare, &unit, NULL, NULL) == NULL || dwarf_srclang(&unit) != DW_LANG_Rust)
		return false;
	s = symbols_variables_scope(v, bare);
	while (s != NULL && s->up != NULL)
		s = s->up;
	for (size_t i = 0; s != NULL && i < sizeof(crates) / sizeof(crates[0]); i++)
		if (strcmp(s->name, crates[i]) == 0)
			return true;
	return false;
}

/* One step: into a member, or a base class whose only member is one. */
static bool enter_once(struct symbols_variables *v, Dwarf_Die *type, int depth)
{
	Dwarf_Die bare, part, next;

	if (depth > MOST_DEPTH || !peel(type, &bare) || !is_aggregate(&bare) ||
	    !only_part(&bare, &part) || symbols_type_of(&part, &next) == NULL)
		return false;
	if (dwarf_tag(&part) == DW_TAG_inheritance) {
		if (!enter_once(v, &next, depth + 1))
			return false;
	} else if (!is_reserved(dwarf_diename(&part)) && !is_of_rust(v, &bare)) {
		return false;
	}
	*type = next;
	return true;
}

bool wrappers_enter(struct symbols_variables *v, Dwarf_Die *type)
{
	bool has_entered = false;

	for (int i = 0; i < MOST_DEPTH; i++) {
		if (!wrappers_enter_buffer(type) && !enter_once(v, type, 0))
			break;
		has_entered = true;
	}
	return has_entered;
}
