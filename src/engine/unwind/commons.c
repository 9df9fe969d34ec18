/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the members of COMMON blocks in a file; see commons.h. */
#include "engine/unwind/commons.h"

#include "engine/core/state.h"
#include "engine/core/util.h"

#define MOST_BLOCKS  1024u
#define MOST_MEMBERS 65536u /* of all blocks, in all procedures */

#define OP_ADDRESS    0x03 /* DW_OP_addr */
#define OP_CONST8U    0x0e
#define OP_PLUS	      0x23 /* DW_OP_plus_uconst */
#define ADDRESS_BYTES 8u

struct block {
	uint64_t start, end; /* as in the file */
};

struct commons {
	struct block blocks[MOST_BLOCKS];
	uint64_t members[MOST_MEMBERS];
	uint32_t block_count, member_count;
	uint64_t low, high; /* of all blocks */
	bool is_fortran;
};

/* Does the text at `at` of a table of names begin with this one? */
static bool begins(const struct code_file *f, const Elf64_Shdr *names, uint64_t at,
		   const char *wanted, uint64_t bytes)
{
	return at < names->sh_size && bytes <= names->sh_size - at &&
	       memcmp(f->bytes + names->sh_offset + at, wanted, bytes) == 0;
}

/* "blk_", but not the "name__" of some procedures; or the block without a name. */
static bool is_name_of_block(const struct code_file *f, const Elf64_Shdr *names, uint64_t at)
{
	const char *name = (const char *)f->bytes + names->sh_offset + at;
	uint64_t n = 0;

	if (begins(f, names, at, "__BLNK__", 9))
		return true;
	while (at + n < names->sh_size && name[n])
		n++;
	return at + n < names->sh_size && n > 1 && name[n - 1] == '_' && name[0] != '_';
}

static bool has_runtime(const struct code_file *f, const Elf64_Shdr *names, uint64_t at)
{
	return begins(f, names, at, "_gfortran_", 10) || begins(f, names, at, "_Fortran", 8);
}

static void look_at_symbol(struct commons *c, const struct code_file *f, const Elf64_Shdr *names,
			   const Elf64_Sym *s)
{
	const uint32_t type = f->wants_locals ? STT_TLS : STT_OBJECT;

	c->is_fortran |= has_runtime(f, names, s->st_name);
	if (ELF64_ST_TYPE(s->st_info) != type || ELF64_ST_BIND(s->st_info) == STB_LOCAL ||
	    s->st_shndx == SHN_UNDEF || s->st_size <= ADDRESS_BYTES ||
	    s->st_value + s->st_size < s->st_value || c->block_count == MOST_BLOCKS ||
	    !is_name_of_block(f, names, s->st_name))
		return;
	c->blocks[c->block_count++] = (struct block){s->st_value, s->st_value + s->st_size};
	c->low = s->st_value < c->low ? s->st_value : c->low;
	c->high = s->st_value + s->st_size > c->high ? s->st_value + s->st_size : c->high;
}

static void find_blocks(struct commons *c, const struct code_file *f)
{
	for (uint32_t i = 0; i < f->section_count; i++) {
		const Elf64_Shdr *h = &f->sections[i], *names;
		const uint64_t n = h->sh_size / sizeof(Elf64_Sym);

		if (h->sh_type != SHT_SYMTAB || h->sh_link >= f->section_count ||
		    h->sh_offset & 7 || h->sh_offset > f->size ||
		    h->sh_size > f->size - h->sh_offset)
			continue;
		names = &f->sections[h->sh_link];
		if (names->sh_offset > f->size || names->sh_size > f->size - names->sh_offset)
			continue;
		for (uint64_t k = 0; k < n; k++)
			look_at_symbol(c, f, names,
				       (const Elf64_Sym *)(const void *)(f->bytes + h->sh_offset) +
					       k);
	}
}

static const struct block *block_of(const struct commons *c, uint64_t address)
{
	for (uint32_t i = 0; i < c->block_count; i++)
		if (address >= c->blocks[i].start && address < c->blocks[i].end)
			return &c->blocks[i];
	return 0;
}

/* Add what DW_OP_plus_uconst at [at, end) adds, if anything is there. False: it is another one. */
static bool add_constant(const uint8_t *at, const uint8_t *end, uint64_t *address)
{
	if (at == end)
		return true;
	if (*at++ != OP_PLUS)
		return false;
	for (uint32_t shift = 0; at < end && shift < 56; shift += 7) {
		*address += (uint64_t)(*at & 0x7f) << shift;
		if (!(*at++ & 0x80))
			return at == end;
	}
	return false;
}

