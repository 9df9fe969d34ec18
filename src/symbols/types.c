/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types as written in C and Fortran. A C declarator is built from the inside out: for an array of
 * pointers first "[10]", then "*[10]"; the name of the type is put in front last. In Fortran,
 * bounds and attributes follow the name: "real(kind=8)(0:301,400), allocatable".
 */
#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

#include <elfutils/libdw.h>

#include "base/text.h"
#include "symbols/variable_index.h"

#define MAX_DEPTH 32  /* of a type: damaged files have cyclic types */
#define MAX_BYTES 400 /* of a name; longer names are cut */

struct spelling {
	enum symbols_language language;
	struct symbols_variables *scopes;
	struct text *out;
	int depth;
};

static void spell(struct spelling *s, Dwarf_Die *type, const char *inner);

void symbols_scope_name(const struct symbols_scope *s, struct text *out)
{
	if (s == NULL)
		return;
	symbols_scope_name(s->up, out);
	text_addf(out, "%s::", s->name);
}

Dwarf_Die *symbols_type_of(Dwarf_Die *die, Dwarf_Die *target)
{
	Dwarf_Attribute attribute;
	Dwarf_Die whole;

	if (dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), target) == NULL)
		return NULL;
	/* With -fdebug-types-section a type may be just a signature, of a type in its own unit. */
	if (dwarf_attr(target, DW_AT_signature, &attribute) != NULL &&
	    dwarf_formref_die(&attribute, &whole) != NULL)
		*target = whole;
	return target;
}

static int tag_of(Dwarf_Die *die)
{
	return die != NULL ? dwarf_tag(die) : 0;
}

/* Put the name of the type in front of the declarator. */
static void put_base(struct spelling *s, const char *prefix, const char *name, const char *inner)
{
	bool is_apart = s->language != SYMBOLS_FORTRAN && inner[0] != '\0' && inner[0] != '[';

	text_addf(s->out, "%s%s%s%s", s->language == SYMBOLS_C ? prefix : "", name,
		  is_apart ? " " : "", inner);
}

/* Put "character(len=16)"; some lengths are known only at run time. */
static void put_string(struct spelling *s, Dwarf_Die *type, const char *inner)
{
	int bytes = dwarf_bytesize(type);

	if (bytes >= 0)
		text_addf(s->out, "character(len=%d)%s", bytes, inner);
	else
		text_addf(s->out, "character(len=:)%s", inner);
}

static void put_named(struct spelling *s, Dwarf_Die *type, const char *inner)
{
	static const struct {
		int tag;
		const char *prefix, *unnamed;
	} kinds[] = {
		{DW_TAG_structure_type, "struct ", "struct {...}"},
		{DW_TAG_class_type, "", "class {...}"},
		{DW_TAG_union_type, "union ", "union {...}"},
		{DW_TAG_enumeration_type, "enum ", "enum {...}"},
	};
	const char *name = dwarf_diename(type), *prefix = "", *unnamed = "?";

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].tag == dwarf_tag(type)) {
			prefix = kinds[i].prefix;
			unnamed = kinds[i].unnamed;
		}
	if (name == NULL) {
		put_base(s, "", unnamed, inner);
		return;
	}
	if (s->language == SYMBOLS_FORTRAN && dwarf_tag(type) == DW_TAG_structure_type) {
		text_add(s->out, "type(");
		symbols_scope_name(symbols_variables_scope(s->scopes, type), s->out);
		text_addf(s->out, "%s)%s", name, inner);
		return;
	}
	if (s->language != SYMBOLS_C)
		symbols_scope_name(symbols_variables_scope(s->scopes, type), s->out);
	put_base(s, prefix, name, inner);
}

static void put_pointer(struct spelling *s, Dwarf_Die *type, const char *mark, const char *inner)
{
	Dwarf_Die memory, *target = symbols_type_of(type, &memory);
	int tag = tag_of(target);
	bool wrapped = tag == DW_TAG_array_type || tag == DW_TAG_subroutine_type;
	struct text next = {0};

	if (s->language == SYMBOLS_FORTRAN) { /* allocatable arrays look the same */
		text_add(s->out, "pointer to ");
		spell(s, target, inner);
		return;
	}
	text_addf(&next, "%s%s%s%s", wrapped ? "(" : "", mark, inner, wrapped ? ")" : "");
	spell(s, target, text_get(&next));
	text_release(&next);
}

/*
 * Arrays cannot be qualified, only their elements; compilers qualify the array, the elements, or
 * both. Tell whether `target` is an array whose elements have this qualifier themselves.
 */
static bool elements_say_so(Dwarf_Die *target, int qualifier)
{
	bool is_inside = false;
	Dwarf_Die at, next;

	if (target == NULL)
		return false;
	at = *target;
	for (int i = 0; i < MAX_DEPTH; i++) {
		int tag = dwarf_tag(&at);

		if (is_inside && tag == qualifier)
			return true;
		if (tag != DW_TAG_const_type && tag != DW_TAG_volatile_type &&
		    tag != DW_TAG_array_type)
			return false;
		is_inside |= tag == DW_TAG_array_type;
		if (symbols_type_of(&at, &next) == NULL)
			return false;
		at = next;
	}
	return false;
}

