/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Function, line and inlined calls from DWARF. libdw's own scope search walks a whole compilation
 * unit for each address. Here each unit is walked once, for a sorted table of its functions. An
 * address then descends only into the blocks around it.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include <elfutils/libdw.h>

#include "base/search.h"
#include "base/text.h"
#include "symbols/private.h"
#include "symbols/ranges.h"

#define MAX_DEPTH 128 /* of nested DIEs; a damaged file may nest without end */
#define MAX_HOPS  16  /* from an instance to its name, as in libdw */

/* Collect all functions below a DIE: in namespaces, classes, and functions. */
static int collect(struct symbols_ranges *cu, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth > MAX_DEPTH || dwarf_child(parent, &die) != 0)
		return 0;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			if (!symbols_ranges_add_die(cu, &die, 0))
				return -1;
			break;
		case DW_TAG_inlined_subroutine:
		case DW_TAG_enumeration_type:
		case DW_TAG_subroutine_type:
		case DW_TAG_array_type:
			continue;
		default:
			break;
		}
		if (dwarf_haschildren(&die) > 0 && collect(cu, &die, depth + 1) != 0)
			return -1;
	} while (dwarf_siblingof(&die, &die) == 0);
	return 0;
}

/* The functions of the unit with this `content`. */
static struct symbols_ranges *get_cu(struct symbols_file *f, Dwarf_Die *cu_die, Dwarf_Die *content)
{
	uint64_t key = dwarf_dieoffset(cu_die), known;
	struct symbols_ranges *cu;

	if (map_get(&f->cus, key, &known))
		return (struct symbols_ranges *)(uintptr_t)known;
	cu = calloc(1, sizeof(*cu));
	if (cu == NULL || collect(cu, content, 0) != 0 ||
	    map_set(&f->cus, key, (uintptr_t)cu) != 0) {
		if (cu != NULL)
			free(cu->items);
		free(cu);
		return NULL;
	}
	symbols_ranges_sort(cu);
	return cu;
}

void symbols_dwarf_release(struct symbols_file *f)
{
	size_t i;

	for (i = 0; i < f->cus.room; i++) {
		struct symbols_ranges *cu =
			(struct symbols_ranges *)(uintptr_t)(f->cus.entries[i].value - 1);

		if (f->cus.entries[i].value == 0)
			continue;
		free(cu->items);
		free(cu);
	}
	map_release(&f->cus);
}

static void bound(uint64_t *end, uint64_t limit)
{
	if (limit < *end)
		*end = limit;
}

/*
 * The narrowest function around the address. Nested functions start later, so the search goes
 * backwards. The result holds for addresses up to *end.
 */
static const struct symbols_range *find_function(const struct symbols_ranges *cu, uint64_t address,
						 uint64_t *end)
{
	size_t low = symbols_ranges_upto(cu, address);

	if (low < cu->count)
		bound(end, cu->items[low].low);
	while (low-- > 0) {
		if (address < cu->items[low].high) {
			bound(end, cu->items[low].high);
			return &cu->items[low];
		}
	}
	return NULL;
}

bool symbols_follow_origin(struct symbols_file *f, Dwarf_Die *die)
{
	Dwarf_Attribute origin;
	uint32_t offset;

	if (dwarf_attr(die, DW_AT_abstract_origin, &origin) == NULL &&
	    dwarf_attr(die, DW_AT_specification, &origin) == NULL)
		return false;
	/* Tools such as dwz move shared DIEs into units of their own. */
	if (origin.form == DW_FORM_ref_addr && f->packed != NULL) {
		memcpy(&offset, origin.valp, sizeof(offset));
		if (!symbols_packed_reach(f->packed, offset))
			return false;
	}
	return dwarf_formref_die(&origin, die) != NULL;
}

const char *symbols_inherited_string(struct symbols_file *f, const Dwarf_Die *die, unsigned name)
{
	Dwarf_Die at = *die;
	Dwarf_Attribute attribute;
	int hops = 0;

	do {
		if (dwarf_attr(&at, name, &attribute) != NULL)
			return dwarf_formstring(&attribute);
	} while (hops++ < MAX_HOPS && symbols_follow_origin(f, &at));
	return NULL;
}

static bool is_ada(const Dwarf_Die *die)
{
	Dwarf_Die at = *die, unit;
	int language;

	if (dwarf_diecu(&at, &unit, NULL, NULL) == NULL)
		return false;
	language = dwarf_srclang(&unit);
	return language == DW_LANG_Ada83 || language == DW_LANG_Ada95;
}

