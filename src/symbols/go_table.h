/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Go runtime's own table of functions, files and lines (.gopclntab). The linker adds it to
 * every program, even a stripped one. Reads the formats of Go 1.2, 1.16, 1.18 and 1.20. All content
 * is untrusted.
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
	 * The trees of inlined calls, since Go 1.18: they begin at the runtime's "go.func.*"; NULL:
	 * not found.
	 */
	const unsigned char *trees;
	size_t trees_size;
};

struct go_place {
	const char *function; /* in the table; never NULL */
	const char *file;     /* or NULL */
	uint32_t line;	      /* or 0 */
	uint64_t start, end;  /* addresses of the function */
	uint64_t same_end;    /* file and line are the same up to this address */
};

/*
 * Find the innermost inlined call at the address: *function is the inlined function, *from an
 * address in the calling code, for the next question. Returns false if the code was not inlined.
 */
bool go_table_inlined(const struct go_table *t, uint64_t address, const char **function,
		      uint64_t *from);

/*
 * Index of the word of runtime.moduledata with the address of the trees; 0: not in this format. The
 * first two words are the addresses of the table and of its names.
 */
unsigned go_table_trees_word(const struct go_table *t);

#define GO_TABLE_HEAD 72 /* number of bytes that go_table_is_head() and similar functions read */

/* Tell whether the bytes, at least 8, are the beginning of a .gopclntab. */
bool go_table_is_head(const unsigned char *bytes);

/*
 * Read the table in `size` bytes, with relocations applied. The caller owns the bytes, which must
 * outlive the table. `text`: start of the code, for tables without it. Returns false if the table
 * is damaged, or of an unknown format.
 */
bool go_table_init(struct go_table *t, const unsigned char *bytes, size_t size, uint64_t text);

/* Returns false if there is no function, or its entry is invalid. */
bool go_table_find(const struct go_table *t, uint64_t address, struct go_place *out);

#endif
