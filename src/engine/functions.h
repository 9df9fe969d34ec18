/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which function of the target some code is in, for the call graph. */
#ifndef DWELL_ENGINE_FUNCTIONS_H
#define DWELL_ENGINE_FUNCTIONS_H

#include "sim/functions.h"

/*
 * A sim_function_finder. Functions are what frame information describes as one piece, or else what
 * a symbol covers; the stubs of a linkage table are one function; so is code that neither knows,
 * and code that lies in no file, such as a program has generated.
 */
void functions_find(void *context, uint64_t pc, struct sim_function *found);

#endif
