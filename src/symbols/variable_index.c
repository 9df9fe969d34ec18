/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Variables by address. DWARF has no table from data addresses to variables, and reading all units
 * takes 30 ms for libc, seconds for a browser. But an expression that is an address is easy to
 * recognise: its length, DW_OP_addr, and eight bytes that are an address in the module. So
 * .debug_info is searched for such bytes, and a unit is read when a question is near one of its
 * candidates. Most candidates are variables; others are, for example, arguments of calls.
 */
#include "symbols/variable_index.h"
#include "symbols/expressions.h"

#include <dwarf.h>
#include <emmintrin.h>
#include <stdlib.h>
#include <string.h>

#include <elfutils/libdw.h>

#include "base/array.h"
#include "base/search.h"
#include "base/sort.h"

#define MAX_DEPTH 128 /* of nested DIEs */
/* limit of .dwo files read for variables: libdw keeps all data that it has read */
#define MAX_SPLITS 4096
#define MAX_SCOPES \
	((size_t)1 << 21) /* of types; further types have names without scopes, to bound memory */

/* ---- Expressions ---- */

/* Of a thread-local variable, as an address to which the bias is added, as to all. */
static bool read_local(const struct symbols_variables *v, const unsigned char *at, size_t bytes,
		       uint64_t *address)
{
	if (!symbols_read_local(at, bytes, address))
		return false;
	*address -= v->bias;
	return true;
}