static void put_qualified(struct spelling *s, Dwarf_Die *type, const char *word, const char *inner)
{
	Dwarf_Die memory, *target = symbols_type_of(type, &memory);
	struct text next = {0};

	if (s->language == SYMBOLS_FORTRAN) {
		text_add(&next, inner);
		if (!elements_say_so(target, dwarf_tag(type)))
			text_addf(&next, ", %s", strcmp(word, "const") == 0 ? "parameter" : word);
		spell(s, target, text_get(&next));
		text_release(&next);
		return;
	}
	if (tag_of(target) == DW_TAG_pointer_type) { /* "char *const" */
		text_addf(&next, "%s%s%s", word, inner[0] != '\0' && inner[0] != '[' ? " " : "",
			  inner);
		spell(s, target, text_get(&next));
		text_release(&next);
		return;
	}
	if (!elements_say_so(target, dwarf_tag(type)))
		text_addf(s->out, "%s ", word);
	spell(s, target, inner);
}

/* The number of bits if an index has a signed type, else 0. */
static unsigned signed_bits(Dwarf_Die *range)
{
	Dwarf_Attribute attribute;
	Dwarf_Word encoding, bytes;
	Dwarf_Die memory, *type = symbols_type_of(range, &memory);

	if (type == NULL || dwarf_peel_type(type, &memory) != 0 ||
	    dwarf_formudata(dwarf_attr(&memory, DW_AT_encoding, &attribute), &encoding) != 0 ||
	    dwarf_formudata(dwarf_attr(&memory, DW_AT_byte_size, &attribute), &bytes) != 0)
		return 0;
	return encoding == DW_ATE_signed && bytes < sizeof(Dwarf_Word) ? (unsigned)bytes * 8 : 0;
}

/*
 * Read a bound of an index. Constants of fixed size do not show their sign, and compilers use the
 * smallest size: a byte 199 is 199. A constant is negative only if it fills a signed type.
 */
static bool index_bound(Dwarf_Die *range, unsigned name, Dwarf_Sword *bound)
{
	Dwarf_Attribute attribute;
	Dwarf_Word plain;
	unsigned bits;

	if (dwarf_attr_integrate(range, name, &attribute) == NULL)
		return false;
	if (attribute.form == DW_FORM_sdata || attribute.form == DW_FORM_implicit_const)
		return dwarf_formsdata(&attribute, bound) == 0;
	if (dwarf_formudata(&attribute, &plain) != 0)
		return false;
	bits = signed_bits(range);
	if (bits > 0 && (plain >> (bits - 1)) == 1)
		plain |= ~(Dwarf_Word)0 << bits;
	*bound = (Dwarf_Sword)plain;
	return true;
}

/* Read the bounds of a dimension. Returns false if the file does not have them. */
static bool dimension(Dwarf_Die *range, Dwarf_Sword *lower, Dwarf_Sword *upper)
{
	Dwarf_Attribute attribute;
	Dwarf_Word count;
	Dwarf_Die unit;

	if (!index_bound(range, DW_AT_lower_bound, lower) &&
	    (dwarf_diecu(range, &unit, NULL, NULL) == NULL ||
	     dwarf_default_lower_bound(dwarf_srclang(&unit), lower) != 0))
		*lower = 0;
	if (dwarf_formudata(dwarf_attr_integrate(range, DW_AT_count, &attribute), &count) == 0) {
		*upper = (Dwarf_Sword)((Dwarf_Word)*lower + count - 1);
		return true;
	}
	return index_bound(range, DW_AT_upper_bound, upper);
}

/* Put "[10]". */
static void put_extent(struct text *out, Dwarf_Die *range)
{
	Dwarf_Sword lower, upper;

	if (!dimension(range, &lower, &upper))
		text_add(out, "[]");
	else
		text_addf(out, "[%" PRIu64 "]",
			  upper >= lower ? (uint64_t)upper - (uint64_t)lower + 1 : 0);
}

/* Put "10", "0:9", or ":" if known only at run time. */
static void put_bounds(struct text *out, Dwarf_Die *range)
{
	Dwarf_Sword lower, upper;

	if (!dimension(range, &lower, &upper))
		text_add(out, ":");
	else if (lower == 1)
		text_addf(out, "%" PRId64, upper >= 0 ? (int64_t)upper : 0);
	else
		text_addf(out, "%" PRId64 ":%" PRId64, (int64_t)lower, (int64_t)upper);
}