const char *symbols_function_name(struct symbols_file *f, struct arena *a, const Dwarf_Die *die)
{
	static const unsigned names[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name};
	const char *name = NULL, *source, *last, *ada = NULL;
	size_t i;

	for (i = 0; name == NULL && i < sizeof(names) / sizeof(names[0]); i++)
		name = symbols_inherited_string(f, die, names[i]);
	/* A Fortran procedure outside of modules: "sweep_" is "sweep" in the source. */
	last = name != NULL ? strrchr(name, '_') : NULL;
	source = last != NULL && last[1] == '\0' ? symbols_inherited_string(f, die, DW_AT_name)
						 : NULL;
	if (source != NULL && strncmp(source, name, strlen(source)) == 0 &&
	    strcmp(name + strlen(source), "_") == 0)
		name = source;
	if (name != NULL && is_ada(die))
		ada = symbols_demangle_ada(a, name);
	return ada != NULL || name == NULL ? ada : symbols_demangle(a, name);
}

const char *symbols_tidy_path(struct arena *a, Dwarf_Die *cu_die, const char *name)
{
	Dwarf_Attribute attribute;
	const char *folder = dwarf_formstring(dwarf_attr(cu_die, DW_AT_comp_dir, &attribute));
	struct text path = {0};
	char *kept;

	if (name == NULL)
		return NULL;
	/* libdw itself prefixes a relative folder, if the file table has one. */
	if (name[0] != '/' && folder != NULL && strncmp(name, folder, strlen(folder)) != 0)
		text_addf(&path, "%s/", folder);
	text_add(&path, name);
	kept = arena_strdup(a, text_get(&path));
	text_release(&path);
	if (kept != NULL)
		path_tidy(kept);
	return kept;
}

/* Set where an inlined function was called: file and line of the outer frame. */
static void call_site(struct arena *a, Dwarf_Die *cu_die, Dwarf_Die *inlined,
		      struct symbols_frame *frame)
{
	Dwarf_Attribute attribute;
	Dwarf_Word file, line;
	Dwarf_Files *files;
	size_t count;

	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) == 0)
		frame->line = (uint32_t)line;
	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) == 0 &&
	    dwarf_getsrcfiles(cu_die, &files, &count) == 0 && file < count)
		frame->file = symbols_tidy_path(a, cu_die, dwarf_filesrc(files, file, NULL, NULL));
}

/* Tell whether the DIE's code includes the address. The result holds for addresses up to *end. */
static bool holds(Dwarf_Die *die, uint64_t address, uint64_t *end)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		if (low > address) {
			bound(end, low);
		} else if (address < high) {
			bound(end, high);
			return true;
		}
	}
	return false;
}

/* Find the block or inlined call around the address among a DIE's children. */
static bool find_inner(Dwarf_Die *parent, uint64_t address, Dwarf_Die *inner, uint64_t *end)
{
	if (dwarf_child(parent, inner) != 0)
		return false;
	do {
		int tag = dwarf_tag(inner);

		if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
		     tag == DW_TAG_try_block || tag == DW_TAG_catch_block) &&
		    holds(inner, address, end))
			return true;
	} while (dwarf_siblingof(inner, inner) == 0);
	return false;
}

/*
 * The chain of calls, outermost first: chain[0] is the function, then each inlined call. Returns
 * its length.
 */
static size_t find_chain(Dwarf_Die *function, uint64_t address, Dwarf_Die chain[SYMBOLS_MAX_FRAMES],
			 uint64_t *end)
{
	Dwarf_Die at = *function, inner;
	size_t count = 0;
	int depth = 0;

	chain[count++] = at;
	while (depth++ < MAX_DEPTH && find_inner(&at, address, &inner, end)) {
		at = inner;
		if (dwarf_tag(&at) != DW_TAG_inlined_subroutine)
			continue;
		if (count == SYMBOLS_MAX_FRAMES)
			break;
		chain[count++] = at;
	}
	return count;
}

/*
 * The row of the unit's line table at the address, found as in dwarf_getsrc_die. It holds for
 * addresses up to *end.
 */
static Dwarf_Line *find_line(Dwarf_Die *cu_die, uint64_t address, uint64_t *end)
{
	size_t count, above;
	Dwarf_Lines *lines;
	Dwarf_Line *line;
	Dwarf_Addr start;
	bool is_end;

	if (dwarf_getsrclines(cu_die, &lines, &count) != 0)
		return NULL;
	above = SEARCH_FIRST(i, count,
			     dwarf_lineaddr(dwarf_onesrcline(lines, i), &start) != 0 ||
				     start > address);
	if (above < count && dwarf_lineaddr(dwarf_onesrcline(lines, above), &start) == 0)
		bound(end, start);
	line = above > 0 ? dwarf_onesrcline(lines, above - 1) : NULL;
	return line != NULL && dwarf_lineendsequence(line, &is_end) == 0 && !is_end ? line : NULL;
}

static Dwarf_Die *find_packed_unit(struct symbols_file *f, uint64_t address, Dwarf_Die *memory)
{
	Dwarf_Die *cu_die = symbols_packed_unit(f->packed, address, memory);
	Dwarf *dwarf = NULL;

	if (cu_die == NULL && symbols_packed_lacks_units(f->packed))
		dwarf = symbols_packed_dwarf(f->packed);
	return dwarf != NULL ? symbols_unit_around(f, dwarf, address, memory) : cu_die;
}

