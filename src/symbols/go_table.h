/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table that the Go linker leaves in every program for the runtime's own use (.gopclntab):
 * functions, files and lines, also where all else was stripped. Forms of Go 1.2, 1.16, 1.18 and
 * 1.20. Nothing in it is believed.
 */
#ifndef DWELL_SYMBOLS_GO_TABLE_H
#define DWELL_SYMBOLS_GO_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct go_table {
	const unsigned char *bytes;
	size_t size;
	unsigned form;	/* row of the table of forms */
	uint64_t text;	/* entries of functions count from here, or 0 */
	uint64_t count; /* functions */
	uint64_t names, units, files, values, functions; /* offsets of the parts */
	/*
	 * Which calls were inlined, from Go 1.18 on: from the runtime's "go.func.*" on; NULL:
	 * nobody knows where.
	 */
	const unsigned char *trees;
	size_t trees_size;
};

struct go_place {
	const char *function; /* in the table; never NULL */
	const char *file;     /* or NULL */
	uint32_t line;	      /* or 0 */
	uint64_t start, end;  /* addresses of the function */
	uint64_t same_end;    /* up to here file and line are these */
};

/*
 * A call that was inlined where the address is: *function is the function whose code it is, and
 * *from an address of the code that called it, to ask about next. False: the code is the function's
 * own.
 */
bool go_table_inlined(const struct go_table *t, uint64_t address, const char **function,
		      uint64_t *from);

/*
 * Which of the runtime's words about a program (runtime.moduledata) is the address of the trees; 0:
 * of none, in this form. The words begin with the addresses of the table and of its names.
 */
unsigned go_table_trees_word(const struct go_table *t);

#define GO_TABLE_HEAD 72 /* bytes that go_table_is_head() and the like look at */

/* Is this how such a table begins? `bytes`: 8 at least. */
bool go_table_is_head(const unsigned char *bytes);

/*
 * The table in `size` bytes, with relocations applied; they stay the caller's and must outlive it.
 * `text`: where code begins, for tables that do not say so. False: it is damaged, or of a form that
 * is not known.
 */
bool go_table_init(struct go_table *t, const unsigned char *bytes, size_t size, uint64_t text);

/* False: no function is there, or what is said of it makes no sense. */
bool go_table_find(const struct go_table *t, uint64_t address, struct go_place *out);

#endif
