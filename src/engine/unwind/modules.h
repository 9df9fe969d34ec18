/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the engine itself wants to know of the files whose code is mapped: where
 * their allocation functions begin, and where the information for unwinding is.
 */
#ifndef DWELL_ENGINE_UNWIND_MODULES_H
#define DWELL_ENGINE_UNWIND_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/unwind/eh_frame.h"

enum module_part { MODULE_LIBRARY, MODULE_PROGRAM, MODULE_INTERPRETER };

/*
 * Code of the file open as fd is mapped at [start, end) from `offset` on: hook the allocation
 * functions that it defines. A file that is not a sound ELF file, or none (-1), has no functions
 * that are known, but is a place of its own.
 */
void modules_add(uint64_t start, uint64_t end, uint64_t offset, int fd, enum module_part part);

/* The range is not mapped any more. */
void modules_remove(uint64_t start, uint64_t end);

/* Where the frame information for code at pc is; false, and an empty table: there is none. */
bool modules_frames(uint64_t pc, struct frame_table *table);

/* Where a module's code is, and the linkage table's stubs that pc is in, if it is in any. */
struct module_place {
	uint64_t start, end;
	uint64_t stubs, stubs_end; /* both 0: it is in none */
	bool interpreter;	   /* the dynamic linker */
	struct frame_table frames;
};

/* False: pc is in no module, and start and end are those of the gap between modules. */
bool modules_place(uint64_t pc, struct module_place *place);

/*
 * The function around pc by the module's symbols; false: by the range, which then is all that no
 * symbol has. For code that has no frame information.
 */
bool modules_function(uint64_t pc, uint64_t *start, uint64_t *end);

/*
 * How many bytes the thread-local variables of all modules take of a thread. False: the address,
 * which is that of the thread's own data, is in a file's data, as some runtimes have it.
 */
bool modules_locals(uint64_t address, uint64_t *bytes);
/*
 * How many of these are the program's own, right below that address; `code` is one of its code. 0:
 * it has none.
 */
uint64_t modules_program_locals(uint64_t *code);

/* Is it the dynamic linker's own code? */
bool modules_is_interpreter(uint64_t pc);

/* In a forked child: nobody holds the lock. */
void modules_forked(void);

#endif
