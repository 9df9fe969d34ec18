/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions by the table that the Go linker writes for Go's runtime (.gopclntab), for Go programs
 * without symbols. The head is found in the file; the list is read in memory, where the addresses
 * of position-independent programs are relocated. src/symbols/go_table.c reads the whole table, for
 * the names.
 */
#include "engine/core/state.h"
#include "engine/core/util.h"
#include "engine/unwind/code_symbols.h"

#define MOST_FUNCTIONS (4u << 20)
#define HEAD_WORDS     9u  /* 8 bytes each */
#define CHUNK_ENTRIES  64u /* read at once */

/* How the forms differ: words of the head, and the size of an entry. -1: not there. */
static const struct form {
	uint32_t magic;
	int8_t text, list;
	uint8_t entry_bytes;
} forms[] = {
	{0xfffffffb, -1, -1, 16}, /* Go 1.2: the list follows the count */
	{0xfffffffa, -1, 7, 16},  /* 1.16 */
	{0xfffffff0, 3, 8, 8},	  /* 1.18 */
	{0xfffffff1, 3, 8, 8},	  /* 1.20 */
};

/*
 * The form of a table by its first 8 bytes, or NULL: a magic number, zeros, the unit of code, and
 * the size of pointers.
 */
static const struct form *form_of(uint64_t head)
{
	if (head >> 32 != 0x08010000)
		return 0;
	for (uint32_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
		if (forms[i].magic == (uint32_t)head)
			return &forms[i];
	return 0;
}

static bool search(const struct code_file *f, const Elf64_Phdr *p, uint64_t *address,
		   uint64_t *bytes)
{
	const uint8_t *from = f->bytes + p->p_offset;

	for (uint64_t at = 0; at + HEAD_WORDS * 8 <= p->p_filesz; at += 8) {
		uint64_t head;

		__builtin_memcpy(&head, from + at, sizeof head);
		if (!form_of(head))
			continue;
		*address = f->bias + p->p_vaddr + at;
		*bytes = p->p_filesz - at;
		return true;
	}
	return false;
}

bool code_symbols_find_go(const struct code_file *f, const Elf64_Phdr *ph, uint32_t n,
			  uint64_t *address, uint64_t *bytes)
{
	for (uint32_t i = 0; i < n; i++)
		if (ph[i].p_type == PT_LOAD && !(ph[i].p_flags & PF_X) &&
		    ph[i].p_offset <= f->size && ph[i].p_filesz <= f->size - ph[i].p_offset &&
		    search(f, &ph[i], address, bytes))
			return true;
	return false;
}

struct go_list {
	uint64_t at, count, text;
	uint32_t entry_bytes;
};

static bool read_list(uint64_t address, uint64_t bytes, struct go_list *l)
{
	uint64_t head[HEAD_WORDS];
	const struct form *form;
	uint64_t list = 16;

	if (bytes < sizeof head ||
	    engine_copy(head, (const void *)(uintptr_t)address, sizeof head) != 0 ||
	    !(form = form_of(head[0])))
		return false;
	if (form->list >= 0)
		list = head[form->list];
	*l = (struct go_list){.count = head[1], .entry_bytes = form->entry_bytes};
	if (form->text >= 0)
		l->text = head[form->text];
	l->at = address + list;
	/* One more entry holds the end of the last function. */
	return l->count && l->count < MOST_FUNCTIONS && list < bytes &&
	       (l->count + 1) * l->entry_bytes <= bytes - list;
}

/* The addresses of `n` functions from number `from` on. */
static bool read_entries(const struct go_list *l, uint64_t from, uint32_t n, uint64_t *entry)
{
	uint8_t raw[CHUNK_ENTRIES * 16];
	uint32_t width = l->entry_bytes / 2;

	if (engine_copy(raw, (const void *)(uintptr_t)(l->at + from * l->entry_bytes),
			n * l->entry_bytes) != 0)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		entry[i] = 0;
		__builtin_memcpy(&entry[i], raw + i * l->entry_bytes, width);
		entry[i] += l->text;
	}
	return true;
}

/* Add all functions, each up to the next one. False: they are not in order. */
static bool add_list(struct code_symbols *s, const struct go_list *l, uint64_t end)
{
	uint64_t entry[CHUNK_ENTRIES], last = s->base;

	for (uint64_t from = 0; from <= l->count; from += CHUNK_ENTRIES) {
		uint64_t left = l->count + 1 - from;
		uint32_t n = left < CHUNK_ENTRIES ? (uint32_t)left : CHUNK_ENTRIES;

		if (!read_entries(l, from, n, entry))
			return false;
		for (uint32_t i = 0; i < n; i++) {
			if (entry[i] < last || entry[i] > end)
				return false;
			if (from + i > 0)
				s->items[s->count - 1].bytes = (uint32_t)(entry[i] - last);
			if (from + i > 0 && entry[i] == last)
				s->count--; /* without bytes it would be as large as the gap */
			if (from + i < l->count)
				s->items[s->count++].start = (uint32_t)(entry[i] - s->base);
			last = entry[i];
		}
	}
	return true;
}

void code_symbols_add_go(struct code_symbols *s, uint64_t address, uint64_t bytes, uint64_t end)
{
	struct code_symbols all = {.base = s->base};
	struct go_list l;

	if (end - s->base > UINT32_MAX || !read_list(address, bytes, &l) ||
	    !code_symbols_make_room(&all, l.count + s->count))
		return;
	if (!add_list(&all, &l, end)) {
		code_symbols_release(&all);
		return;
	}
	for (uint32_t i = 0; i < s->count; i++)
		all.items[all.count++] = s->items[i];
	code_symbols_release(s);
	code_symbols_sort(&all);
	*s = all;
}
