/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols of code in order of address; see code_symbols.h. */
#include "engine/unwind/code_symbols.h"

#include "channel/channel.h"
#include "engine/core/search.h"
#include "engine/core/state.h"
#include "engine/core/util.h"

/* symbols that may start between an address and the symbol that covers it */
#define LOOK_BACK    16u
#define MOST_SYMBOLS (16u << 20) /* a browser has one or two million */

/* The n symbols of the section, or NULL if they lie outside of the file. */
static const Elf64_Sym *symbols_of(const struct code_file *f, const Elf64_Shdr *section,
				   uint64_t *n)
{
	*n = section->sh_size / sizeof(Elf64_Sym);
	if (section->sh_offset > f->size || section->sh_offset & 7 ||
	    *n > (f->size - section->sh_offset) / sizeof(Elf64_Sym) || *n > MOST_SYMBOLS)
		return 0;
	return (const Elf64_Sym *)(const void *)(f->bytes + section->sh_offset);
}

/*
 * In assembly, global labels are functions; local labels are places inside one.
 */
static bool is_wanted(const struct code_file *f, const Elf64_Sym *s)
{
	uint32_t type = ELF64_ST_TYPE(s->st_info);

	if (f->wants_locals)
		return type == STT_TLS && s->st_size && s->st_shndx != SHN_UNDEF &&
		       s->st_value < f->end;
	if (f->wants_variables)
		return type == STT_OBJECT && s->st_size && s->st_shndx != SHN_UNDEF &&
		       s->st_shndx != SHN_ABS && f->bias + s->st_value >= f->start &&
		       f->bias + s->st_value < f->end;
	if (s->st_shndx == SHN_UNDEF || s->st_shndx == SHN_ABS ||
	    f->bias + s->st_value < f->start || f->bias + s->st_value >= f->end)
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC ||
	       (type == STT_NOTYPE && ELF64_ST_BIND(s->st_info) != STB_LOCAL && s->st_name != 0);
}

/*
 * Where a section begins, what lies between variables is another data structure: a symbol without a
 * size says so.
 */
static bool is_boundary(const struct code_file *f, const Elf64_Shdr *section)
{
	return (f->wants_variables || f->wants_locals) && section->sh_flags & SHF_ALLOC &&
	       !(section->sh_flags & SHF_TLS) == !f->wants_locals &&
	       f->bias + section->sh_addr - f->sections_from >= f->start &&
	       f->bias + section->sh_addr - f->sections_from < f->end;
}

static void add(struct code_symbols *s, const struct code_file *f, uint64_t address, uint64_t bytes)
{
	const uint64_t start = f->bias + address - f->start;

	/* The file may have changed since they were counted. */
	if (start < UINT32_MAX && s->count < s->room)
		s->items[s->count++] = (struct code_symbol){
			(uint32_t)start, bytes < UINT32_MAX ? (uint32_t)bytes : 0};
}

static void add_boundaries(struct code_symbols *s, const struct code_file *f)
{
	for (uint32_t i = 0; i < f->section_count; i++)
		if (is_boundary(f, &f->sections[i]))
			add(s, f, f->sections[i].sh_addr - f->sections_from, 0);
}

bool code_symbols_make_room(struct code_symbols *s, uint64_t count)
{
	s->items = count && count < MOST_SYMBOLS
			   ? pages_get(round_up(count * sizeof *s->items, PAGE))
			   : 0;
	s->room = s->items ? (uint32_t)count : 0;
	return s->items;
}

void code_symbols_release(struct code_symbols *s)
{
	if (s->items)
		pages_put(s->items, round_up(s->room * sizeof *s->items, PAGE));
	*s = (struct code_symbols){0};
}

/* Order by start; at the same start the largest first. */
static bool is_before(const struct code_symbol *a, const struct code_symbol *b)
{
	return a->start != b->start ? a->start < b->start : a->bytes > b->bytes;
}

