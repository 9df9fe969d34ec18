/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the function of the target that holds some code, for the call graph. */
#ifndef DWELL_ENGINE_UNWIND_FUNCTIONS_H
#define DWELL_ENGINE_UNWIND_FUNCTIONS_H

#include "engine/unwind/made_code.h"
#include "sim/calls/functions.h"

/*
 * A sim_function_finder. A function is code that frame information describes as one piece, or else
 * that a symbol covers. The stubs of a linkage table are one function; so is a gap of unknown code.
 * For code that lies in no file see made_code.h.
 */
void functions_find(void *context, uint64_t pc, struct sim_function *found);

/* The end of the function that holds pc, as far as is known now. */
uint64_t functions_end(uint64_t pc);

/* Code is reached at pc: as made_code_begin; false if pc lies in a file. */
bool functions_begin(uint64_t pc, enum made_way way, struct made_range *stale);

/* As made_code_extend, for n places. */
void functions_extend(uint64_t pc, const uint64_t *last, uint32_t n);

#endif
