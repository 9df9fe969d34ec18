/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Variables by DWARF. No table leads from an address of data to its variable, so the first
 * question walks all units, and keeps of each variable with a fixed address only that
 * address, where its description is and what it is inside of; the rest is read when asked for.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include <elfutils/libdw.h>

#include "base/array.h"
#include "base/sort.h"
#include "base/text.h"
#include "symbols/private.h"

#define MAX_DEPTH 128 /* of nested DIEs */
#define MAX_SCOPES \
	((size_t)1 << 21) /* of types; beyond, they go by their bare names: memory is finite */
#define LOOK_BACK 8	  /* variables that may start between a covering one and the address */

struct variable {
	uint64_t start; /* DWARF address */
	Dwarf_Off die;
	const struct symbols_scope *scope;
};

struct symbols_variables {
	struct variable *items; /* sorted by start */
	size_t count, room;
	Dwarf *dwarf;
	uint64_t bias;	   /* DWARF addresses plus this are those of the file */
	struct map scopes; /* of types and declarations: DIE offset -> struct symbols_scope */
	struct arena arena;
};

/* The walk: what the DIEs at hand are inside of, made a scope when something needs it. */
struct walk {
	struct symbols_file *file;
	struct symbols_variables *v;
	bool failed;
};

struct inside {
	struct inside *up;
	Dwarf_Die *die; /* a namespace, class or function */
	const struct symbols_scope *scope;
};

static const char *scope_name(struct walk *w, Dwarf_Die *die)
{
	const char *name;

	if (dwarf_tag(die) == DW_TAG_subprogram)
		return symbols_function_name(w->file, &w->v->arena, die);
	name = dwarf_diename(die);
	if (name != NULL)
		return name;
	return dwarf_tag(die) == DW_TAG_namespace ? "(anonymous namespace)" : "(unnamed)";
}

static const struct symbols_scope *make_scope(struct walk *w, struct inside *in)
{
	const char *name;
	struct symbols_scope *s;

	if (in == NULL || in->scope != NULL)
		return in != NULL ? in->scope : NULL;
	name = scope_name(w, in->die);
	if (name ==
	    NULL) /* some compilers have statics of inlined functions in one without a name */
		return make_scope(w, in->up);
	s = arena_alloc(&w->v->arena, sizeof(*s));
	if (s == NULL) {
		w->failed = true;
		return NULL;
	}
	*s = (struct symbols_scope){make_scope(w, in->up), name};
	in->scope = s;
	return s;
}

/* DW_OP_plus_uconst up to the end of the expression. */
static bool read_offset(const unsigned char *at, const unsigned char *end, uint64_t *offset)
{
	unsigned shift = 0;

	*offset = 0;
	if (at == end)
		return true;
	if (*at++ != DW_OP_plus_uconst)
		return false;
	for (; at < end && shift < 63; shift += 7) {
		*offset |= (uint64_t)(*at & 0x7f) << shift;
		if ((*at++ & 0x80) == 0)
			return at == end;
	}
	return false;
}

/* The address of a variable that has always the same one. */
static bool fixed_address(Dwarf_Die *die, uint64_t *address)
{
	Dwarf_Attribute attribute, indirect;
	Dwarf_Block block;
	uint64_t offset;
	size_t count;
	Dwarf_Op *ops;

	/* Most are on the stack or in registers: that is seen by the first byte. */
	if (dwarf_attr(die, DW_AT_location, &attribute) == NULL ||
	    dwarf_formblock(&attribute, &block) != 0 || block.length < 2)
		return false;
	if (block.data[0] == DW_OP_addr && block.length >= 1 + sizeof(*address)) {
		memcpy(address, block.data + 1, sizeof(*address));
		if (!read_offset(block.data + 1 + sizeof(*address), block.data + block.length,
				 &offset))
			return false;
		*address += offset;
		return true;
	}
	if (block.data[0] != DW_OP_addrx && block.data[0] != DW_OP_GNU_addr_index)
		return false;
	if (dwarf_getlocation(&attribute, &ops, &count) != 0 || count < 1 || count > 2 ||
	    (count == 2 && ops[1].atom != DW_OP_plus_uconst) ||
	    dwarf_getlocation_attr(&attribute, ops, &indirect) != 0 ||
	    dwarf_formaddr(&indirect, address) != 0)
		return false;
	*address += count == 2 ? ops[1].number : 0;
	return true;
}

