/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that turn a simulation on or off while they run (--toggle-collect). Each thread has a
 * switch, which begins off. It toggles when one of these functions is entered, and again when that
 * is left; their callees are included. In a recursion only the outermost call counts.
 *
 * An entry is seen at the function's first block, a return at the block behind the call. Exits by
 * exceptions and longjmp are recognised by the stack pointer: where an exception is caught or
 * passed on, where setjmp returns, or at the next entry of the dispatcher.
 */
#ifndef DWELL_ENGINE_DRIVE_TOGGLES_H
#define DWELL_ENGINE_DRIVE_TOGGLES_H

#include "engine/core/state.h"

/* A file was mapped for execution: note the addresses of its functions of these names. */
void toggles_module(uint64_t start, uint64_t end, uint64_t offset, const char *path);
/* Must a block that begins at `pc` call toggles_asked first? */
bool toggles_at(uint64_t pc);
void toggles_asked(struct thread *t, uint64_t pc);
/* t is outside of the code cache, its registers are the target's: has it left functions unseen? */
void toggles_look(struct thread *t);
/* Do these functions allow that t's code is simulated now? */
bool toggles_allow(const struct thread *t);

#endif