/* The address of a variable, if it is fixed, and the place of its expression. */
static bool fixed_address(const struct symbols_variables *v, Dwarf_Die *die, uint64_t *address,
			  const unsigned char **at)
{
	Dwarf_Attribute attribute, indirect;
	Dwarf_Block block;
	size_t count;
	Dwarf_Op *ops;

	/* Most variables are on the stack or in registers: the first byte shows that. */
	if (dwarf_attr(die, DW_AT_location, &attribute) == NULL ||
	    dwarf_formblock(&attribute, &block) != 0 || block.length < 2)
		return false;
	*at = block.data;
	if (block.data[0] == DW_OP_addr && block.length >= SHORTEST)
		return symbols_read_address(block.data, block.length, address);
	if (read_local(v, block.data, block.length, address))
		return true;
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

/* ---- Entries ---- */

size_t symbols_variables_up_to(const struct symbols_variables *v, uint64_t address)
{
	return SEARCH_FIRST(i, v->count, v->items[i].start > address);
}

static struct symbols_variable_entry *find_entry(struct symbols_variables *v, uint64_t start,
						 uint64_t at)
{
	struct symbols_variable_entry *e = v->items;
	const size_t found = SEARCH_MATCH(i, v->count,
					  e[i].start != start ? SEARCH_ORDER(e[i].start, start)
							      : SEARCH_ORDER(e[i].at, at));

	return found < v->count ? &e[found] : NULL;
}

static void add_entry(struct symbols_variables *v, struct symbols_variable_entry e)
{
	if (ARRAY_GROW(v))
		v->items[v->count++] = e;
	else
		v->failed = true;
}

/* Sort by address; the sort is stable. */
static void sort_entries(struct symbols_variables *v)
{
	struct sort_item *order = calloc(v->count + 1, sizeof(*order));
	struct symbols_variable_entry *sorted = calloc(v->count + 1, sizeof(*sorted));

	for (size_t i = 0; order != NULL && i < v->count; i++)
		order[i] = (struct sort_item){v->items[i].start, i};
	if (order != NULL && sorted != NULL && sort_by_key(order, v->count) == 0) {
		for (size_t i = 0; i < v->count; i++)
			sorted[i] = v->items[order[i].index];
		free(v->items);
		v->items = sorted;
		v->room = v->count + 1;
	} else {
		free(sorted);
		v->failed = true;
	}
	free(order);
}

/* ---- Reading a unit. A scope is made from enclosing DIEs when something in it needs it. ---- */

struct inside {
	struct inside *up;
	Dwarf_Die *die; /* a namespace, class or function */
	const struct symbols_scope *scope;
};

static const char *scope_name(struct symbols_variables *v, Dwarf_Die *die)
{
	const char *name;

	if (dwarf_tag(die) == DW_TAG_subprogram)
		return symbols_function_name(v->file, &v->arena, die);
	name = dwarf_diename(die);
	if (name != NULL)
		return name;
	return dwarf_tag(die) == DW_TAG_namespace ? "(anonymous namespace)" : "(unnamed)";
}

static bool is_qualified(Dwarf_Die *die, const char *name)
{
	const char *colons = strstr(name, "::");
	return dwarf_tag(die) == DW_TAG_subprogram && colons != NULL &&
	       colons < name + strcspn(name, "<(");
}

static const struct symbols_scope *make_scope(struct symbols_variables *v, struct inside *in)
{
	const char *name;
	struct symbols_scope *s;

	if (in == NULL || in->scope != NULL)
		return in != NULL ? in->scope : NULL;
	name = scope_name(v, in->die);
	/* Some compilers put statics of inlined functions into a scope without a name. */
	if (name == NULL)
		return make_scope(v, in->up);
	s = arena_alloc(&v->arena, sizeof(*s));
	if (s == NULL) {
		v->failed = true;
		return NULL;
	}
	/* A linkage name has the scopes around it. */
	*s = (struct symbols_scope){is_qualified(in->die, name) ? NULL : make_scope(v, in->up),
				    name};
	in->scope = s;
	return s;
}

static void add_variable(struct symbols_variables *v, Dwarf_Die *die, struct inside *in)
{
	struct symbols_variable_entry e = {.dwarf = dwarf_cu_getdwarf(die->cu),
					   .die = dwarf_dieoffset(die)},
				      *known;
	const unsigned char *at;

	if (v->is_elsewhere || !fixed_address(v, die, &e.start, &at) || e.start == 0)
		return;
	if (v->info == NULL) {
		e.scope = make_scope(v, in);
		add_entry(v, e);
		return;
	}
	known = find_entry(v, e.start, (uint64_t)(at - v->info));
	if (known != NULL) {
		known->dwarf = e.dwarf;
		known->die = e.die;
		known->scope = make_scope(v, in);
	}
}

static void add_scope(struct symbols_variables *v, Dwarf_Die *die, struct inside *in)
{
	const struct symbols_scope *scope = NULL;

	if (v->scopes.count < MAX_SCOPES)
		scope = make_scope(v, in);
	if (scope != NULL &&
	    map_set(&v->scopes, (uintptr_t)die->addr, (uint64_t)(uintptr_t)scope) != 0)
		v->failed = true;
}

static bool is_type(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type || tag == DW_TAG_typedef;
}

/* Tell whether it declares a variable that is defined elsewhere in the unit. */
static bool is_declaration(Dwarf_Die *die, int tag)
{
	return tag == DW_TAG_variable && dwarf_hasattr(die, DW_AT_declaration);
}

/* Tell whether its children may include variables, or functions with variables. */
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

static void read_children(struct symbols_variables *v, Dwarf_Die *parent, struct inside *in,
			  int depth)
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
			add_variable(v, &die, in);
		if (in != NULL && (is_type(tag) || is_declaration(&die, tag)))
			add_scope(v, &die, in);
		if (is_entered(tag) && dwarf_haschildren(&die) > 0)
			read_children(v, &die, names ? &own : in, depth + 1);
	} while (!v->failed && dwarf_siblingof(&die, &die) == 0);
}

static void read_all_units(struct symbols_variables *v)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, split;
	size_t splits = 0;

	while (v->dwarf != NULL && !v->failed &&
	       dwarf_get_units(v->dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0) {
		/* A unit without children may have them in a separate file. */
		if (dwarf_haschildren(&unit) > 0 || splits++ >= MAX_SPLITS)
			read_children(v, &unit, NULL, 0);
		else
			read_children(v, symbols_unit_content(&unit, &split), NULL, 0);
	}
}

/* Read the unit around the offset, if not read yet. */
static void read_unit(struct symbols_variables *v, uint64_t offset)
{
	const size_t above = SEARCH_FIRST(i, v->units.count, v->units.items[i].start > offset);
	struct symbols_unit *u;
	Dwarf_Die die;

	if (above == 0)
		return;
	u = &v->units.items[above - 1];
	if (u->is_read || offset >= u->end)
		return;
	u->is_read = true;
	if (dwarf_offdie(v->dwarf, u->die, &die) != NULL)
		read_children(v, &die, NULL, 0);
}