static void add_variable(struct walk *w, Dwarf_Die *die, struct inside *in)
{
	uint64_t address;

	if (!fixed_address(die, &address) || address == 0)
		return;
	if (!ARRAY_GROW(w->v)) {
		w->failed = true;
		return;
	}
	w->v->items[w->v->count++] =
		(struct variable){address, dwarf_dieoffset(die), make_scope(w, in)};
}

static void add_scope(struct walk *w, Dwarf_Die *die, struct inside *in)
{
	const struct symbols_scope *scope = NULL;

	if (w->v->scopes.count < MAX_SCOPES)
		scope = make_scope(w, in);
	if (scope != NULL &&
	    map_set(&w->v->scopes, dwarf_dieoffset(die), (uint64_t)(uintptr_t)scope) != 0)
		w->failed = true;
}

static bool is_type(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type || tag == DW_TAG_typedef;
}

/* Of a variable that is defined elsewhere in the unit. */
static bool is_declaration(Dwarf_Die *die, int tag)
{
	return tag == DW_TAG_variable && dwarf_hasattr(die, DW_AT_declaration);
}

/* Whether variables, or functions with variables, may be among its children. */
static bool is_entered(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_common_block:
		return true;
	default:
		return false;
	}
}

static void walk_children(struct walk *w, Dwarf_Die *parent, struct inside *in, int depth)
{
	Dwarf_Die die;

	if (depth > MAX_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);
		struct inside own = {in, &die, NULL};
		bool names = tag != DW_TAG_lexical_block && tag != DW_TAG_try_block &&
			     tag != DW_TAG_catch_block && tag != DW_TAG_common_block;

		if (tag == DW_TAG_variable)
			add_variable(w, &die, in);
		if (in != NULL && (is_type(tag) || is_declaration(&die, tag)))
			add_scope(w, &die, in);
		if (is_entered(tag) && dwarf_haschildren(&die) > 0)
			walk_children(w, &die, names ? &own : in, depth + 1);
	} while (!w->failed && dwarf_siblingof(&die, &die) == 0);
}

/* By address, equal ones in the order of the file. Returns -1 when memory ran out. */
static int sort_variables(struct symbols_variables *v)
{
	struct sort_item *order = calloc(v->count + 1, sizeof(*order));
	struct variable *sorted = calloc(v->count + 1, sizeof(*sorted));
	int status = -1;

	for (size_t i = 0; order != NULL && i < v->count; i++)
		order[i] = (struct sort_item){v->items[i].start, i};
	if (order != NULL && sorted != NULL && sort_by_key(order, v->count) == 0) {
		for (size_t i = 0; i < v->count; i++)
			sorted[i] = v->items[order[i].index];
		free(v->items);
		v->items = sorted;
		v->room = v->count + 1;
		sorted = NULL;
		status = 0;
	}
	free(order);
	free(sorted);
	return status;
}

static Dwarf *find_dwarf(struct symbols_file *f, uint64_t *bias)
{
	Dwarf_Addr module_bias = 0;
	Dwarf *dwarf;

	*bias = 0;
	if (f->packed != NULL)
		return symbols_packed_dwarf(f->packed);
	dwarf = dwfl_module_getdwarf(f->module, &module_bias);
	*bias = module_bias - f->bias;
	return dwarf;
}

/* Read all variables; what memory does not hold has no names, that is all. */
static void read_variables(struct symbols_file *f)
{
	struct symbols_variables *v = calloc(1, sizeof(*v));
	struct walk w = {f, v, false};
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;

	f->variables = v;
	if (v == NULL)
		return;
	v->dwarf = find_dwarf(f, &v->bias);
	while (v->dwarf != NULL && !w.failed &&
	       dwarf_get_units(v->dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0)
		walk_children(&w, &unit, NULL, 0);
	if (w.failed || sort_variables(v) != 0)
		v->count = 0;
}

void symbols_variables_release(struct symbols_file *f)
{
	if (f->variables == NULL)
		return;
	map_release(&f->variables->scopes);
	arena_release(&f->variables->arena);
	free(f->variables->items);
	free(f->variables);
	f->variables = NULL;
}

/* ---- One variable ---- */

static Dwarf_Die *type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), type);
}

