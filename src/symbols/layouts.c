/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The members of types, from DWARF. C++ base classes, and structs and unions without a name, give
 * their members to the type around them, as in the source; so do variants of Rust. What libraries
 * wrap around a value is left out: see wrappers.c.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include <elfutils/libdw.h>

#include "base/array.h"
#include "base/text.h"
#include "symbols/variable_index.h"
#include "symbols/wrappers.h"

#define MOST_MEMBERS 1000 /* of a layout; the rest is left out */
#define MOST_DEPTH   8

struct build {
	struct symbols_variables *v;
	enum symbols_language language;
	struct {
		struct symbols_member *items;
		size_t count, room;
	} members;
	bool failed;
};

static const char *keep_type(struct build *b, Dwarf_Die *type)
{
	struct text text = {0};
	const char *kept;

	symbols_type_name(type, b->language, b->v, &text);
	kept = arena_strdup(&b->v->arena, text_get(&text));
	text_release(&text);
	b->failed |= kept == NULL;
	return kept;
}

/* The type without typedefs and qualifiers. Returns false for void. */
static bool peel(Dwarf_Die *type, Dwarf_Die *bare)
{
	return type != NULL && dwarf_peel_type(type, bare) == 0;
}

/*
 * The type of an array's elements, in all its dimensions; of other types the type itself. Returns
 * false if it is unknown, or the array is elsewhere and the type only its descriptor.
 */
static bool element_of(Dwarf_Die *type, Dwarf_Die *element)
{
	Dwarf_Die bare, next;

	*element = *type;
	for (int i = 0; i < MOST_DEPTH && peel(element, &bare); i++) {
		if (dwarf_tag(&bare) != DW_TAG_array_type)
			return true;
		if (dwarf_hasattr(&bare, DW_AT_data_location) ||
		    symbols_type_of(&bare, &next) == NULL)
			return false;
		*element = next;
	}
	return false;
}

static uint64_t size_of(Dwarf_Die *type)
{
	Dwarf_Word bytes;

	return dwarf_aggregate_size(type, &bytes) == 0 ? bytes : 0;
}

static enum symbols_form form_of(Dwarf_Die *bare)
{
	Dwarf_Attribute attribute;
	Dwarf_Word encoding;

	switch (dwarf_tag(bare)) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_enumeration_type:
		return SYMBOLS_FORM_INTEGER;
	case DW_TAG_base_type:
		if (dwarf_formudata(dwarf_attr(bare, DW_AT_encoding, &attribute), &encoding) != 0)
			return SYMBOLS_FORM_UNKNOWN;
		return encoding == DW_ATE_float		  ? SYMBOLS_FORM_FLOAT
		       : encoding == DW_ATE_complex_float ? SYMBOLS_FORM_UNKNOWN
							  : SYMBOLS_FORM_INTEGER;
	default:
		return SYMBOLS_FORM_UNKNOWN;
	}
}

/* Read a number, if the attribute is there and constant. */
static bool number_of(Dwarf_Die *die, unsigned name, uint64_t *number)
{
	Dwarf_Attribute attribute;
	Dwarf_Word n;

	if (dwarf_attr(die, name, &attribute) == NULL || dwarf_formudata(&attribute, &n) != 0)
		return false;
	*number = n;
	return true;
}

/* The place of a member or base class. Returns false if it is not fixed, as of virtual bases. */
static bool place_of(Dwarf_Die *die, uint64_t *offset)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t count;

	*offset = 0;
	if (dwarf_attr(die, DW_AT_data_member_location, &attribute) == NULL)
		return !dwarf_hasattr(die, DW_AT_external);
	if (number_of(die, DW_AT_data_member_location, offset))
		return true;
	if (dwarf_getlocation(&attribute, &ops, &count) != 0 || count != 1 ||
	    (ops[0].atom != DW_OP_plus_uconst && ops[0].atom != DW_OP_constu))
		return false;
	*offset = ops[0].number;
	return true;
}

/* The bytes that a bit-field has a bit in. False: it is none. */
static bool place_bits(Dwarf_Die *die, uint64_t *offset, uint64_t *bytes)
{
	uint64_t first, bits;

	if (!number_of(die, DW_AT_bit_size, &bits) || bits == 0 ||
	    !number_of(die, DW_AT_data_bit_offset, &first))
		return false;
	*offset += first / 8;
	*bytes = (first + bits - 1) / 8 - first / 8 + 1;
	return true;
}

