/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of C++ functions without scopes and arguments in the debug information, as no other file
 * can call them: static functions, those of unnamed namespaces, lambdas. Several functions may have
 * the same name, such as "operator()" for every lambda. They are distinguished by the symbol of the
 * function's own code; or if all of it was inlined, by the enclosing scopes.
 */
#include <dwarf.h>
#include <string.h>

#include <elfutils/libdw.h>

#include "base/text.h"
#include "symbols/private.h"

#define MAX_DEPTH 128 /* of nested DIEs; a damaged file may nest without end */
#define MAX_HOPS  16  /* from an instance to its name, as in libdw */

struct local {
	uint64_t entry; /* DWARF address of its own code; 0: none */
	const char *name;
};

struct inside {
	const struct inside *up;
	Dwarf_Die *die; /* a namespace, class or function */
};

struct reader {
	struct symbols_file *file;
	struct arena *arena;
};

static bool is_cplusplus(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return true;
	default:
		return false;
	}
}

/* From an instance to the DIE with the function's name and scopes. */
static Dwarf_Die declaration(struct symbols_file *f, const Dwarf_Die *die)
{
	Dwarf_Die at = *die;

	for (int hops = 0; hops < MAX_HOPS && symbols_follow_origin(f, &at); hops++)
		;
	return at;
}

static void put_scopes(struct symbols_file *f, const struct inside *in, struct text *out)
{
	const char *name;

	if (in == NULL)
		return;
	put_scopes(f, in->up, out);
	name = symbols_inherited_string(f, in->die, DW_AT_name);
	if (name == NULL && dwarf_tag(in->die) == DW_TAG_namespace)
		name = "(anonymous namespace)";
	text_addf(out, "%s::", name != NULL ? name : "(unnamed)");
}

/* The function's entry, added if new; NULL when memory ran out. */
static struct local *get_local(struct reader *r, const Dwarf_Die *function)
{
	struct map *locals = &r->file->locals;
	struct local *l;
	uint64_t known;

	if (map_get(locals, (uintptr_t)function->addr, &known))
		return (struct local *)(uintptr_t)known;
	l = arena_alloc(r->arena, sizeof(*l));
	if (l == NULL || map_set(locals, (uintptr_t)function->addr, (uintptr_t)l) != 0)
		return NULL;
	*l = (struct local){0};
	return l;
}

/*
 * The scope for a name. The compiler's parts of a function, such as parallel regions, already have
 * the function's name: "main._omp_fn.0".
 */
static const struct inside *cut_out_of(struct reader *r, const struct inside *in, const char *name)
{
	const char *whole = symbols_inherited_string(r->file, in->die, DW_AT_name);
	size_t length = whole != NULL ? strlen(whole) : 0;

	return length > 0 && strncmp(name, whole, length) == 0 && name[length] == '.' ? in->up : in;
}

static void add_function(struct reader *r, Dwarf_Die *die, const struct inside *in)
{
	Dwarf_Die function = declaration(r->file, die);
	struct text name = {0};
	Dwarf_Addr entry;
	struct local *l;

	if (symbols_inherited_string(r->file, die, DW_AT_linkage_name) != NULL)
		return;
	l = get_local(r, &function);
	if (l == NULL)
		return;
	if (l->entry == 0 && dwarf_entrypc(die, &entry) == 0)
		l->entry = entry;
	if (function.addr != die->addr || in == NULL || dwarf_diename(die) == NULL)
		return;
	put_scopes(r->file, cut_out_of(r, in, dwarf_diename(die)), &name);
	text_add(&name, dwarf_diename(die));
	l->name = arena_strdup(r->arena, text_get(&name));
	text_release(&name);
}

static void read_children(struct reader *r, Dwarf_Die *parent, const struct inside *in, int depth)
{
	Dwarf_Die die;

	if (depth > MAX_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		struct inside own = {in, &die};

		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			add_function(r, &die, in);
			read_children(r, &die, &own, depth + 1);
			break;
		case DW_TAG_namespace:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
			read_children(r, &die, &own, depth + 1);
			break;
		case DW_TAG_lexical_block:
			read_children(r, &die, in, depth + 1);
			break;
		default:
			break;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

/*
 * The name of the C++ symbol at the function's start. Copies (.isra.0, .cold) get the original's
 * name.
 */
static const char *name_by_symbol(struct symbols_file *f, struct arena *a, uint64_t entry)
{
	const struct symbols_entry *e = symbols_table_find(f, entry);
	const char *mangled, *name;

	if (e == NULL || e->address != entry || strncmp(e->name, "_Z", 2) != 0)
		return NULL;
	mangled = arena_strndup(a, e->name, strcspn(e->name, "."));
	name = mangled != NULL ? symbols_demangle(a, mangled) : NULL;
	return name != NULL && strcmp(name, mangled) != 0 ? name : NULL;
}

const char *symbols_local_name(struct symbols_file *f, struct arena *a, Dwarf_Die *content,
			       const Dwarf_Die *die, uint64_t bias)
{
	struct reader r = {f, a};
	const char *name = NULL;
	const struct local *l;
	Dwarf_Die function;
	uint64_t known;

	if (!is_cplusplus(content) || symbols_inherited_string(f, die, DW_AT_linkage_name) != NULL)
		return NULL;
	/* The unit's own DIE in the map marks that its functions were read. */
	if (!map_get(&f->locals, (uintptr_t)content->addr, &known)) {
		if (map_set(&f->locals, (uintptr_t)content->addr, 1) != 0)
			return NULL;
		read_children(&r, content, NULL, 0);
	}
	function = declaration(f, die);
	if (!map_get(&f->locals, (uintptr_t)function.addr, &known))
		return NULL;
	l = (const struct local *)(uintptr_t)known;
	if (l->entry != 0)
		name = name_by_symbol(f, a, l->entry + bias);
	return name != NULL ? name : l->name;
}