static bool is_c(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
		return true;
	default:
		return false;
	}
}

/* A definition stands in the file's scope, its declaration where the name is. */
static const struct symbols_scope *scope_of(const struct symbols_variables *v,
					    const struct variable *x, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Die declaration;
	uint64_t scope;

	if (dwarf_attr(die, DW_AT_specification, &attribute) != NULL &&
	    dwarf_formref_die(&attribute, &declaration) != NULL &&
	    map_get(&v->scopes, dwarf_dieoffset(&declaration), &scope))
		return (const struct symbols_scope *)(uintptr_t)scope;
	return x->scope;
}

static const char *variable_name(const struct symbols_variables *v, const struct variable *x,
				 Dwarf_Die *die, struct arena *a)
{
	static const unsigned linkage[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name};
	const char *name = NULL;
	struct text text = {0};

	for (size_t i = 0; name == NULL && i < sizeof(linkage) / sizeof(linkage[0]); i++) {
		Dwarf_Attribute attribute;
		const char *mangled =
			dwarf_formstring(dwarf_attr_integrate(die, linkage[i], &attribute));

		name = mangled != NULL ? symbols_demangle(a, mangled) : NULL;
		if (name != NULL && strcmp(name, mangled) == 0)
			name = NULL; /* no language's: the scopes say more */
	}
	if (name != NULL)
		return name;
	symbols_scope_name(scope_of(v, x, die), &text);
	name = dwarf_diename(die);
	text_add(&text, name != NULL ? name : "(unnamed)");
	name = arena_strdup(a, text_get(&text));
	text_release(&text);
	return name;
}

/* The bytes the variable takes; where its type does not tell, what the symbol of that address says. */
static uint64_t variable_bytes(struct symbols_file *f, const struct variable *x, Dwarf_Die *die)
{
	Dwarf_Die memory, *type = type_of(die, &memory);
	struct symbols_entry *e;
	Dwarf_Word bytes;

	if (type != NULL && dwarf_aggregate_size(type, &bytes) == 0)
		return bytes;
	e = symbols_table_find_data(f, x->start + f->variables->bias);
	return e != NULL ? e->address + e->bytes - (x->start + f->variables->bias) : 0;
}

/* libdw takes file 0 for none, which it was before DWARF 5. */
static const char *declaration_file(Dwarf_Die *die, Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Half version;
	Dwarf_Word index;
	size_t count;

	if (dwarf_cu_info(unit->cu, &version, NULL, NULL, NULL, NULL, NULL, NULL) != 0 ||
	    version < 5 ||
	    dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_file, &attribute), &index) != 0 ||
	    index != 0 || dwarf_getsrcfiles(unit, &files, &count) != 0 || count == 0)
		return dwarf_decl_file(die);
	return dwarf_filesrc(files, 0, NULL, NULL);
}

static bool describe(struct symbols_file *f, const struct variable *x, Dwarf_Die *die,
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
		symbols_type_name(type, is_c(&unit), &v->scopes, &text);
		out->type = arena_strdup(a, text_get(&text));
		out->element_bytes = symbols_element_bytes(type);
		text_release(&text);
	}
	out->file = symbols_tidy_path(a, &unit, declaration_file(die, &unit));
	if (dwarf_decl_line(die, &line) == 0 && line > 0)
		out->line = (uint32_t)line;
	return out->name != NULL;
}

bool symbols_dwarf_variable(struct symbols_file *f, uint64_t address, struct arena *a,
			    struct symbols_variable *out)
{
	struct symbols_variables *v;
	size_t low = 0, high, first;

	if (f->variables == NULL)
		read_variables(f);
	v = f->variables;
	if (v == NULL || v->count == 0)
		return false;
	address -= v->bias;
	high = v->count;
	while (low < high) { /* the first variable above the address */
		size_t middle = low + (high - low) / 2;

		if (v->items[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	first = low > LOOK_BACK ? low - LOOK_BACK : 0;
	for (size_t i = low; i-- > first;) {
		const struct variable *x = &v->items[i];
		Dwarf_Die die;
		uint64_t bytes;

		if (dwarf_offdie(v->dwarf, x->die, &die) == NULL)
			continue;
		bytes = variable_bytes(f, x, &die);
		if (address - x->start < bytes)
			return describe(f, x, &die, bytes, a, out);
	}
	return false;
}
