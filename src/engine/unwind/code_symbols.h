/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of a mapped file by its symbol tables, for code without frame information: from Go,
 * Free Pascal, GHC, musl, hand-written assembly, and compilers run with an option to omit it.
 */
#ifndef DWELL_ENGINE_UNWIND_CODE_SYMBOLS_H
#define DWELL_ENGINE_UNWIND_CODE_SYMBOLS_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

/* A code symbol; start is an offset from the table's base. 0 bytes: it ends at the next symbol. */
struct code_symbol {
	uint32_t start, bytes;
};

/* In order of start. Owns its items, in pages of the engine; all zero: empty. */
struct code_symbols {
	struct code_symbol *items;
	uint32_t count, room;
	uint64_t base;
};

/* A file mapped into memory. It may be truncated meanwhile: callers guard against the fault. */
struct code_file {
	const uint8_t *bytes;
	uint64_t size;
	const Elf64_Shdr *sections;
	uint32_t section_count;
	uint64_t bias;		/* address in memory minus address in the file */
	uint64_t start, end;	/* of the code that is mapped, in memory; or of all that is */
	bool wants_variables;	/* symbols of variables, not of functions */
	bool wants_locals;	/* of thread-local variables, by their offsets in a copy */
	uint64_t sections_from; /* with wants_locals: where a copy begins in the file */
};

/*
 * Read .symtab, or .dynsym if the file is stripped; and with variables where sections begin. False:
 * the file is stripped.
 */
bool code_symbols_read(struct code_symbols *s, const struct code_file *f);
/*
 * The same file, to read its thread-local variables, which begin at `first` in the file and have so
 * many bytes: addresses are then offsets in a copy.
 */
struct code_file code_symbols_of_locals(const struct code_file *f, uint64_t first, uint64_t bytes);
/*
 * Find the table of the Go linker: its address in memory, and the bytes loaded from there on.
 * False: there is none.
 */
bool code_symbols_find_go(const struct code_file *f, const Elf64_Phdr *ph, uint32_t n,
			  uint64_t *address, uint64_t *bytes);

/*
 * Add the functions of that table, which the dynamic linker must have relocated. The table is
 * untrusted: one that is damaged or of an unknown form adds no functions.
 */
void code_symbols_add_go(struct code_symbols *s, uint64_t address, uint64_t bytes, uint64_t end);

/*
 * For code_symbols_go.c: make an empty table with room; sort the items, and of several that begin
 * at one place keep the largest.
 */
bool code_symbols_make_room(struct code_symbols *s, uint64_t count);
void code_symbols_sort(struct code_symbols *s);

void code_symbols_release(struct code_symbols *s);

/*
 * The function around pc; *end is UINT64_MAX if unknown. False: no symbol covers pc; then the range
 * is the gap between symbols, from 0 or up to UINT64_MAX at the table's ends.
 */
bool code_symbols_find(const struct code_symbols *s, uint64_t pc, uint64_t *start, uint64_t *end);

#endif
