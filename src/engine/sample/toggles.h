/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that switch a simulation on and off for their own time (--toggle-collect). Each thread
 * has a switch: off at first, turned when one of these functions is entered, and turned back when
 * it is left. What they call belongs to it; of a function that calls itself only the outermost call
 * counts.
 *
 * An entry is seen where the function's first block begins, a return where the block behind the
 * call does. Whom an exception or longjmp leaves is told by the stack pointer: where an exception
 * is caught or passed on, where setjmp returns, and else at the next look of the dispatcher.
 */
#ifndef DWELL_ENGINE_SAMPLE_TOGGLES_H
#define DWELL_ENGINE_SAMPLE_TOGGLES_H

#include "engine/core/state.h"

/* A file became mapped for execution: remember where its functions of these names are. */
void toggles_module(uint64_t start, uint64_t end, uint64_t offset, const char *path);
/* Has a block that begins at `pc` to ask first: toggles_asked? */
bool toggles_at(uint64_t pc);
void toggles_asked(struct thread *t, uint64_t pc);
/* t has left the cache, its registers are the target's: has it left functions unseen? */
void toggles_look(struct thread *t);
/* Is what t runs now to be simulated, as far as these functions say? */
bool toggles_allow(const struct thread *t);

#endif