const struct symbols_variable_entry *symbols_variables_get(struct symbols_variables *v, size_t i)
{
	struct symbols_variable_entry *e = &v->items[i];

	if (e->die == 0)
		read_unit(v, e->at);
	return e->die != 0 ? e : NULL;
}

/*
 * Tell whether the DIE is outside of the .debug_info that was searched: in the shared file (dwz),
 * or in .debug_types. Offsets there have another meaning.
 */
static bool is_elsewhere(const struct symbols_variables *v, Dwarf_Die *die)
{
	Dwarf_Half version;
	uint8_t kind;

	return dwarf_cu_getdwarf(die->cu) == dwarf_getalt(v->dwarf) ||
	       (dwarf_cu_info(die->cu, &version, &kind, NULL, NULL, NULL, NULL, NULL) == 0 &&
		version < 5 && kind == DW_UT_type);
}

/* Read the unit of the DIE, only for scopes of types. */
static void read_elsewhere(struct symbols_variables *v, Dwarf_Die *die)
{
	Dwarf_Die unit;
	uint64_t known;

	if (map_get(&v->elsewhere, (uintptr_t)die->cu, &known))
		return;
	if (map_set(&v->elsewhere, (uintptr_t)die->cu, 1) != 0)
		v->failed = true;
	if (dwarf_diecu(die, &unit, NULL, NULL) == NULL)
		return;
	v->is_elsewhere = true;
	read_children(v, &unit, NULL, 0);
	v->is_elsewhere = false;
}

static const struct symbols_scope *scope_of(struct symbols_variables *v, Dwarf_Die *die)
{
	uint64_t scope;

	if (is_elsewhere(v, die))
		read_elsewhere(v, die);
	else
		read_unit(v, dwarf_dieoffset(die));
	if (!map_get(&v->scopes, (uintptr_t)die->addr, &scope))
		return NULL;
	return (const struct symbols_scope *)(uintptr_t)scope;
}

const struct symbols_scope *symbols_variables_scope(struct symbols_variables *v, Dwarf_Die *die)
{
	const struct symbols_scope *scope = scope_of(v, die);
	Dwarf_Attribute attribute;
	Dwarf_Die declaration;

	/* A type may have a unit of its own: then its scopes are those of its declaration. */
	if (scope == NULL && dwarf_attr(die, DW_AT_specification, &attribute) != NULL &&
	    dwarf_formref_die(&attribute, &declaration) != NULL)
		scope = scope_of(v, &declaration);
	return scope;
}

/* ---- The search ---- */

/*
 * Bit k: p + k may be the operation of an expression, of an address or of a thread-local variable.
 */
static unsigned look(const unsigned char *p)
{
	__m128i ops = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i lengths = _mm_loadu_si128((const __m128i *)(const void *)(p - 1));
	__m128i op = _mm_cmpeq_epi8(ops, _mm_set1_epi8(DW_OP_addr));
	__m128i local_length = _mm_sub_epi8(lengths, _mm_set1_epi8(LOCAL_BYTES));
	__m128i local = _mm_and_si128(
		_mm_cmpeq_epi8(ops, _mm_set1_epi8(DW_OP_const8u)),
		_mm_cmpeq_epi8(
			_mm_min_epu8(local_length, _mm_set1_epi8(LONGEST_LOCAL - LOCAL_BYTES)),
			local_length));
	__m128i length = _mm_sub_epi8(lengths, _mm_set1_epi8(SHORTEST));
	__m128i fits =
		_mm_cmpeq_epi8(_mm_min_epu8(length, _mm_set1_epi8(LONGEST - SHORTEST)), length);

	return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_and_si128(op, fits), local));
}

/* The searched bytes, and the range of values. */
struct search {
	const unsigned char *info;
	size_t bytes;
	uint64_t low, high;
};

/*
 * Add an entry if the bytes at `at`, which look like the operation of an address, are an expression
 * with a value in range.
 */