/* The unit around the address, which becomes an address of the unit's DWARF. */
static Dwarf_Die *find_unit(struct symbols_file *f, uint64_t *address, Dwarf_Die *memory)
{
	Dwarf_Addr bias;
	Dwarf_Die *cu_die;
	Dwarf *dwarf;

	if (f->packed != NULL)
		return find_packed_unit(f, *address, memory);
	dwarf = dwfl_module_getdwarf(f->module, &bias);
	if (dwarf == NULL)
		return NULL;
	cu_die = dwfl_module_addrdie(f->module, *address + f->bias, &bias);
	*address += f->bias - bias;
	/*
	 * If the address table has no entry, libdwfl takes the preceding unit; Go's units have
	 * none.
	 */
	if (cu_die != NULL && dwarf_haspc(cu_die, *address) != 0)
		return cu_die;
	return symbols_unit_around(f, dwarf, *address, memory);
}

static bool is_skeleton(Dwarf_Die *cu_die)
{
	uint8_t type;

	return dwarf_cu_info(cu_die->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) == 0 &&
	       type == DW_UT_skeleton;
}

Dwarf_Die *symbols_unit_content(Dwarf_Die *cu_die, Dwarf_Die *memory)
{
	uint8_t type;

	if (dwarf_cu_info(cu_die->cu, NULL, &type, NULL, memory, NULL, NULL, NULL) == 0 &&
	    type == DW_UT_skeleton && memory->addr != NULL)
		return memory;
	return cu_die;
}

/*
 * The chain of calls at the address, outermost first, from functions of the content. Returns its
 * length; 0: unknown.
 */
static size_t find_functions(struct symbols_file *f, Dwarf_Die *cu_die, Dwarf_Die *content,
			     uint64_t address, Dwarf_Die chain[SYMBOLS_MAX_FRAMES], uint64_t *end)
{
	struct symbols_ranges *cu = get_cu(f, cu_die, content);
	const struct symbols_range *range = cu != NULL ? find_function(cu, address, end) : NULL;
	Dwarf_Die function;

	if (range == NULL ||
	    dwarf_offdie(dwarf_cu_getdwarf(content->cu), range->of, &function) == NULL)
		return 0;
	return find_chain(&function, address, chain, end);
}

size_t symbols_dwarf_scopes(struct symbols_file *f, uint64_t *address,
			    Dwarf_Die scopes[SYMBOLS_MAX_SCOPES])
{
	Dwarf *dwarf = f->packed != NULL ? symbols_packed_dwarf(f->packed) : NULL;
	Dwarf_Die memory, split, *cu_die, *content;
	uint64_t end = UINT64_MAX;
	size_t count = 0;

	cu_die = dwarf != NULL ? symbols_unit_around(f, dwarf, *address, &memory)
			       : find_unit(f, address, &memory);
	if (cu_die == NULL)
		return 0;
	content = symbols_unit_content(cu_die, &split);
	if (find_functions(f, cu_die, content, *address, scopes, &end) == 0)
		return 0;
	while (++count < SYMBOLS_MAX_SCOPES &&
	       find_inner(&scopes[count - 1], *address, &scopes[count], &end))
		;
	return count;
}

size_t symbols_dwarf_frames(struct symbols_file *f, uint64_t address, struct arena *a,
			    struct symbols_frame frames[SYMBOLS_MAX_FRAMES], uint64_t *same)
{
	Dwarf_Die chain[SYMBOLS_MAX_FRAMES], memory, split, *cu_die, *content;
	uint64_t at = address, end = UINT64_MAX;
	Dwarf_Line *line;
	size_t count, i;

	cu_die = find_unit(f, &at, &memory);
	if (cu_die == NULL)
		return 0;
	content = symbols_unit_content(cu_die, &split);
	f->lacks_split |= content == cu_die && is_skeleton(cu_die);
	count = find_functions(f, cu_die, content, at, chain, &end);
	frames[0] = (struct symbols_frame){0};
	for (i = 0; i < count; i++) {
		struct symbols_frame *frame = &frames[i];
		const Dwarf_Die *function = &chain[count - 1 - i];

		*frame = (struct symbols_frame){
			.function = symbols_local_name(f, a, content, function, address - at)};
		if (frame->function == NULL)
			frame->function = symbols_function_name(f, a, function);
		if (frame->function == NULL && i + 1 < count)
			frame->function = "[unnamed]";
		if (i > 0)
			call_site(a, content, &chain[count - i], frame);
	}
	line = find_line(cu_die, at, &end);
	if (line != NULL) {
		int number = 0;

		frames[0].file = symbols_tidy_path(a, cu_die, dwarf_linesrc(line, NULL, NULL));
		if (dwarf_lineno(line, &number) == 0 && number > 0)
			frames[0].line = (uint32_t)number;
	}
	if (count == 0 && frames[0].line == 0)
		return 0;
	*same = end - at;
	return count > 0 ? count : 1;
}
