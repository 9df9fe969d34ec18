/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Index of the variables with a fixed address, and the scopes of variables and types. Only for
 * src/symbols.
 */
#ifndef DWELL_SYMBOLS_VARIABLE_INDEX_H
#define DWELL_SYMBOLS_VARIABLE_INDEX_H

#include "symbols/private.h"

struct symbols_variable_entry {
	uint64_t start; /* DWARF address */
	uint64_t at;	/* offset in .debug_info of the address's expression */
	Dwarf *dwarf;	/* has the DIE: the file's, or that of a .dwo file */
	Dwarf_Off die;	/* 0: not a variable's expression, or its unit was not read */
	const struct symbols_scope *scope; /* or NULL */
};

struct symbols_unit {
	uint64_t start, end; /* offsets in .debug_info */
	Dwarf_Off die;	     /* of the unit itself */
	bool is_read;
};

struct symbols_variables {
	struct symbols_file *file;
	Dwarf *dwarf;  /* NULL: the file has no debug information */
	uint64_t bias; /* DWARF addresses plus this are file addresses */

	/* Sorted by start; equal ones in the order of the file. */
	struct symbols_variable_entry *items;
	size_t count, room;

	/* In the order of the file. Without `info`, all units were read. */
	struct {
		struct symbols_unit *items;
		size_t count, room;
	} units;
	const unsigned char *info; /* .debug_info, owned by libdw */

	struct map
		/*
		 * of types and declarations: address of the DIE in memory -> struct symbols_scope
		 */
		scopes;
	struct map go_types;  /* of Go: address of the descriptor -> offset of the DIE */
	bool has_go_types;    /* they have been read */
	uint64_t go_base;     /* where the linker's table of descriptors begins; 0: unknown */
	struct map layouts;   /* of types: address of the DIE in memory -> struct symbols_layout */
	struct map elsewhere; /* units of other sections and files, already read for scopes */
	bool is_elsewhere;    /* the unit being read is one of them */
	struct arena arena;
	bool failed; /* memory ran out */
};

/* Make the index of an open file. Returns NULL when memory ran out. */
struct symbols_variables *symbols_variables_new(struct symbols_file *f);

/* The number of entries that start at or below the DWARF address. */
size_t symbols_variables_up_to(const struct symbols_variables *v, uint64_t address);

/*
 * The entry; reads its unit first, if needed to identify the variable. NULL if it is not a
 * variable's.
 */
const struct symbols_variable_entry *symbols_variables_get(struct symbols_variables *v, size_t i);

/* The scope of a type or a declaration, or NULL. */
const struct symbols_scope *symbols_variables_scope(struct symbols_variables *v, Dwarf_Die *die);

#endif
