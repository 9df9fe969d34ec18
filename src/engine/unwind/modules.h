/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts that the engine needs about files whose code is mapped: where their
 * allocation functions begin, and where their unwind information lies.
 */
#ifndef DWELL_ENGINE_UNWIND_MODULES_H
#define DWELL_ENGINE_UNWIND_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/unwind/eh_frame.h"
#include "engine/unwind/eras.h"

enum module_part { MODULE_LIBRARY, MODULE_PROGRAM, MODULE_INTERPRETER };

/*
 * The file open as fd (-1: none) is mapped as code at [start, end) from `offset` on: hook the
 * allocation functions that it defines. Without a valid ELF file there are no known functions, but
 * the range is still a module. `position`: accesses of the process so far.
 */
void modules_add(uint64_t start, uint64_t end, uint64_t offset, int fd, enum module_part part,
		 uint64_t position);

/* The range was unmapped. */
void modules_remove(uint64_t start, uint64_t end);

/* Find the frame information for code at pc. False, and an empty table: there is none. */
bool modules_frames(uint64_t pc, struct frame_table *table);

/* A module's code, and the linkage table's stubs that hold pc, if any do. */
struct module_place {
	uint64_t start, end;
	uint64_t stubs, stubs_end; /* both 0: pc is in none */
	bool interpreter;	   /* the dynamic linker */
	struct frame_table frames;
};

/* False: pc is in no module; start and end are those of the gap between modules. */
bool modules_place(uint64_t pc, struct module_place *place);

/*
 * The function around pc by the module's symbols, for code without frame information. False: no
 * symbol covers pc; the range is the gap between symbols.
 */
bool modules_function(uint64_t pc, uint64_t *start, uint64_t *end);

/*
 * The thread-local variables of a file, of which each thread may have a copy. Only bytes is 0: it
 * has none.
 */
struct module_locals {
	uint64_t code, key; /* where its code is mapped; the same as a key of eras.h */
	uint64_t bias;	    /* address in memory minus address in the file */
	uint64_t first;	    /* where they begin in the file */
	uint64_t bytes, alignment;
	bool is_program;
};

/* Of the n-th file that has any, from 0. False: there are fewer. */
bool modules_locals(uint32_t n, struct module_locals *l);
/*
 * The variable around a byte of a copy, by the symbols of the file of that key; or the gap between
 * two of them. False: the file is gone. Only with SIM_ASK_DATA.
 */
bool modules_local_variable(uint64_t key, uint64_t offset, uint64_t *start, uint64_t *end);

/*
 * The variable around an address in a file's data, by the file's symbols; or the gap between two of
 * them. False: the address is in no file's data. Only with SIM_ASK_DATA.
 */
bool modules_variable(uint64_t address, uint64_t *start, uint64_t *end);
uint64_t modules_find_key(uint64_t address);
/* The address with the era of the file whose code or data lies there now; see eras.h. */
static inline uint64_t modules_key(uint64_t address)
{
	return eras_are_any ? modules_find_key(address) : address;
}

/* Changes when files are mapped or unmapped. */
extern uint32_t modules_version;

/* Is pc in the dynamic linker? */
bool modules_is_interpreter(uint64_t pc);

/* In a forked child: nobody holds the lock. */
void modules_forked(void);

#endif
