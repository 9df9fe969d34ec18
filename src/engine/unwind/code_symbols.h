/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of a mapped file by its tables of symbols, for code without frame information: what Go,
 * Free Pascal, GHC, musl and hand-written assembly leave, and compilers that are told to.
 */
#ifndef DWELL_ENGINE_UNWIND_CODE_SYMBOLS_H
#define DWELL_ENGINE_UNWIND_CODE_SYMBOLS_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

/* A symbol that is code, as an offset from the table's base. No bytes: up to the next one. */
struct code_symbol {
	uint32_t start, bytes;
};

/* In order of start. The items are pages of the engine's; all zero: none. */
struct code_symbols {
	struct code_symbol *items;
	uint32_t count, room;
	uint64_t base;
};

/* A file in memory, which may be cut short meanwhile: whoever calls is guarded. */
struct code_file {
	const uint8_t *bytes;
	uint64_t size;
	const Elf64_Shdr *sections;
	uint32_t section_count;
	uint64_t bias;	     /* of addresses in memory over the file's */
	uint64_t start, end; /* of the code that is mapped, in memory */
};

/* Read .symtab, or .dynsym where the file is stripped. False: it is stripped. */
bool code_symbols_read(struct code_symbols *s, const struct code_file *f);
/*
 * Where the table of the Go linker would begin in memory, and what is loaded from there on; false:
 * there is none.
 */
bool code_symbols_find_go(const struct code_file *f, const Elf64_Phdr *ph, uint32_t n,
			  uint64_t *address, uint64_t *bytes);

/*
 * Add the functions of that table, which the dynamic linker has relocated by now. Nothing in it is
 * believed: a table that makes no sense, or of a form that is not known, adds none.
 */
void code_symbols_add_go(struct code_symbols *s, uint64_t address, uint64_t bytes, uint64_t end);

/*
 * For code_symbols_go.c: an empty table with room; and items in order, of several at one place the
 * largest.
 */
bool code_symbols_make_room(struct code_symbols *s, uint64_t count);
void code_symbols_sort(struct code_symbols *s);

void code_symbols_release(struct code_symbols *s);

/*
 * The function around pc; *end is UINT64_MAX where nothing says. False: none begins before it, or
 * pc is behind the end of that one: then the range is what no symbol has, 0 and UINT64_MAX at its
 * ends.
 */
bool code_symbols_find(const struct code_symbols *s, uint64_t pc, uint64_t *start, uint64_t *end);

#endif