static void put_array(struct spelling *s, Dwarf_Die *type, const char *inner)
{
	bool is_fortran = s->language == SYMBOLS_FORTRAN;
	Dwarf_Die memory, child;
	struct text next = {0};
	size_t dimensions = 0;

	text_add(&next, is_fortran ? "(" : inner);
	if (dwarf_child(type, &child) == 0) {
		do {
			if (dwarf_tag(&child) != DW_TAG_subrange_type)
				continue;
			if (is_fortran) {
				text_add(&next, dimensions++ > 0 ? "," : "");
				put_bounds(&next, &child);
			} else {
				put_extent(&next, &child);
			}
		} while (dwarf_siblingof(&child, &child) == 0);
	}
	if (is_fortran)
		text_addf(&next, ")%s%s%s", inner,
			  dwarf_hasattr(type, DW_AT_allocated) ? ", allocatable" : "",
			  dwarf_hasattr(type, DW_AT_associated) ? ", pointer" : "");
	spell(s, symbols_type_of(type, &memory), text_get(&next));
	text_release(&next);
}

static void put_function(struct spelling *s, Dwarf_Die *type, const char *inner)
{
	Dwarf_Die memory, child;
	struct text next = {0};
	struct spelling parameter = *s;
	size_t before;

	parameter.out = &next;
	text_addf(&next, "%s(", inner);
	before = next.count;
	if (dwarf_child(type, &child) == 0) {
		do {
			int tag = dwarf_tag(&child);

			if (tag != DW_TAG_formal_parameter && tag != DW_TAG_unspecified_parameters)
				continue;
			text_add(&next, next.count > before ? ", " : "");
			if (tag == DW_TAG_unspecified_parameters)
				text_add(&next, "...");
			else
				spell(&parameter, symbols_type_of(&child, &memory), "");
		} while (dwarf_siblingof(&child, &child) == 0);
	}
	if (next.count == before && s->language == SYMBOLS_C)
		text_add(&next, "void");
	text_add(&next, ")");
	spell(s, symbols_type_of(type, &memory), text_get(&next));
	text_release(&next);
}

/* Write the type, NULL for void, around the declarator. */
static void spell(struct spelling *s, Dwarf_Die *type, const char *inner)
{
	static const struct {
		int tag;
		void (*put)(struct spelling *s, Dwarf_Die *type, const char *word,
			    const char *inner);
		const char *word;
	} kinds[] = {
		{DW_TAG_pointer_type, put_pointer, "*"},
		{DW_TAG_reference_type, put_pointer, "&"},
		{DW_TAG_rvalue_reference_type, put_pointer, "&&"},
		{DW_TAG_ptr_to_member_type, put_pointer, "::*"},
		{DW_TAG_const_type, put_qualified, "const"},
		{DW_TAG_volatile_type, put_qualified, "volatile"},
		{DW_TAG_restrict_type, put_qualified, "restrict"},
		{DW_TAG_atomic_type, put_qualified, "_Atomic"},
	};
	int tag = tag_of(type);

	if (type == NULL) {
		put_base(s, "", "void", inner);
		return;
	}
	if (s->depth >= MAX_DEPTH || s->out->count > MAX_BYTES) {
		text_add(s->out, "...");
		return;
	}
	s->depth++;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].tag == tag) {
			kinds[i].put(s, type, kinds[i].word, inner);
			s->depth--;
			return;
		}
	if (tag == DW_TAG_array_type)
		put_array(s, type, inner);
	else if (tag == DW_TAG_string_type)
		put_string(s, type, inner);
	else if (tag == DW_TAG_subroutine_type && s->language == SYMBOLS_FORTRAN)
		put_base(s, "", "procedure", inner);
	else if (tag == DW_TAG_subroutine_type)
		put_function(s, type, inner);
	else
		put_named(s, type, inner);
	s->depth--;
}

void symbols_type_name(Dwarf_Die *type, enum symbols_language language,
		       struct symbols_variables *scopes, struct text *out)
{
	struct spelling s = {language, scopes, out, 0};

	spell(&s, type, "");
	if (out->count > MAX_BYTES) {
		out->count = MAX_BYTES;
		text_add(out, "...");
	}
}

uint64_t symbols_element_bytes(Dwarf_Die *type)
{
	Dwarf_Die at = *type, memory;
	bool is_array = false;
	Dwarf_Word bytes;

	for (int i = 0; i < MAX_DEPTH; i++) {
		int tag = dwarf_tag(&at);

		if (tag != DW_TAG_array_type && tag != DW_TAG_typedef && tag != DW_TAG_const_type &&
		    tag != DW_TAG_volatile_type)
			break;
		/* The variable is only the array's descriptor; the array is elsewhere. */
		if (dwarf_hasattr(&at, DW_AT_data_location))
			return 0;
		is_array |= tag == DW_TAG_array_type;
		if (symbols_type_of(&at, &memory) == NULL)
			return 0;
		at = memory;
	}
	return is_array && dwarf_aggregate_size(&at, &bytes) == 0 ? bytes : 0;
}