static void try_at(struct symbols_variables *v, const struct search *s, size_t at)
{
	size_t length = s->info[at - 1];
	uint64_t address;

	if (length > s->bytes - at)
		return;
	if (s->info[at] == DW_OP_addr ? symbols_read_address(s->info + at, length, &address) &&
						address >= s->low && address < s->high
				      : read_local(v, s->info + at, length, &address))
		add_entry(v, (struct symbols_variable_entry){.start = address, .at = at});
}

static void search(struct symbols_variables *v, const struct search *s)
{
	enum { STEP = sizeof(__m128i) };
	size_t i = 1;

	for (; i + STEP <= s->bytes && !v->failed; i += STEP) {
		for (unsigned found = look(s->info + i); found != 0; found &= found - 1)
			try_at(v, s, i + (size_t)__builtin_ctz(found));
	}
	for (; i < s->bytes && !v->failed; i++) {
		if ((s->info[i] == DW_OP_addr && s->info[i - 1] >= SHORTEST &&
		     s->info[i - 1] <= LONGEST) ||
		    (s->info[i] == DW_OP_const8u && s->info[i - 1] == LOCAL_BYTES))
			try_at(v, s, i);
	}
}

/*
 * Find the section to search. Returns false if addresses, or types, are in other sections as well.
 */
static bool find_info(const struct symbols_variables *v, struct search *s)
{
	Elf *elf = dwarf_getelf(v->dwarf);
	Elf_Scn *section = NULL;
	size_t names;

	if (elf == NULL || elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		GElf_Shdr header;
		Elf_Data *data;
		const char *name = NULL;

		if (gelf_getshdr(section, &header) != NULL && header.sh_size > 0 &&
		    header.sh_type != SHT_NOBITS)
			name = elf_strptr(elf, names, header.sh_name);
		if (name == NULL)
			continue;
		if (strcmp(name, ".debug_addr") == 0 || strcmp(name, ".debug_types") == 0)
			return false;
		if (strcmp(name, ".debug_info") != 0)
			continue;
		data = elf_getdata(section, NULL);
		s->info = data != NULL ? data->d_buf : NULL;
		s->bytes = data != NULL ? data->d_size : 0;
	}
	return s->info != NULL;
}

/* Read the units' headers. Returns false if that fails, or they do not match `info`. */
static bool find_units(struct symbols_variables *v, const unsigned char *info)
{
	Dwarf_Off at = 0, next, die;
	size_t header;
	Dwarf_Die first;

	for (;
	     dwarf_next_unit(v->dwarf, at, &next, &header, NULL, NULL, NULL, NULL, NULL, NULL) == 0;
	     at = next) {
		if (next <= at || !ARRAY_GROW(&v->units))
			return false;
		v->units.items[v->units.count++] =
			(struct symbols_unit){.start = at, .end = next, .die = at + header};
	}
	if (v->units.count == 0)
		return false;
	die = v->units.items[0].die;
	return dwarf_offdie(v->dwarf, die, &first) != NULL && first.addr == info + die;
}

static void make_index(struct symbols_variables *v)
{
	const struct symbols_file *f = v->file;
	struct search s = {.low = UINT64_MAX};

	if (v->dwarf == NULL)
		return;
	for (size_t i = 0; i < f->segment_count; i++) {
		uint64_t start = f->segments[i].address - v->bias;
		uint64_t end = start + f->segments[i].memory;

		s.low = start < s.low ? start : s.low;
		s.high = end > s.high ? end : s.high;
	}
	if (find_info(v, &s) && find_units(v, s.info)) {
		v->info = s.info;
		search(v, &s);
	} else {
		v->units.count = 0;
		read_all_units(v);
	}
	sort_entries(v);
	if (v->failed)
		v->count = 0;
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

struct symbols_variables *symbols_variables_new(struct symbols_file *f)
{
	struct symbols_variables *v = calloc(1, sizeof(*v));

	if (v == NULL)
		return NULL;
	v->file = f;
	v->dwarf = find_dwarf(f, &v->bias);
	make_index(v);
	return v;
}

void symbols_variables_release(struct symbols_file *f)
{
	struct symbols_variables *v = f->variables;

	if (v == NULL)
		return;
	map_release(&v->scopes);
	map_release(&v->elsewhere);
	map_release(&v->layouts);
	map_release(&v->go_types);
	arena_release(&v->arena);
	free(v->items);
	free(v->units.items);
	free(v);
	f->variables = NULL;
}
