/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers for functions: ranges of code, which the caller finds. */
#ifndef DWELL_SIM_CALLS_FUNCTIONS_H
#define DWELL_SIM_CALLS_FUNCTIONS_H

#include <stdint.h>

#include "sim/base/memory.h"
#include "sim/base/table.h"

enum sim_function_kind {
	SIM_FUNCTION_NORMAL,
	SIM_FUNCTION_STUB,     /* in a procedure linkage table: jumps to a function elsewhere */
	SIM_FUNCTION_RESOLVER, /* the dynamic linker's: jumps to a resolved function */
	SIM_FUNCTION_UNKNOWN,  /* starts of functions are unknown here */
	/* Made at run time: ends where the next function begins, which may appear later. */
	SIM_FUNCTION_MADE,
};

/* Code from start to end, end excluded. */
struct sim_function {
	uint64_t start, end;
	uint8_t kind;  /* enum sim_function_kind */
	uint64_t seen; /* the first pc that was looked up in it */
};

/* Fill in the function at pc, all but `seen`. Called once for each segment. */
typedef void sim_function_finder(void *context, uint64_t pc, struct sim_function *found);

struct sim_functions {
	const struct sim_memory *memory;
	sim_function_finder *find;
	void *context;
	struct sim_function *items; /* by number, from 1 */
	uint32_t count, room;
	struct sim_table by_start;
};

/* Returns 0, or -1 without memory; call sim_functions_release in both cases. */
int sim_functions_init(struct sim_functions *f, sim_function_finder *find, void *context,
		       const struct sim_memory *memory);
void sim_functions_release(struct sim_functions *f);

/* The number of the function at pc; 0 when memory ran out. */
uint32_t sim_functions_number(struct sim_functions *f, uint64_t pc);

/*
 * Code in [start, end) was unmapped: forget the functions there, except SIM_FUNCTION_MADE, whose
 * end is unknown. Numbers are not reused.
 */
void sim_functions_forget(struct sim_functions *f, uint64_t start, uint64_t end);

#endif