/*
 * Look for expressions without parsing: the length, the operation, and an address in a block. That
 * other bytes look so is very unlikely, and would only divide one variable.
 */
static void search(struct commons *c, const uint8_t *at, const uint8_t *end, bool are_locals)
{
	const uint8_t op = are_locals ? OP_CONST8U : OP_ADDRESS;
	const uint32_t least = 1 + ADDRESS_BYTES + are_locals;

	for (const uint8_t *p = at + 1; p < end && end - p > least; p++) {
		uint64_t address;

		if (*p != op || p[-1] < least || p[-1] > end - p)
			continue;
		memcpy(&address, p + 1, sizeof address);
		if (address < c->low || address >= c->high ||
		    !add_constant(p + least, p + p[-1], &address) || !block_of(c, address))
			continue;
		if (c->member_count < MOST_MEMBERS)
			c->members[c->member_count++] = address;
	}
}

static void sort(uint64_t *a, uint32_t n)
{
	for (uint32_t gap = n / 2; gap; gap /= 2)
		for (uint32_t i = gap; i < n; i++) {
			const uint64_t x = a[i];
			uint32_t k = i;

			for (; k >= gap && a[k - gap] > x; k -= gap)
				a[k] = a[k - gap];
			a[k] = x;
		}
}

static void find_members(struct commons *c, const struct code_file *f, uint32_t section_names)
{
	const Elf64_Shdr *names = &f->sections[section_names];

	if (names->sh_offset > f->size || names->sh_size > f->size - names->sh_offset)
		return;
	for (uint32_t i = 0; i < f->section_count; i++) {
		const Elf64_Shdr *h = &f->sections[i];

		if (h->sh_type == SHT_PROGBITS && !(h->sh_flags & SHF_COMPRESSED) &&
		    h->sh_offset <= f->size && h->sh_size <= f->size - h->sh_offset &&
		    begins(f, names, h->sh_name, ".debug_info", 12))
			search(c, f->bytes + h->sh_offset, f->bytes + h->sh_offset + h->sh_size,
			       f->wants_locals);
	}
	sort(c->members, c->member_count);
}

static void add_piece(struct code_symbols *s, const struct code_file *f, uint64_t start,
		      uint64_t end)
{
	if (s->count < s->room && end > start)
		s->items[s->count++] = (struct code_symbol){(uint32_t)(f->bias + start - f->start),
							    (uint32_t)(end - start)};
}

/* A symbol of the table: itself, or if it is a block its pieces. */
static void divide(struct code_symbols *to, const struct code_file *f, const struct commons *c,
		   const struct code_symbol *x)
{
	const uint64_t start = x->start + f->start - f->bias;
	const struct block *b = x->bytes ? block_of(c, start) : 0;
	uint64_t from = start;

	if (!b || b->start != start || b->end - b->start != x->bytes) {
		if (to->count < to->room)
			to->items[to->count++] = *x;
		return;
	}
	for (uint32_t i = 0; i < c->member_count; i++) {
		if (c->members[i] <= from || c->members[i] >= b->end)
			continue;
		add_piece(to, f, from, c->members[i]);
		from = c->members[i];
	}
	add_piece(to, f, from, b->end);
}

static void replace(struct code_symbols *s, const struct code_file *f, const struct commons *c)
{
	struct code_symbols new = {.base = s->base};

	if (!code_symbols_make_room(&new, (uint64_t)s->count + c->member_count + c->block_count))
		return;
	for (uint32_t i = 0; i < s->count; i++)
		divide(&new, f, c, &s->items[i]);
	code_symbols_sort(&new);
	code_symbols_release(s);
	*s = new;
}

void commons_divide(struct code_symbols *s, const struct code_file *f)
{
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)(const void *)f->bytes;
	struct commons *c;

	if (!s->count || eh->e_shstrndx >= f->section_count)
		return;
	c = pages_get(round_up(sizeof *c, PAGE));
	if (!c)
		return;
	c->low = UINT64_MAX;
	find_blocks(c, f);
	if (c->is_fortran && c->block_count)
		find_members(c, f, eh->e_shstrndx);
	if (c->member_count)
		replace(s, f, c);
	pages_put(c, round_up(sizeof *c, PAGE));
}