static struct symbols_member *add(struct build *b)
{
	if (b->members.count >= MOST_MEMBERS)
		return NULL;
	if (!ARRAY_GROW(&b->members)) {
		b->failed = true;
		return NULL;
	}
	return &b->members.items[b->members.count++];
}

static void add_members(struct build *b, Dwarf_Die *type, uint64_t base, uint32_t depth,
			int nesting);

static bool is_struct(Dwarf_Die *type)
{
	const int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

static bool has_members(Dwarf_Die *type)
{
	return is_struct(type) || dwarf_tag(type) == DW_TAG_union_type;
}

/* What is known of a member's type. */
struct shape {
	Dwarf_Die type, element, bare; /* as declared; of the elements; that without typedefs */
	uint64_t bytes, elements;      /* of all; 0: no array */
	enum symbols_form form;
	bool has_members; /* its elements have */
};

/* Of an array elsewhere; its own size is not told. */
#define DESCRIPTOR UINT64_MAX

static void read_shape(struct build *b, Dwarf_Die *die, struct shape *s)
{
	Dwarf_Die bare, inner;
	uint64_t each;

	*s = (struct shape){.bytes = 0};
	if (symbols_type_of(die, &s->type) == NULL)
		return;
	s->bytes = size_of(&s->type);
	inner = s->type;
	if (wrappers_enter_buffer(&inner))
		s->type = inner;
	wrappers_enter(b->v, &inner);
	if (!peel(&inner, &bare))
		return;
	if (dwarf_tag(&bare) == DW_TAG_array_type && dwarf_hasattr(&bare, DW_AT_data_location))
		s->elements = DESCRIPTOR;
	if (!element_of(&inner, &s->element))
		return;
	/* An element may wrap another array. */
	if (wrappers_enter(b->v, &s->element) && !element_of(&s->element, &s->element))
		return;
	if (!peel(&s->element, &s->bare))
		return;
	each = size_of(&s->element);
	if (dwarf_tag(&bare) == DW_TAG_array_type && each > 0)
		s->elements = s->bytes > 0 ? s->bytes / each : each;
	s->form = form_of(&s->bare);
	s->has_members = has_members(&s->bare);
}

/* Add a member at the offset, and those inside of it. */
static void add_member(struct build *b, Dwarf_Die *die, uint64_t offset, uint32_t depth,
		       int nesting)
{
	const char *name = dwarf_diename(die);
	struct symbols_member *m;
	struct shape s;

	read_shape(b, die, &s);
	if (name == NULL && s.has_members) {
		add_members(b, &s.bare, offset, depth, nesting + 1);
		return;
	}
	if (place_bits(die, &offset, &s.bytes))
		s.form = SYMBOLS_FORM_UNKNOWN;
	m = add(b);
	if (m == NULL)
		return;
	*m = (struct symbols_member){
		.depth = depth,
		.offset = offset,
		.bytes = s.bytes,
		.elements = s.elements,
		.form = s.form,
		.name = arena_strdup(&b->v->arena, name != NULL ? name : "(tag)"),
		.type = keep_type(b, &s.type),
	};
	b->failed |= m->name == NULL;
	if (s.has_members)
		add_members(b, &s.bare, 0, depth + 1, nesting + 1);
}

/* A variant of Rust is a struct in the place of the whole; a tag says which one it is. */
static void add_variants(struct build *b, Dwarf_Die *part, uint64_t base, uint32_t depth,
			 int nesting)
{
	Dwarf_Die child, variant;
	uint64_t offset;

	if (dwarf_child(part, &child) != 0)
		return;
	do {
		if (dwarf_tag(&child) == DW_TAG_member && place_of(&child, &offset))
			add_member(b, &child, base + offset, depth, nesting);
		if (dwarf_tag(&child) != DW_TAG_variant || dwarf_child(&child, &variant) != 0)
			continue;
		if (dwarf_tag(&variant) == DW_TAG_member && place_of(&variant, &offset))
			add_member(b, &variant, base + offset, depth, nesting);
	} while (!b->failed && dwarf_siblingof(&child, &child) == 0);
}

/* What no size is told of ends where the next member begins. */
static void close_descriptors(struct build *b, size_t first, uint32_t depth, uint64_t end)
{
	uint64_t next = end;

	for (size_t i = b->members.count; i-- > first;) {
		struct symbols_member *m = &b->members.items[i];

		if (m->depth != depth)
			continue;
		if (m->elements == DESCRIPTOR) {
			m->elements = 0;
			m->bytes = next > m->offset ? next - m->offset : 0;
		}
		next = m->offset;
	}
}

/* Add the members of a struct or class, which lies at `base` of what has the members. */
static void add_members(struct build *b, Dwarf_Die *type, uint64_t base, uint32_t depth,
			int nesting)
{
	const size_t first = b->members.count;
	Dwarf_Die child, memory, bare;
	uint64_t offset;

	if (nesting > MOST_DEPTH || dwarf_child(type, &child) != 0)
		return;
	do {
		const int tag = dwarf_tag(&child);

		if (tag == DW_TAG_variant_part)
			add_variants(b, &child, base, depth, nesting + 1);
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    dwarf_hasattr(&child, DW_AT_declaration) || !place_of(&child, &offset))
			continue;
		if (tag == DW_TAG_member)
			add_member(b, &child, base + offset, depth, nesting);
		else if (!dwarf_hasattr(&child, DW_AT_virtuality) &&
			 peel(symbols_type_of(&child, &memory), &bare))
			add_members(b, &bare, base + offset, depth, nesting + 1);
	} while (!b->failed && dwarf_siblingof(&child, &child) == 0);
	close_descriptors(b, first, depth, base + size_of(type));
}

