/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a data address to its variable: by DWARF, else by symbols, else by section. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "symbols/private.h"

bool symbols_extent(struct symbols *s, int file, uint64_t *low, uint64_t *high)
{
	const struct symbols_file *f = symbols_get(s, file);

	*low = UINT64_MAX;
	*high = 0;
	for (size_t i = 0; f != NULL && i < f->segment_count; i++) {
		const struct symbols_segment *g = &f->segments[i];

		if (g->memory == 0 || g->address + g->memory < g->address)
			continue;
		*low = g->address < *low ? g->address : *low;
		*high = g->address + g->memory > *high ? g->address + g->memory : *high;
	}
	return *low < *high;
}

/* The name without its version: "stdout" of "stdout@@GLIBC_2.2.5". */
static const char *plain_name(struct arena *a, const char *name)
{
	const char *at = strchr(name, '@');
	const char *plain =
		at != NULL && at != name ? arena_strndup(a, name, (size_t)(at - name)) : name;

	return plain != NULL ? symbols_demangle_variable(a, plain) : NULL;
}

static bool find_symbol(struct symbols_file *f, uint64_t address, struct arena *a,
			struct symbols_variable *out)
{
	struct symbols_entry *e = symbols_table_find_data(f, address);

	if (e == NULL)
		return false;
	*out = (struct symbols_variable){
		.name = plain_name(a, e->name), .start = e->address, .end = e->address + e->bytes};
	return out->name != NULL;
}

/* The lowest address of a section of thread-local variables: there a copy of them begins. */
static uint64_t first_local(struct symbols_file *f)
{
	Elf_Scn *section = NULL;
	uint64_t first = UINT64_MAX;

	while ((section = elf_nextscn(f->elf, section)) != NULL) {
		GElf_Shdr h;

		if (gelf_getshdr(section, &h) != NULL && (h.sh_flags & SHF_TLS) != 0 &&
		    h.sh_addr < first)
			first = h.sh_addr;
	}
	return first;
}

static bool find_section(struct symbols_file *f, uint64_t address, struct arena *a,
			 struct symbols_variable *out)
{
	const bool is_local = address >= SYMBOLS_LOCALS;
	const uint64_t moved = is_local ? SYMBOLS_LOCALS - first_local(f) : 0;
	Elf_Scn *section = NULL;
	struct text name = {0};
	size_t names;

	if (elf_getshdrstrndx(f->elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(f->elf, section)) != NULL) {
		GElf_Shdr h;
		const char *own;

		if (gelf_getshdr(section, &h) == NULL || (h.sh_flags & SHF_ALLOC) == 0 ||
		    (h.sh_flags & SHF_TLS) != (is_local ? SHF_TLS : 0) ||
		    address - moved < h.sh_addr || address - moved - h.sh_addr >= h.sh_size)
			continue;
		own = elf_strptr(f->elf, names, h.sh_name);
		text_addf(&name, "%s of %s", own != NULL ? own : "[section]",
			  path_basename(f->path));
		*out = (struct symbols_variable){.name = arena_strdup(a, text_get(&name)),
						 .start = h.sh_addr + moved,
						 .end = h.sh_addr + moved + h.sh_size,
						 .is_section = true};
		text_release(&name);
		return out->name != NULL;
	}
	return false;
}

bool symbols_find_variable(struct symbols_file *f, uint64_t address, struct arena *a,
			   struct symbols_variable *out)
{
	symbols_open(f);
	if (f->module == NULL)
		return false;
	if (f->sources & SYMBOLS_BY_TYPES && symbols_dwarf_variable(f, address, a, out))
		return true;
	return find_symbol(f, address, a, out) || find_section(f, address, a, out);
}
