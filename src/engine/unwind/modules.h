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

enum module_part { MODULE_LIBRARY, MODULE_PROGRAM, MODULE_INTERPRETER };

/*
 * The file open as fd (-1: none) is mapped as code at [start, end) from `offset` on: hook the
 * allocation functions that it defines. Without a valid ELF file there are no known functions, but
 * the range is still a module.
 */
void modules_add(uint64_t start, uint64_t end, uint64_t offset, int fd, enum module_part part);

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
 * The bytes that the thread-local variables of all modules take per thread. `address`: the thread
 * pointer. False: it lies in a file's data, as in some runtimes.
 */
bool modules_locals(uint64_t address, uint64_t *bytes);
/*
 * The bytes of the program's own thread-local variables, right below the thread pointer; 0: it has
 * none. *code: an address in the program's code.
 */
uint64_t modules_program_locals(uint64_t *code);

/*
 * The variable around an address in a file's data, by the file's symbols; or the gap between two of
 * them. False: the address is in no file's data. Only with CHANNEL_DATA.
 */
bool modules_variable(uint64_t address, uint64_t *start, uint64_t *end);
/* Changes when files are mapped or unmapped. */
extern uint32_t modules_version;

/* Is pc in the dynamic linker? */
bool modules_is_interpreter(uint64_t pc);

/* In a forked child: nobody holds the lock. */
void modules_forked(void);

#endif