/* The member of a struct or class at the offset, which becomes one in the member. */
static bool enter(Dwarf_Die *type, uint64_t *offset, Dwarf_Die *member)
{
	Dwarf_Die child, memory;
	uint64_t place;

	if (dwarf_child(type, &child) != 0)
		return false;
	do {
		const int tag = dwarf_tag(&child);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    dwarf_hasattr(&child, DW_AT_declaration) || !place_of(&child, &place) ||
		    place > *offset || symbols_type_of(&child, &memory) == NULL ||
		    *offset - place >= size_of(&memory))
			continue;
		*member = memory;
		*offset -= place;
		return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

bool symbols_member_at(Dwarf_Die *type, uint64_t offset, Dwarf_Die *member)
{
	Dwarf_Die at = *type, bare;

	for (int i = 0; i < MOST_DEPTH && peel(&at, &bare); i++) {
		uint64_t bytes;

		if (dwarf_tag(&bare) == DW_TAG_array_type && element_of(&bare, member)) {
			bytes = size_of(member);
			offset = bytes > 0 ? offset % bytes : offset;
		} else if (!is_struct(&bare) || !enter(&bare, &offset, member)) {
			*member = at;
			return offset == 0;
		}
		at = *member;
	}
	return false;
}

static const struct symbols_layout *make(struct symbols_variables *v, Dwarf_Die *element,
					 uint64_t bytes)
{
	struct build b = {.v = v};
	struct symbols_layout *l = arena_alloc(&v->arena, sizeof(*l));
	struct symbols_member *kept = NULL;
	Dwarf_Die bare, unit, inner = *element;

	if (l == NULL)
		return NULL;
	if (dwarf_diecu(element, &unit, NULL, NULL) != NULL)
		b.language = symbols_language_of(&unit);
	*l = (struct symbols_layout){.type = keep_type(&b, element), .bytes = bytes};
	wrappers_enter(v, &inner);
	if (peel(&inner, &bare) && has_members(&bare))
		add_members(&b, &bare, 0, 0, 0);
	if (b.members.count > 0)
		kept = arena_alloc(&v->arena, b.members.count * sizeof(*kept));
	if (kept != NULL) {
		memcpy(kept, b.members.items, b.members.count * sizeof(*kept));
		l->members = kept;
		l->member_count = b.members.count;
	}
	free(b.members.items);
	return b.failed ? NULL : l;
}

const struct symbols_layout *symbols_layout_of(struct symbols_variables *v, Dwarf_Die *type)
{
	const struct symbols_layout *l;
	uint64_t known, bytes;
	Dwarf_Die element;

	if (!element_of(type, &element))
		return NULL;
	if (map_get(&v->layouts, (uintptr_t)element.addr, &known))
		return (const struct symbols_layout *)(uintptr_t)known;
	bytes = size_of(&element);
	l = bytes > 0 ? make(v, &element, bytes) : NULL;
	if (l != NULL)
		map_set(&v->layouts, (uintptr_t)element.addr, (uintptr_t)l);
	return l;
}
