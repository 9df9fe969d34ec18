/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Go runtime's own table of functions, files and lines (.gopclntab), which the linker puts in
 * every program, stripped ones too. Reads the formats of Go 1.2, 1.16, 1.18 and 1.20. Nothing in it
 * is trusted.
 */
#ifndef DWELL_SYMBOLS_GO_TABLE_H
#define DWELL_SYMBOLS_GO_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct go_table {
	const unsigned char *bytes;
	size_t size;
	unsigned form;					 /* row of the table of formats */
	uint64_t text;					 /* base of the functions' entries, or 0 */
	uint64_t count;					 /* functions */
	uint64_t names, units, files, values, functions; /* offsets of the parts */
	/*
	 * The trees of inlined calls, from Go 1.18 on: they begin at the runtime's "go.func.*";
	 * NULL: not found.
	 */
	const unsigned char *trees;
	size_t trees_size;
};

struct go_place {
	const char *function; /* in the table; never NULL */
	const char *file;     /* or NULL */
	uint32_t line;	      /* or 0 */
	uint64_t start, end;  /* addresses of the function */
	uint64_t same_end;    /* up to here file and line are the same */
};

/*
 * The innermost inlined call at the address: *function is the inlined function, *from an address in
 * the code that calls it, to ask about next. False: the code was not inlined.
 */
bool go_table_inlined(const struct go_table *t, uint64_t address, const char **function,
		      uint64_t *from);

/*
 * Index of the word of runtime.moduledata that is the address of the trees; 0: this format has
 * none. The words begin with the addresses of the table and of its names.
 */
unsigned go_table_trees_word(const struct go_table *t);

#define GO_TABLE_HEAD 72 /* bytes that go_table_is_head() and the like look at */

/* Is this the beginning of a .gopclntab? `bytes`: 8 at least. */
bool go_table_is_head(const unsigned char *bytes);

/*
 * Read the table in `size` bytes, with relocations applied; the caller keeps them, and they must
 * outlive the table. `text`: where code begins, for tables that do not say so. False: damaged, or
 * of an unknown format.
 */
bool go_table_init(struct go_table *t, const unsigned char *bytes, size_t size, uint64_t text);

/* False: no function is there, or its entry makes no sense. */
bool go_table_find(const struct go_table *t, uint64_t address, struct go_place *out);

#endif
