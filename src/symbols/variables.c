/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Variables from DWARF: name, type and place of the variable at an address. variable_index.c knows
 * which variables exist.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include <elfutils/libdw.h>

#include "base/text.h"
#include "symbols/variable_index.h"

#define LOOK_BACK 8 /* variables that may start between a covering one and the address */

static Dwarf_Die *type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), type);
}

enum symbols_language symbols_language_of(Dwarf_Die *unit)
{
	static const struct {
		int dwarf;
		enum symbols_language language;
	} known[] = {
		{DW_LANG_C, SYMBOLS_C},
		{DW_LANG_C89, SYMBOLS_C},
		{DW_LANG_C99, SYMBOLS_C},
		{DW_LANG_C11, SYMBOLS_C},
		{DW_LANG_Fortran77, SYMBOLS_FORTRAN},
		{DW_LANG_Fortran90, SYMBOLS_FORTRAN},
		{DW_LANG_Fortran95, SYMBOLS_FORTRAN},
		{DW_LANG_Fortran03, SYMBOLS_FORTRAN},
		{DW_LANG_Fortran08, SYMBOLS_FORTRAN},
	};
	int language = dwarf_srclang(unit);

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].dwarf == language)
			return known[i].language;
	return SYMBOLS_SCOPED;
}

/* A definition is in the file's scope; its declaration has the scope of the name. */
static const struct symbols_scope *scope_of(struct symbols_variables *v,
					    const struct symbols_variable_entry *x, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Die declaration;
	const struct symbols_scope *scope = NULL;

	if (dwarf_attr(die, DW_AT_specification, &attribute) != NULL &&
	    dwarf_formref_die(&attribute, &declaration) != NULL)
		scope = symbols_variables_scope(v, &declaration);
	return scope != NULL ? scope : x->scope;
}

static const char *variable_name(struct symbols_variables *v,
				 const struct symbols_variable_entry *x, Dwarf_Die *die,
				 struct arena *a)
{
	static const unsigned linkage[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name};
	const char *name = NULL;
	struct text text = {0};

	for (size_t i = 0; name == NULL && i < sizeof(linkage) / sizeof(linkage[0]); i++) {
		Dwarf_Attribute attribute;
		const char *mangled =
			dwarf_formstring(dwarf_attr_integrate(die, linkage[i], &attribute));

		name = mangled != NULL ? symbols_demangle_variable(a, mangled) : NULL;
		if (name != NULL && strcmp(name, mangled) == 0)
			name = NULL; /* not a known mangling: the scopes say more */
	}
	if (name != NULL)
		return name;
	name = dwarf_diename(die);
	if (name == NULL) { /* as where the shared part of DWARF is missing */
		const struct symbols_entry *e =
			symbols_table_find_data(v->file, x->start + v->bias);

		if (e != NULL)
			return symbols_demangle_variable(a, e->name);
	}
	symbols_scope_name(scope_of(v, x, die), &text);
	text_add(&text, name != NULL ? name : "(unnamed)");
	name = arena_strdup(a, text_get(&text));
	text_release(&text);
	return name;
}

/* The size of the variable, from its type or else from its symbol. */
static uint64_t variable_bytes(struct symbols_file *f, const struct symbols_variable_entry *x,
			       Dwarf_Die *die)
{
	Dwarf_Die memory, *type = type_of(die, &memory);
	struct symbols_entry *e;
	Dwarf_Word bytes;

	if (type != NULL && dwarf_aggregate_size(type, &bytes) == 0)
		return bytes;
	e = symbols_table_find_data(f, x->start + f->variables->bias);
	return e != NULL ? e->address + e->bytes - (x->start + f->variables->bias) : 0;
}

/*
 * Not dwarf_decl_file(): it treats file 0 as none, which is true only before DWARF 5, and it aborts
 * if a unit of a split file has no file table (elfutils 0.188).
 */
static const char *declaration_file(Dwarf_Die *die, Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Half version;
	Dwarf_Word index;
	size_t count;

	if (dwarf_cu_info(unit->cu, &version, NULL, NULL, NULL, NULL, NULL, NULL) != 0 ||
	    dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_file, &attribute), &index) != 0 ||
	    (index == 0 && version < 5) || dwarf_getsrcfiles(unit, &files, &count) != 0 ||
	    index >= count)
		return NULL;
	return dwarf_filesrc(files, index, NULL, NULL);
}

static bool describe(struct symbols_file *f, const struct symbols_variable_entry *x, Dwarf_Die *die,
		     uint64_t bytes, struct arena *a, struct symbols_variable *out)
{
	struct symbols_variables *v = f->variables;
	Dwarf_Die memory, unit, *type = type_of(die, &memory);
	struct text text = {0};
	int line = 0;

	*out = (struct symbols_variable){.name = variable_name(v, x, die, a),
					 .start = x->start + v->bias,
					 .end = x->start + v->bias + bytes};
	if (dwarf_diecu(die, &unit, NULL, NULL) == NULL)
		return out->name != NULL;
	if (type != NULL) {
		symbols_type_name(type, symbols_language_of(&unit), v, &text);
		out->type = arena_strdup(a, text_get(&text));
		out->element_bytes = symbols_element_bytes(type);
		out->layout = symbols_layout_of(v, type);
		text_release(&text);
	}
	out->file = symbols_tidy_path(a, &unit, declaration_file(die, &unit));
	if (dwarf_decl_line(die, &line) == 0 && line > 0)
		out->line = (uint32_t)line;
	return out->name != NULL;
}

/* The index's entry of the variable at the address of the file; its DIE and size. Or NULL. */
static const struct symbols_variable_entry *find(struct symbols_file *f, uint64_t address,
						 Dwarf_Die *die, uint64_t *bytes)
{
	struct symbols_variables *v;
	int looked = 0;

	if (f->variables == NULL)
		f->variables = symbols_variables_new(f);
	v = f->variables;
	if (v == NULL || v->count == 0)
		return NULL;
	address -= v->bias;
	for (size_t i = symbols_variables_up_to(v, address); i-- > 0 && looked < LOOK_BACK;) {
		const struct symbols_variable_entry *x = symbols_variables_get(v, i);

		if (x == NULL)
			continue;
		looked++;
		if (dwarf_offdie(x->dwarf, x->die, die) == NULL)
			continue;
		*bytes = variable_bytes(f, x, die);
		if (address - x->start < *bytes)
			return x;
	}
	return NULL;
}

bool symbols_dwarf_variable(struct symbols_file *f, uint64_t address, struct arena *a,
			    struct symbols_variable *out)
{
	uint64_t bytes;
	Dwarf_Die die;
	const struct symbols_variable_entry *x = find(f, address, &die, &bytes);

	return x != NULL && describe(f, x, &die, bytes, a, out);
}

bool symbols_variable_die(struct symbols_file *f, uint64_t address, Dwarf_Die *die, uint64_t *start)
{
	uint64_t bytes;
	const struct symbols_variable_entry *x = find(f, address, die, &bytes);

	*start = x != NULL ? x->start + f->variables->bias : 0;
	return x != NULL;
}