/* Shell's sort: linkers write most of them in order. */
static void sort_symbols(struct code_symbol *e, uint32_t n)
{
	for (uint32_t gap = n / 2; gap; gap /= 2)
		for (uint32_t i = gap; i < n; i++) {
			struct code_symbol x = e[i];
			uint32_t k = i;

			for (; k >= gap && is_before(&x, &e[k - gap]); k -= gap)
				e[k] = e[k - gap];
			e[k] = x;
		}
}

void code_symbols_sort(struct code_symbols *s)
{
	uint32_t left = 0;

	sort_symbols(s->items, s->count);
	for (uint32_t i = 0; i < s->count; i++)
		if (!left || s->items[left - 1].start != s->items[i].start)
			s->items[left++] = s->items[i];
	s->count = left;
}

static bool read_section(struct code_symbols *s, const struct code_file *f,
			 const Elf64_Shdr *section)
{
	const Elf64_Sym *symbols;
	uint64_t n, count = 0;

	symbols = symbols_of(f, section, &n);
	if (!symbols || f->end - f->start > UINT32_MAX)
		return false;
	for (uint64_t i = 0; i < n; i++)
		count += is_wanted(f, &symbols[i]);
	if (!count || !code_symbols_make_room(s, count + f->section_count))
		return false;
	for (uint64_t i = 0; i < n; i++)
		if (is_wanted(f, &symbols[i]))
			add(s, f, symbols[i].st_value, symbols[i].st_size);
	add_boundaries(s, f);
	code_symbols_sort(s);
	return s->count;
}

bool code_symbols_read(struct code_symbols *s, const struct code_file *f)
{
	static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};

	*s = (struct code_symbols){.base = f->start};
	for (uint32_t k = 0; k < sizeof types / sizeof types[0]; k++)
		for (uint32_t i = 0; i < f->section_count; i++)
			if (f->sections[i].sh_type == types[k] &&
			    read_section(s, f, &f->sections[i]))
				return types[k] == SHT_SYMTAB;
	/* a library whose variables are all its own */
	if ((f->wants_variables || f->wants_locals) && f->end - f->start <= UINT32_MAX &&
	    code_symbols_make_room(s, f->section_count)) {
		add_boundaries(s, f);
		code_symbols_sort(s);
	}
	return false;
}

struct code_file code_symbols_of_locals(const struct code_file *f, uint64_t first, uint64_t bytes)
{
	struct code_file of_copy = *f;

	of_copy.bias = of_copy.start = 0;
	of_copy.end = bytes;
	of_copy.wants_variables = false;
	of_copy.wants_locals = true;
	of_copy.sections_from = first;
	return of_copy;
}

/* The first symbol that begins above the offset. */
static uint32_t above(const struct code_symbols *s, uint64_t offset)
{
	return SEARCH_FIRST(i, s->count, s->items[i].start > offset);
}

bool code_symbols_find(const struct code_symbols *s, uint64_t pc, uint64_t *start, uint64_t *end)
{
	uint64_t offset = pc - s->base, behind = 0;
	uint32_t next = pc >= s->base ? above(s, offset) : 0,
		 least = next > LOOK_BACK ? next - LOOK_BACK : 0;
	uint64_t limit = next < s->count ? s->base + s->items[next].start : UINT64_MAX;

	for (uint32_t i = next; i-- > least;) {
		const struct code_symbol *x = &s->items[i];
		uint64_t last = x->bytes ? x->start + (uint64_t)x->bytes : UINT64_MAX;

		/* A symbol without a size ends where the next one begins. */
		if (offset < last && (x->bytes || i + 1 == next)) {
			*start = s->base + x->start;
			*end = x->bytes ? s->base + last : limit;
			return true;
		}
		if (x->bytes && last > behind)
			behind = last;
	}
	*start = next ? s->base + behind : 0;
	*end = limit;
	return false;
}
